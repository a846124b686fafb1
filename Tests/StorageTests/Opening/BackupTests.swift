import CivilTime
import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct BackupTests {
  let folder: TemporaryFolder
  let store: Store
  private var copy: String { folder.path + "/copy.db" }

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
    for id in ["a", "b"] {
      let entry = try Sample.placed(id)
      try store.reminders.replace(entry)
    }
    try store.ledger.record([Sample.firing("f1"), Sample.firing("f2", second: 1)])
    try store.ledger.markDelivered([1], at: .start)
  }

  @Test func aCopyHasAllThatWasCommitted() throws {
    // The log is not in the database yet, and another commit follows the copy.
    try Backup.write(folder.database, to: copy, at: .start)
    try store.ledger.record([Sample.firing("f3", second: 2)])
    #expect(!folder.names.contains { $0.hasPrefix("copy.db-") })
    var status = stat()
    try #require(stat(copy, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)

    let other = try Store(path: copy, now: .start)
    #expect(other.report.action == .opened)
    #expect(
      try other.reminders.all().values.map(\.reminder)
        == store.reminders.all().values.map(\.reminder))
    #expect(try other.ledger.firings().values.map(\.id) == ["f1", "f2"])
    #expect(try other.ledger.undelivered().values.map(\.seq) == [2])
    #expect(try other.database.structuralFault() == nil)
  }

  /// The numbers of a copy go their own way, so that a reader must not take it for the ledger it
  /// knows.
  @Test func aCopyIsALedgerOfItsOwn() throws {
    try Backup.write(folder.database, to: copy, at: .start)
    let other = try Store(path: copy, now: .start)
    let uuid = try store.ledger.uuid()
    #expect(try other.ledger.uuid() != uuid)
    #expect(uuid.utf8.count == 36)
    #expect(uuid.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    #expect(uuid.split(separator: "-")[2].first == "4")
    #expect(try store.ledger.copyTime() == nil)
    #expect(try other.ledger.copyTime() == .start)
    try other.ledger.beginAfterCopy()
    #expect(try other.ledger.copyTime() == nil)
    try other.ledger.record([Sample.firing("other", second: 2)])
    #expect(try other.ledger.undelivered().values.map(\.seq) == [2, 3])
    store.close()
    #expect(try Store(in: folder).ledger.uuid() == uuid)
  }

  @Test func anExistingFileIsLeftAsItIs() throws {
    try writeFile(copy, [1, 2, 3])
    let error = #expect(throws: StoreError.self) {
      try Backup.write(folder.database, to: copy, at: .start)
    }
    #expect(error?.description.contains("cannot create \(copy)") == true)
    #expect(try fileBytes(copy) == [1, 2, 3])
  }

  @Test func anotherProgramsDatabaseIsNotCopied() throws {
    let foreign = folder.path + "/foreign.db"
    try withRawConnection(foreign, "PRAGMA application_id = 77; CREATE TABLE mine (x)")
    #expect(throws: StoreError.foreign(path: foreign, applicationID: 77)) {
      try Backup.write(foreign, to: copy, at: .start)
    }
    #expect(access(copy, F_OK) != 0)
    #expect(throws: StoreError.self) {
      try Backup.write(folder.path + "/none.db", to: copy, at: .start)
    }
    #expect(access(copy, F_OK) != 0)
  }
}
