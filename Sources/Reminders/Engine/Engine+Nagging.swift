import CivilTime

/// Repetition until acknowledged: up to the reminder's limit, then again after the next occurrence
/// or visit.
extension Engine {
  /// Schedules the first repetition after a firing.
  mutating func startNagging(_ slot: Slot, at now: Instant) {
    guard let nag = slot.reminder.nag else { return }
    change(slot.index) { $0.nagging = Progress.Nagging(next: now + nag, count: 0) }
  }

  /// When it is repeated: at its time or, outside its hours and days, at the next opening.
  func nextRepetition(_ slot: Slot, at now: Instant) -> Instant? {
    guard let next = slot.progress.nagging?.next else { return nil }
    guard slot.reminder.hasWindow else { return next }
    return Window(slot.reminder, in: zone).opening(from: max(next, now))
  }

  /// Repeats the firing if its time has come.
  mutating func nag(_ index: Int32, at now: Instant) {
    guard isClockTrusted, let slot = slots.slot(index),
      let nagging = slot.progress.nagging, nagging.next <= now
    else { return }
    guard let span = slot.reminder.nag, slot.progress.isUnacknowledged else {
      return change(index) { $0.nagging = nil }
    }
    let window = Window(slot.reminder, in: zone)
    let until = window.until ?? Instant(microseconds: .max)
    guard until >= now - settings.lateAfter else { return change(index) { $0.nagging = nil } }
    guard let planned = window.opening(from: nagging.next), planned <= until,
      window.opening(from: now) == now
    else { return }
    let limit = slot.reminder.nagLimit ?? Reminder.defaultNagLimit
    let count = nagging.count + 1
    turn.firings += 1
    firings.append(nagFiring(slot, count: count, at: now))
    change(index) {
      $0.nagging =
        limit == 0 || count < limit ? Progress.Nagging(next: now + span, count: count) : nil
    }
  }
}
