package import CivilTime
import Containers

/// Work in turns: one event fires so much and no more, and the rest follows with the next ticks.
///
/// The owner stores all firings of an event in one transaction. Without a bound, a million
/// reminders due at once would need gigabytes and stop everything else for minutes. Reminders
/// that are due on time come before the rest of earlier turns.
extension Engine {
  struct Turn: Sendable {
    /// Firings of one event: some tens of milliseconds of storing.
    static let maximumFirings = 250
    /// Steps of searching for due times in one event: see `RepeatSearch.work`.
    static let maximumWork = 400_000

    var firings = 0
    var work = 0

    var isFull: Bool { firings >= Self.maximumFirings || work >= Self.maximumWork }
  }

  /// Whether an event left something for the next tick.
  package var isBehind: Bool { behindSince != nil }

  /// Puts a reminder that may be due off to a later turn.
  mutating func putOff(_ index: Int32, at now: Instant) {
    let due = slots.progress(index).occurrence ?? now
    backlog.push(slot: index, at: due.microseconds)
  }

  /// Evaluates what earlier turns left, earliest due time first.
  mutating func workOffBacklog(at now: Instant) {
    guard !isLoading else { return }
    while !turn.isFull, let next = backlog.pop() {
      evaluate(at: next.slot, now: now, isFirst: true)
    }
  }

  /// Whether a new or loaded reminder has something to do at once.
  func isOverdue(_ index: Int32, at now: Instant) -> Bool {
    guard isClockTrusted, let slot = slots.slot(index) else { return false }
    if let next = nextCheck(slot, now: now), next <= now { return true }
    guard slot.reminder.kind == .preemptive else { return false }
    return nextMoment(ofLeaving: slot, at: now).map { $0 <= now } ?? false
  }

  // MARK: - Searches that count

  /// As `nextOccurrence`, and counts the work.
  mutating func seekNext(of slot: Slot, after moment: Instant) -> Instant? {
    guard var search = repeatSearch(of: slot.reminder) else { return nil }
    let moment = max(moment, slot.progress.occurrence ?? moment)
    defer { turn.work += search.work }
    return nextOccurrence(of: slot.reminder, after: moment, by: &search)
  }

  /// As `latestOccurrence`, and counts the work.
  mutating func seekLatest(
    of reminder: Reminder, after current: Instant, upTo moment: Instant
  ) -> Instant? {
    guard var search = repeatSearch(of: reminder) else { return nil }
    defer { turn.work += search.work }
    return latestOccurrence(of: reminder, after: current, upTo: moment, by: &search)
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
