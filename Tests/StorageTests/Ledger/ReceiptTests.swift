import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Storage

/// What came of firings: at destinations, and by commands of users.
@Suite struct ReceiptTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
    try store.ledger.record([
      Sample.firing("f1", second: 1, reminder: "r"), Sample.firing("f2", second: 2, reminder: "r"),
      Sample.firing("f3", second: 3, reminder: "other"),
    ])
  }

  @Test func theFirstOutcomeOfADestinationCounts() throws {
    let ledger = store.ledger
    try ledger.receive(1, by: "ntfy", at: .start, text: nil)
    try ledger.receive(1, by: "ntfy", at: .start + .seconds(9), text: "given up: x")
    try ledger.receive(1, by: "mail", at: .start + .seconds(2), text: "given up: no host")
    #expect(
      try ledger.receipts(of: 1) == [
        Receipt(consumer: "mail", time: .start + .seconds(2), text: "given up: no host"),
        Receipt(consumer: "ntfy", time: .start, text: nil),
      ])
    #expect(try ledger.receipts(of: 2).isEmpty)
  }

  /// A summary stands for the firings that a quiet time has held, and it holds no urgent one.
  @Test func aSummaryIsNoReceiptOfAnUrgentFiring() throws {
    var urgent = try Sample.firing("f5", second: 5)
    urgent.priority = 1
    let held = [try Sample.firing("f4", second: 4), urgent, try Sample.firing("f6", second: 6)]
    try store.ledger.record(held, isQuiet: true)
    try store.ledger.receive(6, after: 3, by: "ntfy", at: .start, text: nil)
    #expect(try (1...6).map { try store.ledger.receipts(of: $0).count } == [0, 0, 0, 1, 0, 1])
  }

  @Test func aCommandAcknowledgesTheEarlierFiringsOfItsReminders() throws {
    func command(_ user: UInt32, second: Double) throws {
      var changes = Changes()
      changes.command = UserCommand(
        user: user, method: "Done", time: .start + .seconds(second), acknowledges: true)
      changes.command?.reminders = ["r"]
      try store.commit(changes)
    }
    try command(7, second: 1.5)
    try command(8, second: 5)
    let ledger = store.ledger
    #expect(
      try ledger.acknowledgement(of: 1)
        == Acknowledgement(user: 7, method: "Done", time: .start + .seconds(1.5)))
    #expect(try ledger.acknowledgement(of: 2)?.user == 8)
    #expect(try ledger.acknowledgement(of: 3) == nil)
    try ledger.withdrawAcknowledgements(by: 8, at: .start + .seconds(5))
    #expect(try ledger.acknowledgement(of: 2) == nil && ledger.acknowledgement(of: 1) != nil)
  }

  @Test func whatEndsAFiringReplacesItsSnooze() throws {
    for (method, second) in [("Snooze", 1.5), ("Snooze", 2.5), ("Done", 3.5), ("Done", 4.5)] {
      var changes = Changes()
      changes.command = UserCommand(
        user: 7, method: method, time: .start + .seconds(second), acknowledges: true)
      changes.command?.reminders = ["r"]
      try store.commit(changes)
    }
    #expect(
      try store.ledger.acknowledgement(of: 1)
        == Acknowledgement(user: 7, method: "Done", time: .start + .seconds(3.5)))
  }

  @Test func theRowsOfAFiringGoWithIt() throws {
    let ledger = store.ledger
    for seq in 1...3 { try ledger.receive(Int64(seq), by: "ntfy", at: .start, text: nil) }
    try ledger.markDelivered([1, 2], at: .start)
    try ledger.prune(olderThan: .start + .seconds(2.5), heldUntil: .start)
    #expect(try ledger.receipts(of: 1).isEmpty && ledger.receipts(of: 2).isEmpty)
    #expect(try ledger.receipts(of: 3).count == 1)
  }
}
