import CivilTime
import Geodesy
import JSONText
import Positioning
import Testing

/// Trips and stays of a way, and the form in which pages get it.
@Suite struct TripDividerTests {
  /// A way along the equator, made of legs.
  private struct Way {
    var points: [TrackPoint] = []
    var time = 1_781_280_000.0
    var metres = 0.0
    private static let perDegree = Sphere.radius * .pi / 180

    /// A point each `step` seconds.
    mutating func go(_ seconds: Double, speed: Double, step: Double = 10, noise: Double = 0) {
      for number in 0..<Int(seconds / step) {
        time += step
        metres += speed * step
        let side = noise * (number % 2 == 0 ? 1 : -1)
        points.append(
          TrackPoint(
            time: Instant(seconds: time),
            position: Coordinate(
              clampingLatitude: side / Self.perDegree, wrappingLongitude: metres / Self.perDegree),
            speed: speed, eph: 5))
      }
    }
  }

  private func parts(_ way: Way) -> [TripDivider.Part] {
    var divider = TripDivider()
    return way.points.flatMap { divider.add($0) } + divider.finish()
  }

  private func trips(_ way: Way) -> [RecordedTrip] {
    parts(way).compactMap { if case .trip(let trip) = $0 { trip } else { nil } }
  }

  private func stays(_ way: Way) -> [Stay] {
    parts(way).compactMap { if case .stay(let stay) = $0 { stay } else { nil } }
  }

  @Test func aTripGoesFromStayToStay() throws {
    var way = Way()
    way.go(1_800, speed: 0, step: 30, noise: 8)
    let departure = way.time
    way.go(600, speed: 12)
    let arrival = way.time
    way.go(1_800, speed: 0, step: 30, noise: 8)
    let trip = try #require(trips(way).first)
    #expect(trips(way).count == 1)
    // The first and the last hundred metres may belong to the stays.
    #expect(abs(trip.begin.seconds - departure) <= 30 && abs(trip.end.seconds - arrival) <= 30)
    #expect(abs(trip.distance - 7_200) < 150)
    #expect(stays(way).count == 2)
    #expect(stays(way).allSatisfy { $0.end - $0.begin > .minutes(25) })
  }

  @Test func aTrafficLightDividesNoTrip() {
    var way = Way()
    way.go(600, speed: 0, step: 30)
    way.go(300, speed: 12)
    way.go(120, speed: 0, step: 30)
    way.go(300, speed: 12)
    way.go(600, speed: 0, step: 30)
    #expect(trips(way).count == 1)
  }

  @Test func aWalkAroundTheHouseIsNoTrip() {
    var way = Way()
    way.go(600, speed: 0, step: 30)
    way.go(60, speed: 2)
    way.go(60, speed: -2)
    way.go(1_200, speed: 0, step: 30)
    #expect(trips(way).isEmpty)
  }

  @Test func aSlowWalkIsATrip() {
    var way = Way()
    way.go(600, speed: 0, step: 30)
    way.go(3_600, speed: 0.9)
    way.go(600, speed: 0, step: 30)
    #expect(trips(way).count == 1)
  }

  @Test func aGapEndsATripAndOneAtHomeDoesNotEndTheStay() {
    var way = Way()
    way.go(600, speed: 0, step: 30)
    way.go(600, speed: 12)
    way.time += 3_600
    way.metres += 50_000
    way.go(600, speed: 12)
    #expect(trips(way).count == 2)
    var home = Way()
    home.go(1_200, speed: 0, step: 30)
    home.time += 40_000
    home.go(1_200, speed: 0, step: 30)
    #expect(stays(home).count == 1)
  }

  @Test func aWayReadAgainFromTheLastEndIsDividedAlike() {
    var way = Way()
    for _ in 0..<4 {
      way.go(900, speed: 0, step: 30, noise: 5)
      way.go(700, speed: 9)
    }
    way.go(900, speed: 0, step: 30)
    let whole = parts(way)
    for cut in stride(from: 20, to: way.points.count, by: 17) {
      var divider = TripDivider()
      var ended: [TripDivider.Part] = []
      for point in way.points[..<cut] { ended += divider.add(point) }
      let end = ended.last.map { part in
        switch part {
        case .trip(let trip): trip.end
        case .stay(let stay): stay.end
        }
      }
      var again = TripDivider()
      for point in way.points where point.time >= end ?? point.time { ended += again.add(point) }
      let trips = (ended + again.finish()).filter { if case .trip = $0 { true } else { false } }
      #expect(trips == whole.filter { if case .trip = $0 { true } else { false } }, "cut at \(cut)")
    }
  }

  @Test func aClockThatIsSetBackBeginsAnew() {
    var way = Way()
    way.go(600, speed: 12)
    way.time -= 86_400
    way.go(600, speed: 12)
    #expect(trips(way).count == 2)
  }

  // MARK: - Fewer points

  @Test func aPointStandsForTheNextFiveMetresOrHalfAMinute() {
    var thinner = TrackThinner()
    func take(_ seconds: Double, _ metres: Double) -> Bool {
      let place = Coordinate(clampingLatitude: metres / 111_195, wrappingLongitude: 0)
      return thinner.take(TrackPoint(time: Instant(seconds: seconds), position: place)) != nil
    }
    #expect(take(0, 0) && !take(1, 4) && take(2, 6) && !take(20, 6) && take(32, 6))
    #expect(!take(32, 500) && !take(31, 500), "a time that is not later")
    #expect(take(-4_000, 0) && take(-3_999, 50), "a clock that was set back")
  }

  @Test func columnsGoTheShortWayOverTheAntimeridian() {
    var columns = TrackColumns()
    for (second, longitude) in [179.9999, -179.9999, 179.9998].enumerated() {
      columns.add(
        time: Instant(seconds: Double(second)),
        position: Coordinate(clampingLatitude: 0, wrappingLongitude: longitude), speed: 1,
        eph: nil, isAfterGap: second == 2)
    }
    #expect(columns.json["lon"] == [179_999_900, 200, -300])
    #expect(columns.json["gaps"] == [2] && columns.json["eph"] == [-1, -1, -1])
  }
}
