/// The words of a typed coordinate.
struct CoordinateToken {
  enum Kind {
    case number(Digits, sign: Int)
    case mark(AngleUnit)
    case direction(Direction)
    /// A comma with a digit on both sides is tight: it may be a decimal sign.
    case separator(tight: Bool, semicolon: Bool)
  }

  let kind: Kind
  let position: Int
}

enum AngleUnit: Int {
  case degrees, minutes, seconds
}

/// A hemisphere, or the name of an axis (`lat`), which leaves the sign to the number.
struct Direction {
  let isLatitude: Bool
  /// 1 north and east, −1 south and west, 0 not said.
  let sign: Int
}

extension CoordinateToken {
  var isNumber: Bool {
    if case .number = kind { true } else { false }
  }

  static func list(_ start: TextCursor) throws(CoordinateError) -> [CoordinateToken] {
    var cursor = start
    var tokens: [CoordinateToken] = []
    // The letters d, m, s are marks only where the one before was written as a letter too.
    var letterMinutes = false
    // Colons or hyphens since the degrees, and the first hyphen: `52:31:12`, `52-31-12N`.
    var joints = 0
    var hyphen: Int?
    cursor.skipSpaces()
    while let scalar = cursor.peek() {
      let position = cursor.position
      if !scalar.isDigit, scalar != ":", scalar != "-" || !isJoint(cursor) { joints = 0 }
      if let unit = AngleUnit(rawValue: joints), unit != .seconds, isJoint(cursor) {
        if scalar == "-" { hyphen = hyphen ?? position }
        joints += 1
        tokens.append(CoordinateToken(kind: .mark(unit), position: position))
        cursor.skip()
      } else if scalar.isDigit || scalar == "." {
        guard scalar.isDigit || cursor.peek(-1)?.isDigit != true else {
          throw CoordinateError(.badNumber, at: position)
        }
        tokens.append(
          CoordinateToken(
            kind: .number(try cursor.takeNumber(points: ["."]), sign: 0), position: position))
      } else if scalar == "+" || scalar.isMinus {
        if let before = cursor.peek(-1), before.isDigit || before == "." {
          throw CoordinateError(.misplacedSign, at: position)
        }
        cursor.skip()
        guard let next = cursor.peek(), next.isDigit || next == "." else {
          throw CoordinateError(.misplacedSign, at: position)
        }
        let digits = try cursor.takeNumber(points: ["."])
        tokens.append(
          CoordinateToken(kind: .number(digits, sign: scalar == "+" ? 1 : -1), position: position))
      } else if scalar == "," || scalar == ";" {
        let tight =
          scalar == "," && cursor.peek(-1)?.isDigit == true && cursor.peek(1)?.isDigit == true
          && !isBeforeJoint(cursor)
        cursor.skip()
        tokens.append(
          CoordinateToken(
            kind: .separator(tight: tight, semicolon: scalar == ";"), position: position))
      } else if let unit = markUnit(&cursor) {
        letterMinutes = false
        tokens.append(CoordinateToken(kind: .mark(unit), position: position))
      } else if scalar.isASCIILetter {
        let word = cursor.takeWhile(\.isASCIILetter).lowercased()
        let found = try words(
          word, secondsExpected: letterMinutes && tokens.last?.isNumber == true, at: position)
        letterMinutes = found.contains { if case .mark(.minutes) = $0 { true } else { false } }
        tokens += found.map { CoordinateToken(kind: $0, position: position) }
        if case .direction(let direction) = found.last, direction.sign == 0 {
          cursor.skipSpaces()
          _ = cursor.take(":") || cursor.take("=")
        }
      } else {
        throw CoordinateError(.unexpectedCharacter, at: position)
      }
      if cursor.peek()?.isBlank == true { joints = 0 }
      cursor.skipSpaces()
    }
    // Without letters a hyphen may be a sign.
    if let hyphen, !tokens.contains(where: { if case .direction = $0.kind { true } else { false } })
    {
      throw CoordinateError(.misplacedSign, at: hyphen)
    }
    return tokens
  }

  /// Whether a colon or hyphen stands here between two digits.
  private static func isJoint(_ cursor: TextCursor, ahead: Int = 0) -> Bool {
    guard let scalar = cursor.peek(ahead), scalar == ":" || scalar == "-" else { return false }
    return cursor.peek(ahead - 1)?.isDigit == true && cursor.peek(ahead + 1)?.isDigit == true
  }

  /// Whether the number behind this comma is the degrees of `13:24:18`.
  private static func isBeforeJoint(_ cursor: TextCursor) -> Bool {
    var ahead = 1
    while cursor.peek(ahead)?.isDigit == true { ahead += 1 }
    return isJoint(cursor, ahead: ahead)
  }

  /// A mark that is not a letter; two minute marks in a row are one for seconds.
  private static func markUnit(_ cursor: inout TextCursor) -> AngleUnit? {
    guard let scalar = cursor.peek() else { return nil }
    switch scalar {
    case "°", "\u{BA}", "\u{2DA}":
      cursor.skip()
      return .degrees
    case "\"", "\u{201C}", "\u{201D}", "\u{201E}", "\u{2033}", "\u{2BA}":
      cursor.skip()
      return .seconds
    case _ where isMinuteMark(scalar):
      cursor.skip()
      guard let next = cursor.peek(), isMinuteMark(next) else { return .minutes }
      cursor.skip()
      return .seconds
    default:
      return nil
    }
  }

  private static func isMinuteMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "'", "`", "\u{B4}", "\u{2018}", "\u{2019}", "\u{2032}", "\u{2B9}", "\u{2BC}": true
    default: false
    }
  }

  /// A run of letters: a direction, a mark, or a mark with a direction right behind it (`12sN`).
  private static func words(
    _ word: String, secondsExpected: Bool, at position: Int
  ) throws(CoordinateError) -> [Kind] {
    if word == "s", secondsExpected { return [.mark(.seconds)] }
    if word == "o" { throw CoordinateError(.ambiguousLetter, at: position) }
    if let direction = direction(word) { return [.direction(direction)] }
    if let unit = letterMarks[word] { return [.mark(unit)] }
    if let last = word.last, let direction = direction(String(last)),
      let unit = word.dropLast() == "s" ? .seconds : letterMarks[String(word.dropLast())]
    {
      return [.mark(unit), .direction(direction)]
    }
    throw CoordinateError(.unexpectedCharacter, at: position)
  }

  private static func direction(_ word: String) -> Direction? {
    switch word {
    case "n", "north": Direction(isLatitude: true, sign: 1)
    case "s", "south": Direction(isLatitude: true, sign: -1)
    case "e", "east": Direction(isLatitude: false, sign: 1)
    case "w", "west": Direction(isLatitude: false, sign: -1)
    case "lat", "latitude": Direction(isLatitude: true, sign: 0)
    case "lon", "lng", "long", "longitude": Direction(isLatitude: false, sign: 0)
    default: nil
    }
  }

  private static let letterMarks: [String: AngleUnit] = [
    "d": .degrees, "deg": .degrees, "degrees": .degrees,
    "m": .minutes, "min": .minutes, "minutes": .minutes,
    "sec": .seconds, "seconds": .seconds,
  ]
}
