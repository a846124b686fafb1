import CivilTime

/// Repetition until acknowledged: up to the reminder's limit, then again after the next occurrence
/// or visit.
extension Engine {
  /// Schedules the first repetition after a firing.
  mutating func startNagging(_ slot: Slot, at now: Instant) {
    guard let nag = slot.reminder.nag else { return }
    change(slot.index) { $0.nagging = Progress.Nagging(next: now + nag, count: 0) }
  }

  /// When it is repeated, or ends: at its time or, outside its hours and days, at the next opening.
  func nextRepetition(_ slot: Slot, at now: Instant) -> Instant? {
    guard let next = slot.progress.nagging?.next else { return nil }
    let window = Window(slot.reminder, in: zone)
    if isPlanned(next, in: window) { return window.opening(from: max(next, now)) }
    return window.until.map { max(next, $0 + settings.lateAfter + TimeSpan(microseconds: 1)) }
  }

  /// Whether a repetition at `moment`, or at the opening after it, comes before the end.
  private func isPlanned(_ moment: Instant, in window: Window) -> Bool {
    guard let opening = window.opening(from: moment) else { return false }
    return window.until.map { opening <= $0 } ?? true
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
    guard window.until.map({ now - $0 <= settings.lateAfter }) ?? true else {
      return change(index) { $0.nagging = nil }
    }
    guard isPlanned(nagging.next, in: window), window.opening(from: now) == now else { return }
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
