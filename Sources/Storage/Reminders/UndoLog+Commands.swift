import Bytes
import JSONText
import Reminders

/// The rows that the transaction of a command stores.
extension UndoLog {
  /// Stores the reminders of a command as they are before its changes, and their marks after them;
  /// nothing if there are none or too many.
  func keep(_ command: UserCommand, making changes: Changes) throws(StoreError) {
    guard let first = command.reminders.first, command.reminders.count <= Self.maximumReminders
    else { return }
    let outcome = Outcome(of: changes)
    var before = try row(of: first)
    let title = before?.entry.reminder.title ?? outcome.saved(first)?.reminder.title
    let seq = try database.integer(
      """
      INSERT INTO undo (user, method, time_us, reminder, title, reminders)
      VALUES (?, ?, ?, ?, ?, ?) RETURNING seq
      """,
      [
        .integer(Int64(command.user)), .text(command.method), SQLValue(command.time),
        .text(first), .text(title ?? ""), SQLValue(command.reminders.count),
      ])
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
          SQLValue(before?.entry.history.text), SQLValue(outcome.mark(of: id, was: before?.entry)),
        ])
    }
    try database.run(
      """
      DELETE FROM undo WHERE user = ?1 AND seq <= (
        SELECT seq FROM undo WHERE user = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
      """, [.integer(Int64(command.user)), SQLValue(Self.maximumCommands)])
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

/// The reminders that changes leave, in the order in which `Store.commit` makes them.
private struct Outcome {
  let changes: Changes
  /// Indexes into the lists of changes, by id; the last one of a reminder counts.
  private let saved: [String: Int]
  private let histories: [String: Int]
  private let forgotten: Set<String>

  init(of changes: Changes) {
    self.changes = changes
    saved = Self.last(changes.saved.lazy.map(\.reminder.id))
    histories = Self.last(changes.histories.lazy.map(\.id))
    forgotten = Set(changes.forgotten)
  }

  private static func last(_ ids: some Sequence<String>) -> [String: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { _, last in last })
  }

  func saved(_ id: String) -> ReminderStore.Entry? { saved[id].map { changes.saved[$0] } }

  /// nil if there is no such reminder afterwards.
  func mark(of id: String, was before: ReminderStore.Entry?) -> String? {
    guard !forgotten.contains(id), let entry = saved(id) ?? before else { return nil }
    let history = histories[id].map { changes.histories[$0].history } ?? entry.history
    return UndoMark.of(entry.reminder, history)
  }
}
