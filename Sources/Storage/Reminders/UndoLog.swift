package import Bytes
package import CivilTime
import Reminders

/// A command of a user that changes reminders.
package struct UserCommand: Equatable {
  /// The user's id (uid).
  package var user: UInt32
  /// The method of the control interface.
  package var method: String
  package var time: Instant
  /// Ids of the reminders that it changes.
  package var reminders: [String] = []

  package init(user: UInt32, method: String, time: Instant) {
    self.user = user
    self.method = method
    self.time = time
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
/// A command is stored in its own transaction: the rows of its reminders are copied before it, and
/// a mark of each row is made after it. The mark shows whether the reminder was changed or has
/// fired since; the presence at its place is no part of it.
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

  /// Columns of a row without its position in the order of insertion.
  private static let columns = ReminderRow.written

  /// The state of a reminder's row as one text. A floating time counts as the local one: a new
  /// zone of the system is no change.
  private static let state = [
    "kind", "title", "category", "priority", "place_name", "latitude", "longitude", "radius_m",
    "due", "transport", "document", "state", "leads_fired", "last_fired_us", "snoozed_until_us",
    "unacknowledged", "nags", "occurrence_us + coalesce(occurrence_offset_s, 0) * 1000000",
  ].map { "quote(\($0))" }.joined(separator: " || ',' || ")

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
      SELECT coalesce(seq, 0) AS seq, file_item, file_mark, mark, kind IS NULL AS is_new,
        \(Self.columns)
      FROM undo_reminder WHERE command = ? AND id = ?
      """, [.integer(command), .text(id)]
    ) { (row) throws(RowFault) in
      var calendar: (item: [UInt8], file: String)?
      if case .blob(let item) = row.value(at: 1), let mark = try row.textIfAny("file_mark") {
        calendar = (item, mark)
      }
      let before = try row.integer("is_new") == 1 ? nil : try ReminderRow.read(row)
      return (before, try row.textIfAny("mark"), calendar)
    }
    guard let (before, mark, calendar) = rows.values.first else {
      return Step(reminder: id, before: nil, isUntouched: false, calendar: nil)
    }
    return Step(
      reminder: id, before: before, isUntouched: try self.mark(of: id) == mark, calendar: calendar)
  }

  /// Names the state of a reminder's row; nil if there is none.
  private func mark(of id: String) throws(StoreError) -> String? {
    try database.text("SELECT \(Self.state) FROM reminder WHERE id = ?", [.text(id)]).map {
      Fingerprint($0.utf8).text
    }
  }

  // MARK: - Within the transaction of a command

  /// Stores the reminders as they are before a command; nil if there are none or too many.
  func begin(_ command: UserCommand) throws(StoreError) -> Int64? {
    guard let first = command.reminders.first, command.reminders.count <= Self.maximumReminders
    else { return nil }
    try database.run(
      "INSERT INTO undo (user, method, time_us, reminder, reminders) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(Int64(command.user)), .text(command.method), SQLValue(command.time),
        .text(first), SQLValue(command.reminders.count),
      ])
    guard let seq = try database.integer("SELECT max(seq) FROM undo") else { return nil }
    for id in command.reminders {
      let copied = try database.run(
        """
        INSERT INTO undo_reminder (command, seq, \(Self.columns))
        SELECT ?, seq, \(Self.columns) FROM reminder WHERE id = ?
        """, [.integer(seq), .text(id)])
      if copied == 0 {
        try database.run(
          "INSERT INTO undo_reminder (command, id) VALUES (?, ?)", [.integer(seq), .text(id)])
      }
    }
    try database.run(
      """
      DELETE FROM undo WHERE user = ?1 AND seq <= (
        SELECT seq FROM undo WHERE user = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
      """, [.integer(Int64(command.user)), SQLValue(Self.maximumCommands)])
    return seq
  }

  /// Marks the reminders as the command has left them.
  func finish(_ command: Int64) throws(StoreError) {
    try database.run(
      """
      UPDATE undo SET title = coalesce(
        (SELECT title FROM undo_reminder WHERE command = undo.seq AND id = undo.reminder),
        (SELECT title FROM reminder WHERE id = undo.reminder), '')
      WHERE seq = ?
      """, [.integer(command)])
    let ids = try database.texts(
      "SELECT id FROM undo_reminder WHERE command = ?", [.integer(command)])
    for id in ids { try remark(id, of: command) }
  }

  private func remark(_ id: String, of command: Int64) throws(StoreError) {
    try database.run(
      "UPDATE undo_reminder SET mark = ? WHERE command = ? AND id = ?",
      [SQLValue(try mark(of: id)), .integer(command), .text(id)])
  }

  /// The last command that changed a reminder; nil if the reminder was changed since.
  func lastCommand(of id: String) throws(StoreError) -> Int64? {
    guard let mark = try mark(of: id) else { return nil }
    return try database.integer(
      "SELECT command FROM undo_reminder WHERE id = ? AND mark = ? ORDER BY command DESC LIMIT 1",
      [.text(id), .text(mark)])
  }

  /// Adds to a command what it has written into a calendar, and marks the reminder anew.
  func add(_ calendar: CalendarItemBefore, to command: Int64) throws(StoreError) {
    try database.run(
      "UPDATE undo_reminder SET file_item = ?, file_mark = ? WHERE command = ? AND id = ?",
      [
        .blob(calendar.item), .text(calendar.file.text), .integer(command),
        .text(calendar.reminder),
      ])
    try remark(calendar.reminder, of: command)
  }

  /// Puts removed reminders back into their positions and drops the command. To be called within
  /// the transaction that takes the command back.
  package func takeBack(_ command: Int64) throws(StoreError) {
    try database.run(
      """
      INSERT OR IGNORE INTO reminder (seq, \(Self.columns))
      SELECT seq, \(Self.columns) FROM undo_reminder WHERE command = ? AND kind IS NOT NULL
      """, [.integer(command)])
    try database.run("DELETE FROM undo WHERE seq = ?", [.integer(command)])
  }
}
