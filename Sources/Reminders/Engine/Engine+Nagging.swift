import CivilTime

/// Repetition until acknowledged: at most `maximumNags` times, then again after the next occurrence
/// or visit.
extension Engine {
  /// A day at one an hour, or four hours at one in ten minutes.
  private static let maximumNags = 24

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
    let count = min(nagging.count, Self.maximumNags) + 1
    firings.append(nagFiring(slot, count: count, at: now))
    change(index) {
      $0.progress.nagging =
        count < Self.maximumNags ? Progress.Nagging(next: now + span, count: count) : nil
    }
  }
}
