package import CivilTime
import Containers
import Departure

/// Work in turns: one event fires so much and no more, and the rest follows with the next ticks.
///
/// The owner stores all firings of an event in one transaction. Without a bound, a million
/// reminders due at once would need gigabytes and stop everything else for minutes. Reminders
/// that are due on time come before the rest of earlier turns.
extension Engine {
  struct Turn: Sendable {
    /// Firings of one event: some tens of milliseconds of storing.
    static let maximumFirings = 250
    /// Steps of searching for due times in one event: see `SeriesSearch.work`.
    static let maximumWork = 400_000

    var firings = 0
    var work = 0

    var isFull: Bool { firings >= Self.maximumFirings || work >= Self.maximumWork }
  }

  /// Whether an event left something for the next tick.
  package var isBehind: Bool { behindSince != nil }

  /// Puts a reminder that may be due off to a later turn.
  mutating func putOff(_ index: Int32, at now: Instant) {
    let due = slots.standing(index).due ?? now
    backlog.push(slot: index, at: due.microseconds)
    timers.cancel(slot: index)
    departures.remove(index)
  }

  /// Evaluates what earlier turns left, earliest due time first; answers whether it was anything.
  mutating func workOffBacklog(at now: Instant) -> Bool {
    guard !isLoading, !backlog.isEmpty else { return false }
    while !turn.isFull, let next = backlog.pop() {
      evaluateMissed(next.slot, at: now)
    }
    return true
  }

  /// Evaluates a new or loaded reminder: each of its deadlines that have passed was missed.
  mutating func evaluateMissed(_ index: Int32, at now: Instant) {
    var before: History?
    repeat {
      before = slots.slot(index)?.history
      evaluate(at: index, now: now, isFirst: true)
    } while !turn.isFull && slots.slot(index)?.history != before && isOverdue(index, at: now)
  }

  /// Whether a new or loaded reminder has something to do at once.
  func isOverdue(_ index: Int32, at now: Instant) -> Bool {
    guard isClockTrusted, let slot = slots.slot(index) else { return false }
    if let timer = timers.deadline(slot: index), timer <= now.microseconds { return true }
    guard slot.reminder.kind == .preemptive, slot.state == .armed else { return false }
    return plan(of: slot, at: now).rings.map { $0 <= now } ?? false
  }

  // MARK: - Recorded time

  /// Advances a virtual clock to `end`: each deadline comes at its own time, as with a real clock.
  /// A recording gives the same firings at any speed of replay.
  ///
  /// A gap with more than `maximumDeadlines` deadlines (a fix decades away) is skipped: they count
  /// as missed, and are reported once, as late.
  package mutating func advance(to end: Instant, into effects: inout [Effect]) {
    for _ in 0..<Self.maximumDeadlines {
      guard let deadline = nextDeadline, deadline <= end else { return }
      handle(.tick, at: deadline, into: &effects)
    }
    handle(.tick, at: end, into: &effects)
  }

  private static let maximumDeadlines = 10_000
}
