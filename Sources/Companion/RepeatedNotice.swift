/// A notice that may repeat without end: one line of the log a minute at most.
package struct RepeatedNotice: Sendable {
  private static let interval: Int64 = 60_000_000

  private var count = 0
  private var next = Int64.min

  package init() {}

  /// Counts one more.
  /// - Parameter now: microseconds of a clock that never steps.
  /// - Returns: the number that a line now stands for, or nil to write none.
  package mutating func add(at now: Int64) -> Int? {
    count += 1
    guard now >= next else { return nil }
    next = now + Self.interval
    defer { count = 0 }
    return count
  }
}
