/// The messages of a partition that its next owner needs.
package struct LogSpan: Equatable, Sendable {
  /// The first message to be read.
  package let start: UInt64
  /// The first message to be decided.
  package let next: UInt64

  package init(start: UInt64, next: UInt64) { (self.start, self.next) = (start, next) }

  /// Why nothing can be decided on a log that has the messages `first` to `last` alone; nil where
  /// it has all that are needed, and at the beginning.
  package func gap(first: UInt64, last: UInt64) -> String? {
    if next == 1 || first <= start && next <= last + 1 { return nil }
    return "the log has the messages \(first) to \(last), those from \(start) on are needed, and "
      + "\(next) is the next to be decided: the log was cut, or restored from an older copy"
  }

  /// The part that such a log has. Where the log ends before it, the next message counts.
  package func within(first: UInt64, last: UInt64) -> LogSpan {
    let first = max(first, 1)
    let next = max(first, min(next, last + 1))
    return LogSpan(start: max(first, min(start, next)), next: next)
  }
}
