import CivilTime
import Geodesy
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct LedgerTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private var outbox: PersistentPriorityQueue {
    PersistentPriorityQueue(database: store.database, name: "journal")
  }

  @Test func everyFieldComesBack() throws {
    let full = try Sample.firing("a")
    let bare = Firing(
      id: "b", reminderID: "r", kind: .date, title: "", priority: 0,
      time: .start + .seconds(1), event: .due, why: "")
    try store.ledger.record([full, bare])
    #expect(try store.ledger.firings().values == [full, bare])
    #expect(try store.ledger.undelivered().values == [full, bare])
  }

  @Test func theOutboxGoesByTimeOfDecision() throws {
    try store.ledger.record([Sample.firing("late", second: 9), Sample.firing("x", second: 3)])
    try store.ledger.record([Sample.firing("soon", second: 1), Sample.firing("y", second: 3)])
    #expect(try store.ledger.undelivered().values.map(\.id) == ["soon", "x", "y", "late"])
    #expect(try outbox.front()?.payload == "soon")
    try store.ledger.markDelivered(["soon", "y", "unknown"], at: .start)
    #expect(try store.ledger.undelivered().values.map(\.id) == ["x", "late"])
    #expect(try outbox.count() == 2)
    #expect(try store.ledger.firings().values.map(\.id) == ["soon", "x", "y", "late"])
  }

  @Test func aDecisionTakenAgainIsNotDoubled() throws {
    let firing = try Sample.firing("a")
    try store.ledger.record([firing])
    try store.ledger.markDelivered(["a"], at: .start)
    try store.ledger.record([firing, firing])
    #expect(try store.ledger.undelivered().values.isEmpty)
    #expect(try store.ledger.firings().values.count == 1)
    #expect(try outbox.count() == 0)
    try store.ledger.markDelivered(["a"], at: .start + .seconds(5))
    #expect(
      try store.database.integer("SELECT delivered_us FROM firing") == Instant.start.microseconds)
  }

  @Test func listingIsBoundedFilteredAndInOrder() throws {
    for second in 0..<6 {
      try store.ledger.record([
        Sample.firing("f\(second)", second: second, reminder: second % 2 == 0 ? "even" : "odd")
      ])
    }
    let ledger = store.ledger
    #expect(try ledger.firings(limit: 2).values.map(\.id) == ["f4", "f5"])
    #expect(try ledger.firings(limit: 0).values.isEmpty)
    #expect(try ledger.firings(since: .start + .seconds(4)).values.map(\.id) == ["f4", "f5"])
    #expect(try ledger.firings(reminder: "odd").values.map(\.id) == ["f1", "f3", "f5"])
    #expect(try ledger.firings(limit: 1, reminder: "even").values.map(\.id) == ["f4"])
  }

  @Test func pruningLeavesWhatTheJournalHasNotGot() throws {
    for second in 0..<4 { try store.ledger.record([Sample.firing("f\(second)", second: second)]) }
    try store.ledger.markDelivered(["f0", "f1", "f3"], at: .start)
    #expect(try store.ledger.prune(olderThan: .start + .seconds(3)) == 2)
    #expect(try store.ledger.firings().values.map(\.id) == ["f2", "f3"])
    #expect(try outbox.count() == 1)
  }

  @Test func aQueueThatWasTamperedWithIsMadeGoodAtTheNextStart() throws {
    try store.ledger.record([Sample.firing("a"), Sample.firing("b", second: 1)])
    try store.database.run("DELETE FROM queue")
    try outbox.push("ghost", priority: 0)
    #expect(try store.ledger.undelivered().values.isEmpty)
    store.close()
    let next = try Store(in: folder)
    #expect(try next.ledger.undelivered().values.map(\.id) == ["a", "b"])
    #expect(try PersistentPriorityQueue(database: next.database, name: "journal").count() == 2)
  }

  // MARK: - One event, one transaction

  @Test func anEventIsKeptWhole() throws {
    let old = try Sample.dated("old")
    try store.reminders.push(old.reminder, old.progress)
    let gone = try Sample.dated("gone")
    try store.reminders.push(gone.reminder, gone.progress)
    var changes = Changes()
    #expect(changes.isEmpty)
    changes.saved = [try Sample.placed("new")]
    var progress = old.progress
    progress.state = .fired
    changes.progress = [
      Decision.Step(id: "old", progress: progress),
      Decision.Step(id: "unknown", progress: progress),
    ]
    changes.forgotten = ["gone"]
    changes.firings = [try Sample.firing("f")]
    let position = try #require(Coordinate(latitude: 1.0 / 3, longitude: 2.0 / 3))
    changes.lastFix = KeptFix(
      fix: Fix(
        time: Instant(microseconds: 1_795_230_000_123_456), position: position, mode: .threeD,
        source: .rtkFloat, timeOfDay: 5, altitudeMSL: -1.5, altitudeHAE: 40.1, speed: 0.1,
        track: 359.9, climb: -0.2, eph: 2.2), arrival: .start)
    try store.commit(changes)
    #expect(try store.reminders.all().values.map(\.reminder.id) == ["old", "new"])
    #expect(try store.reminders.reminder(id: "old")?.progress.state == .fired)
    #expect(try store.ledger.undelivered().values == changes.firings)
    #expect(try store.state.lastFix() == changes.lastFix)
  }

  @Test func whatWaitsForTheDiskKeepsTheLatestProgressAlone() {
    var changes = Changes()
    for (id, state) in [("a", .fired), ("b", .armed), ("a", .done), ("b", .snoozed)]
      as [(String, Reminder.State)]
    {
      changes.progress.append(Decision.Step(id: id, progress: Progress(state: state)))
    }
    changes.forgetOutdatedProgress()
    #expect(changes.progress.map(\.id) == ["a", "b"])
    #expect(changes.progress.map(\.progress.state) == [.done, .snoozed])
  }

  @Test func anEventThatCannotBeKeptLeavesNoTrace() throws {
    let entry = try Sample.dated("a")
    try store.reminders.push(entry.reminder, entry.progress)
    _ = try store.database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    let pages = try #require(try store.database.integer("PRAGMA page_count"))
    _ = try store.database.integer("PRAGMA max_page_count = \(pages)")
    var changes = Changes()
    var progress = entry.progress
    progress.state = .fired
    changes.progress = [Decision.Step(id: "a", progress: progress)]
    changes.firings = try (0..<200).map { try Sample.firing("f\($0)", second: $0) }
    let error = #expect(throws: StoreError.self) { try store.commit(changes) }
    #expect(error?.isDiskFull == true)
    #expect(try store.reminders.reminder(id: "a")?.progress.state == .armed)
    #expect(try store.ledger.firings().values.isEmpty)
    #expect(try outbox.count() == 0)
  }
}
