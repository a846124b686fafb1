import CivilTime
package import Geodesy
import Glibc

/// A way to predict the time of.
package struct TravelQuery: Sendable {
  package var transport: Transport
  package var goal: Vector
  /// Metres of straight line to the centre of the place.
  package var distance: Double
  /// When it is to end; nil where no hour counts more than another.
  package var time: TimeOfWeek?
  /// A routing engine's seconds for the way, without the overhead; nil without an answer.
  package var routed: Double?

  package init(
    _ transport: Transport, to goal: Vector, distance: Double, time: TimeOfWeek? = nil,
    routed: Double? = nil
  ) {
    self.transport = transport
    self.goal = goal
    self.distance = distance
    self.time = time
    self.routed = routed
  }
}

/// Predicts travel times as a quantile of like trips.
///
/// The time is the formula or, with an answer of a routing engine, the answer with the overhead,
/// times a ratio. The ratio is a weighted quantile (a kernel estimate of a conditional
/// quantile; Yu and Jones, "Local Linear Quantile Regression", 1998) over
/// - own trips: their time over the same formula or engine, weighted by `likeness`;
/// - the prior: nine trips of together the weight 1, spread as the mode's profile says.
///
/// So without trips the profile decides, and after a few to the same place they do.
package struct TravelPredictor: Equatable, Sendable {
  package var estimator: TravelEstimator
  package var experience: TravelExperience
  /// The share of trips that the predicted time is long enough for, 0.5...0.99.
  package var punctuality: Double

  package init(
    _ estimator: TravelEstimator = TravelEstimator(), punctuality: Double = 0.85,
    experience: TravelExperience = TravelExperience()
  ) {
    self.estimator = estimator
    self.punctuality = punctuality
    self.experience = experience
  }

  /// The ratio to a base time, and the number of own trips that count.
  struct Ratio: Equatable, Sendable {
    var ratio: Double
    var trips: Int
  }

  package struct Prediction: Equatable, Sendable {
    package var seconds: Double
    /// Own trips like this way.
    package var trips: Int
  }

  /// The predicted time.
  /// - Parameter share: of trips that it is long enough for; nil for `punctuality`.
  /// - Complexity: O(n log n) for n stored trips of the mode.
  package func predict(_ query: TravelQuery, share: Double? = nil) -> Prediction {
    let ratio = ratio(of: query, share: share)
    return Prediction(seconds: base(query) * ratio.ratio, trips: ratio.trips)
  }

  /// Seconds of the formula, or of the routing engine with the overhead.
  func base(_ query: TravelQuery) -> Double {
    let profile = estimator[query.transport]
    return query.routed.map { $0 + profile.overhead.seconds } ?? profile.seconds(query.distance)
  }

  /// It depends on the step of the distance alone, so that it can be stored while a device moves.
  func ratio(of query: TravelQuery, share: Double? = nil) -> Ratio {
    let profile = estimator[query.transport]
    var query = query
    let usual = profile.seconds(query.distance)
    query.distance = Self.middle(of: Self.step(query.distance))
    query.routed = query.routed.map { $0 * profile.seconds(query.distance) / usual }
    let base = base(query)
    let delay = query.routed == nil ? 1 : profile.routedDelay
    var points = Self.prior.map { normal in
      Point(
        value: delay * exp(normal * profile.spread), weight: 1 / Double(Self.prior.count))
    }
    var trips = 0
    for trip in experience.trips(by: query.transport) {
      let weight = Self.likeness(of: trip, to: query)
      guard weight > Self.leastLikeness else { continue }
      trips += 1
      let value =
        if query.routed != nil, let routed = trip.routed {
          trip.seconds / (routed + profile.overhead.seconds)
        } else {
          trip.seconds / profile.seconds(trip.distance) * profile.seconds(query.distance) / base
        }
      points.append(Point(value: value, weight: weight))
    }
    return Ratio(ratio: Self.quantile(&points, share ?? punctuality), trips: trips)
  }

  // MARK: - Likeness

  /// Standard normal deviates at the middles of nine equal shares.
  private static let prior = [
    -1.593, -0.967, -0.589, -0.282, 0, 0.282, 0.589, 0.967, 1.593,
  ]
  /// A trip with less weight is left out.
  private static let leastLikeness = 0.05
  /// Standard deviations of the kernels: the natural logarithm of the distance, and hours.
  private static let (distanceWidth, hourWidth) = (0.4, 1.5)
  /// The weight of a trip of a working day for one of a weekend, and the other way round.
  private static let otherDays = 0.3
  /// The weight of a trip to the same place over one to another.
  private static let samePlace = 4.0
  /// Metres between two centres up to which they are the same place.
  private static let placeDistance = 300.0

  /// The weight of a trip; the prior has 1.
  static func likeness(of trip: Trip, to query: TravelQuery) -> Double {
    let distance = log(trip.distance / query.distance) / distanceWidth
    var exponent = distance * distance
    var weight = 1.0
    if let time = query.time {
      let apart = abs(trip.time.hour - time.hour)
      let hours = min(apart, 24 - apart) / hourWidth
      exponent += hours * hours
      if trip.time.isWeekend != time.isWeekend { weight *= otherDays }
    }
    if trip.vector.distance(to: query.goal) <= placeDistance { weight *= samePlace }
    return weight * exp(-exponent / 2)
  }

  /// The distance in fourths of a doubling.
  static func step(_ distance: Double) -> Int {
    Int((4 * log(max(1, distance)) / M_LN2).rounded(.down))
  }

  private static func middle(of step: Int) -> Double {
    exp((Double(step) + 0.5) / 4 * M_LN2)
  }

  // MARK: - Quantile

  struct Point {
    var value: Double
    var weight: Double
  }

  /// The weighted quantile: each point stands at the middle of its share, with straight lines
  /// between them. Sorts the points, of which there is one at least.
  static func quantile(_ points: inout [Point], _ share: Double) -> Double {
    points.sort { $0.value < $1.value }
    let wanted = share * points.reduce(0) { $0 + $1.weight }
    var before: (value: Double, share: Double)?
    var sum = 0.0
    for point in points {
      let middle = sum + point.weight / 2
      if middle >= wanted {
        guard let before else { return point.value }
        let part = (wanted - before.share) / (middle - before.share)
        return before.value + (point.value - before.value) * part
      }
      before = (point.value, middle)
      sum += point.weight
    }
    return before?.value ?? 1
  }
}
