import CivilTime
import Interchange
import Reminders
import Storage

/// Reminders that come with the configuration (`[Reminders] File=`): the same file on every start
/// and reload, matched by id, so that a fleet can be given its reminders by a file.
enum ReminderFiles {
  /// Adds what is new and changes what differs; answers how many. What a user has done with a
  /// reminder that stays the same is left alone.
  static func merge(_ path: String, into daemon: Daemon) throws -> Int {
    let wanted = try ReminderFile.read(path: path)
    var count = 0
    for reminder in wanted {
      if let known = try daemon.store.reminders.reminder(id: reminder.id) {
        var same = known.reminder
        same.state = reminder.state
        guard same != reminder else { continue }
        try daemon.replace(reminder, keeping: known.progress)
      } else {
        try daemon.add(reminder)
      }
      count += 1
    }
    return count
  }
}
