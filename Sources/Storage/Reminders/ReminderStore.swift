package import Reminders

/// The reminders of a store and how far each has come: for each kind a priority queue, nearest date
/// first.
package struct ReminderStore {
  package typealias Entry = (reminder: Reminder, progress: Progress)

  let database: Database

  /// The columns that a reminder and its progress are written to, in the order of their values.
  private static let written = """
    id, kind, title, category, priority, place_name, latitude, longitude, radius_m, due, \
    transport, document, \(ReminderRow.progressColumns)
    """
  /// Adds a row.
  private static let insertion: String = {
    let marks = written.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO reminder (\(written)) VALUES (\(marks))"
  }()
  /// Adds a row, or writes it over the one of its id, which keeps its place in the order.
  private static let replacement: String = {
    let news = written.split(separator: ", ").map { "excluded.\($0)" }.joined(separator: ", ")
    return "\(insertion) ON CONFLICT (id) DO UPDATE SET (\(written)) = (\(news))"
  }()

  // MARK: - Queue

  /// Adds a reminder; its id must be new.
  package func push(_ reminder: Reminder, _ progress: Progress) throws(StoreError) {
    try check(reminder)
    do throws(StoreError) {
      try database.run(
        Self.insertion, ReminderRow.values(reminder) + ReminderRow.values(progress))
    } catch {
      if error.isUniqueness { throw .alreadyExists(what: "reminder", name: reminder.id) }
      throw error
    }
  }

  /// The nearest by date of this kind among those that are armed or snoozed; it stays. A snoozed
  /// one counts by the time it was put off to. Those without a date come last; among equals
  /// priority decides, then the order of arrival. Complexity: O(log n).
  package func peek(kind: Reminder.Kind) throws(StoreError) -> Entry? {
    // The words stand in the statement because the index is limited to them.
    try database.rows(
      of: "reminder",
      """
      SELECT \(ReminderRow.columns) FROM reminder
      WHERE kind = ? AND state IN ('armed', 'snoozed') ORDER BY nearest_us, urgency, seq
      """, [.text(kind.rawValue)], limit: 1, read: ReminderRow.read
    ).values.first
  }

  /// Completes the one that `peek` would give and answers it as it is now. Complexity: O(log n).
  package func pop(kind: Reminder.Kind) throws(StoreError) -> Entry? {
    try database.transaction { () throws(StoreError) in
      guard var entry = try peek(kind: kind) else { return nil }
      entry.reminder.state = .done
      entry.progress.state = .done
      entry.progress.snoozedUntil = nil
      try update(entry.reminder.id, entry.progress)
      return entry
    }
  }

  // MARK: - Look-up

  /// Every reminder in the order of arrival.
  package func all() throws(StoreError) -> Rows<Entry> {
    try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder ORDER BY seq",
      read: ReminderRow.read)
  }

  /// Hands every reminder to `body`, in the order of arrival, without holding them all. Returns the
  /// rows that cannot be read.
  package func forEach(
    _ body: (Reminder, Progress) -> Void
  ) throws(StoreError) -> [RowProblem] {
    try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder ORDER BY seq"
    ) { row throws(RowFault) in
      let (reminder, progress) = try ReminderRow.read(row)
      body(reminder, progress)
    }.problems
  }

  /// What `body` makes of the reminders that come behind a place in the order of arrival, each with
  /// its own place in it.
  /// - Parameter bytes: of rows to read; `Rows.isCut` says that there are more.
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

  /// Throws `invalid` when the row cannot be read.
  package func reminder(id: String) throws(StoreError) -> Entry? {
    let rows = try database.rows(
      of: "reminder", "SELECT \(ReminderRow.columns) FROM reminder WHERE id = ?", [.text(id)],
      read: ReminderRow.read)
    if let problem = rows.problems.first {
      throw .invalid(what: "reminder '\(id)'", reason: problem.reason)
    }
    return rows.values.first
  }

  /// Ids that begin with `prefix`, sorted, at most `limit`; an id that is the prefix itself is the
  /// only answer. Complexity: O(log n + answers).
  package func find(prefix: String, limit: Int = 20) throws(StoreError) -> [String] {
    let isExact = try database.integer("SELECT 1 FROM reminder WHERE id = ?", [.text(prefix)]) == 1
    if isExact { return [prefix] }
    var ids: [String] = []
    // Texts compare by their bytes, so that the highest code point ends the range.
    try database.forEach(
      """
      SELECT id FROM reminder WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY id LIMIT ?2
      """, [.text(prefix), SQLValue(limit)]
    ) { row in
      if case .text(let id) = row.value(at: 0) { ids.append(id) }
    }
    return ids
  }

  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM reminder") ?? 0)
  }

  // MARK: - Changes

  /// Puts the reminder where the one of its id was, or adds it.
  package func replace(_ reminder: Reminder, _ progress: Progress) throws(StoreError) {
    try check(reminder)
    try database.run(
      Self.replacement, ReminderRow.values(reminder) + ReminderRow.values(progress))
  }

  /// Keeps how far a reminder has come; answers whether there was one of this id.
  @discardableResult
  package func update(_ id: String, _ progress: Progress) throws(StoreError) -> Bool {
    try database.run(
      """
      UPDATE reminder SET state = ?, presence = ?, inside_since_us = ?, visit_settled = ?,
        occurrence_us = ?, leads_fired = ?, last_fired_us = ?, snoozed_until_us = ?,
        unacknowledged = ?, places_inside = ?, occurrence_offset_s = ?, nag_us = ?, nags = ?
      WHERE id = ?
      """, ReminderRow.values(progress) + [.text(id)]) > 0
  }

  /// Answers whether there was one of this id.
  @discardableResult
  package func remove(id: String) throws(StoreError) -> Bool {
    try database.run("DELETE FROM reminder WHERE id = ?", [.text(id)]) > 0
  }

  /// What could not be read back is not taken in the first place.
  private func check(_ reminder: Reminder) throws(StoreError) {
    do throws(ReminderError) {
      try reminder.checkCompleteness()
    } catch {
      throw .invalid(what: "reminder '\(reminder.id)'", reason: error.description)
    }
  }
}
