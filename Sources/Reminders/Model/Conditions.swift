import CivilTime
import Positioning

/// Whether something that must hold at the moment of firing holds.
enum Condition: Equatable {
  case holds
  /// Not before this; nil where no clock can open it (the speed is too high).
  case failsUntil(Instant?)
}

/// What must hold at the moment of firing, beside being there, for a value of a field.
struct FieldCondition<Value>: Sendable {
  /// Of its gate in `why`; nil is the field's key.
  var name: String?
  /// Whether it asks for an hour or a day, and fails while the clock is not trusted.
  var needsClock = true
  /// What opens it where no clock does.
  var remedy: String?
  /// What `why` says of it; nil where it is not set, or says what the sentence of `add` says.
  var words: (@Sendable (Value, Situation) -> String?)?
  let check: @Sendable (Value, Situation) -> Condition
}

/// What conditions are checked against.
struct Situation {
  let now: Instant
  let zone: TimeZoneRules
  let isClockTrusted: Bool
  /// Metres a second; nil where it is not known.
  let speed: Double?
  /// The due time that the reminder is armed for, less its longest lead.
  let start: Instant?

  func text(_ instant: Instant) -> String { instant.rfc3339(zone: zone) }

  var speedText: String { speed.map { "you go \(Speed.text($0))" } ?? "your speed is not known" }

  /// The instant of a local time that is yet to come; an hour on where the zone's own change of
  /// offset makes it past.
  func later(_ local: LocalDateTime) -> Instant {
    let instant = zone.instant(of: local)
    return instant > now ? instant : now + .hours(1)
  }
}

extension Engine {
  func situation(of slot: Slot, at now: Instant) -> Situation {
    Situation(
      now: now, zone: zone, isClockTrusted: isClockTrusted, speed: lastFix?.speed,
      start: slot.progress.occurrence.map { $0 - (slot.reminder.leads.first ?? .zero) })
  }

  /// All conditions of a location reminder: the first that fails.
  func condition(of slot: Slot, at now: Instant) -> Condition {
    let situation = situation(of: slot, at: now)
    for condition in ReminderField.allConditions {
      let answer = condition.check(slot.reminder, situation)
      if answer != .holds { return answer }
    }
    return .holds
  }

  /// Whether the last firing is long enough ago.
  func cooldown(of slot: Slot, at now: Instant) -> Condition {
    guard let last = slot.progress.lastFired, last <= now, now < last + slot.reminder.cooldown
    else { return .holds }
    return .failsUntil(last + slot.reminder.cooldown)
  }
}
