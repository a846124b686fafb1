import CSQLite

/// The checksum of a row, a function of SQL: `row_checksum(column, …)`.
///
/// It is stored beside the columns that it covers and compared when they are read, so that a value
/// that the file has changed is no fact. It is multiplicative hashing of 64-bit words (Knuth, The
/// Art of Computer Programming 3, §6.4) with the upper half folded in. Each step is a bijection, so
/// any change within one word is found, and another but for one of 2⁶⁴. Each value begins with its
/// type, and a text with its length.
enum RowChecksum {
  /// 2⁶⁴ divided by the golden ratio.
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The reason of a fault.
  static let fault = "its checksum does not match: the file has changed it"

  /// Makes the function known to a connection; its result code.
  static func register(on handle: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      handle, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
      { context, count, values in
        var checksum: UInt64 = 0
        for index in 0..<Int(count) { RowChecksum.add(values?[index], to: &checksum) }
        sqlite3_result_int64(context, Int64(bitPattern: checksum))
      }, nil, nil, nil)
  }

  private static func add(_ value: OpaquePointer?, to checksum: inout UInt64) {
    let type = sqlite3_value_type(value)
    add(UInt64(clamping: type), to: &checksum)
    switch type {
    case SQLITE_INTEGER: add(UInt64(bitPattern: sqlite3_value_int64(value)), to: &checksum)
    // SQLite stores -0 as 0.
    case SQLITE_FLOAT: add((sqlite3_value_double(value) + 0).bitPattern, to: &checksum)
    case SQLITE_TEXT, SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      add(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))), &checksum)
    default: break
    }
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, _ checksum: inout UInt64) {
    add(UInt64(bytes.count), to: &checksum)
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      add(UInt64(littleEndian: word), to: &checksum)
      place += 8
    }
    var rest: UInt64 = 0
    for byte in bytes[place...] { rest = rest << 8 | UInt64(byte) }
    if place < bytes.count { add(rest, to: &checksum) }
  }

  private static func add(_ word: UInt64, to checksum: inout UInt64) {
    checksum = (checksum ^ word) &* factor
    checksum ^= checksum >> 32
  }

  // MARK: - The tables

  /// A column of a checksum, and the columns that it covers.
  struct Cover {
    let column: String
    let covered: String

    var isWhole: String { "\(column) IS row_checksum(\(covered))" }

    var names: [String] { covered.split(separator: ",").map { String($0.drop { $0 == " " }) } }
  }

  /// A reminder's position is not covered: it is the key of the table.
  static let covers: [String: [Cover]] = [
    "reminder": [
      Cover(column: "checksum", covered: ReminderRow.reminderColumns),
      Cover(column: "history_checksum", covered: ReminderRow.historyColumns),
    ],
    "firing": [Cover(column: "checksum", covered: "\(FiringRow.columns), held, delivered_us")],
  ]

  /// The condition of SQL for a row that is as it was written; nil for a table without checksums.
  static func isWhole(_ table: String) -> String? {
    covers[table]?.map(\.isWhole).joined(separator: " AND ")
  }

  /// A column of a result, for `check`.
  static func result(_ table: String) -> String {
    "\(isWhole(table) ?? "1") AS is_whole"
  }

  /// Rejects a row that the file has changed.
  static func check(_ row: Row) throws(RowFault) {
    guard try row.integer("is_whole") == 1 else { throw RowFault(reason: fault) }
  }

  /// An assignment of a checksum after a change of one column, where the row was whole.
  /// - Parameter value: the expression of the new value.
  static func assignment(_ table: String, changing column: String, to value: String) -> String {
    let changed = (covers[table] ?? []).compactMap { cover -> String? in
      guard cover.names.contains(column) else { return nil }
      let new = cover.names.map { $0 == column ? value : $0 }.joined(separator: ", ")
      return """
        \(cover.column) = CASE WHEN \(cover.isWhole) THEN row_checksum(\(new))
        ELSE \(cover.column) END
        """
    }
    return changed.joined(separator: ", ")
  }

  /// Computes the checksums of all rows of a table, of which the file had these columns alone: an
  /// earlier version had no checksums, and a column may be lost.
  static func seal(
    _ table: String, of database: Database, whichHad columns: [String] = []
  ) throws(StoreError) {
    for cover in covers[table] ?? []
    where !(cover.names + [cover.column]).allSatisfy(columns.contains) {
      try database.run(
        "UPDATE \(table) SET \(cover.column) = row_checksum(\(cover.covered))")
    }
  }
}
