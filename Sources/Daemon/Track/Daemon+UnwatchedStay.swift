import CivilTime
import Logging
import Positioning
import Reminders
import Storage

/// The reminder of a boat that lies still at night without an anchor watch (`RemindAfter=`).
extension Daemon {
  /// A reminder of the daemon, so that it is in the ledger and reaches each destination as others
  /// do. It exists from the firing to the end of the stay, also over a restart.
  private static let unwatchedID = "no-anchor-watch"
  private static let unwatchedTitle = "No anchor watch is set"

  /// Follows the machine itself, before the engine has the fix, which knows the last one.
  func followStay(_ fix: Fix, at now: Instant) {
    guard let span = settings.anchorRemindAfter, isLoaded else {
      stay = nil
      return
    }
    var stay = stay ?? UnwatchedStay(at: host.engine.lastFix?.position ?? fix.position, since: now)
    let verdict = stay.follow(
      fix.position, error: fix.eph ?? 0, at: now, after: span,
      isWatched: host.engine.anchorStatus(at: now) != nil)
    self.stay = stay
    do {
      switch verdict {
      case .wait: break
      case .report: try reportUnwatchedStay(at: now)
      case .left:
        // One with another title is the user's.
        guard unwatched?.title == Self.unwatchedTitle else { return }
        try remove([Self.unwatchedID])
      }
    } catch {
      log.error("Cannot say that no anchor watch is set: \(error)")
    }
  }

  private var unwatched: Reminder? {
    host.holder(of: Self.unwatchedID).engine.reminder(Self.unwatchedID)
  }

  private func reportUnwatchedStay(at now: Instant) throws {
    // It was said before a restart.
    guard unwatched == nil else { return }
    let reminder = Reminder(
      id: Self.unwatchedID, kind: .date, title: Self.unwatchedTitle,
      notes: "The boat lies still. 'georemind anchor set' sets a watch here.",
      priority: 1, due: .absolute(now))
    try save(new: [reminder], changed: [])
  }
}
