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
    changes.progress = progress.map { ($0, Progress(state: $1)) }
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

  @Test func theCommitBeforeTheEntryWritesOnePage() throws {
    // 32 bytes of the log itself, then pages with 24 bytes each (https://sqlite.org/fileformat2.html).
    _ = try store.database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try store.decide(decision(["f"], [("a", .fired)])).map(\.id) == ["f"])
    #expect(logSize == 32 + 24 + 4096)
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
    #expect(try store.database.integer("SELECT count(*) FROM decision") == 0)
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

  @Test func aRowThatIsNoDecisionKeepsNobodyFromStarting() throws {
    try store.decide(decision(["f"], [("b", .fired)]))
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
    #expect(next.report.remarks.allSatisfy { $0.contains("of table decision was skipped") })
  }

  /// The version before kept a decision in columns; it crashed, and this one is what starts next.
  @Test func anUpgradeSettlesWhatACrashOfTheVersionBeforeLeft() throws {
    let old = try TemporaryFolder()
    do {
      let store = try Store(
        path: old.database, now: .start, migrations: Array(Schema.migrations.prefix(6)))
      for id in ["a", "b"] {
        let entry = try Sample.dated(id)
        try store.reminders.push(entry.reminder, entry.progress)
      }
      try store.database.execute(
        """
        INSERT INTO decision (reminder_id, state, presence, visit_settled, leads_fired, unacknowledged,
          id, kind, title, priority, time_us, event, why)
        VALUES ('a', 'fired', 'inside', 0, 1, 1, 'f', 'date', 'A', 0, 1000000, 'due', 'Due now');
        INSERT INTO decision (reminder_id, state, presence, visit_settled, leads_fired, unacknowledged)
        VALUES ('b', 'done', 'unknown', 0, 0, 0);
        INSERT INTO decision (reminder_id, id, kind, title, priority, time_us, event, why, delivered_us)
        VALUES ('b', 'g', 'date', 'B', 0, 1000000, 'due', 'Due now', 1000001);
        """)
    }
    let next = try Store(in: old)
    #expect(try state("a", in: next) == .fired)
    #expect(try state("b", in: next) == .done)
    #expect(try next.ledger.undelivered().values.map(\.id) == ["f"])
    #expect(try next.database.integer("SELECT count(*) FROM firing") == 2)
    #expect(try waiting(next) == 1)
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
    #expect(throws: StoreError.self) { try store.reminders.reminder(id: "a") }
    #expect(throws: StoreError.self) { try store.decide(decision(["g"], [])) }
    try store.database.execute("PRAGMA query_only = OFF")
    #expect(try store.ledger.firings().values.map(\.id) == ["f"])
    #expect(try store.ledger.undelivered().values.isEmpty)
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
    later.progress = [("a", Progress(state: .done))]
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

  @Test func aDecisionThatCannotBeKeptLeavesNoTrace() throws {
    try store.database.execute("PRAGMA query_only = ON")
    #expect(throws: StoreError.self) { try store.decide(decision(["f"], [("a", .fired)])) }
    try store.database.execute("PRAGMA query_only = OFF")
    try store.settle()
    #expect(try store.ledger.firings().values.isEmpty)
    #expect(try state("a", in: store) == .armed)
  }

  /// The log is shortened after an entry, not in the commit before it, and does not grow for ever.
  @Test func theLogStaysShort() throws {
    for second in 0..<400 {
      try store.decide(decision(["f\(second)"], [("a", .fired)], second: second))
      try settle(delivered: ["f\(second)"])
    }
    #expect(logSize < 1100 * (4096 + 24))
    #expect(try store.ledger.firings().values.count == 400)
  }
}
