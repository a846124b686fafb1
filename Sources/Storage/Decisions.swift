import Bytes
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
  /// More than this hardly fit a block and are better written to their places at once.
  static let maximumParts = 16

  private let database: Database
  let log: DecisionLog
  /// The latest number that is used.
  private var last: Int64
  /// Up to here all are settled on disk.
  private(set) var durable: Int64
  /// The block of the next one may hold one whose write failed.
  private var isTorn = false

  /// Settles what the last run left in the log.
  /// - Parameter remarks: gets a sentence for each thing worth one.
  init(database: Database, log: DecisionLog, remarks: inout [String]) throws(StoreError) {
    self.database = database
    self.log = log
    let known = try Self.known(to: database)
    last = known?.settled ?? 0
    // What a run that was killed has settled is visible, and need not be on disk yet.
    let writeAheadLog = database.path + "-wal"
    if try FileSystem.size(of: writeAheadLog) ?? 0 > 0 { try FileSystem.sync(writeAheadLog) }
    durable = last
    log.begin(as: known?.id ?? 0)
    let contents = log.read()
    if contents.unreadableBlocks > 0 {
      remarks.append("\(contents.unreadableBlocks) blocks of \(log.path) cannot be read")
    }
    var left = contents.records.filter { $0.number > last }
    let newest = left.last?.number ?? last
    if known == nil {
      if !contents.isBlank {
        remarks.append(
          "The decisions in \(log.path) are another database's, or this one has lost its note of them; they are left out"
        )
      }
      left = []
      try beginAnew()
    } else if newest > last + DecisionLog.blockCount {
      remarks.append(
        "The decisions in \(log.path) come after those that the database knows, as with one that was restored from a copy; they are left out"
      )
      left = []
      try beginAnew()
    } else {
      for number in last..<newest where !left.contains(where: { $0.number == number + 1 }) {
        remarks.append("Decision \(number + 1) is missing in \(log.path), which is damaged")
      }
    }
    try settleTheLastRun(left, remarks: &remarks)
  }

  /// The log's id and the number of the last decision that is settled; nil where the database does not say so.
  private static func known(
    to database: Database
  ) throws(StoreError) -> (id: Int64, settled: Int64)? {
    var known: (id: Int64, settled: Int64)?
    try database.forEach("SELECT id, settled FROM decision_log") { row in
      if case .integer(let id) = row.value(at: 0), case .integer(let settled) = row.value(at: 1),
        (0...largestNumber).contains(settled)
      {
        known = (id, settled)
      }
    }
    return known
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
  }

  // MARK: - From the engine to its places

  /// Whether a block is free for the next one; `settle` makes room.
  var hasRoom: Bool { last - durable < DecisionLog.blockCount }

  /// Keeps a decision, on disk when it returns; answers false where it is too large for the log.
  func record(_ decision: Decision) throws(StoreError) -> Bool {
    var record = ByteWriter(capacity: 1024)
    DecisionRecord.write(decision, to: &record)
    guard record.count <= DecisionLog.capacity else { return false }
    isTorn = true
    try log.write(record, as: last + 1)
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
          let reason = try self.doWhereAllowed { () throws(StoreError) in
            try self.keep(decision, delivered: delivered, at: time)
          }
          if let reason { problems.append("a decision was dropped: \(reason)") }
        }
        let reason = try self.doWhereAllowed(body)
        if let reason { problems.append("what came with a decision was dropped: \(reason)") }
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
    // SQLite waits for the disk only where it has something to write: the number goes up.
    if !waiting.isEmpty, last - durable >= DecisionLog.blockCount / 2 {
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
    guard isTorn else { return }
    isTorn = false
    last += 1
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

  /// Answers why the tables refuse it, where they do; then it has changed nothing.
  private func doWhereAllowed(
    _ work: () throws(StoreError) -> Void
  ) throws(StoreError) -> String? {
    do throws(StoreError) {
      try database.transaction(work)
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
    return try doWhereAllowed { () throws(StoreError) in
      try keep(decision, delivered: [], at: Instant(microseconds: 0))
    }
  }
}
