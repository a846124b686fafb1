import CivilTime
import Glibc
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
  }

  @Test func aMissingFileIsCreatedForItsOwnerAlone() throws {
    let store = try Store(in: folder)
    #expect(store.report.action == .created)
    #expect(!store.report.isWarning)
    #expect(store.report.sentences == ["Created the store \(folder.database)"])
    #expect(try mode(folder.database) == 0o600)
    #expect(try mode(folder.database + "-wal") == 0o600)
    #expect(try store.categories.all().values.count == Category.defaults.count)
    #expect(try store.database.integer("PRAGMA application_id") == 0x4765_6F52)
    #expect(try store.database.integer("PRAGMA user_version") == Self.current)
  }

  @Test func anEmptyFileBecomesANewDatabase() throws {
    try writeFile(folder.database, [])
    let store = try Store(in: folder)
    #expect(store.report.action == .created)
    #expect(try store.categories.all().values.count == Category.defaults.count)
  }

  @Test func storedRowsSurviveAReopen() throws {
    let entry = try Sample.placed("a")
    do {
      let store = try Store(in: folder)
      try store.categories.remove(named: "Leisure")
      try store.reminders.replace(entry)
      store.close()
    }
    #expect(folder.names == ["georemind.db", "georemind.db-lock"])
    let store = try Store(in: folder)
    #expect(store.report.action == .opened)
    #expect(try store.reminders.reminder(id: "a")?.reminder == entry.reminder)
    #expect(try store.categories.category(named: "leisure") == nil)
  }

  /// A killed process may leave commits that the disk does not have.
  @Test func aLogOfAProcessThatWasKilledIsSyncedBeforeItIsRead() throws {
    let store = try Store(in: folder)
    try store.ledger.record([try Sample.firing("a")])
    let copy = folder.path + "/copy.db"
    try writeFile(copy, fileBytes(folder.database))
    try writeFile(copy + "-wal", fileBytes(folder.database + "-wal"))
    var synced: [String] = []
    let opened = try Store(path: copy, now: .start, migrations: Schema.migrations) {
      (path) throws(StoreError) in
      // SQLite makes this file when it first reads the log.
      synced.append(try FileSystem.size(of: copy + "-shm") == nil ? path : "too late")
      try FileSystem.sync(path)
    }
    #expect(synced == [copy + "-wal"])
    #expect(try opened.ledger.firings().values.map(\.id) == ["a"])
    opened.close()
    _ = try Store(path: copy, now: .start, migrations: Schema.migrations) {
      (path) throws(StoreError) in synced.append(path)
    }
    #expect(synced.count == 1)
  }

  // MARK: - The seal of a clean end

  private func isWhole() throws -> Bool {
    let database = try Database(path: folder.database)
    defer { database.close() }
    return Seal(database: database).isWhole
  }

  @Test func aCleanEndSealsTheFile() throws {
    try Store(in: folder).close()
    #expect(try isWhole())
    let store = try Store(in: folder)
    try store.reminders.replace(Sample.dated("a"))
    store.close()
    #expect(try isWhole())
    // Another program writes, also what was there.
    try writeFile(folder.database, fileBytes(folder.database))
    #expect(try !isWhole())
  }

  @Test func aFileWithDamageIsNotSealed() throws {
    let store = try Store(in: folder)
    store.database.isDoubtful = true
    store.close()
    #expect(try !isWhole())
  }

  @Test func aDatabaseOfAnotherProgramIsLeftAsItIs() throws {
    try withRawConnection(
      folder.database,
      "PRAGMA application_id = 77; CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
    let before = try fileBytes(folder.database)
    #expect(throws: StoreError.foreign(path: folder.database, applicationID: 77)) {
      try Store(in: folder)
    }
    #expect(try fileBytes(folder.database) == before)
    #expect(folder.names == ["georemind.db"])
  }

  @Test func tablesWithoutAnApplicationAreAnotherProgramsToo() throws {
    try withRawConnection(folder.database, "CREATE TABLE mine (x)")
    let before = try fileBytes(folder.database)
    #expect(throws: StoreError.foreign(path: folder.database, applicationID: 0)) {
      try Store(in: folder)
    }
    #expect(try fileBytes(folder.database) == before)
  }

  @Test func aNewerVersionIsLeftAsItIs() throws {
    let newer = Self.current + 1
    let before = try database(ofVersion: newer)
    let error = #expect(throws: StoreError.self) { try Store(in: folder) }
    #expect(error == .newer(path: folder.database, version: newer, known: Self.current))
    #expect(error?.description.contains("version \(newer)") == true)
    #expect(try fileBytes(folder.database) == before)
  }

  @Test(arguments: 1..<Self.first) func aDevelopmentVersionIsLeftAsItIs(version: Int64) throws {
    let before = try database(ofVersion: version)
    let error = #expect(throws: StoreError.self) { try Store(in: folder) }
    #expect(error == .unreleased(path: folder.database, version: version))
    #expect(
      error?.description
        == "\(folder.database) was made by a development version of georemind (schema \(version)); "
        + "export with that version, then import")
    #expect(try fileBytes(folder.database) == before)
  }

  /// The bytes of a database that says it is of this version.
  private func database(ofVersion version: Int64) throws -> [UInt8] {
    try Store(in: folder).close()
    try withRawConnection(
      folder.database, "PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
    return try fileBytes(folder.database)
  }

  @Test func anotherProcessOnTheSameDatabaseIsRefused() async throws {
    let store = try Store(in: folder)
    await #expect(processExitsWith: .success) { [path = folder.database as String] in
      let error = #expect(throws: StoreError.self) { try Store(path: path, now: .start) }
      #expect(error?.description.contains("another daemon uses this state directory") == true)
    }
    store.close()
    await #expect(processExitsWith: .success) { [path = folder.database as String] in
      #expect(throws: Never.self) { try Store(path: path, now: .start) }
    }
  }

  // MARK: - Upgrades

  private static let first = Schema.migrations.first?.version ?? 0
  private static let current = Schema.migrations.last?.version ?? 0
  private static let next = Migration(
    version: current + 1, script: "ALTER TABLE place ADD COLUMN shape TEXT")

  @Test func anOlderVersionIsUpgradedAndCopiedBefore() throws {
    let entry = try Sample.placed("a")
    do {
      let store = try Store(in: folder)
      try store.reminders.replace(entry)
    }
    let store = try Store(
      path: folder.database, now: .start, migrations: Schema.migrations + [Self.next])
    let backup = folder.database + ".v\(Self.current).bak"
    #expect(
      store.report.action == .upgraded(from: Self.current, to: Self.current + 1, backup: backup))
    #expect(try store.database.integer("PRAGMA user_version") == Self.current + 1)
    #expect(try store.database.integer("SELECT count(shape) FROM place") == 0)
    #expect(try store.reminders.reminder(id: "a")?.reminder == entry.reminder)
    #expect(try mode(backup) == 0o600)
    let old = try Store(path: backup, now: .start)
    #expect(old.report.action == .opened)
    #expect(try old.reminders.all().values.count == 1)
    old.close()
  }

  @Test func anUpgradeThatFailsChangesNothing() throws {
    try Store(in: folder).close()
    let broken = Migration(
      version: Self.current + 2, script: "CREATE TABLE x (y); NONSENSE")
    #expect(throws: StoreError.self) {
      try Store(
        path: folder.database, now: .start, migrations: Schema.migrations + [Self.next, broken])
    }
    let store = try Store(in: folder)
    #expect(store.report.action == .opened)
    #expect(try store.database.integer("PRAGMA user_version") == Self.current)
    #expect(throws: StoreError.self) { try store.database.run("SELECT shape FROM place") }
  }

  @Test func versionsCountWithoutGaps() {
    #expect(Schema.migrations.map(\.version) == Array(Self.first...Self.current))
    #expect(Self.first == 14)
  }

  // MARK: - Where it cannot be written

  @Test(arguments: [
    ("/nonexistent/folder/georemind.db", ENOENT), ("/dev/null/georemind.db", ENOTDIR),
    ("/tmp", EISDIR),
    ("/dev/null", EINVAL),
  ]) func anImpossiblePathIsAnErrorThatNamesIt(path: String, code: Int32) throws {
    let error = #expect(throws: StoreError.self) { try Store(path: path, now: .start) }
    guard case .file(let failure) = error else { throw error ?? .unknownCategory("") }
    #expect(failure.path == path)
    #expect(failure.code == code)
    #expect(error?.description.contains(path) == true)
  }

  /// Root may write anywhere, so the child becomes nobody.
  @Test func missingPermissionIsReported() async throws {
    try Store(in: folder).close()
    chmod(folder.path, 0o755)
    chmod(folder.database, 0o444)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      try #require(geteuid() != 0 || setuid(65534) == 0)
      let fresh = #expect(throws: StoreError.self) {
        try Store(path: path + "/new.db", now: .start)
      }
      guard case .file(let failure) = fresh else { throw fresh ?? .unknownCategory("") }
      #expect(failure.code == EACCES)
      #expect(failure.path == path + "/new.db")
      let kept = #expect(throws: StoreError.self) {
        try Store(path: path + "/georemind.db", now: .start)
      }
      #expect(kept?.isDamage == false)
      #expect(kept?.description.contains("writable for the user") == true)
    }
    #expect(folder.names == ["georemind.db", "georemind.db-lock"])
  }

  @Test func anotherProcessThatHoldsItIsNoDamage() throws {
    try Store(in: folder).close()
    let other = try Database(path: folder.database)
    try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let database = try Database(path: folder.database)
    try database.execute("PRAGMA busy_timeout = 0")
    let error = #expect(throws: StoreError.self) { try database.schemaVersion() }
    #expect(error?.isDamage == false)
    #expect(error?.description.contains("another process") == true)
  }
}
