import JSONText
package import Reminders

/// The reminders of a store and their histories: per kind a queue, nearest date first.
package struct ReminderStore {
  package typealias Entry = (reminder: Reminder, history: History, standing: Standing)

  let database: Database

  private static let checksums = "checksum, history_checksum"
  private static let insertion = """
    INSERT INTO reminder (\(ReminderRow.written), \(checksums))
    VALUES (\(parameters(1, count)), row_checksum(\(parameters(1, ownCount))),
      row_checksum(\(parameters(ownCount + 1, count))))
    """
  private static let ownCount = Int(ReminderRow.reminderColumnCount)
  private static let count = ReminderRow.written.split(separator: ",").count
  /// Adds a row or overwrites the one with its id, which stays in its position.
  private static let replacement: String = {
    let columns = "\(ReminderRow.written), \(checksums)"
    let news = columns.split(separator: ", ").map { "excluded.\($0)" }.joined(separator: ", ")
    return "\(insertion) ON CONFLICT (id) DO UPDATE SET (\(columns)) = (\(news))"
  }()
  private static let historyUpdate = """
    UPDATE reminder SET (\(ReminderRow.historyColumns), history_checksum) =
      (\(parameters(1, count - ownCount)), row_checksum(\(parameters(1, count - ownCount))))
    WHERE id = ?\(count - ownCount + 1)
    """

  private static func parameters(_ first: Int, _ last: Int) -> String {
    (first...last).map { "?\($0)" }.joined(separator: ", ")
  }

  // MARK: - Queue

  /// The next armed or snoozed reminder of this kind, by date (a snoozed one by the end of its
  /// snooze, one without a date last), then by priority, then by insertion. Complexity: O(log n).
  package func peek(kind: Reminder.Kind) throws(StoreError) -> Entry? {
    // Literals, because the partial index needs them.
    try database.rows(
      of: "reminder",
      """
      SELECT \(ReminderRow.columns) FROM reminder
      WHERE kind = ? AND state IN ('armed', 'snoozed') ORDER BY nearest_us, urgency, seq
      """, [.text(kind.rawValue)], limit: 1, read: ReminderRow.read
    ).values.first
  }

  // MARK: - Look-up

  /// Passes each reminder to `body`, in the order of insertion, without storing them all. Returns
  /// the unreadable rows.
  package func forEach(_ body: (Entry) -> Void) throws(StoreError) -> [RowProblem] {
    try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder ORDER BY seq"
    ) { row throws(RowFault) in
      body(try ReminderRow.read(row))
    }.problems
  }

  /// Results of `body` for the reminders after a position in the order of insertion, with
  /// positions.
  /// - Parameter bytes: limit of bytes read; `Rows.isCut` marks a cut result.
  package func page<Value>(
    after place: Int64 = 0, limit: Int = .max, bytes: Int, _ body: (Entry) -> Value
  ) throws(StoreError) -> Rows<(place: Int64, value: Value)> {
    try database.rows(
      of: "reminder",
      "SELECT \(ReminderRow.columns) FROM reminder WHERE seq > ? ORDER BY seq LIMIT ?",
      [.integer(place), SQLValue(limit)], bytes: bytes
    ) { row throws(RowFault) in
      (try row.integer("seq"), body(try ReminderRow.read(row)))
    }
  }

  /// Throws `invalid` for an unreadable row.
  package func reminder(id: String) throws(StoreError) -> Entry? {
    let rows = try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder WHERE id = ?", [.text(id)],
      read: ReminderRow.read)
    if let problem = rows.problems.first {
      throw .invalid(what: "reminder '\(id)'", reason: problem.reason)
    }
    return rows.values.first
  }

  /// At most `limit` ids with this prefix, sorted; an exact match is the only result. Complexity:
  /// O(log n + answers).
  package func find(prefix: String, limit: Int = 20) throws(StoreError) -> [String] {
    let isExact = try database.integer("SELECT 1 FROM reminder WHERE id = ?", [.text(prefix)]) == 1
    if isExact { return [prefix] }
    // Texts compare by bytes: the highest code point ends the range.
    return try database.texts(
      """
      SELECT id FROM reminder WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY id LIMIT ?2
      """, [.text(prefix), SQLValue(limit)])
  }

  /// At most `limit` ids of reminders whose title is the text, without case; where none is, whose
  /// title has all words of it, in any order. Sorted. Done and expired ones count only where no
  /// other has them. Complexity: O(n).
  package func find(
    titled text: String, limit: Int = 20
  ) throws(StoreError) -> (ids: [String], isWhole: Bool) {
    let title = text.lowercased()
    let wanted = Set(Self.words(of: title))
    guard !wanted.isEmpty else { return ([], false) }
    /// By whether it is over, and whether only some words are the text's.
    var found: [[[String]]] = [[[], []], [[], []]]
    try database.forEach("SELECT id, title, state FROM reminder ORDER BY id") { row in
      guard case .text(let id) = row.value(at: 0), case .text(let known) = row.value(at: 1),
        wanted.isSubset(of: Self.words(of: known.lowercased()))
      else { return }
      let isOver = [.text("done"), .text("expired")].contains(row.value(at: 2)) ? 1 : 0
      let isPart = known.lowercased() == title ? 0 : 1
      if found[isOver][isPart].count < limit { found[isOver][isPart].append(id) }
    }
    let some = found[0].allSatisfy(\.isEmpty) ? found[1] : found[0]
    return some[0].isEmpty ? (some[1], false) : (some[0], true)
  }

  private static func words(of text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// The first of these ids that a row has; nil if all are new. Complexity: O(m log n).
  package func firstKnown(of ids: [String]) throws(StoreError) -> String? {
    try database.text(
      """
      SELECT value FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM reminder WHERE id = value) LIMIT 1
      """, [.text(JSONValue.array(ids.map { .string($0) }).line)])
  }

  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM reminder") ?? 0)
  }

  // MARK: - Changes

  /// Adds a reminder or replaces the one with its id.
  package func replace(_ entry: Entry) throws(StoreError) {
    try Self.check(entry.reminder)
    try write(ReminderRow.values(entry.reminder), entry.history, entry.standing)
  }

  /// - Parameter values: of `ReminderRow.reminderColumns`, of a reminder that was checked.
  func write(
    _ values: [SQLValue], _ history: History, _ standing: Standing
  ) throws(StoreError) {
    try database.run(Self.replacement, values + ReminderRow.values(history, standing))
  }

  /// Stores a reminder's history and what follows from it; returns whether it exists.
  @discardableResult
  package func update(
    _ id: String, _ history: History, _ standing: Standing
  ) throws(StoreError) -> Bool {
    try database.run(
      Self.historyUpdate, ReminderRow.values(history, standing) + [.text(id)]) > 0
  }

  /// Returns whether the reminder existed.
  @discardableResult
  package func remove(id: String) throws(StoreError) -> Bool {
    try database.run("DELETE FROM reminder WHERE id = ?", [.text(id)]) > 0
  }

  /// Rejects a reminder that could not be read back.
  static func check(_ reminder: Reminder) throws(StoreError) {
    do throws(ReminderError) {
      try reminder.checkCompleteness()
    } catch {
      throw .invalid(what: "reminder '\(reminder.id)'", reason: error.description)
    }
  }
}
