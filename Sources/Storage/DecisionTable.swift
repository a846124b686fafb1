import CivilTime
import Reminders

/// What one event decided, kept where keeping it costs least: the way of a firing to the journal leads
/// through here.
///
/// The entry waits for the commit, and a commit costs by the page. A firing with its four indexes, its
/// place in the queue and its reminder's row are a dozen pages in as many places; here firing and
/// progress are one row on the one page of a table that is otherwise empty. Once the entry is sent,
/// `settle` moves the rows to where they are looked up. Both are transactions, so that a crash leaves
/// either the decision or its effect, and opening a store settles what is left.
///
/// There is at most one event in the table: the next one settles the last one first.
struct DecisionTable {
  let database: Database

  /// More rows than this fill pages of their own and are better written to their places at once.
  static let maximumRows = 16

  private typealias Line = (reminder: String, progress: Progress?, firing: Firing?)

  /// Notes firings, and how far reminders have come by them, in one transaction. Answers the firings that
  /// the ledger does not have yet.
  /// - Parameter latest: the ledger has nothing later.
  func record(
    _ firings: [Firing], _ progress: [(id: String, progress: Progress)], after latest: Instant
  ) throws(StoreError) -> [Firing] {
    var left = progress
    var new: [Firing] = []
    var lines: [Line] = []
    for firing in firings where try isNew(firing, besides: new, after: latest) {
      lines.append((firing.reminderID, Self.take(firing.reminderID, from: &left), firing))
      new.append(firing)
    }
    while let id = left.first?.id { lines.append((id, Self.take(id, from: &left), nil)) }
    // A statement alone is a transaction, and takes less than one with a beginning and an end.
    guard lines.count > 1 else {
      for line in lines { try insert(line) }
      return new
    }
    try database.transaction { () throws(StoreError) in
      for line in lines { try insert(line) }
    }
    return new
  }

  /// Takes out all progress of a reminder and answers the latest: it stands for what came before.
  /// Complexity: O(n), of the few there are.
  private static func take(
    _ id: String, from progress: inout [(id: String, progress: Progress)]
  ) -> Progress? {
    guard let latest = progress.last(where: { $0.id == id }) else { return nil }
    progress.removeAll { $0.id == id }
    return latest.progress
  }

  private func isNew(
    _ firing: Firing, besides others: [Firing], after latest: Instant
  ) throws(StoreError) -> Bool {
    if others.contains(where: { $0.id == firing.id }) { return false }
    // An id is made of the time, too (`Firing.identifier`): one of later than all others is new.
    if firing.time > latest { return true }
    return try database.value("SELECT 1 FROM firing WHERE id = ?", [.text(firing.id)]) == nil
  }

  private func insert(_ line: Line) throws(StoreError) {
    switch (line.progress, line.firing) {
    case (let progress?, let firing?):
      var values = ReminderRow.values(progress)
      values.append(contentsOf: FiringRow.values(firing))
      try database.run(Self.insertBoth, values)
    case (let progress?, nil):
      try database.run(Self.insertProgress, ReminderRow.values(progress) + [.text(line.reminder)])
    case (nil, let firing?): try database.run(Self.insertFiring, FiringRow.values(firing))
    case (nil, nil): break
    }
  }

  private static let insertBoth = insertion("\(ReminderRow.progressColumns), \(FiringRow.written)")
  private static let insertProgress = insertion("\(ReminderRow.progressColumns), reminder_id")
  private static let insertFiring = insertion(FiringRow.written)

  private static func insertion(_ columns: String) -> String {
    let places = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO decision (\(columns)) VALUES (\(places))"
  }

  /// Moves the decisions to the reminders and the ledger; those that the journal has not got go to the
  /// queue. What a foreign hand put here against the rules of those tables is dropped. To be called
  /// within a transaction.
  /// - Parameters:
  ///   - delivered: ids of firings that the journal has.
  ///   - time: when it got them.
  func settle(delivered: [String], at time: Instant) throws(StoreError) {
    for id in delivered {
      try database.run(
        "UPDATE decision SET delivered_us = ? WHERE id = ?", [SQLValue(time), .text(id)])
    }
    try database.run(
      """
      UPDATE OR IGNORE reminder SET (\(ReminderRow.progressColumns)) = (
        SELECT \(ReminderRow.progressColumns) FROM decision
        WHERE decision.reminder_id = reminder.id AND decision.state IS NOT NULL)
      WHERE id IN (SELECT reminder_id FROM decision WHERE state IS NOT NULL)
      """)
    try database.run(
      """
      INSERT OR IGNORE INTO firing (\(FiringRow.written), delivered_us)
      SELECT \(FiringRow.written), delivered_us FROM decision WHERE id IS NOT NULL ORDER BY seq
      """)
    try database.run(
      """
      INSERT OR IGNORE INTO queue (name, priority, payload) SELECT ?, time_us, id FROM decision
      WHERE id IS NOT NULL AND delivered_us IS NULL ORDER BY seq
      """, [.text(Ledger.queueName)])
    try database.run("DELETE FROM decision")
  }

  func isEmpty() throws(StoreError) -> Bool {
    try database.value("SELECT 1 FROM decision LIMIT 1") == nil
  }
}
