import CivilTime
import Feeds
import LinuxRuntime
import Reminders
import Storage

/// What the watchdog is fed on: the store, the engine's timers and every feed have been seen to
/// work. That the loop turns is proved by its asking.
///
/// A fault is what cannot right itself, so that only a new start helps. A failure from outside, of
/// the disk, a receiver or the journal, is none: the daemon goes on with it.
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
      let deadline = daemon.host.engine.nextDeadline, now - deadline > Self.timeout
    {
      late = deadline
    }
    defer { overdue = late }
    guard let late, late == overdue else { return nil }
    return "the timer of \(late.rfc3339()) did not run out"
  }
}
