import CivilTime
import Control
import Interchange
import JSONText
import Logging
import Reminders
import Storage

/// The calendar folders of the configuration (`[Calendar] Folder=`).
extension Daemon {
  /// Watches the folders of the settings, and reads all of them.
  func useCalendars() {
    for folder in calendars where !settings.calendarFolders.contains(folder.path) { folder.close() }
    calendars.removeAll { !settings.calendarFolders.contains($0.path) }
    for path in settings.calendarFolders where !calendars.contains(where: { $0.path == path }) {
      do {
        calendars.append(try CalendarFolder(path, daemon: self, log: log))
      } catch {
        log.error("\(path): the calendar folder cannot be watched: \(error)")
      }
    }
    readCalendars()
  }

  func readCalendars() { for folder in calendars { folder.check() } }

  /// The configured folder that a reminder comes from.
  private func calendar(of reminder: Reminder) -> CalendarFolder? {
    guard let source = reminder.source else { return nil }
    return calendars.first { $0.holds(source.file) }
  }

  /// A reminder was done here: so is its task, or this occurrence of it.
  func calendarsFollow(doneIn entry: ReminderStore.Entry) {
    guard let folder = calendar(of: entry.reminder) else { return }
    // Of a task that goes on, the used occurrences are done.
    var name: LocalDateTime?
    if host.standing(entry.reminder.id)?.state != .done {
      guard let used = host.history(entry.reminder.id)?.usedUpTo else { return }
      name = used
    }
    folder.carry(.done(through: name), for: entry.reminder.id)
  }

  /// A reminder was put off to a time.
  func calendarsFollow(snoozeOf reminder: Reminder, until: Instant) {
    calendar(of: reminder)?.carry(.snoozed(until: until), for: reminder.id)
  }

  /// A reminder is armed again, and so is its task.
  func calendarsFollow(reopening reminder: Reminder) {
    calendar(of: reminder)?.carry(.reopened, for: reminder.id)
  }

  /// A command of a reminder was taken back.
  /// - Parameter item: the event or task as it was before; nil if nothing was written.
  func calendarsFollow(restoring reminder: Reminder, item: [UInt8]?) {
    guard let folder = calendar(of: reminder) else { return }
    if let item = item.flatMap({ CalendarComponent(bytes: $0) }) {
      folder.carry(.restored(item), for: reminder.id)
    } else {
      folder.dropPending(for: reminder.id)
    }
  }

  /// A reminder that was added into a calendar was taken back.
  func calendarsFollow(removing reminder: Reminder) {
    guard let file = reminder.source?.file else { return }
    calendar(of: reminder)?.remove(file)
  }

  /// Whether the calendar file of a reminder has this content; true if no folder has it.
  func calendarHas(_ fingerprint: String, for reminder: Reminder) -> Bool {
    guard let file = reminder.source?.file else { return true }
    return calendar(of: reminder).map { $0.fingerprint(of: file) == fingerprint } ?? true
  }

  /// Refuses what would be undone by the file at the next look.
  func refuseChange(of reminder: Reminder) throws {
    guard calendar(of: reminder) != nil, let file = reminder.source?.file else { return }
    throw GeoremindError.refusedByPolicy(
      reason: "'\(reminder.id)' comes from the calendar file \(file); change or delete it in your "
        + "calendar, or mark it with 'georemind done'")
  }

  var calendarsJSON: JSONValue {
    .array(
      calendars.map { folder in
        let counts = folder.counts
        return [
          "folder": .string(folder.path),
          "lists": .array(
            folder.lists(folder.folders).compactMap { $0.names.first.map { .string($0) } }),
          "files": .int(counts.files),
          "reminders": .int(counts.reminders), "unreadable": .int(counts.broken),
          "problems": .array(Self.shown(folder.problems)),
        ]
      })
  }

  /// The problems of all calendar folders and files of reminders.
  var fileProblems: [JSONValue] {
    Self.shown(reminderFileProblems + calendars.flatMap(\.problems))
  }

  private static func shown(_ problems: [String]) -> [JSONValue] {
    let more = problems.count - maximumProblems
    return problems.prefix(maximumProblems).map { .string($0) }
      + (more > 0 ? [.string("… and \(more) more")] : [])
  }

  private static let maximumProblems = 20
}
