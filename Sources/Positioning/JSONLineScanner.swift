/// Walks over the members of one JSON object in place, without building values: gpsd's lines of
/// satellites are long, and of a whole day of reports only a few numbers are wanted.
///
/// Nested values are skipped by their brackets and quotes, so that a line that was cut is told from a
/// whole one; RFC 8259 is not checked any further inside them.
struct JSONLineScanner {
  private var at = 0
  private var isFirst = true
  private var failed = false
  /// The bytes of the value read last, with its quotes or brackets.
  private(set) var lastValue = 0..<0

  /// Deeper nesting is refused.
  private static let maximumDepth = 64

  /// Enters the object.
  mutating func open(_ line: Span<UInt8>) -> Bool {
    skipSpace(line)
    return take(UInt8(ascii: "{"), line)
  }

  /// The name of the next member, its bytes as a number, the last eight of them; nil behind the last
  /// member or where something else is there.
  mutating func name(_ line: Span<UInt8>) -> UInt64? {
    skipSpace(line)
    if take(UInt8(ascii: "}"), line) {
      isFirst = true
      skipSpace(line)
      return nil
    }
    if !isFirst {
      guard take(UInt8(ascii: ","), line) else { return fail() }
      skipSpace(line)
    }
    isFirst = false
    let start = at
    guard skipString(line) else { return fail() }
    var name: UInt64 = 0
    if at - start <= 11 {
      for index in start + 1..<at - 1 { name = name << 8 | UInt64(line[index]) }
    }
    skipSpace(line)
    guard take(UInt8(ascii: ":"), line) else { return fail() }
    return name
  }

  /// Moves over the member's value; false where there is none.
  mutating func value(_ line: Span<UInt8>) -> Bool {
    skipSpace(line)
    let start = at
    guard at < line.count else { return false }
    switch line[at] {
    case UInt8(ascii: "\""):
      guard skipString(line) else { return false }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard skipNested(line) else { return false }
    default:
      while at < line.count, Self.isWord(line[at]) { at += 1 }
      guard at > start else { return false }
    }
    lastValue = start..<at
    return true
  }

  /// Whether the object was whole and nothing follows it.
  func isAtEnd(_ line: Span<UInt8>) -> Bool { !failed && at == line.count }

  private mutating func fail() -> UInt64? {
    failed = true
    return nil
  }

  private mutating func skipSpace(_ line: Span<UInt8>) {
    while at < line.count, line[at] == 0x20 || line[at] == 0x09 { at += 1 }
  }

  private mutating func take(_ byte: UInt8, _ line: Span<UInt8>) -> Bool {
    guard at < line.count, line[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func skipString(_ line: Span<UInt8>) -> Bool {
    guard take(UInt8(ascii: "\""), line) else { return false }
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "\""):
        at += 1
        return true
      case UInt8(ascii: "\\"): at += 2
      default: at += 1
      }
    }
    at = line.count
    return false
  }

  private mutating func skipNested(_ line: Span<UInt8>) -> Bool {
    // One bit for each open bracket: set for an object.
    var kinds: UInt64 = 0
    var depth = 0
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "\""):
        guard skipString(line) else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < Self.maximumDepth else { return false }
        kinds = kinds << 1 | (line[at] == UInt8(ascii: "{") ? 1 : 0)
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0, (kinds & 1 == 1) == (line[at] == UInt8(ascii: "}")) else { return false }
        kinds >>= 1
        depth -= 1
        if depth == 0 {
          at += 1
          return true
        }
      default: break
      }
      at += 1
    }
    return false
  }

  /// The bytes of numbers and of `true`, `false`, `null`.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
  }
}

extension Span where Element == UInt8 {
  /// The bytes between the quotes of a string of at most eight as a number, the last one lowest; 0 for
  /// anything else.
  var shortText: UInt64 {
    guard count > 2, count <= 10, self[0] == UInt8(ascii: "\"") else { return 0 }
    var text: UInt64 = 0
    for index in 1..<count - 1 { text = text << 8 | UInt64(self[index]) }
    return text
  }

  /// The span as a JSON number; not-a-number where it is none. Of the digits the first eighteen
  /// count.
  var jsonNumber: Double {
    var at = 0
    let isNegative = count > 0 && self[0] == UInt8(ascii: "-")
    if isNegative { at = 1 }
    var mantissa: Int64 = 0
    var digits = 0
    var exponent = 0
    var isFraction = false
    var hasDigit = false
    while at < count {
      let byte = self[at]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        hasDigit = true
        if digits < 18 {
          mantissa = mantissa * 10 + Int64(digit)
          if mantissa > 0 { digits += 1 }
          if isFraction { exponent -= 1 }
        } else if !isFraction {
          exponent += 1
        }
      } else if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else {
        break
      }
      at += 1
    }
    guard hasDigit else { return .nan }
    if at < count {
      guard self[at] | 0x20 == UInt8(ascii: "e"), let power = integer(from: at + 1) else {
        return .nan
      }
      exponent += power
    }
    var value = Double(mantissa)
    // Powers of ten up to 22 are exact, so that one multiplication or division rounds once.
    var left = min(exponent.magnitude, 400)
    var scale = 1.0
    while left > 0 {
      let step = min(left, 22)
      scale = 1
      for _ in 0..<step { scale *= 10 }
      value = exponent < 0 ? value / scale : value * scale
      left -= step
    }
    return isNegative ? -value : value
  }

  private func integer(from start: Int) -> Int? {
    var at = start
    var isNegative = false
    if at < count, self[at] == UInt8(ascii: "-") || self[at] == UInt8(ascii: "+") {
      isNegative = self[at] == UInt8(ascii: "-")
      at += 1
    }
    guard at < count else { return nil }
    var value = 0
    while at < count {
      let digit = self[at] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = min(10_000, value * 10 + Int(digit))
      at += 1
    }
    return isNegative ? -value : value
  }
}
