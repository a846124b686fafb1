import CivilTime
import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

/// The outbox as a persistent priority queue: push is a commit, peek the first undelivered firing,
/// pop a mark.
@Suite struct OutboxTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func waiting(_ store: Store) throws -> [String] {
    try store.ledger.undelivered().values.map(\.firing.id)
  }

  @Test func theOutboxGoesByTheOrderOfDecisions() throws {
    try store.ledger.record([Sample.firing("late", second: 9), Sample.firing("x", second: 3)])
    try store.ledger.record([Sample.firing("soon", second: 1), Sample.firing("y", second: 3)])
    #expect(try store.ledger.undelivered().values.map(\.seq) == [1, 2, 3, 4])
    #expect(try waiting(store) == ["late", "x", "soon", "y"])
    try store.ledger.markDelivered([1, 4, 99], at: .start)
    #expect(try waiting(store) == ["x", "soon"])
    #expect(try store.ledger.undelivered(after: 2).values.map(\.firing.id) == ["soon"])
    #expect(try store.ledger.undelivered(limit: 1).values.map(\.firing.id) == ["x"])
  }

  @Test func theOutboxIsReadByItsOwnIndex() throws {
    var plan = ""
    try store.database.forEach(
      """
      EXPLAIN QUERY PLAN SELECT \(FiringRow.read) FROM firing
      WHERE delivered_us IS NULL AND seq > 0 ORDER BY seq LIMIT 5
      """
    ) { row in
      if case .text(let step) = row.value(at: 3) { plan += step }
    }
    #expect(plan.contains("firing_undelivered"))
    #expect(!plan.contains("TEMP B-TREE"))
  }

  /// Numbers have no gap and none comes again, whatever is refused, rolled back or removed.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func numbersAreDense(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var ids: [String] = []
    func expected(_ id: String) -> Int64? { ids.firstIndex(of: id).map { Int64($0) + 1 } }
    var run = store
    for step in 0..<120 {
      let fresh = try Sample.firing("f\(step)", second: step)
      switch random.next() % 6 {
      case 0:
        #expect(throws: StoreError.self) {
          try run.database.transaction { () throws(StoreError) in
            try run.ledger.record([fresh])
            throw StoreError.unknownCategory("")
          }
        }
      case 1:
        // One that was decided before is there already.
        let old = try run.ledger.firings().values.last?.firing
        #expect(try run.ledger.record([old, fresh].compactMap { $0 }).map(\.firing) == [fresh])
        ids.append(fresh.id)
      case 2:
        let seqs = try run.ledger.undelivered().values.map(\.seq)
        try run.ledger.markDelivered(seqs, at: .start)
        try run.ledger.prune(
          olderThan: .start + .seconds(Double(step)), heldUntil: .start)
      case 3:
        run.close()
        run = try Store(in: folder)
      default:
        #expect(try run.ledger.record([fresh]).map(\.firing) == [fresh])
        ids.append(fresh.id)
      }
      for entry in try run.ledger.undelivered().values {
        #expect(entry.seq == expected(entry.firing.id))
      }
    }
  }

  // MARK: - kill -9

  /// Where the child of the test below ends.
  enum Moment: CaseIterable {
    case beforeThePush, withinThePush, afterThePush, afterThePeek, afterTheEntry, withinThePop
    case afterThePop
  }

  /// A process that fires, reads the outbox, sends and marks, and is killed between any two of the
  /// steps; the next one goes on as the daemon does: it asks the journal for what is not marked.
  @Test(arguments: Moment.allCases)
  func aKillBetweenAnyTwoStepsLosesAndDoublesNothing(moment: Moment) async throws {
    let entry = try Sample.dated("r")
    try store.reminders.replace(entry)
    try store.ledger.record([Sample.firing("first")])
    try store.ledger.markDelivered([1], at: .start)
    store.close()
    let number = Moment.allCases.firstIndex(of: moment) ?? 0
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = folder.path as String, number = number as Int] in
      try OutboxTests.run(in: path, endingAt: Moment.allCases[number])
    }

    let next = try Store(in: folder)
    #expect(next.report.action == .opened)
    let journal = (try? fileBytes(folder.path + "/journal")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let isPushed = moment != .beforeThePush && moment != .withinThePush
    #expect(
      try next.ledger.firings().values.map(\.id) == (isPushed ? ["first", "second"] : ["first"]))
    #expect(try next.reminders.reminder(id: "r")?.standing.state == (isPushed ? .fired : .armed))
    let left = try next.ledger.undelivered().values
    let known = left.filter { journal == $0.firing.id }
    try next.ledger.markDelivered(known.map(\.seq), at: .start)
    let isSent = journal == "second"
    // Lost: decided, neither in the journal nor waiting. Doubled: in the journal and still waiting.
    #expect(try waiting(next) == (isPushed && !isSent ? ["second"] : []))
    #expect(isSent == [.afterTheEntry, .withinThePop, .afterThePop].contains(moment))
  }

  private static func run(in folder: String, endingAt moment: Moment) throws {
    func pass(_ reached: Moment) { if reached == moment { kill(getpid(), SIGKILL) } }
    let store = try Store(path: folder + "/georemind.db", now: .start)
    pass(.beforeThePush)
    var changes = Changes()
    changes.firings = [try Sample.firing("second", second: 1)]
    changes.histories = [.init(id: "r", History(), Standing(state: .fired))]
    try store.database.transaction { () throws(StoreError) in
      try store.commit(changes)
      pass(.withinThePush)
    }
    pass(.afterThePush)
    let next = try #require(try store.ledger.undelivered(limit: 1).values.first)
    pass(.afterThePeek)
    try writeFile(folder + "/journal", Array(next.firing.id.utf8))
    pass(.afterTheEntry)
    try store.database.transaction { () throws(StoreError) in
      try store.ledger.markDelivered([next.seq], at: .start)
      pass(.withinThePop)
    }
    pass(.afterThePop)
  }

  /// What a power cut leaves, once SQLite's log is on disk: the files as they stand at any moment.
  @Test func aCopyOfTheFilesAtAnyMomentIsSound() throws {
    for number in 0..<30 {
      try store.ledger.record([Sample.firing("f\(number)", second: number)])
      guard number % 5 == 4 else { continue }
      let copy = folder.path + "/copy\(number).db"
      try writeFile(copy, fileBytes(folder.database))
      try writeFile(copy + "-wal", fileBytes(folder.database + "-wal"))
      // The last frames of the log may be torn.
      let isTorn = number % 10 == 9
      if isTorn {
        let log = try fileBytes(copy + "-wal")
        try writeFile(copy + "-wal", Array(log.dropLast(100)))
      }
      let other = try Store(path: copy, now: .start)
      #expect(try waiting(other).count == (isTorn ? number : number + 1))
      other.close()
    }
  }
}
