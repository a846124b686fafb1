import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

/// A database whose files are moved, removed or overwritten while it is open.
@Suite struct FileGuardTests {
  let folder: TemporaryFolder
  let store: Store
  private let saved: Changes

  enum Damage: CaseIterable {
    case removedDatabase
    case replacedDatabase
    /// Another file is at its path, and it has another name.
    case movedDatabase
    case removedLog
    case overwrittenLog
    case emptiedLog
    case removedFolder
  }

  init() throws {
    folder = try TemporaryFolder()
    try #require(mkdir(folder.path + "/state", 0o700) == 0)
    store = try Store(path: folder.path + "/state/georemind.db", now: .start)
    var changes = Changes()
    changes.saved = [try Sample.placed("a")]
    saved = changes
    try store.commit(changes)
  }

  private func harm(_ damage: Damage) throws {
    let path = store.database.path
    switch damage {
    case .removedDatabase: try #require(unlink(path) == 0)
    case .replacedDatabase:
      try Backup.write(path, to: path + ".copy", at: .start)
      try #require(rename(path + ".copy", path) == 0)
    case .movedDatabase:
      try Backup.write(path, to: path + ".copy", at: .start)
      try #require(rename(path, path + ".other") == 0)
      try #require(rename(path + ".copy", path) == 0)
    case .removedLog: try #require(unlink(path + "-wal") == 0)
    case .overwrittenLog:
      let file = open(path + "-wal", O_WRONLY)
      defer { close(file) }
      try #require(pwrite(file, [UInt8](repeating: 7, count: 4096), 4096, 0) == 4096)
    case .emptiedLog: try #require(truncate(path + "-wal", 0) == 0)
    case .removedFolder: try #require(rename(folder.path + "/state", folder.path + "/other") == 0)
    }
  }

  @Test(arguments: Damage.allCases)
  func nothingIsCommittedIntoAFileThatIsGone(_ damage: Damage) throws {
    try harm(damage)
    var more = Changes()
    more.saved = [try Sample.placed("b")]
    let error = #expect(throws: StoreError.self) { try store.commit(more) }
    guard case .moved(let path)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path.hasPrefix(store.database.path))
    more.saved += saved.saved
    let rescued = try store.rescue(more, at: .start)
    #expect(rescued == store.database.path + ".rescued-20261121T030000Z")
    store.close()
    let next = try Store(path: rescued, now: .start)
    #expect(try next.reminders.all().values.map(\.reminder.id).sorted() == ["a", "b"])
  }

  /// systemd starts the daemon again, and nobody has read the journal.
  @Test func aStartWithoutTheDatabaseNamesTheRescuedOne() throws {
    try harm(.removedDatabase)
    let rescued = try store.rescue(saved, at: .start)
    store.close()
    let next = try Store(path: store.database.path, now: .start)
    #expect(next.report.action == .created && next.report.isWarning)
    #expect(next.report.sentences.contains { $0.contains("left its state in \(rescued): ") })
  }

  /// The shell may write, and begin the log anew.
  @Test func anotherConnectionIsNoDamage() throws {
    try withRawConnection(
      store.database.path,
      "PRAGMA wal_checkpoint(TRUNCATE); UPDATE reminder SET title = 'T'; PRAGMA wal_checkpoint")
    try store.commit(saved)
    for number in 0..<50 {
      try withRawConnection(store.database.path, "PRAGMA wal_checkpoint(RESTART)")
      var more = Changes()
      more.saved = [try Sample.placed("b\(number)")]
      try store.commit(more)
    }
    #expect(try store.reminders.count() == 51)
  }
}
