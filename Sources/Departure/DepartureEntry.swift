package import CivilTime
package import Geodesy

/// A reminder in a `DepartureQueue`: the part of it that decides when to leave.
package struct DepartureEntry: Sendable {
  package enum Stage: Sendable {
    /// Waits for its time to leave.
    case waiting
    /// Has fired, and fires again once enough slack has come back.
    case notified
  }

  package let place: Coordinate
  /// The place as a vector.
  let goal: Vector
  /// Metres.
  package var radius: Double
  /// Due less the lead. Limited to 36 000 years, so that sums do not overflow.
  package let moment: Instant
  /// The reminder's own travel time; nil to estimate it.
  package var fixed: TimeSpan?
  package var transport: Transport
  package var stage: Stage
  /// The index in the list of entries that every fix checks; −1 outside it.
  var watchIndex: Int32 = -1

  private static let moments = Instant(microseconds: -(1 << 60))...Instant(microseconds: 1 << 60)

  package init(
    place: Coordinate, radius: Double, moment: Instant, fixed: TimeSpan? = nil,
    transport: Transport, stage: Stage = .waiting
  ) {
    self.place = place
    goal = Vector(place)
    self.radius = radius
    self.moment = min(max(moment, Self.moments.lowerBound), Self.moments.upperBound)
    self.fixed = fixed
    self.transport = transport
    self.stage = stage
  }
}

/// The way from the device to the place of a reminder.
package struct Way: Sendable {
  package enum Source: Sendable {
    /// The device is in the place.
    case there
    /// The reminder has its own travel time.
    case fixed
    case routed(RouteBook.Answer)
    /// By straight line and pace.
    case estimated
  }

  /// Metres to the centre of the place; nil before the first position.
  package var distance: Double?
  package var time: TimeSpan
  package var source: Source
}
