import CSQLite
package import CivilTime

extension Database {
  /// Writes a copy of the whole database to the new file `target`, which only its owner can read.
  /// The copy is of one moment, whatever others write meanwhile (https://sqlite.org/backup.html),
  /// and its ledger has a UUID of its own.
  func copy(to target: String, at now: Instant) throws(StoreError) {
    try FileSystem.createPrivate(target)
    do throws(StoreError) {
      let copy = try Database(path: target)
      defer { copy.close() }
      try check { source in
        var code = SQLITE_NOMEM
        try? copy.check { destination in
          guard let backup = sqlite3_backup_init(destination, "main", source, "main") else {
            return SQLITE_NOMEM
          }
          sqlite3_backup_step(backup, -1)
          code = sqlite3_backup_finish(backup)
          return SQLITE_OK
        }
        return code
      }
      // One file, without a log beside it.
      _ = try copy.text("PRAGMA journal_mode = DELETE")
      try copy.execute("PRAGMA synchronous = FULL")
      try Ledger(database: copy).identify(copied: now)
    } catch {
      try? FileSystem.remove(target)
      throw error
    }
  }
}

/// A copy of a database that a daemon may be using.
package enum Backup {
  /// - Parameters:
  ///   - path: the database, which is only read.
  ///   - target: must not exist.
  ///   - now: noted in the copy.
  package static func write(
    _ path: String, to target: String, at now: Instant
  ) throws(StoreError) {
    let source = try Database(path: path, access: .readOnly)
    defer { source.close() }
    try source.refuseForeign(Schema.migrations)
    try source.copy(to: target, at: now)
  }
}
