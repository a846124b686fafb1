import CSQLite

/// Transactions, and the guard of the files that they are committed to.
extension Database {
  /// From now on, transactions are committed only while the files are at their paths.
  func guardFiles() throws(StoreError) { guarded = try FileGuard(path) }

  /// Fails if a file of the database was moved, removed, replaced or overwritten.
  package func checkFiles() throws(StoreError) { try guarded?.check() }

  /// Begins the outermost transaction. After a failed sync the log is brought to the disk first.
  private func begin() throws(StoreError) {
    if hasLostSync {
      let log = path + "-wal"
      if try FileSystem.size(of: log) != nil { try secure(log) }
      hasLostSync = false
    }
    try run("BEGIN IMMEDIATE")
  }

  /// Moves the log into the database when it has so many pages, as SQLite itself would do, which
  /// does not report that a sync has failed.
  func watchCheckpoints() {
    let watch:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
      ) -> Int32 = { context, handle, name, pages in
        guard pages >= Database.checkpointPages, let context else { return SQLITE_OK }
        let code = sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().noteSync(code)
        return SQLITE_OK
      }
    sqlite3_wal_hook(handle, watch, Unmanaged.passUnretained(self).toOpaque())
  }

  /// SQLite's own default.
  private static let checkpointPages: Int32 = 1_000

  private func commit() throws(StoreError) {
    try checkFiles()
    try run("COMMIT")
  }

  /// A transaction that does not wait for the disk: it survives the process, but a power failure
  /// only after the next durable commit or checkpoint. The order of commits is preserved.
  package func relaxedTransaction<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard depth == 0 else { return try transaction(body) }
    try execute("PRAGMA synchronous = NORMAL")
    let result = Result { () throws(StoreError) in try transaction(body) }
    try execute("PRAGMA synchronous = FULL")
    return try result.get()
  }

  /// Runs `body` in a transaction: all of it or, when it throws, nothing. The outermost one takes
  /// the write lock at once; nested ones are savepoints.
  package func transaction<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let isOutermost = depth == 0
    if isOutermost { try begin() } else { try run("SAVEPOINT inner_step") }
    depth += 1
    defer { depth -= 1 }
    do throws(StoreError) {
      let value = try body()
      if isOutermost { try commit() } else { try run("RELEASE inner_step") }
      return value
    } catch {
      rollBack(isOutermost: isOutermost)
      throw error
    }
  }

  /// Runs `body` and leaves the transaction open for further calls: few large commits write each
  /// index page a few times, many small ones each time. Any other write closes it first, and so
  /// never waits for it. When `body` throws, the whole open transaction is rolled back: a savepoint
  /// per call would copy every changed page. The large page cache stays until `keepPages`.
  package func bulk<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    guard depth == 0 else { return try transaction(body) }
    if !isBulkOpen {
      try keepPages(kibibytes: Self.importCache)
      try begin()
      isBulkOpen = true
    }
    depth += 1
    defer { depth -= 1 }
    do throws(StoreError) {
      return try body()
    } catch {
      isBulkOpen = false
      rollBack(isOutermost: true)
      throw error
    }
  }

  /// Commits the transaction left open by `bulk`.
  package func endBulk() throws(StoreError) {
    guard isBulkOpen else { return }
    isBulkOpen = false
    do throws(StoreError) {
      try commit()
    } catch {
      rollBack(isOutermost: true)
      throw error
    }
  }

  func endBulkBeforeOtherWork() throws(StoreError) {
    if isBulkOpen, depth == 0 { try endBulk() }
  }

  private func rollBack(isOutermost: Bool) {
    // After some errors (a full disk) SQLite itself has rolled back.
    guard let handle, sqlite3_get_autocommit(handle) == 0 else { return }
    if isOutermost {
      _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    } else {
      _ = sqlite3_exec(handle, "ROLLBACK TO inner_step; RELEASE inner_step", nil, nil, nil)
    }
  }
}
