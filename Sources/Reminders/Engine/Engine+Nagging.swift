import CivilTime

/// Repetition until acknowledged: up to the reminder's limit, then again after the next occurrence
/// or visit.
extension Engine {
  /// Schedules the first repetition after a firing.
  mutating func startNagging(_ slot: Slot, at now: Instant) {
    guard let nag = slot.reminder.nag else { return }
    change(slot.index) { $0.progress.nagging = Progress.Nagging(next: now + nag, count: 0) }
  }

  /// Repeats the firing if its time has come.
  mutating func nag(_ index: Int32, at now: Instant) {
    guard isClockTrusted, let slot = slots.slot(index),
      let nagging = slot.progress.nagging, nagging.next <= now
    else { return }
    guard let span = slot.reminder.nag, slot.progress.isUnacknowledged else {
      return change(index) { $0.progress.nagging = nil }
    }
    if slot.reminder.kind != .location, slot.progress.state == .armed,
      let lead = nextLead(slot), lead <= now
    {
      // Its own next firing is due too and starts a new round.
      return
    }
    let window = Window(slot.reminder, in: zone)
    let isPast = window.until.map { $0 < nagging.next || now - $0 > settings.lateAfter } ?? false
    guard !isPast, let opening = window.opening(from: now) else {
      return change(index) { $0.progress.nagging = nil }
    }
    guard opening <= now else {
      return change(index) { $0.progress.nagging?.next = opening }
    }
    let limit = slot.reminder.nagLimit ?? Reminder.defaultNagLimit
    let count = nagging.count + 1
    turn.firings += 1
    firings.append(nagFiring(slot, count: count, at: now))
    change(index) {
      $0.progress.nagging =
        limit == 0 || count < limit ? Progress.Nagging(next: now + span, count: count) : nil
    }
  }
}
