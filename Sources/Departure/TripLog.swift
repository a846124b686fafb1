package import CivilTime
package import Geodesy

/// Trips started by a "leave". They improve later estimates, and set their own pace while they
/// last.
///
/// A trip begins 150 m from where the reminder fired and ends in the place. Its ratio is the time
/// taken over the profile's time for the straight line, without the overhead. An implausible ratio
/// ends it: another mode, or a detour.
package struct TripLog: Sendable {
  private struct Trip: Sendable {
    var transport: Transport
    /// Where the reminder fired.
    var origin: Vector
    var goal: Vector
    var goalRadius: Double
    var due: Instant
    var start: (point: Vector, time: Instant)?
    /// Time taken so far over the profile's, and the profile's; nil while it is too early.
    var measured: (ratio: Double, usual: Double)?

    enum State { case underWay, ended, arrived }

    /// Updates the trip with a position.
    mutating func follow(
      to here: Vector, at now: Instant, _ estimator: TravelEstimator
    ) -> State {
      measured = nil
      guard now - due < TripLog.timeout else { return .ended }
      guard let start, start.time <= now else {
        if here.distance(to: origin) > TripLog.startDistance { start = (here, now) }
        return .underWay
      }
      let way = here.distance(to: start.point)
      let elapsed = (now - start.time).seconds
      let hasArrived = here.distance(to: goal) <= goalRadius
      guard way >= TripLog.shortest, elapsed >= TripLog.firstPace.seconds || hasArrived else {
        return hasArrived ? .ended : .underWay
      }
      let usual = estimator.profile(of: transport).seconds(way)
      guard TravelExperience.plausible.contains(elapsed / usual) else { return .ended }
      measured = (elapsed / usual, usual)
      return hasArrived ? .arrived : .underWay
    }
  }

  /// Metres from where the reminder fired that start a trip.
  private static let startDistance = 150.0
  /// Metres of straight line below which a trip teaches nothing.
  private static let shortest = 500.0
  /// A trip has a pace of its own after this time.
  private static let firstPace = TimeSpan.minutes(3)
  private static let maximumTrips = 8
  /// Metres of the odometer between two checks.
  private static let stride = 50.0
  /// A trip that has not ended this long after its due time is dropped.
  private static let timeout = TimeSpan.hours(2)

  private var trips: [Trip] = []
  private var nextCheck = Double.infinity
  /// The measured ratio of each mode in fourths of a doubling, with hysteresis; 0 without a trip.
  private var steps = [Int](repeating: 0, count: Transport.allCases.count)
  /// The paces that follow from them; the reach is rounded down to a power of two seconds.
  package private(set) var paces = [TripPace](
    repeating: .usual, count: Transport.allCases.count)

  /// 2 to the power of −4…4 fourths.
  private static let factors = [
    0.5, 0.594_603_557_501_360_5, 0.707_106_781_186_547_6, 0.840_896_415_253_714_6, 1,
    1.189_207_115_002_721, 1.414_213_562_373_095_1, 1.681_792_830_507_429_1, 2,
  ]

  package init() {}

  /// The pace of the current trip by a mode.
  package func pace(of transport: Transport) -> TripPace { paces[transport.index] }

  /// Begins a trip after a "leave".
  package mutating func begin(
    by transport: Transport, from here: Vector, to place: Coordinate, radius: Double,
    due: Instant, metres: Double
  ) {
    let goal = Vector(place)
    guard here.distance(to: goal) > radius + Self.shortest else { return }
    // Two reminders of one trip are one trip.
    trips.removeAll { $0.transport == transport && $0.goal.distance(to: goal) < Self.shortest }
    if trips.count >= Self.maximumTrips { trips.removeFirst() }
    trips.append(
      Trip(transport: transport, origin: here, goal: goal, goalRadius: radius, due: due))
    nextCheck = min(nextCheck, metres + Self.stride)
  }

  /// Whether the device has moved far enough for a check.
  /// - Complexity: O(1).
  package func isDue(_ metres: Double) -> Bool { metres >= nextCheck }

  /// Updates the trips and returns the ratios of the completed ones.
  /// - Complexity: O(trips), at most eight.
  package mutating func follow(
    to here: Vector, at now: Instant, metres: Double, _ estimator: TravelEstimator
  ) -> [(transport: Transport, ratio: Double)] {
    var learnt: [(Transport, Double)] = []
    trips = trips.compactMap { trip in
      var trip = trip
      let state = trip.follow(to: here, at: now, estimator)
      if state == .arrived, let measured = trip.measured {
        learnt.append((trip.transport, measured.ratio))
      }
      return state == .underWay ? trip : nil
    }
    nextCheck = trips.isEmpty ? .infinity : metres + Self.stride
    for transport in Transport.allCases { setPace(of: transport) }
    return learnt
  }

  private mutating func setPace(of transport: Transport) {
    let mode = transport.index
    // The trip that began last counts.
    let last = trips.last { $0.transport == transport && $0.measured != nil }
    if let (ratio, usual) = last?.measured {
      let quarters = 4 * Self.binaryLogarithm(ratio)
      if abs(quarters - Double(steps[mode])) > 0.75 {
        steps[mode] = min(max(Int(quarters.rounded()), -4), 4)
      }
      paces[mode] =
        steps[mode] == 0
        ? .usual : TripPace(ratio: Self.factors[steps[mode] + 4], reach: usual.binade)
    } else if steps[mode] != 0, !trips.contains(where: { $0.transport == transport }) {
      steps[mode] = 0
      paces[mode] = .usual
    }
  }

  private static func binaryLogarithm(_ ratio: Double) -> Double {
    Double(ratio.exponent) + (ratio.significand - 1)
  }
}
