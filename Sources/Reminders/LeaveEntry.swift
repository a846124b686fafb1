import CivilTime
import Geodesy

/// A preemptive reminder as `LeaveQueue` keeps it: what a look needs, without unpacking the reminder.
struct LeaveEntry: Sendable {
  /// The place as a direction from the Earth's centre; half a metre at most is lost.
  var x: Float
  var y: Float
  var z: Float
  /// Metres.
  var radius: Float
  /// A travel time that the reminder says itself, seconds, rounded up: looked at too soon it is looked at
  /// again, too late it would be late. nan where the reminder says none.
  var fixed: Float
  var slot: Int32
  /// Due less the lead, microseconds, within 36 000 years: what is reckoned with it cannot overflow.
  var moment: Int64
  private static let moments = -(Int64(1) << 60)...(Int64(1) << 60)

  init(slot: Int32, place: Coordinate, radius: Double, moment: Instant, fixed: TimeSpan? = nil) {
    let direction = Direction(place)
    x = Float(direction.x)
    y = Float(direction.y)
    z = Float(direction.z)
    self.radius = Float(radius)
    self.fixed = fixed.map { Self.float(atLeast: $0.seconds) } ?? .nan
    self.slot = slot
    self.moment = min(max(moment.microseconds, Self.moments.lowerBound), Self.moments.upperBound)
  }

  private static func float(atLeast value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) < value ? nearest.nextUp : nearest
  }

  /// Whether its travel time is the same wherever the device is.
  var isFixed: Bool { !fixed.isNaN }
}

/// The moment and the place of a look.
struct LeaveView {
  /// Microseconds.
  var now: Int64
  /// Of the odometer.
  var metres: Double
  /// nil before the first position.
  var here: Direction?
}
