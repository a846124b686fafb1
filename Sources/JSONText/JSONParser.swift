/// Why a text is not JSON, and where.
package struct JSONError: Error, Equatable, CustomStringConvertible {
  /// Byte offset of the fault.
  package let offset: Int
  /// Line of the fault, counted from 1.
  package let line: Int
  /// Byte within the line, counted from 1.
  package let column: Int
  package let reason: String

  package var description: String { "line \(line), column \(column): \(reason)" }
}

/// Reads JSON texts one after the other out of a byte buffer. It follows RFC 8259 to the letter but
/// for one thing: it bounds the depth of nesting, so that no input exhausts the stack.
package struct JSONParser: Sendable {
  /// Nesting deeper than this is refused.
  package static let maximumDepth = 64

  private let bytes: [UInt8]
  private(set) var offset = 0
  /// How far lines have been counted.
  private var lineMark = (offset: 0, line: 1)

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { offset = 3 }
  }

  /// The one value of a whole text; anything but white space behind it is an error.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    guard let value = try parser.next() else { throw parser.fault("the text is empty") }
    parser.skipSpace()
    guard parser.atEnd else { throw parser.fault("there is more text behind the value") }
    return value
  }

  package static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8))
  }

  package var atEnd: Bool { offset >= bytes.count }

  /// The line of the current position, counted from 1. Complexity: O(n) over all calls together.
  package mutating func currentLine() -> Int {
    while lineMark.offset < min(offset, bytes.count) {
      if bytes[lineMark.offset] == 0x0A { lineMark.line += 1 }
      lineMark.offset += 1
    }
    return lineMark.line
  }

  /// The next value, or nil at the end of the text.
  package mutating func next() throws(JSONError) -> JSONValue? {
    skipSpace()
    return atEnd ? nil : try value(depth: 0)
  }

  /// Moves over white space and answers whether `byte` comes next; if so it is consumed. For
  /// readers that walk a long list one element at a time.
  package mutating func consume(_ byte: UInt8) -> Bool {
    skipSpace()
    guard !atEnd, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  /// An error at the current position.
  package func fault(_ reason: String, at place: Int? = nil) -> JSONError {
    let (line, column) = position(of: place ?? offset)
    return JSONError(offset: place ?? offset, line: line, column: column, reason: reason)
  }

  package mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private func position(of place: Int) -> (line: Int, column: Int) {
    var line = 1
    var start = 0
    for index in 0..<min(place, bytes.count) where bytes[index] == 0x0A {
      line += 1
      start = index + 1
    }
    return (line, place - start + 1)
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw fault("nested deeper than \(Self.maximumDepth) levels")
    }
    skipSpace()
    guard !atEnd else { throw fault("the text ends where a value should be") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw fault("a value should be here")
    }
  }

  private mutating func word(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let count = text.utf8CodeUnitCount
    let expected = "\(text)".utf8
    guard offset + count <= bytes.count else { throw fault("a value should be here") }
    for (step, byte) in expected.enumerated() where bytes[offset + step] != byte {
      throw fault("a value should be here")
    }
    offset += count
    return value
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
    offset += 1
    var result = JSONObject()
    if consume(UInt8(ascii: "}")) { return result }
    repeat {
      skipSpace()
      guard !atEnd, bytes[offset] == UInt8(ascii: "\"") else {
        throw fault("a member's name in quotes should be here")
      }
      let key = try string()
      guard consume(UInt8(ascii: ":")) else { throw fault("':' should be here") }
      let member = try value(depth: depth + 1)
      result[key] = member
    } while consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "}")) else { throw fault("',' or '}' should be here") }
    return result
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    offset += 1
    var result: [JSONValue] = []
    if consume(UInt8(ascii: "]")) { return result }
    repeat { result.append(try value(depth: depth + 1)) } while consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "]")) else { throw fault("',' or ']' should be here") }
    return result
  }

  private mutating func digits() -> Int {
    let start = offset
    while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
    return offset - start
  }

  private mutating func number() throws(JSONError) -> JSONNumber {
    let start = offset
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    let whole = offset
    guard digits() > 0 else { throw fault("digits should be here") }
    if bytes[whole] == UInt8(ascii: "0"), offset > whole + 1 {
      throw fault("a number has no leading zeros", at: whole)
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      guard digits() > 0 else { throw fault("digits should be here") }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < bytes.count,
        bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-")
      {
        offset += 1
      }
      guard digits() > 0 else { throw fault("digits should be here") }
    }
    return JSONNumber(verbatim: text(start..<offset))
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func string() throws(JSONError) -> String {
    let open = offset
    offset += 1
    let start = offset
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        guard let text = String(validating: bytes[start..<offset - 1], as: UTF8.self) else {
          throw fault("the text is not valid UTF-8", at: start)
        }
        return text
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start, open: open) }
      guard byte >= 0x20 else { throw fault("a control character must be escaped") }
      offset += 1
    }
    throw fault("the text has no closing quote", at: open)
  }

  private mutating func escapedString(from start: Int, open: Int) throws(JSONError) -> String {
    var buffer: [UInt8] = []
    for index in start..<offset { buffer.append(bytes[index]) }
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        guard let text = String(validating: buffer, as: UTF8.self) else {
          throw fault("the text is not valid UTF-8", at: start)
        }
        return text
      case UInt8(ascii: "\\"):
        try escape(into: &buffer)
      case 0..<0x20:
        throw fault("a control character must be escaped")
      default:
        buffer.append(byte)
        offset += 1
      }
    }
    throw fault("the text has no closing quote", at: open)
  }

  private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
    let start = offset
    offset += 2
    guard offset <= bytes.count else { throw fault("the text has no closing quote", at: start) }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): buffer.append(0x22)
    case UInt8(ascii: "\\"): buffer.append(0x5C)
    case UInt8(ascii: "/"): buffer.append(0x2F)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"):
      var unit = UInt32(try hexadecimal())
      if unit & 0xFC00 == 0xD800, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
        bytes[offset + 1] == UInt8(ascii: "u")
      {
        offset += 2
        let low = UInt32(try hexadecimal())
        guard low & 0xFC00 == 0xDC00 else { throw fault("half a surrogate pair", at: start) }
        unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(unit) else {
        throw fault("half a surrogate pair", at: start)
      }
      buffer.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    default:
      throw fault("'\\' must be followed by one of \"\\/bfnrtu", at: start)
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard offset < bytes.count else { throw fault("four hexadecimal digits should be here") }
      let digit: UInt16
      switch bytes[offset] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt16(bytes[offset]) - 0x30
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt16(bytes[offset]) - 0x57
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = UInt16(bytes[offset]) - 0x37
      default: throw fault("four hexadecimal digits should be here")
      }
      value = value << 4 | digit
      offset += 1
    }
    return value
  }
}
