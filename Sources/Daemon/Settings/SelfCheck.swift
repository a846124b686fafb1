import CivilTime
import Feeds
import LinuxRuntime
import Reminders
import Storage

/// Condition for feeding the watchdog: store, engine timers and feeds work. The request itself
/// proves that the loop runs.
///
/// A fault is a state that only a restart ends. External failures, of the disk, a receiver or the
/// journal, are none.
struct SelfCheck {
  private static let timeout = TimeSpan.minutes(1)
  /// The deadline that was overdue at the last check. After a suspend all are, for a moment.
  private var overdue: Instant?

  mutating func fault(of daemon: Daemon) -> String? {
    storeFault(daemon.store) ?? timerFault(daemon)
      ?? daemon.feeds.first { $0.feed.isStuck }.map { "nothing will bring on the feed \($0.url)" }
  }

  /// A store that answers with an error works: it is the disk that does not.
  private func storeFault(_ store: Store) -> String? {
    do {
      _ = try store.database.integer("PRAGMA user_version")
      return nil
    } catch {
      return error.isMisuse ? "the store is used wrongly: \(error)" : nil
    }
  }

  private mutating func timerFault(_ daemon: Daemon) -> String? {
    var late: Instant?
    if let now = daemon.clock.live,
      let deadline = daemon.host.nextDeadline, now - deadline > Self.timeout
    {
      late = deadline
    }
    defer { overdue = late }
    guard let late, late == overdue else { return nil }
    return "the timer of \(late.rfc3339()) did not run out"
  }
}
