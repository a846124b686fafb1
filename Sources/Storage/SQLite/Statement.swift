import CSQLite

/// Cache key of a statement. Its hash is the length: texts of one length are mostly the same
/// literal, and hashing all of it took longer than some steps.
struct StatementText: Hashable {
  let sql: String

  func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

/// A prepared statement, created and cached by `Database`, which ensures that it is neither stepped
/// after its end nor used twice at a time.
final class Statement {
  let pointer: OpaquePointer
  let sql: String
  var isBusy = false
  private let parameterCount: Int
  let columnCount: Int32
  /// Column numbers by name.
  let columns: [String: Int32]
  /// The bound texts and blobs, concatenated, so that SQLite need not copy each.
  private var texts = UnsafeMutableBufferPointer<CChar>(start: nil, count: 0)

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

  deinit {
    sqlite3_finalize(pointer)
    texts.deallocate()
  }

  /// Returns SQLite's result code; a wrong number of values is SQLITE_RANGE.
  func bind(_ values: [SQLValue]) -> Int32 {
    guard values.count == parameterCount else { return SQLITE_RANGE }
    makeRoom(for: values)
    var used = 0
    var index: Int32 = 0
    for value in values {
      index += 1
      let code: Int32
      switch value {
      // Already NULL: `reset` clears the bindings.
      case .null: code = SQLITE_OK
      case .integer(let number): code = sqlite3_bind_int64(pointer, index, number)
      case .real(let number): code = sqlite3_bind_double(pointer, index, number)
      case .text(let text): code = bind(text, at: index, &used)
      case .blob(let bytes): code = bind(bytes, at: index, &used)
      }
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// Reserves one byte more than the texts need: an empty text needs an address, or SQLite binds
  /// NULL.
  private func makeRoom(for values: [SQLValue]) {
    var size = 1
    for value in values {
      switch value {
      case .text(let text): size += text.utf8.count
      case .blob(let bytes): size += bytes.count
      default: break
      }
    }
    guard size > texts.count else { return }
    texts.deallocate()
    texts = .allocate(capacity: max(256, size))
  }

  private func bind(_ text: String, at index: Int32, _ used: inout Int) -> Int32 {
    let room = UnsafeMutableBufferPointer(rebasing: texts[used...])
    var text = text
    let count = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { room.update(fromContentsOf: $0) }
    }
    used += count
    // Without a destructor: SQLITE_STATIC.
    return sqlite3_bind_text64(
      pointer, index, room.baseAddress, sqlite3_uint64(count), nil, UInt8(SQLITE_UTF8))
  }

  private func bind(_ bytes: [UInt8], at index: Int32, _ used: inout Int) -> Int32 {
    let all = UnsafeMutableRawBufferPointer(texts)
    let room = UnsafeMutableRawBufferPointer(rebasing: all[used...])
    room.copyBytes(from: bytes)
    used += bytes.count
    return sqlite3_bind_blob64(pointer, index, room.baseAddress, sqlite3_uint64(bytes.count), nil)
  }

  /// Buffer size in bytes that a statement retains; larger rows are rare.
  private static let keptRoom = 16_384

  func step() -> Int32 { sqlite3_step(pointer) }

  /// Resets it for the next use; releases locks and bound values.
  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
    if texts.count > Self.keptRoom {
      texts.deallocate()
      texts = UnsafeMutableBufferPointer(start: nil, count: 0)
    }
  }
}
