/// Reads a short text from left to right. Nothing is consumed by a step that fails.
struct ByteScanner {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var atEnd: Bool { offset >= bytes.count }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The text not yet read.
  var rest: String { String(decoding: bytes[min(offset, bytes.count)...], as: UTF8.self) }

  mutating func consume(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  mutating func consume(where condition: (UInt8) -> Bool) -> UInt8? {
    guard let byte = next, condition(byte) else { return nil }
    offset += 1
    return byte
  }

  /// The bytes as long as they meet the condition.
  mutating func run(where condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = offset
    while let byte = next, condition(byte) { offset += 1 }
    return bytes[start..<offset]
  }

  mutating func skipSpace() { _ = run { $0 == UInt8(ascii: " ") || $0 == 0x09 } }

  /// A run of digits whose length is in `count` as a number; more digits than that fail as well.
  mutating func number(digits count: ClosedRange<Int>) -> Int? {
    let start = offset
    var value = 0
    while let byte = next, byte.isDigit, offset - start < count.upperBound {
      value = value &* 10 &+ Int(byte &- UInt8(ascii: "0"))
      offset += 1
    }
    guard offset - start >= count.lowerBound, next?.isDigit != true else {
      offset = start
      return nil
    }
    return value
  }

  /// The millionths of a decimal fraction; digits beyond the sixth are cut off. At least one digit.
  mutating func millionths() -> Int? {
    let digits = run(where: \.isDigit)
    guard !digits.isEmpty else { return nil }
    var value = 0
    for digit in digits.prefix(6) { value = value * 10 + Int(digit &- UInt8(ascii: "0")) }
    for _ in digits.count..<max(6, digits.count) { value *= 10 }
    return value
  }
}

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
}

extension StringProtocol {
  /// Without blanks at either end.
  var trimmed: String {
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r\n" }
    var rest = self[...]
    while let first = rest.first, blank(first) { rest.removeFirst() }
    while let last = rest.last, blank(last) { rest.removeLast() }
    return String(rest)
  }
}

/// A text as it stands in an error message: in quotes, cut short, without control characters.
func quoted(_ text: some StringProtocol) -> String {
  let shown = text.unicodeScalars.prefix(60).map {
    $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : String($0)
  }.joined()
  return "'\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")'"
}
