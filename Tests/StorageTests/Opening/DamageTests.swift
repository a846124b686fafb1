import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct DamageTests {
  let folder: TemporaryFolder
  private var aside: String { folder.database + ".damaged-20261121T030000Z" }

  init() throws { folder = try TemporaryFolder() }

  /// A database of `count` reminders, a place and firings, with its log moved into it.
  private func fill(_ count: Int) throws {
    let store = try Store(in: folder)
    try store.categories.add(Category(name: "Boats", color: "#123456"))
    try store.categories.remove(named: "Leisure")
    let entry = try Sample.placed("r0", category: "Boats")
    let position = try #require(entry.reminder.place?.position)
    try store.places.add(SavedPlace(name: "Quay", position: position, radius: 9, category: "Boats"))
    try store.database.transaction { () throws(StoreError) in
      for number in 0..<count {
        var reminder = entry.reminder
        reminder.id = "r\(number)"
        try store.reminders.replace(reminder, history: entry.history, state: entry.standing.state)
      }
    }
    try store.ledger.record([Sample.firing("f1", second: 1), Sample.firing("f0")])
    try store.ledger.markDelivered([2], at: .start)
    store.close()
  }

  private func recovered(_ store: Store) throws -> [String: RecoveredTable] {
    guard case .replaced(_, let path, let tables) = store.report.action else {
      Issue.record("not replaced: \(store.report)")
      return [:]
    }
    #expect(path == aside)
    #expect(store.report.isWarning)
    return Dictionary(uniqueKeysWithValues: tables.map { ($0.table, $0) })
  }

  @Test(arguments: [2, 99, 100, 511, 512, 5000])
  func aFileThatIsNoDatabaseIsSetAside(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 65) }
    try writeFile(folder.database, bytes)
    let store = try Store(in: folder)
    #expect(try recovered(store) == [:])
    #expect(try fileBytes(aside) == bytes)
    #expect(try store.categories.all().values.count == Category.defaults.count)
    #expect(store.report.sentences[0].contains("nothing in it could be read"))
  }

  @Test(arguments: [16, 100]) func anOverwrittenHeaderIsRebuilt(length: Int) throws {
    try fill(30)
    var bytes = try fileBytes(folder.database)
    for index in 0..<length { bytes[index] = 0x55 }
    try writeFile(folder.database, bytes)
    let store = try Store(in: folder)
    let tables = try recovered(store)
    #expect(tables["reminder"] == RecoveredTable(table: "reminder", kept: 30))
    #expect(try fileBytes(aside) == bytes)
    #expect(try store.reminders.all().values.count == 30)
    #expect(folder.names.filter { $0.contains("recovering") } == [])
  }

  /// As some file systems leave a file after a power cut.
  @Test func aFileOfZerosIsSetAside() throws {
    try writeFile(folder.database, [UInt8](repeating: 0, count: 12_288))
    #expect(try recovered(Store(in: folder)) == [:])
  }

  @Test func aSecondDamageGetsANameOfItsOwn() throws {
    for _ in 0..<3 {
      try writeFile(folder.database, Array("not a database".utf8))
      try Store(in: folder).close()
    }
    #expect(
      folder.names.filter { $0.contains("damaged") }.map { $0.split(separator: "Z").last } == [
        "georemind.db.damaged-20261121T030000", "-2", "-3",
      ])
  }

  @Test func rowsBesideABrokenPageAreKept() throws {
    try fill(200)
    var bytes = try fileBytes(folder.database)
    let pages = bytes.count / 4096
    // A leaf of the reminder table: a table leaf (13) with a row's words.
    let leaves = (1..<pages).filter { page in
      let content = bytes[(page * 4096)..<(page + 1) * 4096]
      return content.first == 13 && String(decoding: content, as: UTF8.self).contains("bread")
    }
    try #require(leaves.count > 5)
    let broken = leaves[leaves.count / 2]
    for index in (broken * 4096)..<(broken + 1) * 4096 { bytes[index] = 0xAA }
    try writeFile(folder.database, bytes)

    let store = try Store(in: folder)
    let tables = try recovered(store)
    let reminders = try #require(tables["reminder"])
    #expect(reminders.hasGaps)
    #expect(reminders.kept >= 160 && reminders.kept < 200)
    #expect(tables["place"]?.kept == 1)
    #expect(tables["firing"]?.kept == 2)
    #expect(try fileBytes(aside) == bytes)
    let all = try store.reminders.all()
    #expect(all.values.count == reminders.kept)
    #expect(all.problems.isEmpty)
    #expect(try store.categories.category(named: "Boats")?.color == "#123456")
    #expect(try store.categories.category(named: "Leisure") == nil)
    #expect(try store.ledger.undelivered().values.map(\.firing.id) == ["f1"])
    // New numbers follow the recovered ones.
    try store.ledger.record([Sample.firing("f2", second: 2)])
    #expect(try store.ledger.undelivered().values.map(\.seq) == [1, 3])
    #expect(try store.database.structuralFault() == nil)
    store.close()
    #expect(try Store(in: folder).report.action == .opened)
  }

  @Test func everyByteOfTheFirstPageMayBeWrong() throws {
    try fill(2)
    let sound = try fileBytes(folder.database)
    for offset in stride(from: 0, to: 120, by: 11) + [1999, 4000] {
      for name in folder.names { try FileSystem.remove(folder.path + "/" + name) }
      var bytes = sound
      for index in offset..<(offset + 4) { bytes[index] ^= 0xFF }
      try writeFile(folder.database, bytes)
      do throws(StoreError) {
        let store = try Store(path: folder.database, now: .start)
        try store.ledger.record([])
        store.close()
      } catch {
        // Only a header that names another program or version is refused.
        switch error {
        case .foreign, .newer, .unreleased: #expect(try fileBytes(folder.database) == bytes)
        default: Issue.record("offset \(offset): \(error)")
        }
      }
    }
  }

  /// Wherever a disk errs: the store opens, or says in a typed error why not, and works on.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func anyBytesMayBeWrong(seed: UInt64) throws {
    try fill(20)
    let sound = try fileBytes(folder.database)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      for name in folder.names { try FileSystem.remove(folder.path + "/" + name) }
      var bytes = sound
      for _ in 0...(random.next() % 20) {
        let index = Int(random.next() % UInt64(bytes.count))
        bytes[index] = UInt8(truncatingIfNeeded: random.next())
      }
      try writeFile(folder.database, bytes)
      do throws(StoreError) {
        let store = try Store(path: folder.database, now: .start)
        _ = try store.reminders.all()
        _ = try store.places.all()
        _ = try store.ledger.firings()
        _ = try store.ledger.undelivered()
        let entry = try store.reminders.peek(kind: .location)
        if let entry { try store.reminders.remove(id: entry.reminder.id) }
      } catch {
        switch error {
        case .foreign, .newer, .unreleased: break
        default: #expect(error.isDamage, "\(error)")
        }
      }
    }
  }

  @Test func aColumnThatLostItsNameCostsNoMore() throws {
    try fill(3)
    try withRawConnection(
      folder.database,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'place_name TEXT', 'plate_name TEXT');
      """)
    let store = try Store(in: folder)
    #expect(try recovered(store)["reminder"]?.kept == 3)
    #expect(store.report.sentences[0].contains("place_name"))
    let kept = try #require(try store.reminders.reminder(id: "r1"))
    #expect(kept.reminder.place?.name == nil && kept.reminder.place?.radius == 75.5)
  }

  @Test func aTruncatedFileIsRecoveredUpToTheCut() throws {
    try fill(200)
    let bytes = try fileBytes(folder.database)
    try writeFile(folder.database, Array(bytes[..<(bytes.count / 4 * 3 + 100)]))
    let store = try Store(in: folder)
    let tables = try recovered(store)
    #expect(tables["category"]?.kept == Category.defaults.count)
    #expect((tables["reminder"]?.kept ?? 0) > 20)
    #expect(try store.reminders.all().values.count == tables["reminder"]?.kept)
  }

  @Test func theLogIsSetAsideWithItsDatabase() throws {
    let store = try Store(in: folder)
    let entry = try Sample.dated("a")
    try store.reminders.replace(entry)
    try writeFile(folder.path + "/log", fileBytes(folder.database + "-wal"))
    store.close()
    var bytes = try fileBytes(folder.database)
    for index in 0..<64 { bytes[index] = 1 }
    try writeFile(folder.database, bytes)
    try writeFile(folder.database + "-wal", fileBytes(folder.path + "/log"))
    try FileSystem.remove(folder.path + "/log")
    let size = try fileBytes(folder.database + "-wal").count
    let next = try Store(in: folder)
    guard case .replaced = next.report.action else {
      // The log held every page, the first one too: nothing was lost after all.
      #expect(try next.reminders.count() == 1)
      return
    }
    #expect(try fileBytes(aside + "-wal").count == size)
  }

  @Test func aLogWithoutItsDatabaseIsSetAside() throws {
    try writeFile(folder.database + "-wal", [1, 2, 3])
    let store = try Store(in: folder)
    #expect(store.report.action == .created)
    #expect(store.report.isWarning)
    #expect(try fileBytes(aside + "-wal") == [1, 2, 3])
  }

  /// The power fails between the two renames that exchange the damaged file and the new one.
  @Test func anExchangeThatWasInterruptedIsFinished() throws {
    try fill(5)
    try FileSystem.rename(folder.database, to: folder.database + ".recovering")
    try writeFile(folder.database + "-wal", [9, 9, 9])
    let store = try Store(in: folder)
    #expect(try store.reminders.count() == 5)
    #expect(store.report.action == .opened)
    #expect(store.report.remarks.count == 2)
    #expect(try fileBytes(aside + "-wal") == [9, 9, 9])
    #expect(!folder.names.contains("georemind.db.recovering"))
  }
}
