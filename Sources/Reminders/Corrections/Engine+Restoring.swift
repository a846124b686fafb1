import CivilTime
import Geofencing
import Positioning

/// Reminders as they were before a command that is taken back.
extension Engine {
  /// Puts a reminder back as it was. A deadline that has passed since fires late.
  ///
  /// Where the device is, is a fact of the present: it stays if the place was followed in the
  /// meantime. Otherwise the former stay counts only if the last fix bears it out: nobody has seen
  /// an arrival or departure.
  mutating func restore(_ reminder: Reminder, _ before: History, at now: Instant) {
    var history = before
    let known = slot(reminder.id)
    history.members =
      known.map { $0.reminder.hasSamePlace(as: reminder) ? $0.history.members : [:] } ?? [:]
    if let present = slot(reminder.id), present.hasFence,
      present.reminder.waitsAtTheSamePlace(as: reminder)
    {
      history.stay = present.history.stay
      // The command has taken away what this visit has rung for since.
      if case .inside(let then) = before.stay, case .inside(var now) = history.stay {
        now.settledUpTo = then.settledUpTo
        history.stay = .inside(now)
      }
    } else if !isBorneOut(before.stay.presence, of: reminder) {
      history.stay = .unknown
    }
    exchange(reminder, history, at: now)
  }

  private func isBorneOut(_ presence: Presence, of reminder: Reminder) -> Bool {
    guard presence != .unknown else { return true }
    guard let region = reminder.region, let place = monitor.estimate?.position, !monitor.isInDoubt
    else { return false }
    let isInside = region.signedBoundaryDistance(from: place) <= 0
    return isInside == (presence == .inside)
  }
}
