package import CivilTime
import Containers
package import Geodesy

/// A reminder in a `DepartureQueue`: the part of it that decides when to leave.
package struct DepartureEntry: Sendable {
  package enum Stage: Equatable, Sendable {
    /// Waits for its time to leave.
    case waiting
    /// Stays silent until an instant, or the next position: the device is at the place, or on the
    /// way.
    case silent(until: Instant)
    /// Has fired, and fires again once enough slack has come back.
    case notified
  }

  package let goal: TripGoal
  /// Due less the lead. Limited to 36 000 years, so that sums do not overflow.
  package let moment: Instant
  /// The reminder's own travel time; nil to estimate it.
  package var fixed: TimeSpan?
  /// Before it the reminder does not fire: slack counts from then on.
  package var from: Instant?
  package var stage: Stage
  /// Whether its silence has been reported.
  package var hasReportedSilence = false
  /// The ratio of its last prediction, and what that is of.
  var ratio: (key: RatioKey, value: TravelPredictor.Ratio)?

  /// Two predictions by one predictor with the same key have the same ratio.
  struct RatioKey: Equatable, Sendable {
    var step: Int
    var answered: Instant?
  }

  private static let moments = Instant(microseconds: -(1 << 60))...Instant(microseconds: 1 << 60)

  package init(
    goal: TripGoal, moment: Instant, fixed: TimeSpan? = nil, from: Instant? = nil,
    stage: Stage = .waiting
  ) {
    self.goal = goal
    self.moment = min(max(moment, Self.moments.lowerBound), Self.moments.upperBound)
    self.fixed = fixed
    self.from = from
    self.stage = stage
  }
}

/// A place to be at by a time.
package struct TripGoal: Equatable, Sendable {
  package let place: Coordinate
  /// The place as a vector.
  let vector: Vector
  /// Metres.
  package var radius: Double
  package var transport: Transport
  package var due: Instant
  /// The due time by the clocks of its zone.
  package var time: TimeOfWeek

  package init(
    place: Coordinate, radius: Double, by transport: Transport, due: Instant, time: TimeOfWeek
  ) {
    self.place = place
    vector = Vector(place)
    self.radius = radius
    self.transport = transport
    self.due = due
    self.time = time
  }

  func query(distance: Double, routed: Double?) -> TravelQuery {
    TravelQuery(transport, to: vector, distance: distance, time: time, routed: routed)
  }
}

extension TripGoal {
  mutating func pass(_ tape: inout StateTape) {
    var place = place
    var number = Transport.allCases.firstIndex(of: transport) ?? 0
    tape.pass(&place)
    tape.pass(&radius)
    tape.pass(&number)
    tape.pass(&due)
    tape.pass(&time.hour)
    tape.pass(&time.isWeekend)
    guard Transport.allCases.indices.contains(number) else { return tape.fail() }
    self = TripGoal(
      place: place, radius: radius, by: Transport.allCases[number], due: due, time: time)
  }
}
