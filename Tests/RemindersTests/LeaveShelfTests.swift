import CProcessor
import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Reminders

/// What shelves tell in single precision, against the reckoning of each reminder by itself.
@Suite struct LeaveShelfTests {
  private static let now: Int64 = 1_781_280_000_000_000
  private static let profiles: [TravelProfile] = [
    .driving, .cycling, .walking,
    TravelProfile(
      bands: [
        .init(below: 2_000, kilometresPerHour: 60), .init(below: 9_000, kilometresPerHour: 4),
        .init(below: 60_000, kilometresPerHour: 120),
        .init(below: .infinity, kilometresPerHour: 30),
      ], detour: 1.2, overhead: .minutes(3), topSpeed: 70),
  ]

  private static func pace(_ dice: inout SeededGenerator) -> TravelPace {
    var pace = TravelPace(profile: profiles.randomElement(using: &dice) ?? .driving)
    if Bool.random(using: &dice) { pace.learnt = .random(in: 0.5...2, using: &dice) }
    if Bool.random(using: &dice) { pace.trip = .random(&dice) }
    return pace
  }

  /// Never more slack than there is, nor less by more than what is counted for it.
  @Test func slackIsToldNearlyAndNeverAsMore() {
    checkSlacks(ShelfKernel(isWide: false))
  }

  @Test(.wideVectors) func wideVectorsTellSlackNearlyAndNeverAsMore() {
    checkSlacks(ShelfKernel(isWide: true))
  }

  private func checkSlacks(_ kernel: ShelfKernel) {
    var dice = SeededGenerator(seed: 31)
    let all = shelf_bounds(
      least: .infinity, most: .infinity, nearest: 0, farthest: .infinity, shortest: -.infinity)
    for _ in 0..<400 {
      let reckoning = LeaveReckoning(pace: Self.pace(&dice))
      let here = Coordinate(
        clampingLatitude: .random(in: -90...90, using: &dice),
        wrappingLongitude: .random(in: -180...180, using: &dice))
      let view = LeaveView(now: Self.now, metres: 0, here: Direction(here))
      // Moments are told from a time up to 68 minutes ago, or ahead after the clock was set back.
      let base = Self.now - .random(in: -4_096_000_000...4_096_000_000, using: &dice)
      var shelf = LeaveShelf()
      var entries: [LeaveEntry] = []
      for place in 0..<Int32.random(in: 1...40, using: &dice) {
        let distance =
          Double.random(in: 0...1, using: &dice)
          * ([50, 3_000, 100_000, LeaveShelf.farthest].randomElement(using: &dice) ?? 0)
        let way = Int64(reckoning.pace.seconds(distance) * 1e6)
        let moment = Self.now + way + .random(in: -1_000_000_000...7_000_000_000, using: &dice)
        let entry = LeaveEntry(
          slot: place,
          place: here.destination(bearing: .random(in: 0..<360, using: &dice), distance: distance),
          radius: 50, moment: Instant(microseconds: moment))
        entries.append(entry)
        _ = shelf.append(place, entry, moment: Float(Double(moment - base) / 1e6))
      }
      let origin = Direction(here)
      let short = shelf_view(
        now: Float(Double(Self.now - base) / 1e6), x: Float(origin.x), y: Float(origin.y),
        z: Float(origin.z))
      var taken: [shelf_stray] = []
      _ = shelf.look(short, reckoning, all, kernel, into: &taken)
      #expect(taken.map(\.place) == entries.map(\.slot))
      for one in taken {
        let entry = entries[Int(one.place)]
        let look = reckoning.look(at: entry, view)
        let exact = Double(look.outside) / 1e6
        let doubt = LeaveShelf.doubt(
          left: Double(abs(entry.moment - Self.now)) / 1e6, distance: look.distance,
          slope: reckoning.slope(1))
        #expect(Double(one.slack) <= exact)
        #expect(Double(one.slack) >= exact - doubt)
        #expect(Double(one.distance) >= look.distance)
      }
    }
  }

  /// Whatever comes and goes, each is found once, and what is told of the rest is the least and the most of it.
  @Test func aShelfKnowsWhatIsOnIt() {
    var dice = SeededGenerator(seed: 32)
    let reckoning = LeaveReckoning(pace: TravelPace(profile: .driving))
    let here = EngineHarness.home
    let origin = Direction(here)
    let short = shelf_view(
      now: 0, x: Float(origin.x), y: Float(origin.y), z: Float(origin.z))
    var shelf = LeaveShelf()
    var numbers: [Int32: Int32] = [:]
    var slacks: [Int32: Double] = [:]
    for step in 0..<600 as Range<Int32> {
      if Int.random(in: 0..<5, using: &dice) > 1 || numbers.isEmpty {
        let distance = Double.random(in: 10_000...30_000, using: &dice)
        let slack = Double.random(in: 0...1_000, using: &dice)
        let entry = LeaveEntry(
          slot: step,
          place: here.destination(bearing: .random(in: 0..<360, using: &dice), distance: distance),
          radius: 50, moment: Instant(microseconds: Self.now))
        numbers[step] = shelf.append(
          step, entry, moment: Float(reckoning.pace.seconds(distance) + slack))
        slacks[step] = slack
      } else if let (place, number) = numbers.randomElement(using: &dice) {
        numbers[place] = nil
        slacks[place] = nil
        if let moved = shelf.remove(number) { numbers[moved] = number }
      }
      let limit = Float.random(in: 0...1_000, using: &dice)
      var taken: [shelf_stray] = []
      let sight = shelf.look(
        short, reckoning,
        shelf_bounds(
          least: limit, most: .infinity, nearest: 0, farthest: .infinity, shortest: -.infinity),
        ShelfKernel(), into: &taken)
      #expect(Set(shelf.places) == Set(slacks.keys))
      #expect(taken.allSatisfy { $0.slack < limit })
      let gone = Set(taken.map(\.place))
      #expect(gone.count == taken.count)
      let rest = slacks.filter { !gone.contains($0.key) }.values
      #expect(rest.allSatisfy { Float($0) >= limit })
      #expect(abs(Double(sight.least) - (rest.min() ?? .infinity)) < 1 || rest.isEmpty)
      #expect(abs(Double(sight.most) - (rest.max() ?? 0)) < 1 || rest.isEmpty)
      #expect(sight.nearest.isFinite == !rest.isEmpty)
      if Int.random(in: 0..<10, using: &dice) == 0 {
        shelf.remove(taken)
        for one in gone {
          numbers[one] = nil
          slacks[one] = nil
        }
        // Nothing has another number but what has come in the place of one that was taken.
        let taken = Set(taken.map(\.number))
        for (number, place) in shelf.places.enumerated() where numbers[place] != Int32(number) {
          #expect(taken.contains(Int32(number)))
          numbers[place] = Int32(number)
        }
      }
    }
  }
}
