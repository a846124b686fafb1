import CivilTime
import Geofencing
import Positioning

/// Reminders as they were before a command that is taken back.
extension Engine {
  /// Puts a reminder back as it was. A deadline that has passed since fires late.
  ///
  /// Its presence is the present one where it was followed in the meantime. Otherwise the presence
  /// of then stays only if the last fix bears it out: nobody has seen an arrival or departure.
  mutating func restore(_ reminder: Reminder, _ before: Progress, at now: Instant) {
    var progress = before
    if let present = slot(reminder.id), present.hasFence,
      present.reminder.waitsAtTheSamePlace(as: reminder)
    {
      if present.progress.presence != before.presence {
        progress.presence = present.progress.presence
        progress.visitSettled = present.progress.visitSettled
      }
      progress.presenceSince = present.progress.presenceSince
      progress.placesInside = present.progress.placesInside
    } else if !isBorneOut(before.presence, of: reminder) {
      progress.presence = .unknown
      progress.presenceSince = nil
      progress.placesInside = []
    }
    exchange(reminder, progress, at: now)
  }

  private func isBorneOut(_ presence: Presence, of reminder: Reminder) -> Bool {
    guard presence != .unknown else { return true }
    guard let region = reminder.region, let lastSample, !monitor.isInDoubt else { return false }
    let isInside = region.signedBoundaryDistance(from: lastSample.position) <= 0
    return isInside == (presence == .inside)
  }
}
