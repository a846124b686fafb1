import Bytes
import JSONText
import Reminders

/// The rows that the transaction of a command stores.
extension UndoLog {
  /// Stores the reminders of a command as they are before its changes, and their marks after them;
  /// nothing if there are none or too many.
  func keep(_ command: UserCommand, making rows: ReminderRows) throws(StoreError) {
    guard let first = command.reminders.first, command.reminders.count <= Self.maximumReminders
    else { return }
    var before = try row(of: first)
    let title = before?.entry.reminder.title ?? rows[first]?.title
    var seq = try continued(command)
    if seq == nil {
      seq = try database.integer(
        """
        INSERT INTO undo (user, method, time_us, reminder, title, reminders)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING seq
        """,
        [
          .integer(Int64(command.user)), .text(command.method), SQLValue(command.time),
          .text(first), .text(title ?? ""), SQLValue(command.reminders.count),
        ])
    }
    guard let seq else { return }
    for (number, id) in command.reminders.enumerated() {
      if number > 0 { before = try row(of: id) }
      try database.run(
        """
        INSERT INTO undo_reminder (command, id, seq, document, history, mark)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(seq), .text(id), SQLValue(before?.seq),
          SQLValue(before.map { JSONValue.object($0.entry.reminder.json).line }),
          SQLValue(before?.entry.history.text), SQLValue(rows.mark(of: id, was: before?.entry)),
        ])
    }
    try database.run(
      """
      DELETE FROM undo WHERE user = ?1 AND seq <= (
        SELECT seq FROM undo WHERE user = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
      """, [.integer(Int64(command.user)), SQLValue(Self.maximumCommands)])
  }

  /// Adds the number of a command's reminders to the command that it continues; nil without one.
  private func continued(_ command: UserCommand) throws(StoreError) -> Int64? {
    guard command.continues else { return nil }
    return try database.integer(
      """
      UPDATE undo SET reminders = reminders + ?1
      WHERE seq = (SELECT max(seq) FROM undo WHERE user = ?2) AND method = ?3
        AND reminders + ?1 <= ?4
      RETURNING seq
      """,
      [
        SQLValue(command.reminders.count), .integer(Int64(command.user)), .text(command.method),
        SQLValue(Self.maximumReminders),
      ])
  }

  /// A reminder with its position; nil if there is none yet.
  private func row(of id: String) throws(StoreError) -> (seq: Int64, entry: ReminderStore.Entry)? {
    try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder WHERE id = ?", [.text(id)]
    ) { (row) throws(RowFault) in (try row.integer("seq"), try ReminderRow.read(row)) }.values.first
  }

  // MARK: - Calendars

  /// The last command that changed a reminder; nil if the reminder was changed since.
  func lastCommand(of id: String) throws(StoreError) -> Int64? {
    guard let mark = try storedMark(of: id) else { return nil }
    return try database.integer(
      "SELECT command FROM undo_reminder WHERE id = ? AND mark = ? ORDER BY command DESC LIMIT 1",
      [.text(id), .text(mark)])
  }

  /// Adds to a command what it has written into a calendar, and marks the reminder anew.
  func add(_ calendar: CalendarItemBefore, to command: Int64) throws(StoreError) {
    try database.run(
      """
      UPDATE undo_reminder SET file_item = ?, file_mark = ?, mark = ? WHERE command = ? AND id = ?
      """,
      [
        .blob(calendar.item), .text(calendar.file.text),
        SQLValue(try storedMark(of: calendar.reminder)), .integer(command),
        .text(calendar.reminder),
      ])
  }
}
