/// When all that is retained is sent again, because the broker refused some of it.
///
/// An access list may change while a connection lasts. The wait grows while it does not.
struct AnnouncementRetry: Sendable {
  /// The first wait and the longest, microseconds.
  static let firstWait: Int64 = 60_000_000
  static let longestWait: Int64 = 960_000_000

  /// Steady time of the next attempt; nil while nothing was refused.
  private(set) var due: Int64?
  private var last: Int64?
  private var wait = Self.firstWait

  /// The broker has refused a message, or has kept one to itself.
  mutating func refused(at now: Int64) {
    guard due == nil else { return }
    let isOfLast = last.map { now - $0 <= wait } ?? false
    wait = isOfLast ? min(2 * wait, Self.longestWait) : Self.firstWait
    due = now + wait
  }

  /// Whether an attempt begins now.
  mutating func begins(at now: Int64) -> Bool {
    guard let due, now >= due else { return false }
    (self.due, last) = (nil, now)
    return true
  }
}
