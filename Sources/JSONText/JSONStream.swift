/// Reads a large JSON document one element at a time, in bounded memory: the streaming side of
/// `JSONParser`, which reads each element.
///
///     var stream = JSONStream(lists: ["features"], read: source.next, failure: explain)
///     while let element = try stream.next() { … }
///
/// A document is a sequence of values. Elements of a top-level list, or of a top-level object's
/// member named in `lists`, come one by one; any other value comes whole. Memory: one piece of the
/// source and one element.
package struct JSONStream<Failure: Error> {
  package struct Element {
    package let value: JSONValue
    /// Where it begins, counted from 1.
    package let line: Int
    /// The member whose list it is in; nil at the top.
    package let list: String?
  }

  /// Of one element, in bytes; the border of a country is the longest known.
  private let maximumElement = 16 << 20

  private enum Place {
    case top, list(String?), members
  }

  private let lists: Set<String>
  private let read: () throws(Failure) -> [UInt8]
  private let failure: (_ line: Int, _ reason: String) -> Failure

  private var piece: [UInt8] = []
  private var index = 0
  private var line = 1
  private var place = Place.top
  private var isFirst = true
  /// Members of the object at the top other than its lists.
  package private(set) var header = JSONObject()
  private var headerSize = 0
  private var headerLine = 1
  private var hadList = false
  /// The bytes of one value.
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - read: the next piece of the document; an empty one is the end.
  ///   - failure: the error for a line, counted from 1, and a reason.
  package init(
    lists: Set<String>, read: @escaping () throws(Failure) -> [UInt8],
    failure: @escaping (_ line: Int, _ reason: String) -> Failure
  ) {
    self.lists = lists
    self.read = read
    self.failure = failure
  }

  /// The next element; nil at the end.
  package mutating func next() throws(Failure) -> Element? {
    while true {
      switch place {
      case .top:
        guard let byte = try skipSpace() else { return nil }
        if byte == UInt8(ascii: "[") {
          enter(.list(nil))
        } else if byte == UInt8(ascii: "{") {
          header = JSONObject()
          headerSize = 0
          headerLine = line
          hadList = false
          enter(.members)
        } else {
          return try element(in: nil)
        }
      case .list(let name):
        guard try isMore(before: "]") else {
          place = name == nil ? .top : .members
          isFirst = false
          continue
        }
        return try element(in: name)
      case .members:
        guard try isMore(before: "}") else {
          place = .top
          guard !hadList else { continue }
          return Element(value: .object(header), line: headerLine, list: nil)
        }
        try member()
      }
    }
  }

  private mutating func enter(_ place: Place) {
    index += 1
    self.place = place
    isFirst = true
  }

  /// Whether there is one more, behind a comma, before the closing bracket.
  private mutating func isMore(before close: Unicode.Scalar) throws(Failure) -> Bool {
    guard let byte = try skipSpace() else {
      throw failure(line, "the text ends where ',' or '\(close)' should be")
    }
    if byte == UInt8(ascii: close) {
      index += 1
      return false
    }
    if isFirst {
      isFirst = false
      return true
    }
    guard byte == UInt8(ascii: ",") else {
      throw failure(line, "',' or '\(close)' should be here")
    }
    index += 1
    return true
  }

  /// A member of the object at the top: one of `lists` is entered, any other is stored.
  private mutating func member() throws(Failure) {
    guard try skipSpace() == UInt8(ascii: "\"") else {
      throw failure(line, "a member's name in quotes should be here")
    }
    guard let key = try value().string else {
      throw failure(line, "a member's name should be here")
    }
    guard try skipSpace() == UInt8(ascii: ":") else { throw failure(line, "':' should be here") }
    index += 1
    if lists.contains(key), try skipSpace() == UInt8(ascii: "[") {
      hadList = true
      return enter(.list(key))
    }
    let value = try value()
    headerSize += scratch.count
    guard headerSize <= maximumElement else {
      throw failure(line, "the object is larger than 16 MiB")
    }
    header[key] = value
  }

  private mutating func element(in list: String?) throws(Failure) -> Element {
    _ = try skipSpace()
    let start = line
    return Element(value: try value(), line: start, list: list)
  }

  // MARK: - Bytes

  /// Reads the next piece where this one is used up; false at the end.
  private mutating func refill() throws(Failure) -> Bool {
    guard index >= piece.count else { return true }
    piece = try read()
    index = 0
    return !piece.isEmpty
  }

  /// Moves to the next byte that is not blank, nor of a byte order mark, nor a record separator
  /// (RFC 8142), and returns it.
  private mutating func skipSpace() throws(Failure) -> UInt8? {
    while try refill() {
      switch piece[index] {
      case 0x0A: line += 1
      case 0x20, 0x09, 0x0D, 0x1E, 0xEF, 0xBB, 0xBF: break
      case let byte: return byte
      }
      index += 1
    }
    return nil
  }

  /// The value that begins here.
  private mutating func value() throws(Failure) -> JSONValue {
    _ = try skipSpace()
    let start = line
    try gather()
    do throws(JSONError) {
      return try JSONParser.parse(scratch)
    } catch {
      throw failure(start + error.line - 1, error.reason)
    }
  }

  /// Copies the bytes of one value to `scratch`. The parser finds out whether they are JSON.
  private mutating func gather() throws(Failure) {
    scratch.removeAll(keepingCapacity: scratch.capacity <= 1 << 20)
    var extent = ValueExtent()
    while try refill() {
      let start = index
      while index < piece.count, extent.takes(piece[index]) {
        if piece[index] == 0x0A { line += 1 }
        index += 1
      }
      scratch += piece[start..<index]
      guard scratch.count <= maximumElement else {
        throw failure(line, "one element is longer than 16 MiB; split it")
      }
      if index < piece.count { return }
    }
  }
}

/// Finds the end of a value by its brackets and quotes.
private struct ValueExtent {
  private var depth = 0
  private var isText = false
  private var isEscaped = false
  private var isComplete = false

  /// Whether the next byte belongs to the value.
  mutating func takes(_ byte: UInt8) -> Bool {
    if isComplete { return false }
    if isText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isText = false
        isComplete = depth == 0
      }
      return true
    }
    switch byte {
    case UInt8(ascii: "\""): isText = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth == 0 { return false }
      depth -= 1
      isComplete = depth == 0
    case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0D, 0x0A: return depth > 0
    default: break
    }
    return true
  }
}
