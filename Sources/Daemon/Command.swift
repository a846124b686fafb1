import Reminders
import Storage

/// A change by a person or a file: events for the engine and rows for the store.
struct Command {
  var events: [Event] = []
  /// New or edited reminders, stored with the histories that the engine decides.
  var saved: [ReminderStore.Entry] = []
  var forgotten: [String] = []
  /// Events that undo the command in the engine if the store refuses it, except for reminders.
  var undo: [Event] = []
  /// The call that `undo` can take back; nil for changes by files.
  var origin: UserCommand?
  /// The calendar's item before the last command of a reminder was written into it.
  var calendar: CalendarItemBefore?

  /// Ids of the reminders that it changes.
  var reminders: Set<String> {
    Set(saved.map(\.reminder.id) + forgotten + events.compactMap(\.changedReminder))
  }
}

extension Changes {
  /// Adds what a command saves, with the histories that the engine has given its reminders.
  mutating func save(_ command: Command) {
    forgotten += command.forgotten
    self.command = command.origin
    self.command?.reminders = command.reminders.sorted()
    calendar = command.calendar
    guard !command.saved.isEmpty else { return }
    var latest: [String: Step] = [:]
    for step in histories { latest[step.id] = step }
    for var entry in command.saved {
      if let step = latest.removeValue(forKey: entry.reminder.id) {
        (entry.history, entry.standing) = (step.history, step.standing)
      }
      saved.append(entry)
    }
    let ids = Set(command.saved.map(\.reminder.id))
    histories.removeAll { ids.contains($0.id) }
  }
}
