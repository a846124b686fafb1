package import Bytes
package import CivilTime
import JSONText
import Reminders

/// A command of a user that changes reminders.
package struct UserCommand: Equatable {
  /// The user's id (uid).
  package var user: UInt32
  /// The method of the control interface.
  package var method: String
  package var time: Instant
  /// Whether it ends the alarms of its reminders.
  package let acknowledges: Bool
  /// Ids of the reminders that it changes.
  package var reminders: [String] = []
  /// Whether it is one with the user's last command, where that is of the same method and both
  /// together are not too large.
  package var continues = false

  package init(user: UInt32, method: String, time: Instant, acknowledges: Bool = false) {
    self.user = user
    self.method = method
    self.time = time
    self.acknowledges = acknowledges
  }
}

/// A calendar's item before a command was written into its file.
package struct CalendarItemBefore: Equatable {
  /// The reminder's id.
  package let reminder: String
  package let item: [UInt8]
  /// The file's content after the command.
  package let file: Fingerprint

  package init(reminder: String, item: [UInt8], file: Fingerprint) {
    self.reminder = reminder
    self.item = item
    self.file = file
  }
}

/// The last commands of each user, with the reminders as they were before.
///
/// A command is stored in its own transaction: its reminders and their histories as they were
/// before it, and a mark of each as it is after it (`UndoMark`).
package struct UndoLog {
  /// Of one user; older ones are dropped.
  package static let maximumCommands = 20
  /// A command that changes more reminders is not stored.
  package static let maximumReminders = 10_000

  /// A stored command.
  package struct Entry: Equatable {
    package let seq: Int64
    package let method: String
    package let time: Instant
    /// Number of reminders.
    package let count: Int
    /// Id and title of its first reminder; the title before the command, if there was one.
    package let reminder: String
    package let title: String
  }

  /// The change of one reminder by a command.
  package struct Step {
    package let reminder: String
    /// nil if the command added it.
    package let before: ReminderStore.Entry?
    /// Whether the reminder is as the command left it.
    package let isUntouched: Bool
    /// The item of the reminder's calendar file before, and the file's content after the command.
    package let calendar: (item: [UInt8], file: String)?
  }

  let database: Database

  // MARK: - Reading

  /// The commands of a user, newest first.
  package func commands(of user: UInt32) throws(StoreError) -> [Entry] {
    try database.rows(
      of: "undo",
      """
      SELECT seq, method, time_us, reminder, title, reminders FROM undo WHERE user = ?
      ORDER BY seq DESC
      """, [.integer(Int64(user))]
    ) { (row) throws(RowFault) in
      Entry(
        seq: try row.integer("seq"), method: try row.text("method"),
        time: Instant(microseconds: try row.integer("time_us")),
        count: Int(clamping: try row.integer("reminders")), reminder: try row.text("reminder"),
        title: try row.text("title"))
    }.values
  }

  /// The changes of a command, by id. A row that cannot be read counts as touched.
  package func steps(of command: Int64) throws(StoreError) -> [Step] {
    let ids = try database.texts(
      "SELECT id FROM undo_reminder WHERE command = ? ORDER BY id", [.integer(command)])
    var steps: [Step] = []
    steps.reserveCapacity(ids.count)
    for id in ids { steps.append(try step(id, of: command)) }
    return steps
  }

  private func step(_ id: String, of command: Int64) throws(StoreError) -> Step {
    let rows = try database.rows(
      of: "undo_reminder",
      """
      SELECT coalesce(seq, 0) AS seq, file_item, file_mark, mark, document, history
      FROM undo_reminder WHERE command = ? AND id = ?
      """, [.integer(command), .text(id)]
    ) { (row) throws(RowFault) in
      var calendar: (item: [UInt8], file: String)?
      if case .blob(let item) = row.value(at: 1), let mark = try row.textIfAny("file_mark") {
        calendar = (item, mark)
      }
      return (try Self.before(row), try row.textIfAny("mark"), calendar)
    }
    guard let (before, mark, calendar) = rows.values.first else {
      return Step(reminder: id, before: nil, isUntouched: false, calendar: nil)
    }
    return Step(
      reminder: id, before: before, isUntouched: try storedMark(of: id) == mark,
      calendar: calendar)
  }

  private static func before(
    _ row: Row
  ) throws(RowFault) -> ReminderStore.Entry? {
    guard let text = try row.textIfAny("document") else { return nil }
    do {
      let document = try JSONParser.parse(text).object ?? JSONObject()
      let history = try History(text: try row.textIfAny("history"))
      let reminder = try Reminder(json: document)
      return (reminder, history, Standing(state: reminder.state))
    } catch {
      throw RowFault(reason: "\(error)")
    }
  }

  // MARK: - Taking back

  /// Puts removed reminders back into their positions and drops the command. To be called within
  /// the transaction that takes the command back.
  package func takeBack(_ command: Int64) throws(StoreError) {
    let store = ReminderStore(database: database)
    for step in try steps(of: command) {
      guard let before = step.before else { continue }
      let isKnown = try database.integer(
        "SELECT 1 FROM reminder WHERE id = ?", [.text(before.reminder.id)])
      guard isKnown == nil else { continue }
      try store.replace(before)
      try database.run(
        """
        UPDATE reminder SET seq = (SELECT seq FROM undo_reminder WHERE command = ? AND id = ?)
        WHERE id = ?
        """, [.integer(command), .text(step.reminder), .text(step.reminder)])
    }
    try database.run("DELETE FROM undo WHERE seq = ?", [.integer(command)])
  }
}
