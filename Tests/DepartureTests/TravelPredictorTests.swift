import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Departure

/// The quantile of like trips.
@Suite struct TravelPredictorTests {
  private static let work = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
  private static let other = Coordinate(clampingLatitude: 53.65, wrappingLongitude: 9.99)
  private static let morning = TimeOfWeek(hour: 9, isWeekend: false)

  private static func query(
    _ distance: Double = 8_000, at time: TimeOfWeek = morning, routed: Double? = nil,
    by transport: Transport = .driving
  ) -> TravelQuery {
    TravelQuery(transport, to: Vector(work), distance: distance, time: time, routed: routed)
  }

  /// So many trips of so many times the formula.
  private static func experience(
    _ count: Int, ratio: Double, distance: Double = 8_000, to goal: Coordinate = work,
    at time: TimeOfWeek = morning, routed: Double? = nil
  ) -> TravelExperience {
    var experience = TravelExperience()
    for _ in 0..<count {
      experience.add(
        Trip(
          goal: goal, distance: distance, seconds: TravelProfile.driving.seconds(distance) * ratio,
          time: time, routed: routed), by: .driving)
    }
    return experience
  }

  @Test(arguments: Transport.allCases)
  func withoutTripsHalfArriveByTheFormulaAndMoreByTheSpread(transport: Transport) {
    let predictor = TravelPredictor()
    let profile = predictor.estimator[transport]
    for distance in [700, 3_000, 8_000, 50_000] as [Double] {
      let usual = profile.seconds(distance)
      let query = Self.query(distance, by: transport)
      #expect(abs(predictor.predict(query, share: 0.5).seconds - usual) < 1e-6 * usual)
      // Quantiles of the normal distribution; the tails of nine trips are coarse.
      for (share, normal) in [(0.7, 0.524), (0.85, 1.036)] {
        let ratio = predictor.predict(query, share: share).seconds / usual
        #expect(abs(ratio / exp(normal * profile.spread) - 1) < 0.02, "\(share) \(ratio)")
      }
    }
  }

  @Test func aFewTripsToThePlaceAreLearnt() {
    var predictor = TravelPredictor()
    let usual = TravelProfile.driving.seconds(8_000)
    var last = Double.infinity
    for count in [1, 2, 5, 20] {
      predictor.experience = Self.experience(count, ratio: 1.1)
      let found = predictor.predict(Self.query())
      let error = abs(found.seconds / usual - 1.1)
      #expect(error <= last && found.trips == count)
      last = error
    }
    #expect(last < 0.01)
  }

  @Test func likeTripsCountMore() {
    var predictor = TravelPredictor()
    let usual = TravelProfile.driving.seconds(8_000)
    func ratio(_ experience: TravelExperience) -> Double {
      predictor.experience = experience
      return predictor.predict(Self.query(), share: 0.5).seconds / usual
    }
    let same = ratio(Self.experience(1, ratio: 1.6))
    let elsewhere = ratio(Self.experience(1, ratio: 1.6, to: Self.other))
    let evening = ratio(
      Self.experience(1, ratio: 1.6, at: TimeOfWeek(hour: 12, isWeekend: false)))
    let weekend = ratio(Self.experience(1, ratio: 1.6, at: TimeOfWeek(hour: 9, isWeekend: true)))
    let longer = ratio(Self.experience(1, ratio: 1.6, distance: 14_000))
    let far = ratio(Self.experience(1, ratio: 1.6, distance: 60_000))
    for less in [elsewhere, evening, weekend, longer] { #expect(1 < less && less < same) }
    #expect(far == 1)
    // Midnight is between 23 and 1.
    let late = TimeOfWeek(hour: 23.5, isWeekend: false)
    predictor.experience = Self.experience(
      1, ratio: 1.6, at: TimeOfWeek(hour: 0.5, isWeekend: false))
    #expect(predictor.predict(Self.query(at: late)).trips == 1)
  }

  /// Twenty minutes by an engine that knows of no traffic, and forty by own trips.
  @Test(arguments: [nil, 1_200])
  func ownTripsScaleARoutingEngine(then: Double?) {
    var predictor = TravelPredictor()
    let usual = TravelProfile.driving.seconds(8_000)
    let before = predictor.predict(Self.query(routed: 1_200))
    #expect(before.trips == 0 && before.seconds < 2_200)
    predictor.experience = Self.experience(10, ratio: 2_400 / usual, routed: then)
    let after = predictor.predict(Self.query(routed: 1_200))
    #expect(after.trips == 10 && abs(after.seconds - 2_400) < 60, "\(after)")
    // An answer that has doubled, such as for a closed road, counts where it can be compared.
    let closed = predictor.predict(Self.query(routed: 2_700))
    if then != nil { #expect(abs(closed.seconds - 4_800) < 120, "\(closed)") }
  }

  /// Against the definition, on many equal points.
  @Test func theQuantileIsThatOfTheWeights() {
    var dice = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let values = (0..<200).map { _ in Double.random(in: 0...1, using: &dice) }
      let weights = values.map { _ in Int.random(in: 1...4, using: &dice) }
      var points = zip(values, weights).map { TravelPredictor.Point(value: $0, weight: Double($1)) }
      let all = zip(values, weights).flatMap { Array(repeating: $0, count: $1) }.sorted()
      for share in [0.5, 0.85, 0.95] {
        let found = TravelPredictor.quantile(&points, share)
        let rank = Double(all.count { $0 <= found }) / Double(all.count)
        #expect(abs(rank - share) < 0.02)
      }
    }
  }

  @Test func impossibleTripsAreRefusedAndOldOnesMakeRoom() {
    var experience = TravelExperience()
    let good = Trip(goal: Self.work, distance: 1_000, seconds: 600, time: Self.morning)
    for spoil: (inout Trip) -> Void in [
      { $0.distance = 0 }, { $0.distance = .nan }, { $0.seconds = -1 }, { $0.seconds = .infinity },
      { $0.time.hour = 24 }, { $0.time.hour = .nan }, { $0.routed = 0 },
    ] {
      var bad = good
      spoil(&bad)
      let isTaken = experience.add(bad, by: .driving)
      #expect(!isTaken)
    }
    #expect(experience.isEmpty)
    for number in 0..<100 {
      var trip = good
      trip.seconds = Double(number + 1)
      experience.add(trip, by: .driving)
    }
    #expect(experience.trips(by: .driving).count == TravelExperience.maximumTrips)
    #expect(experience.trips(by: .driving).last?.seconds == 100)
  }
}
