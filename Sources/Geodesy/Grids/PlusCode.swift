/// Plus Codes of the Open Location Code specification 1.0
/// (https://github.com/google/open-location-code, Documentation/Specification). Pairs of base-20
/// digits give ever smaller cells. A plus sign follows the eighth digit, then digits for a grid of
/// 5 by 4.
enum PlusCode {
  private static let alphabet = Array("23456789CFGHJMPQRVWX".unicodeScalars)
  /// Digits that count; further ones are valid and change nothing.
  private static let longest = 15
  /// Of the smallest cell, 8000 · 5⁵ and 8000 · 4⁵ to a degree.
  private static let latitudeUnits = 25_000_000.0
  private static let longitudeUnits = 8_192_000.0

  /// The code of ten digits, a cell of 1/8000 of a degree (14 m from north to south).
  static func encode(_ point: Coordinate) -> String {
    var north = Int(((point.latitude + 90) * latitudeUnits * 1e6).rounded() / 1e6)
    north = max(0, min(north, Int(180 * latitudeUnits) - 1))
    var east = Int(((point.longitude + 180) * longitudeUnits * 1e6).rounded() / 1e6)
    east = max(0, east) % Int(360 * longitudeUnits)
    var code: [Unicode.Scalar] = []
    for _ in 0..<5 {
      code.append(alphabet[north % 5 * 4 + east % 4])
      north /= 5
      east /= 4
    }
    for _ in 0..<5 {
      code.append(alphabet[east % 20])
      code.append(alphabet[north % 20])
      north /= 20
      east /= 20
    }
    var text = String.UnicodeScalarView()
    for (index, digit) in code.reversed().prefix(10).enumerated() {
      if index == 8 { text.append("+") }
      text.append(digit)
    }
    return String(text)
  }

  /// A plus sign behind an even number of code digits, eight at most. Without any, a letter must
  /// distinguish the code behind it from a number with a sign.
  static func resemblesCode(_ start: TextCursor) -> Bool {
    var cursor = start
    let before = cursor.takeWhile { digit($0) != nil || $0 == "0" }.unicodeScalars.count
    guard cursor.peek() == "+", before <= 8, before.isMultiple(of: 2) else { return false }
    if before == 0 {
      cursor.skip()
      let code = cursor.takeWhile { digit($0) != nil }
      return code.unicodeScalars.count >= 2 && code.unicodeScalars.contains { !$0.isDigit }
        && cursor.peek().map { $0.isBlank || $0 == "," } == true
    }
    let next = cursor.peek(1)
    return next == nil
      || next.map { $0.isBlank || $0 == "," || $0.isDigit || $0.isASCIILetter } == true
  }

  /// The middle of the cell. A short code needs a coordinate near by behind it.
  static func parse(_ start: TextCursor) throws(CoordinateError) -> Coordinate {
    var cursor = start
    var values: [Int] = []
    var padding = 0
    while let scalar = cursor.peek(), scalar != "+" {
      if scalar == "0" {
        padding += 1
      } else if let value = digit(scalar), padding == 0 {
        values.append(value)
      } else {
        throw CoordinateError(.badPlusCode, at: cursor.position)
      }
      cursor.skip()
    }
    let missing = 8 - values.count - padding
    cursor.skip()
    while let scalar = cursor.peek(), !scalar.isBlank, scalar != "," {
      guard padding == 0, let value = digit(scalar) else {
        throw CoordinateError(.badPlusCode, at: cursor.position)
      }
      if values.count < longest { values.append(value) }
      cursor.skip()
    }
    // Pairs of zeros, no single digit behind the plus sign, and zeros in a full code alone.
    guard padding.isMultiple(of: 2), values.count >= 2, padding == 0 || missing == 0,
      values.count != 9 - missing
    else { throw CoordinateError(.badPlusCode, at: cursor.position - 1) }
    cursor.skipSpaces()
    if missing > 0 {
      _ = cursor.take(",")
      cursor.skipSpaces()
      guard !cursor.isAtEnd else { throw CoordinateError(.shortPlusCode, at: start.position) }
      let reference = try ParsedCoordinate.parse(cursor).coordinate
      return try recover(values, missing: missing, near: reference, at: start.position)
    }
    guard cursor.isAtEnd else { throw CoordinateError(.unexpectedCharacter, at: cursor.position) }
    // Twenty digits to the base 20 would go beyond the pole and once more around.
    guard values[0] < 9 else { throw CoordinateError(.badPlusCode, at: start.position) }
    guard values[1] < 18 else { throw CoordinateError(.badPlusCode, at: start.position + 1) }
    return try middle(values, at: start.position)
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    let upper = scalar.properties.uppercaseMapping.unicodeScalars.first ?? scalar
    return alphabet.firstIndex(of: upper)
  }

  private static func middle(
    _ values: [Int], at position: Int
  ) throws(CoordinateError) -> Coordinate {
    var south = -90.0
    var west = -180.0
    var height = 400.0
    var width = 400.0
    for (index, value) in values.enumerated() {
      if index >= 10 {
        height /= 5
        width /= 4
        south += Double(value / 4) * height
        west += Double(value % 4) * width
      } else if index.isMultiple(of: 2) {
        height /= 20
        south += Double(value) * height
      } else {
        width /= 20
        west += Double(value) * width
      }
    }
    return try Coordinate(
      latitude: min(south + height / 2, 90), at: position, longitude: west + width / 2,
      at: position)
  }

  /// The place nearest to `reference` whose code ends so.
  private static func recover(
    _ values: [Int], missing: Int, near reference: Coordinate, at position: Int
  ) throws(CoordinateError) -> Coordinate {
    let prefix = encode(reference).unicodeScalars.prefix(missing).compactMap { digit($0) }
    let cell = try middle(prefix + values, at: position)
    // The size of the cells that the missing digits number.
    let step = missing == 2 ? 20.0 : missing == 4 ? 1 : missing == 6 ? 0.05 : 0.0025
    var latitude = cell.latitude
    var longitude = cell.longitude
    if reference.latitude + step / 2 < latitude, latitude - step >= -90 {
      latitude -= step
    } else if reference.latitude - step / 2 > latitude, latitude + step <= 90 {
      latitude += step
    }
    if reference.longitude + step / 2 < longitude {
      longitude -= step
    } else if reference.longitude - step / 2 > longitude {
      longitude += step
    }
    return Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
  }
}
