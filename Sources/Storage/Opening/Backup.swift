import CSQLite
package import CivilTime

extension Database {
  /// Copies the whole database to the new file `target`, readable by its owner only. The copy is a
  /// consistent snapshot (https://sqlite.org/backup.html), and its ledger has a new UUID.
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
          let step = sqlite3_backup_step(backup, -1)
          code = sqlite3_backup_finish(backup)
          // `finish` does not report that the source was locked.
          if code == SQLITE_OK, step != SQLITE_DONE { code = step }
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

/// Backup of a database that a daemon may be using.
package enum Backup {
  /// - Parameters:
  ///   - path: the database, which is only read.
  ///   - target: must not exist.
  ///   - now: time stored in the copy.
  package static func write(_ path: String, to target: String, at now: Instant) throws(StoreError) {
    let source = try Database(path: path, access: .readOnly)
    defer { source.close() }
    try source.refuseForeign(Schema.migrations)
    try source.copy(to: target, at: now)
  }
}
