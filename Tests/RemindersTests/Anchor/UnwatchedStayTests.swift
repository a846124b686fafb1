import CivilTime
import Geodesy
import Reminders
import Testing

/// When a boat without an anchor watch is reminded of it. On 12 June the sun sets at 19:49 UTC in
/// Hamburg, and rises at 02:52.
@Suite struct UnwatchedStayTests {
  /// A boat, by the minute; `reports` has the clock's readings.
  private struct Boat {
    var position = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
    var now: Instant
    var isWatched = false
    var error = 5.0
    var stay: UnwatchedStay
    var reports: [String] = []
    var departures = 0

    init(_ time: String, latitude: Double = 53.55) throws {
      now = try Instant(rfc3339: "2026-\(time):00Z")
      position = Coordinate(clampingLatitude: latitude, wrappingLongitude: 9.99)
      stay = UnwatchedStay(at: position, since: now)
    }

    mutating func lie(_ minutes: Int, after span: TimeSpan = .minutes(10)) {
      for _ in 0..<minutes {
        now = now + .minutes(1)
        switch stay.follow(position, error: error, at: now, after: span, isWatched: isWatched) {
        case .wait: break
        case .report: reports.append(String(now.rfc3339().dropFirst(5).prefix(11)))
        case .left: departures += 1
        }
      }
    }

    mutating func go(east metres: Double) {
      position = position.destination(bearing: 90, distance: metres)
    }
  }

  @Test func aBoatThatLiesStillAtNightIsRemindedOnce() throws {
    var boat = try Boat("06-12T21:00")
    boat.lie(300)
    #expect(boat.reports == ["06-12T21:10"])
  }

  @Test func byDayItWaitsForTheSunset() throws {
    var boat = try Boat("06-12T08:00")
    boat.lie(24 * 60)
    #expect(boat.reports == ["06-12T19:50"])
  }

  @Test func withAWatchNothingIsSaidUntilItIsRaised() throws {
    var boat = try Boat("06-12T21:00")
    boat.isWatched = true
    boat.lie(60)
    boat.isWatched = false
    boat.lie(60)
    #expect(boat.reports == ["06-12T22:01"])
  }

  @Test func swingingOnTheChainIsOneStay() throws {
    var boat = try Boat("06-12T21:00")
    for swing in [60, -120, 140, -160, 150, -70.0] {
      boat.go(east: swing)
      boat.lie(20)
    }
    #expect(boat.reports == ["06-12T21:10"])
    #expect(boat.departures == 0)
  }

  @Test func oneWrongPositionEndsNoStay() throws {
    var boat = try Boat("06-12T21:00")
    for _ in 0..<6 {
      boat.lie(20)
      boat.go(east: 5_000)
      boat.lie(1)
      boat.go(east: -5_000)
    }
    #expect(boat.reports == ["06-12T21:10"])
    #expect(boat.departures == 0)
  }

  /// A receiver that says how wrong it is moves no boat.
  @Test func anInaccuratePositionIsWithinItsError() throws {
    var boat = try Boat("06-12T21:00")
    boat.go(east: 400)
    boat.error = 350
    boat.lie(20)
    #expect(boat.reports == ["06-12T21:10"])
  }

  @Test func theNextStayIsAnother() throws {
    var boat = try Boat("06-12T21:00")
    boat.lie(20)
    for _ in 0..<10 {
      boat.go(east: 150)
      boat.lie(1)
    }
    #expect(boat.departures > 0)
    boat.lie(30)
    #expect(boat.reports.count == 2)
    #expect(boat.reports.last ?? "" > "06-12T21:39")
  }

  @Test func aBoatUnderWayIsNotReminded() throws {
    var boat = try Boat("06-12T21:00")
    for _ in 0..<240 {
      // Half a knot.
      boat.go(east: 15)
      boat.lie(1)
    }
    #expect(boat.reports == [])
  }

  @Test func aClockThatWasSetBackBeginsTheTimeAnew() throws {
    var boat = try Boat("06-12T23:00")
    boat.lie(5)
    boat.now = boat.now - .hours(1)
    boat.lie(20)
    #expect(boat.reports == ["06-12T22:16"])
  }

  @Test(arguments: ["06-12T12:00", "12-12T12:00"])
  func whereTheSunNeitherRisesNorSetsAnyHourCounts(time: String) throws {
    var boat = try Boat(time, latitude: 80)
    boat.lie(20)
    #expect(boat.reports.count == 1)
  }
}
