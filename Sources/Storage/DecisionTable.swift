import CivilTime
import Reminders

/// What one event decided, kept where keeping it costs least: the way of a firing to the journal leads
/// through here.
///
/// The entry waits for the commit, and a commit costs by the page. A firing with its four indexes, its
/// place in the queue and its reminder's row are a dozen pages in as many places; here all of it is one
/// value on the one page of a table that is otherwise empty. Once the entry is sent, `settle` brings
/// it to where it is looked up. Both are transactions, so that a crash leaves either the decision or its
/// effect, and opening a store settles what is left.
///
/// There is at most one event in the table: the next one settles the last one first.
struct DecisionTable {
  let database: Database

  /// More than this fill pages of their own and are better written to their places at once.
  static let maximumParts = 16

  /// Notes a decision, in a transaction of one statement.
  func record(_ decision: Decision) throws(StoreError) {
    try database.run(
      "INSERT INTO decision (record) VALUES (?)", [.blob(DecisionRecord.bytes(of: decision))])
  }

  /// Brings the decision that is in the table to the reminders and the ledger; firings that the journal has
  /// not got go to the queue. To be called within a transaction.
  /// - Parameters:
  ///   - delivered: ids of firings that the journal has.
  ///   - time: when it got them.
  func settle(
    _ decision: Decision, delivered: [String], at time: Instant
  ) throws(StoreError) {
    try keep(decision, delivered: delivered, at: time)
    try database.run("DELETE FROM decision")
  }

  /// What the last run left; answers what is none, or against the rules of the tables it belongs to, and
  /// is dropped.
  func settleTheLastRun() throws(StoreError) -> [RowProblem] {
    guard try database.value("SELECT 1 FROM decision LIMIT 1") != nil else { return [] }
    return try database.transaction { () throws(StoreError) in
      let rows = try database.rows(
        of: "decision", "SELECT seq, record FROM decision ORDER BY seq"
      ) { (row) throws(RowFault) in
        (number: try row.integer("seq"), decision: try DecisionRecord.read(row.blob("record")))
      }
      var problems = rows.problems
      for (number, decision) in rows.values {
        do throws(StoreError) {
          try database.transaction { () throws(StoreError) in
            try keep(decision, delivered: [], at: Instant(microseconds: 0))
          }
        } catch {
          guard error.isConstraint else { throw error }
          problems.append(RowProblem(table: "decision", row: number, reason: "\(error)"))
        }
      }
      try database.run("DELETE FROM decision")
      return problems
    }
  }

  private func keep(
    _ decision: Decision, delivered: [String], at time: Instant
  ) throws(StoreError) {
    let reminders = ReminderStore(database: database)
    for step in decision.progress { try reminders.update(step.id, step.progress) }
    try Ledger(database: database).record(decision.firings, delivered: delivered, at: time)
  }
}
