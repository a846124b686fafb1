import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct ConsumerTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func consumer(_ name: String, upto: Int64) -> Consumer {
    Consumer(name: name, owner: 7, upto: upto)
  }

  /// Urgent firings are 3 and 4 of five.
  @Test func eachQueueHasAMarkOfItsOwn() throws {
    func record(_ numbers: ClosedRange<Int>) throws {
      try store.ledger.record(
        numbers.map { number in
          var firing = try Sample.firing("f\(number)", second: number)
          firing.priority = number == 3 ? 3 : number == 4 ? 1 : 4
          return firing
        })
    }
    func numbers(after seq: Int64, _ urgent: Bool?) throws -> [Int64] {
      try store.ledger.entries(after: seq, limit: 9, urgent: urgent).map(\.seq)
    }
    try record(1...5)
    #expect(try numbers(after: 0, true) == [3, 4])
    #expect(try numbers(after: 1, false) == [2, 5])
    #expect(try numbers(after: 1, nil) == [2, 3, 4, 5])
    var row = consumer("a", upto: 1)
    row.urgentUpto = 3
    #expect(try store.consumers.waiting(for: row) == 3)
    let entries = try store.ledger.entries(after: 0, limit: 9, urgent: nil)
    #expect(entries.filter(row.awaits).map(\.seq) == [2, 4, 5])
    try store.consumers.set(row)
    #expect(try store.consumers.consumer(named: "a") == row)
    // A mark moves up to the next firing of its queue: an old mark would hold old firings.
    row.urgentUpto = 4
    row.upto = 2
    try store.consumers.set(row)
    let moved = try #require(try store.consumers.consumer(named: "a"))
    #expect([moved.upto, moved.urgentUpto] == [4, 5])
    #expect(try store.consumers.waiting(for: moved) == 1)
    let end = Instant.start + .hours(1_000)
    let pruned = try store.ledger.prune(olderThan: end, heldUntil: .start)
    #expect(pruned.removed == 0, "the journal has not received them")
    try store.ledger.markDelivered(Array(1...5), at: .start)
    #expect(try store.ledger.prune(olderThan: end, heldUntil: .start).removed == 4)
    #expect(try store.consumers.waiting(for: consumer("b", upto: 0)) == 1)
    #expect(try store.consumers.waiting(for: consumer("b", upto: 12)) == 0)
  }

  /// The row of an earlier version has one mark.
  @Test func aRowOfOneMarkHasItForBothQueues() throws {
    try store.consumers.set(consumer("a", upto: 4))
    try store.consumers.database.execute("UPDATE consumer SET urgent_upto = NULL")
    #expect(try store.consumers.all() == [consumer("a", upto: 4)])
  }

  @Test func everyFieldComesBack() throws {
    var full = consumer("b", upto: 5)
    full.tries = 3
    full.failingSince = .start
    full.nextTry = .start + .seconds(4)
    full.text = "no"
    try store.consumers.set(full)
    try store.consumers.set(consumer("a", upto: 0))
    #expect(try store.consumers.all() == [consumer("a", upto: 0), full])
    #expect(try store.consumers.consumer(named: "b") == full)
    #expect(try store.consumers.consumer(named: "c") == nil)
    #expect(try store.consumers.failing(since: .start) == [full])
    #expect(try store.consumers.failing(since: .start - .seconds(1)) == [])
    full.upto = 6
    try store.consumers.set(full)
    #expect(try store.consumers.consumer(named: "b")?.upto == 6)
    #expect(try store.consumers.count() == 2)
    #expect(try store.consumers.remove(named: "b"))
    #expect(try !store.consumers.remove(named: "b"))
  }

  @Test func destinationsAheadOfTheLedgerComeToItsHead() throws {
    try store.ledger.record([Sample.firing("f1"), Sample.firing("f2", second: 1)])
    for (name, upto) in [("a", 1), ("b", 2), ("c", 9)] as [(String, Int64)] {
      try store.consumers.set(consumer(name, upto: upto))
    }
    #expect(try store.consumers.restartAhead() == ["c"])
    #expect(try store.consumers.all().map(\.upto) == [1, 2, 2])
    #expect(try store.consumers.all().map(\.urgentUpto) == [2, 2, 2])
  }

  /// Firings that were reported before the copy was restored are not new to anybody.
  @Test func whoHadEverythingIsPastWhatIsRestored() throws {
    try store.ledger.record([Sample.firing("f1"), Sample.firing("f2", second: 1)])
    try store.consumers.set(consumer("behind", upto: 1))
    try store.consumers.set(consumer("done", upto: 2))
    try store.ledger.record([Sample.firing("f3", second: 2)])
    try store.consumers.advance(from: 2)
    #expect(try store.consumers.all().map(\.upto) == [1, 3])
  }

  @Test func aDamagedDatabaseKeepsItsDestinations() throws {
    try store.consumers.set(consumer("a", upto: 4))
    try store.ledger.record([Sample.firing("f1")])
    let uuid = try store.ledger.uuid()
    store.close()
    var bytes = try fileBytes(folder.database)
    for index in 0..<100 { bytes[index] = 0x55 }
    try writeFile(folder.database, bytes)
    let next = try Store(in: folder)
    #expect(try next.consumers.all() == [consumer("a", upto: 4)])
    #expect(try next.ledger.uuid() != uuid)
    #expect(try next.ledger.head() == 1)
  }

  @Test func aLedgerOfAnotherMachineGetsAnotherIdentity() throws {
    let uuid = try store.ledger.uuid()
    #expect(try !store.ledger.claim(machine: "a"))
    #expect(try !store.ledger.claim(machine: "a"))
    #expect(try store.ledger.uuid() == uuid)
    #expect(try store.ledger.claim(machine: "b"))
    let second = try store.ledger.uuid()
    #expect(second != uuid)
    #expect(try !store.ledger.claim(machine: "b"))
    #expect(try store.ledger.uuid() == second)
  }

  @Test func theLedgerIsReadByNumber() throws {
    #expect(try store.ledger.head() == 0)
    #expect(try store.ledger.first() == 1)
    for second in 0..<5 { try store.ledger.record([Sample.firing("f\(second)", second: -second)]) }
    let ledger = store.ledger
    #expect(try ledger.entries(after: 0, limit: 2).map(\.id) == ["f0", "f1"])
    #expect(try ledger.entries(after: 3, limit: 9).map(\.seq) == [4, 5])
    #expect(try ledger.entries(after: 5, limit: 9).isEmpty)
    #expect(try ledger.entries(after: 0, limit: 9, bytes: 1).map(\.seq) == [1])
    try store.database.run("UPDATE firing SET event = 'x' WHERE seq < 3")
    #expect(try ledger.entries(after: 0, limit: 1).map(\.seq) == [3])
    try store.database.run("DELETE FROM firing WHERE seq < 4")
    #expect(try ledger.first() == 4)
    try store.database.run("DELETE FROM firing")
    #expect(try ledger.first() == 6)
    #expect(try ledger.head() == 5)
  }

  @Test(arguments: [("a", true), ("hook-1000-a", true), ("", false), ("A", false), ("a b", false)])
  func namesArePlain(name: String, isName: Bool) { #expect(Consumer.isName(name) == isName) }
}
