import CivilTime

/// The fixes of a feed that are dropped because their own time is not the present one.
struct FixAge {
  /// Microseconds without such a fix after which the next one is reported.
  private static let pause: Int64 = 3_600_000_000

  private(set) var dropped = 0
  /// How much older than the clock the last of them was; negative if it was ahead.
  private(set) var difference: TimeSpan?
  private var lastDrop: Int64?

  /// Counts a dropped fix; returns whether to report it.
  /// - Parameter now: microseconds of CLOCK_BOOTTIME.
  mutating func drop(by difference: TimeSpan, at now: Int64) -> Bool {
    defer { lastDrop = now }
    dropped += 1
    self.difference = difference
    return lastDrop.map { now - $0 >= Self.pause } ?? true
  }
}
