import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct QueueTests {
  let folder: TemporaryFolder
  let store: Store
  let queue: PersistentPriorityQueue

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
    queue = PersistentPriorityQueue(database: store.database, name: "q")
  }

  @Test func lowestNumberFirstThenFirstIn() throws {
    for (payload, priority) in [("c", 5), ("a", -1), ("d", 5), ("e", .max), ("b", 0), ("f", .min)]
      as [(String, Int64)]
    {
      try queue.push(payload, priority: priority)
    }
    #expect(try queue.count() == 6)
    #expect(try queue.front() == .init(priority: .min, payload: "f"))
    var order = ""
    while let item = try queue.pop() { order += item.payload }
    #expect(order == "fabcde")
    #expect(try queue.front() == nil)
    #expect(try queue.count() == 0)
  }

  @Test func queuesDoNotSeeEachOther() throws {
    let other = PersistentPriorityQueue(database: store.database, name: "Q")
    try queue.push("x", priority: 2)
    try other.push("x", priority: 1)
    #expect(try queue.remove(payload: "x") == 1)
    #expect(try queue.pop() == nil)
    #expect(try other.pop()?.payload == "x")
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func agreesWithASortedList(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model: [(priority: Int64, number: Int)] = []
    for number in 0..<200 {
      if random.next() % 3 != 0 {
        let priority = Int64(random.next() % 5)
        try queue.push("\(number)", priority: priority)
        model.insert(
          (priority, number), at: model.firstIndex { $0.priority > priority } ?? model.count)
      } else {
        let expected = model.isEmpty ? nil : model.removeFirst()
        #expect(try queue.pop()?.payload == expected.map { "\($0.number)" })
      }
      #expect(try queue.count() == model.count)
    }
  }

  /// What `kill -9` leaves: all that was committed, nothing of the transaction under way.
  @Test func outlivesAKilledProcess() async throws {
    store.close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.database as String] in
      let store = try Store(path: path, now: .start)
      let queue = PersistentPriorityQueue(database: store.database, name: "q")
      for number in 0..<20 { try queue.push("\(number)", priority: Int64(number / 2)) }
      _ = try queue.pop()
      try store.ledger.record([Sample.firing("kept")])
      try store.database.transaction { () throws(StoreError) in
        try queue.push("lost", priority: -1)
        _ = try queue.pop()
        kill(getpid(), SIGKILL)
      }
    }
    let next = try Store(path: folder.database, now: .start)
    #expect(next.report.action == .opened)
    let queue = PersistentPriorityQueue(database: next.database, name: "q")
    #expect(try queue.count() == 19)
    #expect(try queue.pop() == .init(priority: 0, payload: "1"))
    #expect(try next.ledger.undelivered().values.map(\.id) == ["kept"])
  }

  /// What a power cut leaves, once the log is on disk: files as they stand at any moment.
  @Test func aCopyOfTheFilesAtAnyMomentIsSound() throws {
    for number in 0..<30 {
      try queue.push("\(number)", priority: Int64(number))
      guard number % 5 == 4 else { continue }
      let copy = folder.path + "/copy\(number).db"
      try writeFile(copy, fileBytes(folder.database))
      try writeFile(copy + "-wal", fileBytes(folder.database + "-wal"))
      // The last frames of the log may be torn.
      if number % 10 == 9 {
        let log = try fileBytes(copy + "-wal")
        try writeFile(copy + "-wal", Array(log.dropLast(100)))
      }
      let other = try Store(path: copy, now: .start)
      let count = try PersistentPriorityQueue(database: other.database, name: "q").count()
      #expect(count == (number % 10 == 9 ? number : number + 1))
      other.close()
    }
  }
}
