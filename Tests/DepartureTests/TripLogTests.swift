import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Departure

/// Where a trip begins and ends, what it teaches, and what an approach is.
@Suite struct TripLogTests {
  private static let start = Instant(seconds: 1_781_280_000)
  private static let goal = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
  private let estimator = TravelEstimator()

  private static func place(
    _ due: Instant = start + .hours(2), by transport: Transport = .driving
  ) -> TripGoal {
    TripGoal(
      place: goal, radius: 100, by: transport, due: due,
      time: TimeOfWeek(hour: 9, isWeekend: false))
  }

  /// A device on the line through the goal.
  private struct Walker {
    var log = TripLog()
    var now = TripLogTests.start
    var distance: Double
    let estimator = TravelEstimator()
    var learnt: [Trip] = []
    var starts = 0

    init(at distance: Double) { self.distance = distance }

    /// A fix each `every` seconds for so long, at metres a second towards the goal, and there.
    mutating func go(_ speed: Double, for seconds: Double, every: Double = 5) {
      for _ in 0..<Int(seconds / every) {
        now += .seconds(every)
        distance = max(0, distance - speed * every)
        let here = TripLogTests.goal.destination(bearing: 90, distance: distance)
        if log.follow(to: Vector(here), at: now) { starts += 1 }
        learnt += log.arrivals(at: now, estimator).map(\.trip)
      }
    }

    var isOnTheWay: Bool { log.approach(to: TripLogTests.place(), estimator) != nil }
  }

  @Test(arguments: [1.0, 10, 60, 300])
  func aTripIsMeasuredFromRealMotionToThePlace(every: Double) throws {
    var walker = Walker(at: 8_000)
    walker.go(0, for: 3_600, every: every)
    walker.log.expect(Self.place(), routed: nil)
    walker.go(5, for: 1_800, every: every)
    #expect(walker.starts == 1)
    let trip = try #require(walker.learnt.first)
    #expect(walker.learnt.count == 1)
    // The straight line at 5 m/s, whatever the formula says; two fixes bound it.
    #expect(abs(trip.seconds - (trip.distance - 100) / 5) <= every + 0.01)
    #expect(trip.distance <= 7_800 && trip.distance > 7_800 - 5 * every - 1)
  }

  /// Between "leave" and the first metre somebody may do anything, and teaches nothing by it.
  @Test(arguments: [0.0, 600, 2_400])
  func whoLeavesLateTeachesTheSame(delay: Double) throws {
    var walker = Walker(at: 8_000)
    walker.go(0, for: 3_600)
    walker.log.expect(Self.place(), routed: nil)
    walker.go(0, for: delay)
    walker.go(5, for: 1_800)
    let trip = try #require(walker.learnt.first)
    #expect(abs(trip.seconds - (trip.distance - 100) / 5) <= 5)
  }

  @Test func aTripThatWasNotSeenToBeginTeachesNothing() {
    var walker = Walker(at: 8_000)
    walker.go(5, for: 600)
    walker.log.expect(Self.place(), routed: nil)
    walker.go(5, for: 1_200)
    #expect(walker.learnt.isEmpty && walker.starts == 0)
  }

  @Test func aSilenceOnTheWayTeachesNothing() {
    var walker = Walker(at: 20_000)
    walker.go(0, for: 3_600)
    walker.log.expect(Self.place(), routed: nil)
    walker.go(10, for: 300)
    walker.now += .minutes(20)
    walker.distance -= 5_000
    walker.go(10, for: 1_300)
    #expect(walker.starts == 1 && walker.learnt.isEmpty)
  }

  /// A stop of five minutes belongs to the trip; one of half an hour begins another.
  @Test func aStopBelongsToTheTripAndARestDoesNot() throws {
    for (stop, expected) in [(300.0, 1_860.0), (1_800, 760)] {
      var walker = Walker(at: 8_000)
      walker.go(0, for: 3_600)
      walker.log.expect(Self.place(), routed: nil)
      walker.go(5, for: 800)
      walker.go(0, for: stop)
      walker.go(5, for: 900)
      let trip = try #require(walker.learnt.first)
      #expect(abs(trip.seconds - expected) < 60, "\(trip.seconds)")
    }
  }

  @Test func implausibleTripsAndShortOnesTeachNothing() {
    for (distance, speed) in [(8_000.0, 1.0), (8_000, 60), (700, 1.5)] {
      var walker = Walker(at: distance)
      walker.go(0, for: 3_600)
      walker.log.expect(Self.place(Self.start + .hours(9)), routed: nil)
      walker.go(speed, for: distance / speed)
      #expect(walker.learnt.isEmpty, "\(distance) m at \(speed) m/s")
    }
  }

  @Test func aGoalCountsForTwoHoursAfterItsDueTime() {
    for (due, count) in [(0.0, 1), (-7_300, 0)] {
      var walker = Walker(at: 8_000)
      walker.go(0, for: 3_600)
      walker.log.expect(Self.place(walker.now + .seconds(due)), routed: nil)
      walker.go(5, for: 1_800)
      #expect(walker.learnt.count == count)
    }
  }

  // MARK: - On the way

  @Test func anApproachTakesTwoMinutesAtThePaceOfTheMode() {
    var walker = Walker(at: 8_000)
    walker.go(0, for: 3_600)
    #expect(!walker.isOnTheWay)
    walker.go(9, for: 60)
    #expect(!walker.isOnTheWay)
    walker.go(9, for: 120)
    #expect(walker.isOnTheWay)
    // A long traffic light, then a rest.
    walker.go(9, for: 420)
    walker.go(0, for: 300)
    #expect(walker.isOnTheWay)
    walker.go(0, for: 400)
    #expect(!walker.isOnTheWay)
  }

  /// Two wild fixes that agree, and the way back from them.
  @Test func aJumpIsNoApproach() {
    var walker = Walker(at: 8_000)
    walker.go(0, for: 3_600)
    for distance in [200_000.0, 8_000] {
      walker.distance = distance
      walker.go(0, for: 10)
    }
    walker.go(0, for: 120)
    #expect(!walker.isOnTheWay)
  }

  /// Up and down a shopping street, 2 km from the place.
  @Test func somebodyWhoGoesUpAndDownIsNotOnTheWay() {
    var walker = Walker(at: 2_000)
    walker.go(0, for: 3_600)
    var (count, silent) = (0, 0)
    for leg in 0..<24 {
      for _ in 0..<25 {
        walker.go(leg % 2 == 0 ? 1.2 : -1.2, for: 10)
        count += 1
        let goal = Self.place(by: .walking)
        if walker.log.approach(to: goal, estimator) != nil { silent += 1 }
      }
    }
    #expect(silent < count / 20, "\(silent) of \(count)")
  }

  @Test func somebodyWhoStrollsOrTurnsAwayIsNotOnTheWay() {
    var walker = Walker(at: 8_000)
    walker.go(0, for: 3_600)
    walker.go(1, for: 900)
    #expect(!walker.isOnTheWay)
    walker.go(9, for: 600)
    #expect(walker.isOnTheWay)
    walker.go(-9, for: 120)
    #expect(!walker.isOnTheWay)
  }

  /// A tracker with a fix each five minutes, and a start of the daemon on the way.
  @Test func fewFixesAreEnough() {
    var walker = Walker(at: 20_000)
    walker.go(10, for: 900, every: 300)
    #expect(walker.isOnTheWay)
  }

  /// A day on the road keeps a short track.
  @Test func aLongTripIsThinnedAndStillAnApproach() {
    var walker = Walker(at: 900_000)
    walker.go(0, for: 1_200)
    walker.go(20, for: 40_000)
    #expect(walker.isOnTheWay)
  }
}
