import JSONText

/// Walks a large JSON document one element at a time, in bounded memory.
///
/// A document is a sequence of values. Of an object at the top whose member `features`, `elements` or
/// `waypoints` is a list, the elements of that list are given out one by one; so are those of a list at
/// the top. Any other value is given out whole.
struct JSONElements {
  struct Element {
    let value: JSONValue
    /// Where it begins, counted from 1.
    let line: Int
    /// The member whose list it is in; nil at the top.
    let list: String?
  }

  /// Of one element, in bytes; a country's border is the longest.
  static let longestElement = 16 << 20
  static let lists: Set<String> = ["features", "elements", "waypoints"]

  private enum Place {
    case top, list(String?), members
  }

  private let source: ByteSource
  private var piece: [UInt8] = []
  private var index = 0
  private var line = 1
  private var place = Place.top
  private var isFirst = true
  /// Members of the object at the top that are no list of elements.
  private var header = JSONObject()
  private var headerSize = 0
  private var headerLine = 1
  private var hadList = false
  /// One element's bytes.
  private var scratch: [UInt8] = []

  init(_ source: ByteSource) { self.source = source }

  /// The next element; nil at the end.
  mutating func next() throws(InterchangeError) -> Element? {
    while true {
      switch place {
      case .top:
        guard let byte = try skipSpace() else { return nil }
        if byte == UInt8(ascii: "[") {
          try enter(.list(nil))
        } else if byte == UInt8(ascii: "{") {
          header = JSONObject()
          headerSize = 0
          headerLine = line
          hadList = false
          try enter(.members)
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

  private mutating func enter(_ place: Place) throws(InterchangeError) {
    index += 1
    self.place = place
    isFirst = true
  }

  /// Whether there is one more, behind a comma, before the closing bracket.
  private mutating func isMore(before close: Unicode.Scalar) throws(InterchangeError) -> Bool {
    guard let byte = try skipSpace() else {
      throw fault("the text ends where ',' or '\(close)' should be")
    }
    if byte == UInt8(ascii: close) {
      index += 1
      return false
    }
    if isFirst {
      isFirst = false
      return true
    }
    guard byte == UInt8(ascii: ",") else { throw fault("',' or '\(close)' should be here") }
    index += 1
    return true
  }

  /// A member of the object at the top: its list is entered, anything else is kept.
  private mutating func member() throws(InterchangeError) {
    guard try skipSpace() == UInt8(ascii: "\"") else {
      throw fault("a member's name in quotes should be here")
    }
    guard let key = try value().string else { throw fault("a member's name should be here") }
    guard try skipSpace() == UInt8(ascii: ":") else { throw fault("':' should be here") }
    index += 1
    if Self.lists.contains(key), try skipSpace() == UInt8(ascii: "[") {
      hadList = true
      return try enter(.list(key))
    }
    let value = try value()
    headerSize += scratch.count
    guard headerSize <= Self.longestElement else { throw fault("the object is larger than 16 MiB") }
    header[key] = value
  }

  private mutating func element(in list: String?) throws(InterchangeError) -> Element {
    _ = try skipSpace()
    let start = line
    return Element(value: try value(), line: start, list: list)
  }

  // MARK: - Bytes

  /// Moves to the next byte that is not blank (nor a byte order mark or a record separator, RFC
  /// 8142), and answers it.
  private mutating func skipSpace() throws(InterchangeError) -> UInt8? {
    while true {
      while index < piece.count {
        switch piece[index] {
        case 0x0A: line += 1
        case 0x20, 0x09, 0x0D, 0x1E, 0xEF, 0xBB, 0xBF: break
        case let byte: return byte
        }
        index += 1
      }
      piece = try source.next()
      index = 0
      if piece.isEmpty { return nil }
    }
  }

  /// The value that begins here.
  private mutating func value() throws(InterchangeError) -> JSONValue {
    _ = try skipSpace()
    let start = line
    try gather()
    do throws(JSONError) {
      return try JSONParser.parse(scratch)
    } catch {
      throw InterchangeError(
        file: source.name, line: start + error.line - 1, reason: "not JSON: \(error.reason)")
    }
  }

  /// Copies the bytes of one value to `scratch`; whether they are JSON is for the parser to say.
  private mutating func gather() throws(InterchangeError) {
    scratch.removeAll(keepingCapacity: scratch.capacity <= 1 << 20)
    var depth = 0
    var isText = false
    var isEscaped = false
    while true {
      let start = index
      var end: Int?
      scan: while index < piece.count {
        let byte = piece[index]
        if isText {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isText = false
            if depth == 0 {
              index += 1
              end = index
              break scan
            }
          }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isText = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else {
              end = index
              break scan
            }
            depth -= 1
            if depth == 0 {
              index += 1
              end = index
              break scan
            }
          case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0D:
            if depth == 0 {
              end = index
              break scan
            }
          case 0x0A where depth == 0:
            end = index
            break scan
          default: break
          }
        }
        if byte == 0x0A { line += 1 }
        index += 1
      }
      scratch += piece[start..<index]
      guard scratch.count <= Self.longestElement else {
        throw fault("one element is longer than 16 MiB; split it")
      }
      if end != nil { return }
      piece = try source.next()
      index = 0
      if piece.isEmpty { return }
    }
  }

  private func fault(_ reason: String) -> InterchangeError {
    InterchangeError(file: source.name, line: line, reason: "not JSON: \(reason)")
  }
}
