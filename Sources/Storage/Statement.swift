import CSQLite

/// A prepared statement. It is made and kept by `Database`, which sees to it that none is stepped
/// after its end or used twice at a time.
final class Statement {
  let pointer: OpaquePointer
  let sql: String
  var isBusy = false
  private let parameterCount: Int
  let columnCount: Int32
  /// Column numbers by name.
  let columns: [String: Int32]

  init(pointer: OpaquePointer, sql: String) {
    self.pointer = pointer
    self.sql = sql
    parameterCount = Int(sqlite3_bind_parameter_count(pointer))
    columnCount = sqlite3_column_count(pointer)
    var columns: [String: Int32] = [:]
    for index in 0..<columnCount {
      if let name = sqlite3_column_name(pointer, index) { columns[String(cString: name)] = index }
    }
    self.columns = columns
  }

  deinit { sqlite3_finalize(pointer) }

  /// Answers SQLite's result code; a wrong number of values is SQLITE_RANGE.
  func bind(_ values: [SQLValue]) -> Int32 {
    guard values.count == parameterCount else { return SQLITE_RANGE }
    for (offset, value) in values.enumerated() {
      let code = bind(value, at: Int32(offset + 1))
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(pointer, index)
    case .integer(let number): return sqlite3_bind_int64(pointer, index, number)
    case .real(let number): return sqlite3_bind_double(pointer, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // An empty buffer may have no address, which SQLite would take for NULL.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
          return georemind_bind_text(pointer, index, "", 0)
        }
        return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          georemind_bind_text(pointer, index, $0, sqlite3_uint64(bytes.count))
        }
      }
    // Only copies of damaged rows bring blobs; no column takes one.
    case .blob: return SQLITE_MISMATCH
    }
  }

  func step() -> Int32 { sqlite3_step(pointer) }

  /// Ready for the next use; lets go of locks and of the values bound.
  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }
}
