/// Coordinates as people type them: two angles with marks, letters, signs or none of these.
enum TypedCoordinate {
  static func parse(_ cursor: TextCursor) throws(CoordinateError) -> Coordinate {
    let tokens = try CoordinateToken.list(cursor)
    guard let first = tokens.first else { throw CoordinateError(.empty, at: cursor.position) }
    let directions = tokens.indices.filter { tokens[$0].direction != nil }
    switch directions.count {
    case 0: return try parseUnlettered(tokens)
    case 1: throw CoordinateError(.missingLetter, at: tokens[directions[0]].position)
    case 2: return try parseLettered(tokens, directions[0], directions[1])
    default: throw CoordinateError(.misplacedLetter, at: first.position)
    }
  }

  /// One angle, whose axis is known; a letter must fit it.
  static func angle(_ cursor: TextCursor, isLatitude: Bool) throws(CoordinateError) -> Double {
    var tokens = try CoordinateToken.list(cursor)[...]
    guard let first = tokens.first else { throw CoordinateError(.empty, at: cursor.position) }
    var direction = first.direction
    if direction != nil {
      tokens.removeFirst()
      tokens.dropSeparators(leading: true, trailing: false)
    } else if let last = tokens.last?.direction {
      direction = last
      tokens.removeLast()
    }
    if let direction, direction.isLatitude != isLatitude {
      throw CoordinateError(.sameAxis, at: first.position)
    }
    let hasPoint = tokens.contains { $0.digits?.hasFraction == true }
    return try Angle(joined(tokens, hasPoint), else: first.position).degrees(direction)
  }

  private static func parseLettered(
    _ tokens: [CoordinateToken], _ first: Int, _ second: Int
  ) throws(CoordinateError) -> Coordinate {
    guard let one = tokens[first].direction, let two = tokens[second].direction else {
      throw CoordinateError(.misplacedLetter, at: tokens[first].position)
    }
    guard one.isLatitude != two.isLatitude else {
      throw CoordinateError(.sameAxis, at: tokens[second].position)
    }
    let isEnclosed = first == tokens.startIndex && second == tokens.endIndex - 1
    guard !isEnclosed || tokens.count(where: { $0.digits != nil }) < 2 else {
      throw CoordinateError(.misplacedLetter, at: tokens[second].position)
    }
    var halves: (ArraySlice<CoordinateToken>, ArraySlice<CoordinateToken>)
    if first == tokens.startIndex {
      halves = (tokens[1..<second], tokens[(second + 1)...])
      halves.0.dropSeparators(leading: true, trailing: true)
      halves.1.dropSeparators(leading: true, trailing: false)
    } else if second == tokens.endIndex - 1 {
      halves = (tokens[..<first], tokens[(first + 1)..<second])
      halves.0.dropSeparators(leading: false, trailing: true)
      halves.1.dropSeparators(leading: true, trailing: true)
    } else {
      throw CoordinateError(.misplacedLetter, at: tokens[first].position)
    }
    let hasPoint = tokens.contains { $0.digits?.hasFraction == true }
    let a = try Angle(joined(halves.0, hasPoint), else: tokens[first].position)
    let b = try Angle(joined(halves.1, hasPoint), else: tokens[second].position)
    let left = try a.degrees(one)
    let right = try b.degrees(two)
    return one.isLatitude
      ? try Coordinate(latitude: left, at: a.position, longitude: right, at: b.position)
      : try Coordinate(latitude: right, at: b.position, longitude: left, at: a.position)
  }

  private static func parseUnlettered(
    _ given: [CoordinateToken]
  ) throws(CoordinateError) -> Coordinate {
    var tokens = given[...]
    let hasPoint = tokens.contains { $0.digits?.hasFraction == true }
    let tight = tokens.filter { $0.isTight }
    let semicolons = tokens.contains { $0.isSemicolon }
    let numbers = tokens.count { $0.digits != nil }
    if !hasPoint, let comma = tight.first, numbers != 2 {
      tokens = try joined(tokens, hasPoint)[...]
      guard tight.count == 2 || semicolons else {
        throw CoordinateError(.ambiguousComma, at: comma.position)
      }
    }
    // `52,13°` may well be a single angle.
    if !hasPoint, let comma = tight.first, numbers == 2, tokens.contains(where: \.isMark) {
      throw CoordinateError(.ambiguousComma, at: comma.position)
    }
    let halves = try split(tokens)
    let a = try Angle(Array(halves.0), else: given[0].position)
    let b = try Angle(Array(halves.1), else: halves.1.first?.position ?? given[0].position)
    if let comma = tight.first, !hasPoint, !semicolons, tight.count == 2,
      a.hasFraction != b.hasFraction
    {
      throw CoordinateError(.ambiguousComma, at: comma.position)
    }
    guard a.parts.count == b.parts.count || (a.isMarked && b.isMarked) else {
      throw CoordinateError(.ambiguousNumbers, at: b.position)
    }
    return try Coordinate(
      latitude: a.degrees(nil), at: a.position, longitude: b.degrees(nil), at: b.position)
  }

  /// Finds where the longitude begins: at the separator, at the second sign, at the second degree
  /// mark, or in the middle.
  private static func split(
    _ tokens: ArraySlice<CoordinateToken>
  ) throws(CoordinateError) -> (ArraySlice<CoordinateToken>, ArraySlice<CoordinateToken>) {
    let separators = tokens.indices.filter { tokens[$0].isSeparator }
    let numbers = tokens.indices.filter { tokens[$0].digits != nil }
    if let separator = separators.first {
      guard separators.count == 1 else {
        throw CoordinateError(.ambiguousNumbers, at: tokens[separators[1]].position)
      }
      guard tokens[..<separator].contains(where: { $0.digits != nil }),
        tokens[separator...].contains(where: { $0.digits != nil })
      else { throw CoordinateError(.incomplete, at: tokens[separator].position) }
      return (tokens[..<separator], tokens[(separator + 1)...])
    }
    guard let only = numbers.first, numbers.count > 1 else {
      throw CoordinateError(.incomplete, at: tokens.first?.position ?? 1)
    }
    let signed = numbers.dropFirst().filter { tokens[$0].isSigned }
    let degrees = numbers.filter { number in
      if number + 1 < tokens.endIndex, case .mark(.degrees) = tokens[number + 1].kind {
        true
      } else {
        false
      }
    }
    let middle: Int
    if signed.count == 1 {
      middle = signed[0]
    } else if signed.count > 1 {
      throw CoordinateError(.misplacedSign, at: tokens[signed[1]].position)
    } else if degrees.count == 2 {
      middle = degrees[1]
    } else if degrees.count == 1 {
      throw CoordinateError(.incomplete, at: tokens[only].position)
    } else if degrees.isEmpty, [2, 4, 6].contains(numbers.count) {
      middle = numbers[numbers.count / 2]
    } else {
      throw CoordinateError(.ambiguousNumbers, at: tokens[only].position)
    }
    return (tokens[..<middle], tokens[middle...])
  }

  /// Numbers with a tight comma between them made one, where no decimal point says that the comma
  /// is a separator.
  private static func joined(
    _ tokens: ArraySlice<CoordinateToken>, _ hasPoint: Bool
  ) throws(CoordinateError) -> [CoordinateToken] {
    guard !hasPoint else { return Array(tokens) }
    var result: [CoordinateToken] = []
    var pending = false
    for token in tokens {
      if token.isTight {
        pending = true
      } else if pending, let fraction = token.digits, let last = result.popLast(),
        case .number(var digits, let sign) = last.kind
      {
        guard !digits.hasFraction else {
          throw CoordinateError(.ambiguousComma, at: token.position - 1)
        }
        digits.fraction = fraction.whole
        result.append(CoordinateToken(kind: .number(digits, sign: sign), position: last.position))
        pending = false
      } else {
        result.append(token)
      }
    }
    return result
  }
}

/// One half of a coordinate: degrees and perhaps minutes and seconds.
private struct Angle {
  var parts: [Digits] = []
  var isMarked = false
  let sign: Int
  let position: Int

  var hasFraction: Bool { parts.contains(where: \.hasFraction) }

  init(_ tokens: [CoordinateToken], else emptyPosition: Int) throws(CoordinateError) {
    guard let first = tokens.first else { throw CoordinateError(.incomplete, at: emptyPosition) }
    position = first.position
    guard case .number(_, let sign) = first.kind else {
      throw CoordinateError(
        first.isSeparator ? .unexpectedCharacter : .misplacedMark, at: first.position)
    }
    self.sign = sign
    var marked = 0
    for token in tokens {
      switch token.kind {
      case .number(let digits, let sign):
        guard sign == 0 || parts.isEmpty else {
          throw CoordinateError(.misplacedSign, at: token.position)
        }
        guard parts.count < 3 else { throw CoordinateError(.ambiguousNumbers, at: token.position) }
        guard !hasFraction else {
          throw CoordinateError(.fractionNotLast, at: parts.last?.position ?? position)
        }
        parts.append(digits)
      case .mark(let unit):
        guard unit.rawValue == parts.count - 1, marked < parts.count else {
          throw CoordinateError(.misplacedMark, at: token.position)
        }
        marked = parts.count
        if unit == .degrees { isMarked = true }
      case .separator, .direction:
        throw CoordinateError(.ambiguousNumbers, at: token.position)
      }
    }
  }

  func degrees(_ direction: Direction?) throws(CoordinateError) -> Double {
    let letter = direction?.sign ?? 0
    guard letter == 0 || sign == 0 else { throw CoordinateError(.signWithLetter, at: position) }
    let magnitude = try magnitude(packedDegreeDigits: packedDegreeDigits(direction))
    return letter < 0 || sign < 0 ? -magnitude : magnitude
  }

  /// With a letter, the length distinguishes DDMM.M and DDMMSS.S (one more digit for longitudes).
  private func packedDegreeDigits(_ direction: Direction?) -> Int? {
    guard let direction, direction.sign != 0, parts.count == 1, !isMarked else { return nil }
    return direction.isLatitude ? 2 : 3
  }

  private func magnitude(packedDegreeDigits: Int?) throws(CoordinateError) -> Double {
    let first = parts[0]
    if first.whole.utf8.count > 3 {
      if let packedDegreeDigits,
        let unpacked = try first.unpacked(degreeDigits: packedDegreeDigits)
      {
        return unpacked
      }
      // Leading zeros make it ambiguous; without them it is out of range.
      if first.value <= 180 { throw CoordinateError(.badNumber, at: first.position) }
    }
    guard parts.count > 1 else { return first.value }
    let minutes = parts[1]
    guard minutes.value < 60 else {
      throw CoordinateError(.minutesOutOfRange, at: minutes.position)
    }
    // One division at the end: 3°24'18" is 3.405, not its neighbour.
    guard parts.count > 2 else { return (first.value * 60 + minutes.value) / 60 }
    let seconds = parts[2]
    guard seconds.value < 60 else {
      throw CoordinateError(.secondsOutOfRange, at: seconds.position)
    }
    return (first.value * 3600 + minutes.value * 60 + seconds.value) / 3600
  }
}

extension CoordinateToken {
  fileprivate var digits: Digits? {
    if case .number(let digits, _) = kind { digits } else { nil }
  }

  fileprivate var direction: Direction? {
    if case .direction(let direction) = kind { direction } else { nil }
  }

  fileprivate var isMark: Bool {
    if case .mark = kind { true } else { false }
  }

  fileprivate var isSigned: Bool {
    if case .number(_, let sign) = kind { sign != 0 } else { false }
  }

  fileprivate var isSeparator: Bool {
    if case .separator = kind { true } else { false }
  }

  fileprivate var isTight: Bool {
    if case .separator(tight: true, semicolon: _) = kind { true } else { false }
  }

  fileprivate var isSemicolon: Bool {
    if case .separator(tight: _, semicolon: true) = kind { true } else { false }
  }
}

extension ArraySlice<CoordinateToken> {
  /// At most one separator at each end.
  fileprivate mutating func dropSeparators(leading: Bool, trailing: Bool) {
    if leading, first?.isSeparator == true { removeFirst() }
    if trailing, last?.isSeparator == true { removeLast() }
  }
}
