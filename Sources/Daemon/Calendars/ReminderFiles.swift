import CivilTime
import Interchange
import Logging
import Reminders
import Storage

/// Reminders of the configuration (`[Reminders] File=`), merged by id on every start and reload.
enum ReminderFiles {
  /// Adds new and changes differing reminders; returns their number. Others keep their history.
  static func merge(_ path: String, into daemon: Daemon) throws -> Int {
    try daemon.host.commitWaiting()
    var new: [Reminder] = []
    var changed: [ReminderStore.Entry] = []
    let content = try ReminderFile.read(path: path)
    for refusal in content.leftOut {
      daemon.log.warning("\(path):\(refusal.line): left out: \(refusal.reason)")
    }
    for var reminder in content.reminders {
      let known = try daemon.store.reminders.reminder(id: reminder.id)
      if reminder.repeatChanges.zone == nil {
        // The zone that it got when it was added.
        reminder.repeatChanges.zone = known?.reminder.repeatChanges.zone
        reminder.fixZone(daemon.host.engine.zone)
      }
      if let known {
        var same = known.reminder
        same.state = reminder.state
        if same != reminder { changed.append((reminder, known.history, known.standing)) }
      } else {
        new.append(reminder)
      }
    }
    try daemon.save(new: new, changed: changed)
    return new.count + changed.count
  }
}
