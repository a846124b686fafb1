import CivilTime

/// Telling again what is not done: politely, so many times and no more, then not before the next
/// occurrence or visit.
extension Engine {
  /// A whole day of every hour, or four hours of every ten minutes.
  private static let maximumNags = 24

  /// After a firing: the next one comes if nothing is done about it.
  mutating func startNagging(_ slot: Slot, at now: Instant) {
    guard let nag = slot.reminder.nag else { return }
    change(slot.index) { $0.progress.nagging = Progress.Nagging(next: now + nag, count: 0) }
  }

  /// Tells it again where it is time to.
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
      // The next firing of its own is due as well, and begins a new round.
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
