import CSQLite
import Glibc

/// One connection to an SQLite database: prepared statements, transactions, typed errors.
///
/// It belongs to one thread. Prepared statements are cached; a statement being stepped is never
/// used a second time.
package final class Database {
  package enum Access: Sendable {
    case readWrite
    case readOnly
    /// For files that must not change; schema errors are ignored to read the rest.
    case rescue
  }

  package let path: String
  private(set) var handle: OpaquePointer?
  private var statements: [StatementText: Statement] = [:]
  /// Number of statements prepared, for tests and benchmarks.
  package private(set) var preparedCount = 0
  /// Transactions and savepoints that are open.
  var depth = 0
  /// Whether a transaction stays open between calls of `bulk`.
  var isBulkOpen = false
  /// Whether damage was found: the next start has to check the file.
  package var isDoubtful = false
  /// Whether a sync of the log has failed. No later sync writes what that one left out, and all
  /// commits behind it would be lost with it.
  var hasLostSync = false
  /// Brings a file to the disk anew.
  var secure: (String) throws(StoreError) -> Void = FileSystem.secure
  /// Set once the file is ours.
  var guarded: FileGuard?

  /// Opens an existing file; SQLite never creates one, so that its mode is ours.
  package init(path: String, access: Access = .readWrite) throws(StoreError) {
    self.path = path
    // An older SQLite would report STRICT tables as a damaged schema.
    guard sqlite3_libversion_number() >= 3_037_000 else {
      throw .oldLibrary(version: String(cString: sqlite3_libversion()))
    }
    let flags = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let code = sqlite3_open_v2(
      path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      let error = failure(code, sql: nil)
      close()
      throw error
    }
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    let registered = RowChecksum.register(on: handle)
    guard registered == SQLITE_OK else { throw failure(registered, sql: nil) }
    // Until the file is identified, closing must not write the log into it.
    keepsLogOnClose = true
    if access == .rescue {
      _ = georemind_db_switch(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
    } else {
      _ = georemind_db_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    }
    _ = georemind_db_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = georemind_db_switch(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = georemind_db_switch(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    try execute("PRAGMA cell_size_check = ON")
  }

  deinit { close() }

  /// Milliseconds to wait for another process's lock.
  private static let busyTimeout: Int32 = 5000

  /// Closes the connection; later uses fail. Safe to call twice.
  package func close() {
    statements = [:]
    // The log does not belong to another file at the path.
    if (try? checkFiles()) == nil { keepsLogOnClose = true }
    // close_v2 never fails: it waits for statements still in use.
    sqlite3_close_v2(handle)
    handle = nil
    guarded?.close()
    guarded = nil
  }

  /// Whether closing leaves the write-ahead log instead of moving it into the database.
  package var keepsLogOnClose = false {
    didSet {
      guard let handle else { return }
      _ = georemind_db_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keepsLogOnClose ? 1 : 0)
    }
  }

  /// Whether the file can be read but not written.
  package var isReadOnly: Bool { handle.map { sqlite3_db_readonly($0, "main") == 1 } ?? true }

  // MARK: - Statements

  /// Runs several statements without values.
  package func execute(_ script: String) throws(StoreError) {
    try endBulkBeforeOtherWork()
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, sql: script) }
  }

  /// Runs one statement and returns the number of rows changed.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
    try endBulkBeforeOtherWork()
    try forEach(sql, values) { _ in }
    return handle.map { Int(sqlite3_changes($0)) } ?? 0
  }

  /// The first column of the first row.
  package func value(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> SQLValue? {
    var result: SQLValue?
    try forEach(sql, values) { row in
      if result == nil { result = row.value(at: 0) }
    }
    return result
  }

  package func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
    try integers(sql, values).first
  }

  /// The first column of all rows, where it is a whole number.
  func integers(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [Int64] {
    var numbers: [Int64] = []
    try forEach(sql, values) { row in
      if case .integer(let number) = row.value(at: 0) { numbers.append(number) }
    }
    return numbers
  }

  /// Bytes of the pages in use; free pages of the file do not count.
  package func byteCount() throws(StoreError) -> Int64 {
    let pages =
      (try integer("PRAGMA page_count") ?? 0) - (try integer("PRAGMA freelist_count") ?? 0)
    return pages * (try integer("PRAGMA page_size") ?? 0)
  }

  package func text(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> String? {
    try texts(sql, values).first
  }

  /// The first column of all rows, where it is a text.
  func texts(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [String] {
    var texts: [String] = []
    try forEach(sql, values) { row in
      if case .text(let text) = row.value(at: 0) { texts.append(text) }
    }
    return texts
  }

  /// Reads rows; unreadable ones are reported and left out. The first column must be the row's
  /// number.
  /// - Parameters:
  ///   - capacity: expected number of rows.
  ///   - limit: maximum number of rows.
  ///   - bytes: reading stops after the row that reaches them; `Rows.isCut` marks a cut result.
  func rows<Value>(
    of table: String, _ sql: String, _ values: [SQLValue] = [],
    capacity: Int = 0, limit: Int = .max, bytes: Int = .max, read: (Row) throws(RowFault) -> Value
  ) throws(StoreError) -> Rows<Value> {
    var rows = Rows<Value>()
    rows.values.reserveCapacity(capacity)
    var bytesRead = 0
    try forEachUntil(sql, values) { row in
      guard bytesRead < bytes else {
        rows.isCut = true
        return false
      }
      if bytes != .max { bytesRead += row.byteCount }
      do throws(RowFault) {
        rows.values.append(try read(row))
      } catch {
        var number: Int64 = 0
        if case .integer(let found) = row.value(at: 0) { number = found }
        rows.problems.append(RowProblem(table: table, row: number, reason: error.reason))
      }
      return rows.values.count < limit
    }
    return rows
  }

  func forEach(_ sql: String, _ values: [SQLValue] = [], _ body: (Row) -> Void) throws(StoreError) {
    try forEachUntil(sql, values) { row in
      body(row)
      return true
    }
  }

  /// Steps through the rows while `body` returns true.
  func forEachUntil(
    _ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let statement = try prepared(sql)
    statement.isBusy = true
    defer {
      statement.reset()
      statement.isBusy = false
    }
    let bound = statement.bind(values)
    guard bound == SQLITE_OK else { throw failure(bound, sql: sql, isMisuse: true) }
    let row = Row(statement: statement)
    while true {
      switch statement.step() {
      case SQLITE_ROW: guard try body(row) else { return }
      case SQLITE_DONE: return
      case let code: throw failure(code, sql: sql)
      }
    }
  }

  /// Calls SQLite with the connection; any result but success throws.
  func check(_ call: (OpaquePointer?) -> Int32) throws(StoreError) {
    let code = call(handle)
    guard code == SQLITE_OK else { throw failure(code, sql: nil) }
  }

  private func prepared(_ sql: String) throws(StoreError) -> Statement {
    let text = StatementText(sql: sql)
    let kept = statements[text]
    if let kept, !kept.isBusy { return kept }
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw failure(code, sql: sql) }
    preparedCount += 1
    let statement = Statement(pointer: pointer, sql: sql)
    if kept == nil { statements[text] = statement }
    return statement
  }
}
