import CivilTime
import Interchange
import Reminders
import Storage

/// Reminders that come with the configuration (`[Reminders] File=`): the same file on every start
/// and reload, matched by id, so that a fleet can be given its reminders by a file.
enum ReminderFiles {
  /// Adds new reminders and changes those that differ; returns their number. An unchanged reminder
  /// keeps its progress.
  static func merge(_ path: String, into daemon: Daemon) throws -> Int {
    try daemon.host.commitWaiting()
    var new: [Reminder] = []
    var changed: [ReminderStore.Entry] = []
    for reminder in try ReminderFile.read(path: path) {
      if let known = try daemon.store.reminders.reminder(id: reminder.id) {
        var same = known.reminder
        same.state = reminder.state
        if same != reminder { changed.append((reminder, known.progress)) }
      } else {
        new.append(reminder)
      }
    }
    try daemon.save(new: new, changed: changed)
    return new.count + changed.count
  }
}
