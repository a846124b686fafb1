import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Reminders

/// Ways to the other side of the globe, where a straight line through it tells hardly anything of their length.
@Suite struct FarSideTests {
  private static let again = TimeSpan.minutes(10)

  private static func place(_ dice: inout SeededGenerator) -> Coordinate {
    var latitude = Double.random(in: -90...90, using: &dice)
    if Int.random(in: 0..<4, using: &dice) == 0 { latitude = latitude < 0 ? -90 : 90 }
    return Coordinate(
      clampingLatitude: latitude, wrappingLongitude: .random(in: -180...180, using: &dice))
  }

  private static func near(
    _ middle: Coordinate, _ metres: Double, _ dice: inout SeededGenerator
  ) -> Coordinate {
    middle.destination(
      bearing: .random(in: 0..<360, using: &dice), distance: .random(in: 0...metres, using: &dice))
  }

  private static func antipode(_ place: Coordinate) -> Coordinate {
    Coordinate(
      clampingLatitude: -place.latitude, wrappingLongitude: place.longitude + 180)
  }

  /// Some metres, or so much less than half the globe, or anything between.
  private static func distance(_ dice: inout SeededGenerator) -> Double {
    let half = Double.pi * Sphere.radius
    let some = Double(sign: .plus, exponent: .random(in: -10...24, using: &dice), significand: 1)
    switch Int.random(in: 0..<4, using: &dice) {
    case 0: return min(half, some)
    case 1: return max(0, half - some)
    case 2: return [0, half / 2, half].randomElement(using: &dice) ?? half
    default: return .random(in: 0...half, using: &dice)
    }
  }

  /// What is told of a way by the straight line is no less than the way, and near by hardly more; and a circle holds what
  /// the distance says it holds.
  @Test func aStraightLineBoundsAWay() {
    var dice = SeededGenerator(seed: 43)
    var inside = 0
    for _ in 0..<100_000 {
      let here = Self.place(&dice)
      let there = here.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: Self.distance(&dice))
      let (origin, other) = (Direction(here), Direction(there))
      let way = origin.distance(to: other)
      let most = origin.distance(atLeastTo: other)
      #expect(most >= way * (1 - 0x1p-50))
      #expect(most <= way * 1.000_001 || way > 40_000)
      let metres = way * .random(in: 0.5...2, using: &dice)
      #expect(origin.isWithin(metres, of: other) == (way <= metres))
      #expect(origin.isWithin(way.nextUp, of: other) || way < 1)
      inside += way <= metres ? 1 : 0
    }
    #expect(inside > 20_000 && inside < 80_000)
  }

  @Test func distancesAreThoseOfTheGreatCircle() {
    var dice = SeededGenerator(seed: 41)
    var (worst, worstShort, worstByRule) = (0.0, 0.0, 0.0)
    for _ in 0..<100_000 {
      let here = Self.place(&dice)
      let there = here.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: Self.distance(&dice))
      let exact = UnitVector(here).angle(to: UnitVector(there)) * Sphere.radius
      let (origin, other) = (Direction(here), Direction(there))
      worst = max(worst, abs(origin.distance(to: other) - exact))
      let short = origin.distance(
        x: Double(Float(other.x)), y: Double(Float(other.y)), z: Double(Float(other.z)))
      worstShort = max(worstShort, abs(short - exact))
      worstByRule = max(worstByRule, abs(short - here.distance(to: there)))
    }
    #expect(worst < 1e-6)
    #expect(worstShort < 0.5)
    // Less than the metre that a look counts as doubtful: what the rule reckons with is itself not exact there.
    #expect(worstByRule < 1)
  }

  @Test func noPlaceInABallIsFartherThanItsReach() {
    var dice = SeededGenerator(seed: 42)
    for _ in 0..<20_000 {
      let here = Self.place(&dice)
      let place = here.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: Self.distance(&dice))
      let (origin, other) = (Direction(here), Direction(place))
      // The middle of the ball need not be on the sphere.
      let side = Double.random(in: 0...0.06, using: &dice)
      func moved(_ part: Double) -> Double { part + .random(in: -side...side, using: &dice) }
      let farthest = origin.distance(
        x: moved(other.x), y: moved(other.y), z: moved(other.z),
        reach: side * 3.0.squareRoot() + 1 / Sphere.radius)
      #expect(farthest >= here.distance(to: place))
    }
  }

  private struct World {
    var queue: LeaveQueue
    var odometer = Odometer()
    var now: Int64 = 1_781_280_000_000_000
    var here: Coordinate {
      didSet { odometer.follow(here) }
    }
    var dice: SeededGenerator
    private(set) var reminders: [Int32: (place: Coordinate, moment: Int64, index: Int32)] = [:]
    private var routes = RouteBook()

    init(_ profile: TravelProfile, _ here: Coordinate, seed: UInt64) {
      queue = LeaveQueue(pace: TravelPace(profile: profile))
      self.here = here
      odometer.follow(here)
      dice = SeededGenerator(seed: seed)
    }

    var view: LeaveView { LeaveView(now: now, metres: odometer.metres, here: odometer.here) }

    /// One near a place, with so much slack, seconds.
    mutating func add(
      _ slot: Int32, _ stage: LeaveQueue.Stage, around middle: Coordinate,
      slack: ClosedRange<Double>
    ) {
      let place = FarSideTests.near(middle, 6_000, &dice)
      let seconds =
        queue.pace.seconds(here.distance(to: place)) + Double.random(in: slack, using: &dice)
      add(slot, stage, place, now + Int64(seconds * 1e6))
    }

    mutating func add(
      _ slot: Int32, _ stage: LeaveQueue.Stage, _ place: Coordinate, _ moment: Int64
    ) {
      let entry = LeaveEntry(
        slot: slot, place: place, radius: 20, moment: Instant(microseconds: moment))
      let index = queue.add(
        entry, stage,
        moment: stage == .gone ? nil : Instant(microseconds: now) + slack(place, moment),
        again: FarSideTests.again, view)
      reminders[slot] = (place, moment, index)
    }

    mutating func remove(_ slot: Int32) {
      if let one = reminders.removeValue(forKey: slot) { queue.remove(one.index) }
    }

    func slack(_ place: Coordinate, _ moment: Int64) -> TimeSpan {
      let distance = here.distance(toPlaceAt: place, radius: 20)
      let way = distance > 0 ? TimeSpan(seconds: queue.pace.seconds(distance)) : .zero
      return TimeSpan(microseconds: moment - now - way.microseconds)
    }

    /// All that are due, by the rule and by the queue; they are removed.
    mutating func takeDue() -> (byRule: Set<Int32>, byQueue: Set<Int32>) {
      let byRule = Set(
        reminders.filter { slack($0.value.place, $0.value.moment) <= .zero }.keys)
      var byQueue: Set<Int32> = []
      while let slot = queue.nextDue(
        view, routes: &routes, mode: 0,
        exactDistance: { [reminders, here] slot in
          reminders[slot].map { here.distance(toPlaceAt: $0.place, radius: 20) }
        })
      {
        byQueue.insert(slot)
        remove(slot)
      }
      return (byRule, byQueue)
    }

    /// All that have got much slack back, by the rule; what has it by the queue is removed.
    mutating func takeBack() -> (byRule: Set<Int32>, byQueue: Set<Int32>) {
      let byRule = Set(
        reminders.filter {
          slack($0.value.place, $0.value.moment) > TimeSpan.minutes(11)
        }.keys)
      var byQueue: Set<Int32> = []
      while let slot = queue.nextBack(view, again: FarSideTests.again) {
        guard let one = reminders[slot] else { return (byRule, byQueue) }
        remove(slot)
        if slack(one.place, one.moment) > FarSideTests.again {
          byQueue.insert(slot)
        } else {
          add(slot, .gone, one.place, one.moment)
        }
      }
      for (slot, one) in reminders where one.moment <= now { remove(slot) }
      return (byRule, byQueue)
    }
  }

  /// Where the device is next: a little on, or on the other side of the globe.
  private static func next(
    _ poles: [Coordinate], _ here: Coordinate, _ dice: inout SeededGenerator
  ) -> Coordinate {
    if Int.random(in: 0..<20, using: &dice) == 0 {
      return near(poles.randomElement(using: &dice) ?? here, 3_000, &dice)
    }
    return near(here, 400, &dice)
  }

  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func whatIsThereIsTimelyDueAndTimelyBack(profile: TravelProfile) {
    var (due, back) = (0, 0)
    for seed in 0..<4 as Range<UInt64> {
      var dice = SeededGenerator(seed: 50 + seed)
      let pole =
        seed == 0 ? Coordinate(clampingLatitude: 90, wrappingLongitude: 0) : Self.place(&dice)
      let poles = [pole, Self.antipode(pole)]
      var waiting = World(profile, pole, seed: seed)
      var gone = World(profile, pole, seed: 10 + seed)
      for step in 0..<300 {
        for slot in 0..<60 as Range<Int32> {
          if waiting.reminders[slot] == nil {
            waiting.add(slot, .waiting, around: poles[Int(slot) % 2], slack: 1...3_000)
          }
          if gone.reminders[slot] == nil {
            gone.add(slot, .gone, around: poles[Int(slot) % 2], slack: -1_500...590)
          }
        }
        let seconds = Int64.random(in: 1...20, using: &dice)
        waiting.now += seconds * 1_000_000
        gone.now = waiting.now
        waiting.here = Self.next(poles, waiting.here, &dice)
        gone.here = waiting.here
        let isDue = waiting.takeDue()
        #expect(isDue.byQueue == isDue.byRule, "seed \(seed), step \(step)")
        due += isDue.byRule.count
        let isBack = gone.takeBack()
        #expect(isBack.byQueue.isSuperset(of: isBack.byRule), "seed \(seed), step \(step)")
        back += isBack.byRule.count
      }
    }
    #expect(due > 100 && back > 100)
  }
}
