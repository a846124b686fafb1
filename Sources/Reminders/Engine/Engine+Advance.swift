package import CivilTime

extension Engine {
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

  /// Adds several reminders at one time and reports missed firings in the usual order. Complexity:
  /// O(n log n).
  package mutating func load(
    _ entries: [(reminder: Reminder, progress: Progress?)], at now: Instant,
    into effects: inout [Effect]
  ) {
    begin(at: now)
    for (reminder, progress) in entries { add(reminder, progress, at: now) }
    end(at: now, into: &effects)
  }
}
