/// A place in a text that only moves forward; it never reads past the end.
struct TextCursor {
  let scalars: [Unicode.Scalar]
  private(set) var index = 0
  private var end: Int

  init(_ scalars: [Unicode.Scalar]) {
    self.scalars = scalars
    end = scalars.count
  }

  /// Counted from 1, for people.
  var position: Int { index + 1 }
  var isAtEnd: Bool { index >= end }

  func peek(_ offset: Int = 0) -> Unicode.Scalar? {
    let at = index + offset
    return at >= 0 && at < end ? scalars[at] : nil
  }

  mutating func skip(_ count: Int = 1) { index = min(end, index + count) }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    skip()
    return true
  }

  mutating func skipSpaces() {
    while let scalar = peek(), scalar.isBlank { skip() }
  }

  mutating func dropTrailingSpaces() {
    while end > index, scalars[end - 1].isBlank { end -= 1 }
  }

  func starts(withIgnoringCase prefix: String) -> Bool {
    var offset = 0
    for expected in prefix.unicodeScalars {
      guard let scalar = peek(offset), scalar.asciiLowercased == expected else { return false }
      offset += 1
    }
    return true
  }

  /// The characters up to the first that fails the test.
  mutating func takeWhile(_ test: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = peek(), test(scalar) {
      text.append(scalar)
      skip()
    }
    return String(text)
  }

  /// Everything that is left.
  mutating func takeRest() -> String { takeWhile { _ in true } }

  /// Digits with an optional fraction behind one of `points`; a sign is not part of it.
  mutating func takeNumber(points: [Unicode.Scalar]) throws(CoordinateError) -> Digits {
    let start = position
    let whole = takeWhile(\.isDigit)
    var fraction = ""
    if let point = peek(), points.contains(point) {
      skip()
      fraction = takeWhile(\.isDigit)
      guard !fraction.isEmpty else { throw CoordinateError(.badNumber, at: position - 1) }
    }
    guard !whole.isEmpty || !fraction.isEmpty, whole.utf8.count + fraction.utf8.count <= 32 else {
      throw CoordinateError(.badNumber, at: start)
    }
    return Digits(whole: whole, fraction: fraction, position: start)
  }
}

/// An unsigned decimal number as it was written.
struct Digits: Hashable {
  var whole: String
  var fraction: String
  let position: Int

  var hasFraction: Bool { !fraction.isEmpty }

  var value: Double {
    Double((whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)) ?? .nan
  }

  /// Degrees, from packed digits like DDMM.M or DDMMSS.S with `degreeDigits` for the degrees;
  /// nothing where the count of digits is another.
  func unpacked(degreeDigits: Int) throws(CoordinateError) -> Double? {
    let digits = Array(whole.utf8)
    func part(_ range: Range<Int>, last: Bool) -> Double {
      let text = String(decoding: digits[range], as: UTF8.self)
      return Digits(whole: text, fraction: last ? fraction : "", position: position).value
    }
    let minutesEnd = degreeDigits + 2
    let secondsEnd = minutesEnd + 2
    switch digits.count {
    case minutesEnd:
      let minutes = part(degreeDigits..<minutesEnd, last: true)
      guard minutes < 60 else { throw CoordinateError(.minutesOutOfRange, at: position) }
      return (part(0..<degreeDigits, last: false) * 60 + minutes) / 60
    case secondsEnd:
      let minutes = part(degreeDigits..<minutesEnd, last: false)
      guard minutes < 60 else { throw CoordinateError(.minutesOutOfRange, at: position) }
      let seconds = part(minutesEnd..<secondsEnd, last: true)
      guard seconds < 60 else { throw CoordinateError(.secondsOutOfRange, at: position) }
      return (part(0..<degreeDigits, last: false) * 3600 + minutes * 60 + seconds) / 3600
    default:
      return nil
    }
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { self >= "0" && self <= "9" }

  var isASCIILetter: Bool { (self >= "a" && self <= "z") || (self >= "A" && self <= "Z") }

  var asciiLowercased: Unicode.Scalar {
    self >= "A" && self <= "Z" ? Unicode.Scalar(UInt8(truncatingIfNeeded: value) | 0x20) : self
  }

  /// Spaces as keyboards and web pages make them, line ends among them.
  var isBlank: Bool {
    guard value > 0x7F else { return self == " " || (value >= 0x09 && value <= 0x0D) }
    return properties.isWhitespace || self == "\u{200B}" || self == "\u{FEFF}"
  }

  var isMinus: Bool { self == "-" || self == "\u{2212}" || self == "\u{2013}" }
}
