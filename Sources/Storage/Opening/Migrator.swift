import CSQLite
import CivilTime

extension Database {
  /// `user_version` of the file: the schema's version, 0 for a new database.
  func schemaVersion() throws(StoreError) -> Int64 { try integer("PRAGMA user_version") ?? 0 }

  /// Rejects, before any write, databases of other programs, unreleased versions or later versions.
  func refuseForeign(_ migrations: [Migration]) throws(StoreError) {
    let application = try integer("PRAGMA application_id") ?? 0
    guard application == Schema.applicationID || application == 0 else {
      throw .foreign(path: path, applicationID: application)
    }
    // Without an application id it is either new and empty or foreign.
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

  /// Selects a write-ahead log, synced at each commit: durable and fast. Returns false on file
  /// systems without shared memory, where the rollback journal, equally durable, stays.
  func configure() throws(StoreError) -> Bool {
    keepsLogOnClose = false
    let mode = try text("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    watchCheckpoints()
    try keepPages(kibibytes: Self.usualCache)
    // Truncates the log to this size after a long transaction.
    _ = try integer("PRAGMA journal_size_limit = 4194304")
    return mode == "wal"
  }

  /// Page cache in KiB. The system caches the file as well, so the daemon's memory need not grow
  /// with its ledger.
  static let usualCache = 512
  /// Page cache in KiB for imports: the indexes of a million rows. A smaller one writes their pages
  /// to the log again and again.
  static let importCache = 98_304

  /// Sets the page cache to `kibibytes` KiB and frees memory above it.
  func keepPages(kibibytes: Int) throws(StoreError) {
    try execute("PRAGMA cache_size = -\(kibibytes)")
    if kibibytes == Self.usualCache { try execute("PRAGMA shrink_memory") }
  }

  /// Migrates the schema in one transaction; returns the previous version.
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

  /// Writes a copy of the whole database, log included, to `target`. An older copy there is
  /// replaced only once the new one is complete.
  func backUp(to target: String, at now: Instant) throws(StoreError) {
    let unfinished = target + ".unfinished"
    try FileSystem.remove(unfinished)
    try copy(to: unfinished, at: now)
    try FileSystem.rename(unfinished, to: target)
  }

  /// The first fault in the file's structure (`PRAGMA quick_check`); nil if it is sound. Rows that
  /// violate the schema do not count: readers skip them.
  func structuralFault() throws(StoreError) -> String? {
    do throws(StoreError) {
      return try texts("PRAGMA quick_check(100)").first(where: Self.isFault)
    } catch {
      // An unknown format in the header is a plain error to SQLite; here it is damage.
      guard case .sqlite(let failure) = error, failure.code == SQLITE_ERROR else { throw error }
      return failure.message
    }
  }

  /// Whether a line of `integrity_check` or `quick_check` is a fault of the file, not of a row's
  /// values.
  static func isFault(_ finding: String) -> Bool {
    let harmless = [
      "ok", "non-", "NULL value in ", "CHECK constraint failed in ", "NUMERIC value in ",
    ]
    return !harmless.contains { finding.hasPrefix($0) }
  }

  /// A column of the migrations that this database lacks, as `table.column`: SQLite may still read
  /// a damaged schema.
  func missingColumn(_ migrations: [Migration]) throws(StoreError) -> String? {
    let model = try Database(path: ":memory:")
    defer { model.close() }
    for migration in migrations { try model.execute(migration.script) }
    let present = Set(try columnNames())
    return try model.columnNames().first { !present.contains($0) }
  }

  private func columnNames() throws(StoreError) -> [String] {
    try texts(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
      WHERE t.type = 'table'
      """)
  }
}
