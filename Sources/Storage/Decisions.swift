import CivilTime
import Reminders

/// What events decided, from the moment it is kept until it is where it is looked up.
///
/// The entry in the journal waits until a decision is kept. A firing with its four indexes, its place in the
/// queue and its reminder's row are a dozen pages of the database in as many places; the log takes all of it
/// with one write. Once the entry is sent, `settle` brings it to its places, and notes its number with them:
/// a decision with a higher one than the database has was left by a crash, and is settled by the next start.
///
/// Settling does not wait for the disk, or a firing would wait twice. So a block of the log is not used
/// again before what was in it is settled on disk: half way round, a transaction waits for it.
final class Decisions {
  /// More than this fill pages of their own and are better written to their places at once.
  static let maximumParts = 16

  private let database: Database
  let log: DecisionLog
  /// Number of the latest one in the log.
  private var last: Int64
  /// Up to here all are settled on disk.
  private(set) var durable: Int64
  /// The block of the next one may hold one whose write failed.
  private var isTorn = false

  /// Opens the log of a database, and settles what the last run left there.
  /// - Parameter remarks: gets a sentence for each thing worth one.
  init(database: Database, remarks: inout [String]) throws(StoreError) {
    self.database = database
    var (id, settled): (Int64, Int64) = (0, -1)
    try database.forEach("SELECT id, settled FROM decision_log") { row in
      if case .integer(let value) = row.value(at: 0) { id = value }
      if case .integer(let value) = row.value(at: 1) { settled = value }
    }
    let isKnown = (0...Self.largestNumber).contains(settled)
    log = try DecisionLog(path: database.path + "-decisions", id: id)
    last = isKnown ? settled : 0
    // What an earlier run settled need not be on disk yet.
    durable = last - DecisionLog.blockCount + 1
    var left = isKnown ? try log.records().filter { $0.number > settled } : []
    if let newest = left.last, newest.number > last + DecisionLog.blockCount {
      remarks.append(
        "The decisions in \(log.path) come after those that the database knows, as with one that was restored from a copy; they are left out"
      )
      left = []
      try beginAnew()
    } else if !isKnown {
      try beginAnew()
    }
    try settleTheLastRun(left, remarks: &remarks)
  }

  /// So many decisions that nobody comes there, and far from where numbers end.
  private static let largestNumber: Int64 = 1 << 62

  /// Takes another id, so that what is in the log is not believed.
  private func beginAnew() throws(StoreError) {
    let id = Int64.random(in: .min ... .max)
    try database.transaction { () throws(StoreError) in
      try database.run("DELETE FROM decision_log")
      try database.run(
        "INSERT INTO decision_log (id, settled) VALUES (?, ?)", [.integer(id), .integer(last)])
    }
    log.begin(as: id)
    durable = last
  }

  // MARK: - From the engine to its places

  /// Whether a block is free for the next one; `settle` makes room.
  var hasRoom: Bool { last - durable < DecisionLog.blockCount }

  /// Keeps a decision, on disk when it returns; answers false where it is too large for the log.
  func record(_ decision: Decision) throws(StoreError) -> Bool {
    let bytes = DecisionRecord.bytes(of: decision)
    guard bytes.count <= DecisionLog.capacity else { return false }
    isTorn = true
    try log.write(DecisionLog.Record(number: last + 1, bytes: bytes))
    isTorn = false
    last += 1
    return true
  }

  /// Brings all decisions that wait to the reminders and the ledger; firings that the journal has not got go to
  /// the queue. Answers why some of them could not be kept and were dropped: they are against the rules of the
  /// tables, which a foreign hand has changed.
  /// - Parameters:
  ///   - delivered: ids of firings that the journal has.
  ///   - time: when it got them.
  ///   - body: what else is to be kept with it.
  func settle(
    _ waiting: [Decision], delivered: [String], at time: Instant,
    and body: () throws(StoreError) -> Void
  ) throws(StoreError) -> [String] {
    var problems: [String] = []
    do throws(StoreError) {
      try transaction(settling: waiting) { () throws(StoreError) in
        for decision in waiting { try self.keep(decision, delivered: delivered, at: time) }
        try body()
      }
    } catch {
      guard error.isConstraint else { throw error }
      try transaction(settling: waiting) { () throws(StoreError) in
        problems = []
        for decision in waiting {
          let reason = try self.keepWhereAllowed(decision, delivered: delivered, at: time)
          if let reason { problems.append("a decision was dropped: \(reason)") }
        }
        try body()
      }
    }
    return problems
  }

  private func transaction(
    settling waiting: [Decision], _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let work = { () throws(StoreError) in
      try body()
      if !waiting.isEmpty { try self.noteSettled(self.last) }
    }
    if last - durable >= DecisionLog.blockCount / 2 {
      try database.transaction(work)
      durable = last
    } else {
      try database.relaxedTransaction(work)
    }
  }

  /// To be called within a transaction that waits for the disk and follows `settle`: what a failed write left in
  /// the log is settled by what is kept now.
  func passOverTorn() throws(StoreError) {
    if isTorn { try noteSettled(last + 1) }
  }

  /// That transaction has come to its end.
  func passedOverTorn() {
    if isTorn { last += 1 }
    isTorn = false
    durable = last
  }

  private func noteSettled(_ number: Int64) throws(StoreError) {
    try database.run("UPDATE decision_log SET settled = ?", [.integer(number)])
  }

  private func keep(
    _ decision: Decision, delivered: [String], at time: Instant
  ) throws(StoreError) {
    let reminders = ReminderStore(database: database)
    for step in decision.progress { try reminders.update(step.id, step.progress) }
    try Ledger(database: database).record(decision.firings, delivered: delivered, at: time)
  }

  private func keepWhereAllowed(
    _ decision: Decision, delivered: [String], at time: Instant
  ) throws(StoreError) -> String? {
    do throws(StoreError) {
      try database.transaction { () throws(StoreError) in
        try keep(decision, delivered: delivered, at: time)
      }
      return nil
    } catch {
      guard error.isConstraint else { throw error }
      return "\(error)"
    }
  }

  // MARK: - After a crash

  /// What is no decision, or against the rules of the tables it belongs to, is dropped and told.
  /// - Parameter left: in the log. A version before kept decisions in a table, where it may have left one, too.
  private func settleTheLastRun(
    _ left: [DecisionLog.Record], remarks: inout [String]
  ) throws(StoreError) {
    let isInTable = try database.value("SELECT 1 FROM decision LIMIT 1") != nil
    guard isInTable || !left.isEmpty else { return }
    var problems: [String] = []
    try database.transaction { () throws(StoreError) in
      let rows = try database.rows(of: "decision", "SELECT seq, record FROM decision ORDER BY seq")
      {
        (row) throws(RowFault) in
        DecisionLog.Record(number: try row.integer("seq"), bytes: try row.blob("record"))
      }
      problems = rows.problems.map(\.description)
      for record in rows.values + left {
        guard let reason = try settle(record) else { continue }
        problems.append("decision \(record.number) was skipped: \(reason)")
      }
      try database.run("DELETE FROM decision")
      last = left.last?.number ?? last
      try noteSettled(last)
    }
    durable = last
    remarks += problems
  }

  /// Answers why it cannot be.
  private func settle(_ record: DecisionLog.Record) throws(StoreError) -> String? {
    let decision: Decision
    do throws(RowFault) {
      decision = try DecisionRecord.read(record.bytes)
    } catch {
      return error.reason
    }
    return try keepWhereAllowed(decision, delivered: [], at: Instant(microseconds: 0))
  }
}
