package import CivilTime

extension Engine {
  /// Lets time pass up to `end` on a virtual clock: each deadline comes at its own time, as it does
  /// where the clock runs by itself. So a recording played slowly, quickly or at once gives the
  /// same firings.
  ///
  /// A gap of so many deadlines that nobody wants to hear them all (a recording with a fix of
  /// another decade in it) is jumped: what came due in it was missed, and is told once and late.
  package mutating func advance(to end: Instant, into effects: inout [Effect]) {
    for _ in 0..<Self.maximumDeadlines {
      guard let deadline = nextDeadline, deadline <= end else { return }
      handle(.tick, at: deadline, into: &effects)
    }
    handle(.tick, at: end, into: &effects)
  }

  private static let maximumDeadlines = 10_000

  /// Takes several reminders in at one moment; what was missed by them is told in the order of any
  /// other moment. Complexity: O(n log n).
  package mutating func load(
    _ entries: [(reminder: Reminder, progress: Progress?)], at now: Instant,
    into effects: inout [Effect]
  ) {
    begin(at: now)
    for (reminder, progress) in entries { add(reminder, progress, at: now) }
    end(at: now, into: &effects)
  }
}
