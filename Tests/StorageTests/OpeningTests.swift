import CivilTime
import Geofencing
import Glibc
import JSONText
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

  @Test func anEmptyFileIsAsGoodAsNone() throws {
    try writeFile(folder.database, [])
    let store = try Store(in: folder)
    #expect(store.report.action == .created)
    #expect(try store.categories.all().values.count == Category.defaults.count)
  }

  @Test func whatWasKeptIsThereAgain() throws {
    let entry = try Sample.placed("a")
    do {
      let store = try Store(in: folder)
      try store.categories.remove(named: "Leisure")
      try store.reminders.push(entry.reminder, entry.progress)
      store.close()
    }
    #expect(folder.names == ["georemind.db", "georemind.db-decisions"])
    let store = try Store(in: folder)
    #expect(store.report.action == .opened)
    #expect(try store.reminders.reminder(id: "a")?.reminder == entry.reminder)
    #expect(try store.categories.category(named: "leisure") == nil)
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
    try Store(in: folder).close()
    try withRawConnection(
      folder.database, "PRAGMA user_version = 9; PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try fileBytes(folder.database)
    let error = #expect(throws: StoreError.self) { try Store(in: folder) }
    #expect(
      error == .newer(path: folder.database, version: 9, known: Int64(Schema.migrations.count)))
    #expect(error?.description.contains("version 9") == true)
    #expect(try fileBytes(folder.database) == before)
  }

  // MARK: - Upgrades

  private static let current = Int64(Schema.migrations.count)
  private static let next = Migration(
    version: current + 1, name: "shapes", script: "ALTER TABLE place ADD COLUMN shape TEXT")

  @Test func anOlderVersionIsUpgradedAndCopiedBefore() throws {
    let entry = try Sample.placed("a")
    do {
      let store = try Store(in: folder)
      try store.reminders.push(entry.reminder, entry.progress)
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

  /// What version 1 kept in the document has a column since version 3.
  @Test func theFirstVersionIsUpgraded() throws {
    try makeDatabase(
      in: folder, version: 1,
      """
      INSERT INTO reminder (id, kind, title, latitude, longitude, radius_m, due, document,
        occurrence_us, presence) VALUES
        ('boat', 'preemptive', 'Boat', 1.5, 2.5, 150, '2027-01-01T00:00:00Z',
          '{"transport":"cycling","lead_s":60,"x":1.50}', 1798761600000000, 'unknown'),
        ('car', 'preemptive', 'Car', 1.5, 2.5, 150, '2027-01-01T00:00:00Z',
          '{"transport":"driving"}', 1798761600000000, 'unknown'),
        ('shop', 'location', 'Shop', 1.5, 2.5, 150, NULL, '{"on":"depart"}', NULL, 'inside');
      """)
    let store = try Store(in: folder)
    let backup = folder.database + ".v1.bak"
    #expect(store.report.action == .upgraded(from: 1, to: Self.current, backup: backup))
    let boat = try #require(try store.reminders.reminder(id: "boat"))
    #expect(boat.reminder.transport == .cycling)
    #expect(boat.reminder.leads == [.minutes(1)])
    #expect(boat.reminder.unknown["x"]?.double == 1.5)
    #expect(try store.reminders.reminder(id: "car")?.reminder.transport == .driving)
    #expect(try store.reminders.reminder(id: "shop")?.progress.presence == .inside)
    #expect(
      try store.database.integer("SELECT count(*) FROM reminder WHERE document LIKE '%transport%'")
        == 0)
  }

  @Test func anUpgradeThatFailsChangesNothing() throws {
    try Store(in: folder).close()
    let broken = Migration(
      version: Self.current + 2, name: "broken", script: "CREATE TABLE x (y); NONSENSE")
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
    #expect(Schema.migrations.map(\.version) == Array(1...Int64(Schema.migrations.count)))
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
  @Test func withoutPermissionItSaysSo() async throws {
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
    #expect(folder.names == ["georemind.db", "georemind.db-decisions"])
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
