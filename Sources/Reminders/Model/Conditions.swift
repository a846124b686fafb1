import CivilTime
import Positioning

/// The result of checking a condition at the moment of firing.
enum Condition: Equatable {
  case holds
  /// Fails until this instant; nil where no clock can open it (the speed is too high).
  case failsUntil(Instant?)
}

/// The input of a condition.
enum Observation {
  /// The time of day or the day: it fails while the clock is not trusted.
  case clock
  /// Speed or course: within a stay, each fix may let the reminder fire.
  case motion
}

/// A condition on the value of a field, checked at the moment of firing.
struct FieldCondition<Value>: Sendable {
  /// Name of its gate in `why`; nil is the field's key.
  var name: String?
  var asks = Observation.clock
  /// Advice that opens it where no clock does.
  var remedy: String?
  /// Text for `why`; nil where it is not set, or the sentence of `add` serves.
  var words: (@Sendable (Value, Situation) -> String?)?
  let check: @Sendable (Value, Situation) -> Condition
}

/// The circumstances against which conditions are checked.
struct Situation {
  let now: Instant
  let zone: TimeZoneRules
  let isClockTrusted: Bool
  /// Metres a second; nil if unknown.
  let speed: Double?
  /// Degrees from true north; nil if unknown or at rest.
  let course: Double?
  /// Degrees from true north to the place; nil where no heading asks for it, or it is unknown.
  let bearing: Double?
  /// The current due time, less its longest lead.
  let start: Instant?
  let window: Window

  func text(_ instant: Instant) -> String { instant.rfc3339(zone: zone) }

  var speedText: String { speed.map { "you go \(Speed.text($0))" } ?? "your speed is not known" }
}

extension Schedule {
  /// Whether the cooldown since the last firing has passed. A timer comes a little late, and the
  /// next one perhaps less late.
  func cooldown(_ history: History, _ surroundings: Surroundings, at now: Instant) -> Condition {
    guard let last = history.lastRung, last <= now else { return .holds }
    let end = last + reminder.cooldown
    return now < end - surroundings.lateAfter ? .failsUntil(end) : .holds
  }
}
