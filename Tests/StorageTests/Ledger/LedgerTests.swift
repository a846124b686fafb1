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

  @Test func everyFieldComesBack() throws {
    let full = try Sample.firing("a")
    let bare = Firing(
      id: "b", reminderID: "r", kind: .date, title: "", priority: 0,
      time: .start + .seconds(1), event: .due, why: "")
    try store.ledger.record([full, bare])
    #expect(try store.ledger.firings().values.map(\.firing) == [full, bare])
    #expect(try store.ledger.undelivered().values.map(\.firing) == [full, bare])
  }

  @Test func aDecisionTakenAgainIsNotDoubled() throws {
    let firing = try Sample.firing("a")
    try store.ledger.record([firing])
    try store.ledger.markDelivered([1], at: .start)
    try store.ledger.record([firing, firing])
    #expect(try store.ledger.undelivered().values.isEmpty)
    #expect(try store.ledger.firings().values.count == 1)
    try store.ledger.markDelivered([1], at: .start + .seconds(5))
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
    let all = try ledger.firings().values
    for (place, entry) in all.enumerated() {
      #expect(try ledger.firings(before: entry.seq).values == Array(all[..<place]))
      #expect(
        try ledger.firings(limit: 2, before: entry.seq).values == Array(all[..<place].suffix(2)))
    }
    #expect(try ledger.firings(before: 99).values.isEmpty)
    #expect(try ledger.firings(since: .start + .seconds(4)).values.map(\.id) == ["f4", "f5"])
    #expect(try ledger.firings(until: .start + .seconds(2)).values.map(\.id) == ["f0", "f1"])
    #expect(try ledger.firings(reminder: "odd").values.map(\.id) == ["f1", "f3", "f5"])
    #expect(try ledger.firings(limit: 1, reminder: "even").values.map(\.id) == ["f4"])
  }

  @Test func pruningKeepsUndeliveredFirings() throws {
    for second in 0..<4 { try store.ledger.record([Sample.firing("f\(second)", second: second)]) }
    try store.ledger.markDelivered([1, 2, 4], at: .start)
    let pruned = try store.ledger.prune(olderThan: .start + .seconds(3), heldUntil: .start)
    #expect([pruned.removed, pruned.givenUp] == [2, 0] && pruned.next == nil)
    #expect(try store.ledger.firings().values.map(\.id) == ["f2", "f3"])
  }

  /// A piece ends behind the firings of its last moment.
  @Test func pruningGoesByPieces() throws {
    try store.ledger.record((0..<9).map { try Sample.firing("f\($0)", second: $0 / 2) })
    try store.ledger.markDelivered(Array(1...9), at: .start)
    var removed: [Int] = []
    var next: Instant?
    repeat {
      let piece = try store.ledger.prune(
        olderThan: .start + .seconds(4), heldUntil: .start, from: next, limit: 3)
      removed.append(piece.removed)
      next = piece.next
    } while next != nil
    #expect(removed == [4, 4, 0])
    #expect(try store.ledger.firings().values.map(\.id) == ["f8"])
  }

  // MARK: - One event, one transaction

  @Test func anEventIsStoredCompletely() throws {
    let old = try Sample.dated("old")
    try store.reminders.replace(old)
    let gone = try Sample.dated("gone")
    try store.reminders.replace(gone)
    var changes = Changes()
    #expect(changes.isEmpty)
    changes.saved = [try Sample.placed("new")]
    changes.histories = ["old", "unknown"].map {
      Changes.Step(id: $0, old.history, Standing(state: .fired))
    }
    changes.forgotten = ["gone"]
    changes.firings = [try Sample.firing("f")]
    let position = try #require(Coordinate(latitude: 1.0 / 3, longitude: 2.0 / 3))
    changes.lastFixes[nil] = KeptFix(
      fix: Fix(
        time: Instant(microseconds: 1_795_230_000_123_456), position: position, mode: .threeD,
        source: .rtkFloat, timeOfDay: 5, altitudeMSL: -1.5, altitudeHAE: 40.1, speed: 0.1,
        track: 359.9, climb: -0.2, eph: 2.2), arrival: .start)
    try store.commit(changes)
    #expect(try store.reminders.all().values.map(\.reminder.id) == ["old", "new"])
    #expect(try store.reminders.reminder(id: "old")?.standing.state == .fired)
    #expect(try store.ledger.undelivered().values.map(\.firing) == changes.firings)
    #expect(try store.state.lastFix() == changes.lastFixes[nil])
  }

  /// The order counts: the latest history, and the mark of a firing of an earlier event.
  @Test func marksOfDeliveryComeWithTheNextEvent() throws {
    var first = Changes()
    first.firings = [try Sample.firing("f")]
    try store.commit(first)
    var second = Changes()
    second.firings = [try Sample.firing("g", second: 1)]
    second.delivered = [1]
    second.deliveryTime = .start
    #expect(try store.commit(second).map(\.id) == ["g"])
    #expect(try store.ledger.undelivered().values.map(\.firing.id) == ["g"])
  }

  /// The write-ahead log stays bounded.
  @Test func theLogStaysShort() throws {
    for second in 0..<400 {
      try store.ledger.record([Sample.firing("f\(second)", second: second)])
    }
    let log = try fileBytes(folder.database + "-wal").count
    #expect(log < 1100 * (4096 + 24))
  }

  @Test func aLedgerThatLostItsRowGetsAnotherIdentity() throws {
    try store.ledger.record([Sample.firing("a"), Sample.firing("b", second: 1)])
    let uuid = try store.ledger.uuid()
    try store.database.run("DELETE FROM ledger")
    store.close()
    let next = try Store(in: folder)
    #expect(try next.ledger.uuid() != uuid)
    try next.ledger.record([Sample.firing("c", second: 2)])
    #expect(try next.ledger.undelivered().values.map(\.seq) == [1, 2, 3])
  }

  @Test func readersWriteNothing() throws {
    try store.ledger.record([Sample.firing("f")])
    let before = try fileBytes(folder.database + "-wal")
    _ = try store.reminders.all()
    _ = try store.ledger.undelivered()
    _ = try store.state.lastFix()
    _ = try store.places.all()
    #expect(try fileBytes(folder.database + "-wal") == before)
  }

  @Test func waitingChangesKeepOnlyTheLatestHistory() {
    var changes = Changes()
    for (id, state) in [("a", .fired), ("b", .armed), ("a", .done), ("b", .snoozed)]
      as [(String, Reminder.State)]
    {
      changes.histories.append(Changes.Step(id: id, History(), Standing(state: state)))
    }
    changes.dropOutdatedHistories()
    #expect(changes.histories.map(\.id) == ["a", "b"])
    #expect(changes.histories.map(\.standing.state) == [.done, .snoozed])
  }

  @Test func aFailedEventLeavesNoTrace() throws {
    let entry = try Sample.dated("a")
    try store.reminders.replace(entry)
    _ = try store.database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    let pages = try #require(try store.database.integer("PRAGMA page_count"))
    _ = try store.database.integer("PRAGMA max_page_count = \(pages)")
    var changes = Changes()
    changes.histories = [Changes.Step(id: "a", entry.history, Standing(state: .fired))]
    changes.firings = try (0..<200).map { try Sample.firing("f\($0)", second: $0) }
    let error = #expect(throws: StoreError.self) { try store.commit(changes) }
    #expect(error?.description.contains("free some space") == true)
    #expect(try store.reminders.reminder(id: "a")?.standing.state == .armed)
    #expect(try store.ledger.firings().values.isEmpty)
  }
}
