import CivilTime
import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

/// What one event decided, between the commit that the journal waits for and its places.
@Suite struct DecisionTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
    for id in ["a", "b"] {
      let entry = try Sample.dated(id)
      try store.reminders.push(entry.reminder, entry.progress)
    }
  }

  private func decision(
    _ firings: [String], _ progress: [(String, Reminder.State)], second: Int = 0
  ) throws -> Changes {
    var changes = Changes()
    changes.firings = try firings.map { try Sample.firing($0, second: second, reminder: "a") }
    changes.progress = progress.map { Decision.Step(id: $0, progress: Progress(state: $1)) }
    return changes
  }

  private func settle(delivered: [String]) throws {
    store.note(delivered: delivered, at: .start, lastFix: nil)
    try store.settle()
  }

  private var logSize: Int {
    var status = stat()
    return stat(folder.database + "-wal", &status) == 0 ? Int(status.st_size) : 0
  }

  private func state(_ id: String, in store: Store) throws -> Reminder.State? {
    try store.reminders.reminder(id: id)?.progress.state
  }

  private func waiting(_ store: Store) throws -> Int {
    try PersistentPriorityQueue(database: store.database, name: "journal").count()
  }

  /// Every write to the log fails while `body` runs.
  private func withoutLog(_ body: () throws -> Void) throws {
    let log = store.decisions.log
    let kept = dup(log.descriptor)
    let readOnly = open(log.path, O_RDONLY | O_CLOEXEC)
    defer {
      dup2(kept, log.descriptor)
      close(kept)
      close(readOnly)
    }
    try #require(dup2(readOnly, log.descriptor) >= 0)
    try body()
  }

  @Test func theDatabaseIsNotOnTheWayToTheEntry() throws {
    let before = logSize
    #expect(try store.decide(decision(["f"], [("a", .fired)])).map(\.id) == ["f"])
    #expect(logSize == before)
    #expect(store.isUnsettled)
    try store.settle()
    #expect(logSize > before)
    #expect(!store.isUnsettled)
  }

  @Test func whatATripHasTaughtIsKeptWithTheFiringAtItsEnd() throws {
    var changes = try decision(["f"], [("a", .fired)])
    var experience = TravelExperience()
    _ = experience.add(1.5, by: .cycling)
    changes.experience = experience
    try store.decide(changes)
    #expect(try store.state.experience() == experience)
  }

  @Test func whatTheJournalHasIsSettledAsDelivered() throws {
    try store.decide(decision(["f"], [("a", .fired), ("b", .done), ("unknown", .done)]))
    try settle(delivered: ["f"])
    #expect(try state("a", in: store) == .fired)
    #expect(try state("b", in: store) == .done)
    #expect(try store.ledger.firings().values.map(\.id) == ["f"])
    #expect(try store.ledger.undelivered().values.isEmpty)
    #expect(try waiting(store) == 0)
    #expect(
      try store.database.integer("SELECT delivered_us FROM firing") == Instant.start.microseconds)
  }

  @Test func whatTheJournalHasNotGotWaitsInOrder() throws {
    let changes = try decision(["f", "g", "h"], [("a", .fired)])
    try store.decide(changes)
    try settle(delivered: ["f"])
    #expect(try store.ledger.undelivered().values.map(\.id) == ["g", "h"])
    #expect(try store.ledger.firings().values == changes.firings)
    try settle(delivered: ["g"])
    #expect(try store.ledger.undelivered().values.map(\.id) == ["h"])
  }

  @Test func theNextRunSettlesWhatACrashLeft() throws {
    let changes = try decision(["f"], [("a", .fired)])
    try store.decide(changes)
    // No orderly end: the first connection is just left alone.
    let next = try Store(in: folder)
    #expect(try state("a", in: next) == .fired)
    #expect(try next.ledger.undelivered().values == changes.firings)
    #expect(try waiting(next) == 1)
  }

  /// Every block is used many times, and none before the database knows what was in it.
  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 100])
  func aCrashAfterAnyNumberOfDecisionsLosesNone(count: Int) throws {
    for second in 0..<count {
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
      if second % 3 == 0 { try settle(delivered: ["f\(second)"]) }
    }
    try store.decide(decision(["last"], [("b", .fired)], second: count))
    let next = try Store(in: folder)
    #expect(next.report.remarks == [])
    #expect(try next.database.integer("SELECT count(*) FROM firing") == Int64(count + 1))
    #expect(try state("b", in: next) == .fired)
    #expect(
      try next.ledger.undelivered().values.map(\.id)
        == (0..<count).filter { $0 % 3 != 0 }.map { "f\($0)" } + ["last"])
  }

  /// Settling does not wait for the disk: the power may take what the last transactions settled, and the log still
  /// has it.
  @Test func whatAPowerCutTakesFromTheDatabaseIsInTheLog() throws {
    var onDisk = try copyOfDatabase()
    var durable = store.decisions.durable
    for second in 0..<100 {
      let before = try copyOfDatabase()
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
      try settle(delivered: ["f\(second)"])
      if second % 7 == 3 { try commitNothing() }
      if store.decisions.durable != durable {
        durable = store.decisions.durable
        onDisk = try copyOfDatabase()
        // SQLite waits for the disk only where it writes.
        #expect(onDisk != before)
      }
      let next = try Store(in: afterPowerCut(onDisk))
      #expect(next.report.remarks == [])
      #expect(try next.ledger.firings().values.count == second + 1)
      #expect(try state("a", in: next) == .fired)
    }
    #expect(durable >= 80)
  }

  /// Commits that SQLite has nothing to write for, and so does not wait for the disk.
  private func commitNothing() throws {
    let before = try copyOfDatabase()
    var nothing = Changes()
    nothing.progress = [
      Decision.Step(id: "unknown", progress: Progress(state: .done)),
      Decision.Step(id: "a", progress: Progress(state: .fired)),
    ]
    try store.commit(nothing)
    #expect(try copyOfDatabase() == before)
  }

  /// Runs that are killed, one after the other, and then the power; each start brings to disk what is there.
  @Test func aPowerCutAfterSeveralRunsThatWereKilledTakesNothing() throws {
    var onDisk = try copyOfDatabase()
    var runs = [store]
    var second = 0
    for _ in 0..<5 {
      let run = try #require(runs.last)
      var durable = run.decisions.durable
      for _ in 0..<15 {
        try run.decide(decision(["f\(second)"], [("a", .fired)], second: second))
        try run.settle()
        second += 1
        if run.decisions.durable != durable {
          durable = run.decisions.durable
          onDisk = try copyOfDatabase()
        }
      }
      runs.append(try Store(in: folder))
      onDisk = try copyOfDatabase()
    }
    let next = try Store(in: afterPowerCut(onDisk))
    #expect(next.report.remarks == [])
    #expect(try next.ledger.firings().values.count == second)
  }

  /// The database and its write-ahead log, as they are now.
  private func copyOfDatabase() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for suffix in ["", "-wal"] {
      let path = folder.database + suffix
      if access(path, F_OK) == 0 { files[suffix] = try fileBytes(path) }
    }
    return files
  }

  /// The log is on disk at each decision; the database may be as old as `files`.
  private func afterPowerCut(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (suffix, bytes) in files { try writeFile(folder.database + suffix, bytes) }
    try writeFile(folder.database + "-decisions", fileBytes(store.decisions.log.path))
    return folder
  }

  /// One that was copied, and put back when the log had gone on.
  @Test func aLogThatIsAheadOfItsDatabaseIsLeftOutAndTold() throws {
    let old = try copyOfDatabase()
    for second in 0..<70 {
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
      try store.settle()
    }
    let restored = try afterPowerCut(old)
    do {
      let next = try Store(in: restored)
      #expect(next.report.remarks.count == 1)
      #expect(
        next.report.remarks.first?.contains("come after those that the database knows") == true)
      #expect(try next.ledger.firings().values.isEmpty)
      for second in 0..<40 { try next.decide(decision(["g\(second)"], [], second: second)) }
    }
    let third = try Store(in: restored)
    #expect(third.report.remarks == [])
    #expect(try third.ledger.firings().values.map(\.id) == (0..<40).map { "g\($0)" })
  }

  /// Version 7 kept a decision in a table; it crashed, and this one is what starts next.
  @Test func aRowThatIsNoDecisionKeepsNobodyFromStarting() throws {
    let bytes = DecisionRecord.bytes(
      of: Decision(
        firings: [try Sample.firing("f", reminder: "a")],
        progress: [.init(id: "b", progress: Progress(state: .fired))]))
    try store.database.run("INSERT INTO decision (record) VALUES (?)", [.blob(bytes)])
    try store.database.execute(
      """
      INSERT INTO decision (record) VALUES (x''), (x'01'), (x'02'), (zeroblob(4000)),
        (CAST(x'01' || x'FFFFFFFFFFFFFF7F' AS BLOB));
      INSERT INTO decision (record) SELECT CAST(record || x'00' AS BLOB) FROM decision WHERE seq = 1;
      """)
    let next = try Store(in: folder)
    #expect(try state("a", in: next) == .armed)
    #expect(try state("b", in: next) == .fired)
    #expect(try next.ledger.undelivered().values.map(\.id) == ["f"])
    #expect(try waiting(next) == 1)
    #expect(try next.database.integer("SELECT count(*) FROM decision") == 0)
    #expect(next.report.remarks.count == 6)
    #expect(next.report.remarks.allSatisfy { $0.contains("was skipped") })
  }

  /// Version 6 kept a decision in columns; it crashed, and this one is what starts next.
  @Test func anUpgradeSettlesWhatACrashOfTheVersionBeforeLeft() throws {
    let old = try TemporaryFolder()
    try makeDatabase(
      in: old, version: 6,
      """
      INSERT INTO reminder (id, kind, title, document, due)
      VALUES ('a', 'date', 'A', '{}', '2026-11-21T03:00:00Z'), ('b', 'date', 'B', '{}', '2026-11-21T03:00:00Z');
      INSERT INTO decision (reminder_id, state, presence, visit_settled, leads_fired, unacknowledged,
        id, kind, title, priority, time_us, event, why)
      VALUES ('a', 'fired', 'inside', 0, 1, 1, 'f', 'date', 'A', 0, 1000000, 'due', 'Due now');
      INSERT INTO decision (reminder_id, state, presence, visit_settled, leads_fired, unacknowledged)
      VALUES ('b', 'done', 'unknown', 0, 0, 0);
      INSERT INTO decision (reminder_id, id, kind, title, priority, time_us, event, why, delivered_us)
      VALUES ('b', 'g', 'date', 'B', 0, 1000000, 'due', 'Due now', 1000001);
      """)
    let next = try Store(in: old)
    #expect(try state("a", in: next) == .fired)
    #expect(try state("b", in: next) == .done)
    #expect(try next.ledger.undelivered().values.map(\.id) == ["f"])
    #expect(try next.database.integer("SELECT count(*) FROM firing") == 2)
    #expect(try waiting(next) == 1)
  }

  @Test func decisionsOfAnotherDatabaseAreLeftOut() throws {
    try store.decide(decision(["f"], [("a", .fired)]))
    for suffix in ["", "-wal", "-shm"] { unlink(folder.database + suffix) }
    let next = try Store(in: folder)
    #expect(next.report.remarks.count == 1)
    #expect(next.report.remarks.first?.contains("another database's") == true)
    #expect(try next.ledger.firings().values.isEmpty)
    try next.decide(decision(["g"], []))
    let third = try Store(in: folder)
    #expect(third.report.remarks == [])
    #expect(try third.ledger.firings().values.map(\.id) == ["g"])
  }

  @Test func aMissingDecisionIsTold() throws {
    for second in 0..<3 {
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
    }
    var bytes = try fileBytes(store.decisions.log.path)
    bytes[2 * DecisionLog.blockSize + 100] ^= 1
    try writeFile(store.decisions.log.path, bytes)
    let next = try Store(in: folder)
    #expect(next.report.remarks.count == 1)
    #expect(next.report.remarks.first?.contains("Decision 2 is missing") == true)
    #expect(try next.ledger.firings().values.map(\.id) == ["f0", "f2"])
  }

  @Test func aDecisionTakenAgainIsNotDoubled() throws {
    try store.decide(decision(["f"], [("a", .fired)]))
    try settle(delivered: ["f"])
    #expect(try store.decide(decision(["f", "g", "g"], [("a", .done)])).map(\.id) == ["g"])
    try settle(delivered: ["g"])
    #expect(try state("a", in: store) == .done)
    #expect(try store.ledger.firings().values.map(\.id) == ["f", "g"])
  }

  /// What is no later than the ledger's last firing is looked up there, in the next run, too.
  @Test func aDecisionTakenAgainByTheNextRunIsNotDoubled() throws {
    try store.decide(decision(["f"], [("a", .fired)], second: 1))
    let next = try Store(in: folder)
    #expect(try next.decide(decision(["f"], [("a", .done)], second: 1)).isEmpty)
    #expect(try next.decide(decision(["e"], [("a", .done)])).map(\.id) == ["e"])
    #expect(try next.decide(decision(["g"], [("a", .done)], second: 2)).map(\.id) == ["g"])
    #expect(try next.ledger.firings().values.map(\.id) == ["e", "f", "g"])
  }

  @Test func whoeverLooksFindsTheDecisionSettled() throws {
    try store.decide(decision(["f"], [("a", .fired)]))
    store.note(delivered: ["f"], at: .start, lastFix: nil)
    #expect(try state("a", in: store) == .fired)
    #expect(try store.ledger.undelivered().values.isEmpty)
    #expect(try store.database.integer("SELECT count(*) FROM decision") == 0)
  }

  @Test func whatCannotBeSettledWaits() throws {
    try store.decide(decision(["f"], [("a", .fired)]))
    store.note(delivered: ["f"], at: .start, lastFix: nil)
    try store.database.execute("PRAGMA query_only = ON")
    #expect(throws: StoreError.self) { try store.settle() }
    // Readers see what was there before.
    #expect(try state("a", in: store) == .armed)
    #expect(try store.ledger.firings().values.isEmpty)
    #expect(throws: StoreError.self) { try store.commit(Changes()) }
    #expect(try store.decide(decision(["f", "g"], [("b", .fired)])).map(\.id) == ["g"])
    store.note(delivered: ["g"], at: .start, lastFix: nil)
    try store.database.execute("PRAGMA query_only = OFF")
    // Readers do not try again what has failed; whoever is to see to it does.
    #expect(try store.ledger.firings().values.isEmpty)
    try store.settle()
    #expect(try store.ledger.firings().values.map(\.id) == ["f", "g"])
    #expect(try store.ledger.undelivered().values.isEmpty)
    #expect(try state("a", in: store) == .fired)
    #expect(try state("b", in: store) == .fired)
  }

  /// As long as the log has room, and what a crash then leaves there is all settled.
  @Test func aDatabaseThatFailsIsWaitedForWhenTheLogIsFull() throws {
    try store.database.execute("PRAGMA query_only = ON")
    var second = 0
    while let changes = try? decision(["f\(second)"], [("a", .fired)], second: second),
      (try? store.decide(changes)) != nil
    {
      second += 1
      try #require(second < 100)
    }
    #expect(second == DecisionLog.blockCount)
    let next = try Store(in: folder)
    #expect(try next.ledger.undelivered().values.map(\.id) == (0..<second).map { "f\($0)" })
    try store.database.execute("PRAGMA query_only = OFF")
  }

  /// A trigger of somebody else's, say. It does not keep the others, nor what is decided later.
  @Test func whatTheTablesRefuseIsDroppedAndTold() throws {
    try store.database.execute(
      """
      CREATE TRIGGER strict BEFORE INSERT ON firing WHEN new.id = 'g'
      BEGIN SELECT RAISE(ABORT, 'not that one'); END
      """)
    var problems: [String] = []
    store.onProblem = { problems.append($0) }
    for (second, id) in ["f", "g", "h"].enumerated() {
      try store.decide(decision([id], [("a", .fired)], second: second))
    }
    try settle(delivered: ["f", "g"])
    #expect(problems.count == 1)
    #expect(problems.first?.contains("not that one") == true)
    #expect(try store.ledger.firings().values.map(\.id) == ["f", "h"])
    #expect(try store.ledger.undelivered().values.map(\.id) == ["h"])
    #expect(try Store(in: folder).report.remarks == [])
  }

  @Test func theLatestProgressCounts() throws {
    try store.decide(decision(["f"], [("a", .fired), ("b", .fired), ("a", .snoozed)]))
    try settle(delivered: ["f"])
    #expect(try state("a", in: store) == .snoozed)
    #expect(try state("b", in: store) == .fired)
  }

  @Test func laterChangesComeAfterADecisionThatIsNotSettledYet() throws {
    try store.decide(decision(["f"], [("a", .fired)]))
    var later = Changes()
    later.progress = [Decision.Step(id: "a", progress: Progress(state: .done))]
    try store.commit(later)
    #expect(try state("a", in: store) == .done)
    try store.decide(decision(["g"], [("b", .fired)], second: 1))
    try store.decide(decision(["h"], [("b", .expired)], second: 2))
    try store.settle()
    #expect(try state("b", in: store) == .expired)
    #expect(try store.ledger.undelivered().values.map(\.id) == ["f", "g", "h"])
  }

  /// Many firings, or an edit with them, go to their places at once.
  @Test func whatIsNoPlainDecisionIsCommitted() throws {
    let many = (0..<40).map { "f\($0)" }
    try store.decide(decision(many, [("a", .fired)]))
    #expect(try store.ledger.undelivered().values.count == 40)
    try settle(delivered: Array(many.prefix(30)))
    #expect(try store.ledger.undelivered().values.count == 10)
    #expect(try state("a", in: store) == .fired)
    var edit = try decision(["g"], [], second: 1)
    edit.forgotten = ["b"]
    try store.decide(edit)
    #expect(try store.reminders.reminder(id: "b") == nil)
    #expect(try store.ledger.firings().values.count == 41)
  }

  /// A text that fills a block of the log alone.
  @Test func aDecisionThatIsLargeIsCommitted() throws {
    var changes = try decision(["f"], [("a", .fired)])
    changes.firings[0].why = String(repeating: "long ", count: 1000)
    try store.decide(changes)
    #expect(!store.isUnsettled)
    #expect(try store.ledger.undelivered().values == changes.firings)
    #expect(try state("a", in: store) == .fired)
  }

  @Test func aDecisionThatCannotBeKeptLeavesNoTrace() throws {
    try withoutLog {
      try store.database.execute("PRAGMA query_only = ON")
      #expect(throws: StoreError.self) { try store.decide(decision(["f"], [("a", .fired)])) }
      try store.database.execute("PRAGMA query_only = OFF")
    }
    try store.settle()
    #expect(try store.ledger.firings().values.isEmpty)
    #expect(try state("a", in: store) == .armed)
  }

  @Test func theDatabaseTakesWhatTheLogDoesNot() throws {
    var problems: [String] = []
    store.onProblem = { problems.append($0) }
    try withoutLog {
      for second in 0..<3 {
        let changes = try decision(["f\(second)"], [("a", .fired)], second: second)
        #expect(try store.decide(changes) == changes.firings)
        #expect(!store.isUnsettled)
      }
    }
    #expect(problems.count == 1)
    #expect(problems.first?.contains("cannot write \(store.decisions.log.path)") == true)
    try store.decide(decision(["g"], [("b", .fired)], second: 3))
    #expect(store.isUnsettled)
    let next = try Store(in: folder)
    #expect(next.report.remarks == [])
    #expect(try next.ledger.firings().values.map(\.id) == ["f0", "f1", "f2", "g"])
    #expect(try state("a", in: next) == .fired)
    #expect(try state("b", in: next) == .fired)
  }

  /// The write that failed may have come to the disk; what was kept later counts.
  @Test func whatAFailedWriteLeftDoesNotComeAfterLaterChanges() throws {
    let changes = try decision(["f"], [("a", .fired)])
    try withoutLog { try store.decide(changes) }
    // The record that the write would have left.
    let record = Decision(
      firings: changes.firings, progress: [.init(id: "a", progress: Progress(state: .fired))])
    try store.decisions.log.write(.init(number: 1, bytes: DecisionRecord.bytes(of: record)))
    var later = Changes()
    later.progress = [Decision.Step(id: "a", progress: Progress(state: .done))]
    try store.commit(later)
    let next = try Store(in: folder)
    #expect(try state("a", in: next) == .done)
    #expect(try next.ledger.firings().values.map(\.id) == ["f"])
  }

  /// SQLite's log does not grow for ever.
  @Test func theLogStaysShort() throws {
    for second in 0..<400 {
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
      try settle(delivered: ["f\(second)"])
    }
    #expect(logSize < 1100 * (4096 + 24))
    #expect(try store.ledger.firings().values.count == 400)
  }
}
