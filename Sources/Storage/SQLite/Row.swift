import CSQLite
import CivilTime
import JSONText

/// The reason why a row is unreadable.
struct RowFault: Error, Equatable {
  let reason: String
}

/// A row that was skipped because its content is invalid.
package struct RowProblem: Equatable, Sendable, CustomStringConvertible {
  package let table: String
  /// The row's number in its table.
  package let row: Int64
  package let reason: String

  package var description: String { "row \(row) of table \(table) cannot be read: \(reason)" }
}

/// Rows read from a table, and problems with others.
package struct Rows<Value> {
  package internal(set) var values: [Value] = []
  package internal(set) var problems: [RowProblem] = []
  /// Whether the limit of bytes cut the result.
  package internal(set) var isCut = false
}

extension Rows: Sendable where Value: Sendable {}

/// The current row of a statement, valid only inside its closure. Columns are read by name; a
/// missing column, an unexpected NULL or another type is a fault.
struct Row {
  let statement: Statement

  private func index(_ column: String) throws(RowFault) -> Int32 {
    guard let index = statement.columns[column] else {
      throw RowFault(reason: "the column \(column) is missing")
    }
    return index
  }

  private func wrongType(_ column: String, _ expected: String) -> RowFault {
    RowFault(reason: "the column \(column) does not hold \(expected)")
  }

  /// A column by number; null if out of range.
  func value(at index: Int32) -> SQLValue {
    guard index >= 0, index < statement.columnCount else { return .null }
    switch sqlite3_column_type(statement.pointer, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement.pointer, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement.pointer, index))
    case SQLITE_TEXT: return .text(String(decoding: rawBytes(index), as: UTF8.self))
    case SQLITE_BLOB: return .blob(rawBytes(index))
    default: return .null
    }
  }

  /// All columns that hold something. Bytes are in hexadecimal notation; in a text, U+FFFD replaces
  /// bytes that are no UTF-8.
  var content: JSONObject {
    var object = JSONObject()
    for index in 0..<statement.columnCount {
      let name = String(cString: sqlite3_column_name(statement.pointer, index))
      switch value(at: index) {
      case .integer(let number): object[name] = .int(Int(number))
      case .real(let number): object[name] = .string("\(number)")
      case .text(let text): object[name] = .string(text)
      case .blob(let bytes):
        let digits = bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }
        object[name] = .string("x'\(digits.joined())'")
      case .null: break
      }
    }
    return object
  }

  func integerIfAny(_ column: String) throws(RowFault) -> Int64? {
    let index = try index(column)
    switch sqlite3_column_type(statement.pointer, index) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement.pointer, index)
    case SQLITE_NULL: return nil
    default: throw wrongType(column, "a whole number")
    }
  }

  func realIfAny(_ column: String) throws(RowFault) -> Double? {
    let index = try index(column)
    switch sqlite3_column_type(statement.pointer, index) {
    case SQLITE_FLOAT, SQLITE_INTEGER:
      let value = sqlite3_column_double(statement.pointer, index)
      guard value.isFinite else { throw wrongType(column, "a finite number") }
      return value
    case SQLITE_NULL: return nil
    default: throw wrongType(column, "a number")
    }
  }

  /// The bytes of a text, not checked for UTF-8.
  func textBytesIfAny(_ column: String) throws(RowFault) -> [UInt8]? {
    let index = try index(column)
    switch sqlite3_column_type(statement.pointer, index) {
    case SQLITE_TEXT: return rawBytes(index)
    case SQLITE_NULL: return nil
    default: throw wrongType(column, "a text")
    }
  }

  func textIfAny(_ column: String) throws(RowFault) -> String? {
    guard let bytes = try textBytesIfAny(column) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw wrongType(column, "valid UTF-8")
    }
    return text
  }

  func integer(_ column: String) throws(RowFault) -> Int64 {
    guard let value = try integerIfAny(column) else { throw wrongType(column, "a value") }
    return value
  }

  func real(_ column: String) throws(RowFault) -> Double {
    guard let value = try realIfAny(column) else { throw wrongType(column, "a value") }
    return value
  }

  func text(_ column: String) throws(RowFault) -> String {
    guard let value = try textIfAny(column) else { throw wrongType(column, "a value") }
    return value
  }

  func instantIfAny(_ column: String) throws(RowFault) -> Instant? {
    try integerIfAny(column).map { Instant(microseconds: $0) }
  }

  func spanIfAny(_ column: String) throws(RowFault) -> TimeSpan? {
    try integerIfAny(column).map { TimeSpan(microseconds: $0) }
  }

  /// A column with an enumeration's raw value.
  func word<Word: RawRepresentable>(_ column: String, as type: Word.Type) throws(RowFault) -> Word
  where Word.RawValue == String {
    let text = try text(column)
    guard let word = Word(rawValue: text) else {
      throw RowFault(reason: "the column \(column) holds '\(text.prefix(40))', which is not known")
    }
    return word
  }

  /// Bytes of its texts and blobs, plus a little for each other value.
  var byteCount: Int {
    (0..<statement.columnCount).reduce(0) { $0 + size(at: $1) }
  }

  private func size(at index: Int32) -> Int {
    switch sqlite3_column_type(statement.pointer, index) {
    case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(statement.pointer, index))
    default: 8
    }
  }

  private func rawBytes(_ index: Int32) -> [UInt8] {
    // Get the pointer before the length (https://sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(statement.pointer, index) else { return [] }
    let count = Int(sqlite3_column_bytes(statement.pointer, index))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: max(0, count)))
  }
}
