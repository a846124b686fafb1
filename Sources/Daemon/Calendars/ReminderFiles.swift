import Bytes
import CivilTime
import Interchange
import Logging
import Reminders
import Storage

/// Reminders of the configuration (`[Reminders] File=`), merged by id on every start and reload.
enum ReminderFiles {
  /// Adds new and changes differing reminders; returns their number. Others keep their history.
  /// - Returns: also the parts that were left out, as sentences with file and line.
  static func merge(
    _ path: String, into daemon: Daemon
  ) throws -> (count: Int, leftOut: [String]) {
    try daemon.host.commitWaiting()
    var new: [Reminder] = []
    var changed: [ReminderStore.Entry] = []
    let content = try ReminderFile.read(path: path)
    func sentences(_ refusals: [Refusal]) -> [String] {
      refusals.map { "\(path):\($0.line): left out: \($0.reason)" }
    }
    let (leftOut, wrong) = (sentences(content.leftOut), sentences(content.wrong))
    for sentence in leftOut { daemon.log.warning("\(sentence)") }
    for sentence in wrong { daemon.log.error("\(sentence)") }
    let now = daemon.clock.now
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
        if let now, let found = content.calendar[reminder.id] {
          reminder.state = found.settled(at: now, zone: daemon.host.engine.zone).reminder.state
        }
        new.append(reminder)
      }
    }
    try daemon.save(new: new, changed: changed)
    return (new.count + changed.count, leftOut + wrong)
  }
}
