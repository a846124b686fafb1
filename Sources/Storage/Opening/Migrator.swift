import CSQLite
import CivilTime

extension Database {
  /// `user_version` of the file: the schema's version, 0 for a new database.
  func schemaVersion() throws(StoreError) -> Int64 { try integer("PRAGMA user_version") ?? 0 }

  /// Refuses, before anything is written, a database that is another program's, an unreleased
  /// version's or a later version's.
  func refuseForeign(_ migrations: [Migration]) throws(StoreError) {
    let application = try integer("PRAGMA application_id") ?? 0
    guard application == Schema.applicationID || application == 0 else {
      throw .foreign(path: path, applicationID: application)
    }
    // Without an application id it is new and empty, or somebody else's.
    if application == 0, try integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 {
      throw .foreign(path: path, applicationID: 0)
    }
    let version = try schemaVersion()
    let known = migrations.last?.version ?? 0
    guard version <= known else { throw .newer(path: path, version: version, known: known) }
    guard version == 0 || version >= migrations.first?.version ?? 0 else {
      throw .unreleased(path: path, version: version)
    }
  }

  /// Durable and fast: a write-ahead log that is synced at each commit. File systems without shared
  /// memory keep the rollback journal, which is as durable; then the answer is false.
  func configure() throws(StoreError) -> Bool {
    keepsLogOnClose = false
    let mode = try text("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    try keepPages(kibibytes: Self.usualCache)
    // After a long transaction the log is cut back to this, so that it does not stay large.
    _ = try integer("PRAGMA journal_size_limit = 4194304")
    return mode == "wal"
  }

  /// The system keeps the file in memory as well: half a megabyte of pages is enough, and the
  /// memory of the daemon does not grow with its ledger.
  static let usualCache = 512
  /// While much is written: the indexes of a million rows. With less each page of them is written
  /// to the log again and again.
  static let importCache = 98_304

  /// Keeps so many KiB of pages in memory, and lets go of what is beyond that.
  func keepPages(kibibytes: Int) throws(StoreError) {
    try execute("PRAGMA cache_size = -\(kibibytes)")
    if kibibytes == Self.usualCache { try execute("PRAGMA shrink_memory") }
  }

  /// Brings the schema up to the last migration in one transaction; answers the version it had.
  /// - Parameter fill: runs within the same transaction, with the version it had.
  func migrate(
    _ migrations: [Migration], fill: (Int64) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    try transaction { () throws(StoreError) in
      let version = try schemaVersion()
      for migration in migrations where migration.version > version {
        try execute(migration.script)
        try execute("PRAGMA user_version = \(migration.version)")
      }
      if version == 0 { try execute("PRAGMA application_id = \(Schema.applicationID)") }
      try fill(version)
      return version
    }
  }

  /// Writes a copy of the whole database, log included, to `target`. An older copy of that name is
  /// replaced only when the new one is complete.
  func backUp(to target: String, at now: Instant) throws(StoreError) {
    let unfinished = target + ".unfinished"
    try FileSystem.remove(unfinished)
    try copy(to: unfinished, at: now)
    try FileSystem.rename(unfinished, to: target)
  }

  /// What `PRAGMA quick_check` finds wrong with the file's structure; nil where it is sound. Rows
  /// that break a rule of the schema are no damage: readers skip them.
  func structuralFault() throws(StoreError) -> String? {
    var fault: String?
    do throws(StoreError) {
      try forEach("PRAGMA quick_check(100)") { row in
        guard fault == nil, case .text(let finding) = row.value(at: 0), finding != "ok" else {
          return
        }
        let isRowFault = [
          "non-", "NULL value in ", "CHECK constraint failed in ", "NUMERIC value in ",
        ].contains { finding.hasPrefix($0) }
        if !isRowFault { fault = finding }
      }
    } catch {
      // A header that says an unknown format is a plain error to SQLite; here it is damage.
      guard case .sqlite(let failure) = error, failure.code == SQLITE_ERROR else { throw error }
      return failure.message
    }
    return fault
  }

  /// A column that the migrations make and this database lacks, as `table.column`: a damaged schema
  /// may still be one that SQLite can read.
  func missingColumn(_ migrations: [Migration]) throws(StoreError) -> String? {
    let model = try Database(path: ":memory:")
    defer { model.close() }
    for migration in migrations { try model.execute(migration.script) }
    let present = Set(try columnNames())
    return try model.columnNames().first { !present.contains($0) }
  }

  private func columnNames() throws(StoreError) -> [String] {
    var names: [String] = []
    try forEach(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
      WHERE t.type = 'table'
      """
    ) { row in
      if case .text(let name) = row.value(at: 0) { names.append(name) }
    }
    return names
  }
}
