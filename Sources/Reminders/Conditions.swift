import CivilTime
import Positioning

/// Whether all that must hold at the moment of firing holds.
enum Condition: Equatable {
  case holds
  /// Not before this; nil where no clock can tell (the speed is too high).
  case failsUntil(Instant?)
}

extension Engine {
  /// `from`, `due`, `hours`, `days` and `max_speed` of a location reminder.
  func condition(of slot: Slot, at now: Instant) -> Condition {
    let reminder = slot.reminder
    if let from = reminder.from {
      let start = resolve(from)
      if now < start { return .failsUntil(start) }
    }
    if let occurrence = slot.progress.occurrence {
      let start = occurrence - (reminder.leads.first ?? .zero)
      if now < start { return .failsUntil(start) }
    }
    let local = zone.localDateTime(at: now)
    if let days = reminder.days, !days.contains(local.date.weekday) {
      return .failsUntil(later(LocalDateTime(date: local.date.adding(days: 1)), than: now))
    }
    if let hours = reminder.hours, !hours.contains(local.time) {
      return .failsUntil(later(hours.nextOpening(from: local), than: now))
    }
    if let limit = reminder.maximumSpeed, let speed = lastFix?.speed, speed > limit {
      return .failsUntil(nil)
    }
    return .holds
  }

  /// The instant of a local time that is yet to come; an hour on where the zone's own change of
  /// offset makes it past.
  private func later(_ local: LocalDateTime, than now: Instant) -> Instant {
    let instant = zone.instant(of: local)
    return instant > now ? instant : now + .hours(1)
  }
}
