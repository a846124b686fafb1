import CivilTime
import Control
import Reminders

/// Bounds the work that one call, or one turn of a calendar folder, spends on finding due times.
///
/// The daemon answers nobody meanwhile, and finds the due times again at each start. The work is
/// counted in steps, not in time, so that every machine accepts the same reminders.
struct RepeatBudget {
  /// Steps for one reminder: some milliseconds.
  static let maximumOfOne = 40_000
  /// Steps for all reminders of a call: some tenths of a second.
  static let maximum = 2_000_000

  private var left = maximum

  /// Charges a reminder's work to the budget.
  mutating func charge(_ reminder: Reminder, of daemon: Daemon) throws(GeoremindError) {
    guard reminder.repeats, let now = daemon.clock.now else { return }
    let work = daemon.host.engine.repeatWork(of: reminder, at: now)
    guard work <= Self.maximumOfOne else {
      throw .invalidReminder(
        field: "repeat",
        reason: "takes too long to count from its due time to today; give a later due time, "
          + "or UNTIL in place of COUNT")
    }
    guard work <= left else {
      throw .refusedByPolicy(
        reason: "the repeat rules take too long to compute; import fewer reminders at a time")
    }
    left -= work
  }
}
