import CivilTime
import Positioning

/// Whether something that must hold at the moment of firing holds.
enum Condition: Equatable {
  case holds
  /// Not before this; nil where no clock can tell (the speed is too high).
  case failsUntil(Instant?)
}

/// What must hold at the moment of firing beside being there, in the order it is looked at.
enum ConditionKind: String, CaseIterable {
  case from
  case due
  case days
  case hours
  case speed = "max_speed"
}

extension Engine {
  /// All conditions of a location reminder: the first that fails.
  @inline(__always)
  func condition(of slot: Slot, at now: Instant) -> Condition {
    slot.reminder.isUnconditional && slot.progress.occurrence == nil
      ? .holds : firstFailing(of: slot, at: now)
  }

  private func firstFailing(of slot: Slot, at now: Instant) -> Condition {
    for kind in ConditionKind.allCases {
      let answer = condition(kind, of: slot, at: now)
      if answer != .holds { return answer }
    }
    return .holds
  }

  func condition(_ kind: ConditionKind, of slot: Slot, at now: Instant) -> Condition {
    let reminder = slot.reminder
    if lacksClock(kind, reminder) { return .failsUntil(nil) }
    switch kind {
    case .from:
      guard let stamp = reminder.from else { return .holds }
      let from = resolve(stamp)
      return now < from ? .failsUntil(from) : .holds
    case .due:
      guard let occurrence = slot.progress.occurrence else { return .holds }
      let start = occurrence - (reminder.leads.first ?? .zero)
      return now < start ? .failsUntil(start) : .holds
    case .days:
      guard let days = reminder.days else { return .holds }
      let local = zone.localDateTime(at: now)
      guard !days.contains(local.date.weekday) else { return .holds }
      return .failsUntil(later(LocalDateTime(date: local.date.adding(days: 1)), than: now))
    case .hours:
      guard let hours = reminder.hours else { return .holds }
      let local = zone.localDateTime(at: now)
      guard !hours.contains(local.time) else { return .holds }
      return .failsUntil(later(hours.nextOpening(from: local), than: now))
    case .speed:
      guard let limit = reminder.maximumSpeed, let speed = lastFix?.speed, speed > limit else {
        return .holds
      }
      return .failsUntil(nil)
    }
  }

  /// Whether the last firing is long enough ago.
  func cooldown(of slot: Slot, at now: Instant) -> Condition {
    guard let last = slot.progress.lastFired, last <= now, now < last + slot.reminder.cooldown
    else { return .holds }
    return .failsUntil(last + slot.reminder.cooldown)
  }

  /// The instant of a local time that is yet to come; an hour on where the zone's own change of
  /// offset makes it past.
  private func later(_ local: LocalDateTime, than now: Instant) -> Instant {
    let instant = zone.instant(of: local)
    return instant > now ? instant : now + .hours(1)
  }
}

extension Reminder {
  /// Being there is all it asks for.
  var isUnconditional: Bool {
    from == nil && due == nil && days == nil && hours == nil && maximumSpeed == nil
  }
}
