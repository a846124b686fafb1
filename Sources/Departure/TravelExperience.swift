package import Geodesy

/// A trip to a place, from 200 m off where the device rested to the edge of the place.
package struct Trip: Equatable, Sendable {
  package let goal: Coordinate
  /// The same as a vector.
  let vector: Vector
  /// Metres of straight line from the start to the centre of the place.
  package var distance: Double
  package var seconds: Double
  /// When it was to end.
  package var time: TimeOfWeek
  /// A routing engine's seconds for the same way, without the overhead; nil without an answer.
  package var routed: Double?

  package init(
    goal: Coordinate, distance: Double, seconds: Double, time: TimeOfWeek, routed: Double? = nil
  ) {
    self.goal = goal
    vector = Vector(goal)
    self.distance = distance
    self.seconds = seconds
    self.time = time
    self.routed = routed
  }
}

/// The hour and kind of day that traffic depends on.
package struct TimeOfWeek: Equatable, Sendable {
  /// Hours since midnight, 0..<24.
  package var hour: Double
  package var isWeekend: Bool

  package init(hour: Double, isWeekend: Bool) {
    self.hour = hour
    self.isWeekend = isWeekend
  }
}

/// The user's own trips, the latest of each mode of transport.
package struct TravelExperience: Equatable, Sendable {
  private var trips: [Transport: [Trip]] = [:]

  /// Trips stored for each mode: some weeks of them.
  package static let maximumTrips = 40
  /// A trip below these metres of straight line teaches nothing.
  static let shortest = 500.0
  /// A trip whose time over the formula's is another one used another mode, or made a detour.
  static let plausible = 1.0 / 3...3.0

  package init() {}

  package var isEmpty: Bool { trips.isEmpty }

  /// The trips of one mode, oldest first.
  package func trips(by transport: Transport) -> [Trip] { trips[transport] ?? [] }

  /// Adds a trip; false for numbers that none can have.
  @discardableResult
  package mutating func add(_ trip: Trip, by transport: Transport) -> Bool {
    guard (1...2.1e7).contains(trip.distance), (1...1e7).contains(trip.seconds),
      (0..<24).contains(trip.time.hour), trip.routed.map({ (1...1e7).contains($0) }) ?? true
    else { return false }
    trips[transport] = (trips(by: transport) + [trip]).suffix(Self.maximumTrips)
    return true
  }

  /// Removes the trips of one mode, or all.
  package mutating func forget(_ transport: Transport?) {
    if let transport { trips[transport] = nil } else { trips = [:] }
  }

  /// The time that is long enough for a share of all trips of a mode, over the formula's; nil
  /// without trips.
  /// - Complexity: O(n log n) for n stored trips.
  package func factor(
    of transport: Transport, share: Double, _ estimator: TravelEstimator
  ) -> Double? {
    let profile = estimator[transport]
    var points = trips(by: transport).map {
      TravelPredictor.Point(value: $0.seconds / profile.seconds($0.distance), weight: 1)
    }
    return points.isEmpty ? nil : TravelPredictor.quantile(&points, share)
  }
}
