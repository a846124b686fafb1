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
        shelf.append(
          place, x: entry.x, y: entry.y, z: entry.z, moment: Float(Double(moment - base) / 1e6))
      }
      let origin = Direction(here)
      let short = shelf_view(
        now: Float(Double(Self.now - base) / 1e6), x: Float(origin.x), y: Float(origin.y),
        z: Float(origin.z))
      var taken: [shelf_stray] = []
      _ = shelf.look(short, reckoning, all, kernel, into: &taken)
      #expect(taken.map(\.index) == entries.map(\.slot))
      for one in taken {
        let entry = entries[Int(one.index)]
        let look = reckoning.look(at: entry, view)
        let exact = Double(look.outside) / 1e6
        let doubt = LeaveShelf.doubt(
          left: Double(abs(entry.moment - Self.now)) / 1e6, distance: look.distance,
          slope: reckoning.slope(1))
        #expect(Double(one.slack) <= exact)
        #expect(Double(one.slack) >= exact - doubt)
        #expect(Double(one.distance) >= look.distance)
        // What it takes along to another shelf is what it had on this one.
        #expect(one.x == entry.x && one.y == entry.y && one.z == entry.z)
        #expect(one.moment == Float(Double(entry.moment - base) / 1e6))
        #expect(one.left == one.moment - short.now)
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
    var slacks: [Int32: Double] = [:]
    for step in 0..<600 as Range<Int32> {
      if Int.random(in: 0..<5, using: &dice) > 1 || slacks.isEmpty {
        let distance = Double.random(in: 10_000...30_000, using: &dice)
        let slack = Double.random(in: 0...1_000, using: &dice)
        let entry = LeaveEntry(
          slot: step,
          place: here.destination(bearing: .random(in: 0..<360, using: &dice), distance: distance),
          radius: 50, moment: Instant(microseconds: Self.now))
        shelf.append(
          step, x: entry.x, y: entry.y, z: entry.z,
          moment: Float(reckoning.pace.seconds(distance) + slack))
        slacks[step] = slack
      } else if let one = slacks.keys.sorted().randomElement(using: &dice) {
        slacks[one] = nil
        let removals = [shelf.remove(one), shelf.remove(one)]
        #expect(removals == [true, false])
      }
      let limit = Float.random(in: 0...1_000, using: &dice)
      var taken: [shelf_stray] = []
      let sight = shelf.look(
        short, reckoning,
        shelf_bounds(
          least: limit, most: .infinity, nearest: 0, farthest: .infinity, shortest: -.infinity),
        ShelfKernel(), into: &taken)
      #expect(Set(shelf.indices) == Set(slacks.keys))
      #expect(taken.allSatisfy { $0.slack < limit })
      let gone = Set(taken.map(\.index))
      #expect(gone.count == taken.count)
      let rest = slacks.filter { !gone.contains($0.key) }.values
      #expect(rest.allSatisfy { Float($0) >= limit })
      #expect(abs(Double(sight.least) - (rest.min() ?? .infinity)) < 1 || rest.isEmpty)
      #expect(abs(Double(sight.most) - (rest.max() ?? 0)) < 1 || rest.isEmpty)
      #expect(sight.nearest.isFinite == !rest.isEmpty)
      if Int.random(in: 0..<10, using: &dice) == 0 {
        shelf.remove(taken)
        for one in gone { slacks[one] = nil }
      }
    }
  }

  /// However long some of them are on a shelf, and wherever the clock is set meanwhile: never more slack than there is, nor
  /// less by more than what is counted for it.
  @Test func slackIsToldAsWellAfterDays() {
    var dice = SeededGenerator(seed: 33)
    let reckoning = LeaveReckoning(pace: TravelPace(profile: .driving))
    let here = EngineHarness.home
    let nothing = shelf_bounds(
      least: .infinity, most: .infinity, nearest: 0, farthest: .infinity, shortest: -.infinity)
    let spans: [Double] = [600, 20_000, 300_000, 1_000_000]
    let jumps: [Double] = [60, 5_000, 5_000, 20_000]
    for delay in [LeaveRack.Delay(), .init(always: 120, byRadius: 0.1)] {
      var view = LeaveView(now: Self.now, metres: 0, here: Direction(here))
      var rack = LeaveRack(shelves: 2)
      var entries: [LeaveEntry] = []
      rack.use(delay, entries)
      var (shifts, told) = (0, 0)
      for step in 0..<400 {
        if !rack.isSettled(view) {
          rack.settle(entries, view)
          shifts += 1
        }
        #expect(rack.isSettled(view))
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
          let span = spans.randomElement(using: &dice) ?? 0
          let entry = LeaveEntry(
            slot: Int32(entries.count),
            place: here.destination(
              bearing: .random(in: 0..<360, using: &dice),
              distance: .random(in: 0...30_000, using: &dice)),
            radius: .random(in: 20...500, using: &dice),
            moment: Instant(
              microseconds: view.now + Int64(Double.random(in: 0...span, using: &dice) * 1e6)))
          entries.append(entry)
          rack.put(entry.slot, entry, on: .random(in: 0...1, using: &dice))
        }
        for shelf in 0...1 where Int.random(in: 0..<4, using: &dice) == 0 {
          _ = rack.look(at: shelf, nothing, reckoning, view, Direction(here))
          for one in rack.taken {
            let entry = entries[Int(one.index)]
            let look = reckoning.look(at: entry, view)
            let later = delay.always + delay.byRadius * Double(entry.radius)
            let exact = Double(look.outside) / 1e6 + later
            let left = Double(entry.moment - view.now) / 1e6
            let doubt = LeaveShelf.doubt(
              left: abs(left), distance: look.distance, slope: reckoning.slope(1))
            // What is over for long has no slack, however exactly that is told.
            guard left > -1_000 else { continue }
            told += 1
            #expect(abs(Double(one.left) - left - later) < 0.01 + abs(left) * 0x1p-20)
            #expect(Double(one.slack) <= exact, "\(left) s left")
            #expect(Double(one.slack) >= exact - doubt, "\(left) s left")
            rack.put(one, on: .random(in: 0...1, using: &dice))
          }
        }
        var jump = jumps.randomElement(using: &dice) ?? 0
        if step % 150 == 120 { jump = [80_000, -9_000].randomElement(using: &dice) ?? 0 }
        view.now += Int64(jump * Double.random(in: 0...1, using: &dice) * 1e6)
      }
      #expect(shifts > 50 && told > 1_000)
    }
  }
}
