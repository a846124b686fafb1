import Feeds
import LinuxRuntime

extension FeedRunner {
  /// Condition of a feed.
  enum Condition: Equatable {
    /// The transport is not open: its state says why.
    case down
    /// Open, and nothing comes; since when, in microseconds of CLOCK_BOOTTIME, nil for never.
    case silent(since: Int64?)
    /// Bytes come, and nothing in them is a whole sentence or report.
    case unreadable
    case delivering
  }

  /// Longer than the pause between two bursts of nearly all receivers, in microseconds.
  private static let pause: Int64 = 5_000_000

  /// - Parameter now: microseconds of CLOCK_BOOTTIME.
  func condition(at now: Int64 = SystemClock.bootTime.microseconds) -> Condition {
    guard feed.state == .open else { return .down }
    guard let last = feed.lastArrival, now - last < Self.pause else {
      return .silent(since: feed.lastArrival)
    }
    guard let lastUnderstood, last - lastUnderstood < Self.pause else { return .unreadable }
    return .delivering
  }

  /// The state and the condition in a few words.
  /// - Parameter silence: words for a silence since a time of CLOCK_BOOTTIME; nil gives its length.
  func conditionText(
    at now: Int64 = SystemClock.bootTime.microseconds, silence: ((Int64) -> String)? = nil
  ) -> String {
    switch condition(at: now) {
    case .down, .delivering: "\(feed.state)"
    case .silent(let since):
      since.map { "open, silent \(silence?($0) ?? "for \((now - $0) / 1_000_000) s")" }
        ?? "open, silent"
    case .unreadable:
      switch (feed.baud, feed.isHunting) {
      case (let baud?, true): "open, bytes but no valid sentence; trying \(baud) baud"
      case (let baud?, false): "open, bytes but no valid sentence at \(baud) baud (wrong speed?)"
      case (nil, _): "open, bytes but no valid sentence"
      }
    }
  }
}
