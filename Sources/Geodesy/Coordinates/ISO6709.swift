/// Positions in the form of ISO 6709 annex H: `+52.52+013.405/`, `+5231.2+01324.3/`,
/// `+523112+0132418+34CRSWGS_84/`. The number of digits before the point gives the units.
enum ISO6709 {
  /// A signed number with another one right behind it.
  static func resemblesPosition(_ cursor: TextCursor) -> Bool {
    var cursor = cursor
    guard let sign = cursor.peek(), sign == "+" || sign.isMinus else { return false }
    cursor.skip()
    _ = cursor.takeWhile { $0.isDigit || $0 == "." || $0 == "," }
    guard cursor.peek(-1)?.isDigit == true, let next = cursor.peek() else { return false }
    return next == "+" || next.isMinus
  }

  static func parse(_ start: TextCursor) throws(CoordinateError) -> Coordinate {
    var cursor = start
    let latitude = try angle(&cursor, degreeDigits: 2)
    let longitude = try angle(&cursor, degreeDigits: 3)
    guard latitude.units == longitude.units else {
      throw CoordinateError(.badISO6709, at: longitude.position)
    }
    if let sign = cursor.peek(), sign == "+" || sign.isMinus {
      cursor.skip()
      _ = try cursor.takeNumber(points: [".", ","])
    }
    if cursor.starts(withIgnoringCase: "crs") {
      let position = cursor.position
      let system = cursor.takeWhile { $0 != "/" }
      guard system == "CRSWGS_84" else {
        throw CoordinateError(.unsupportedReferenceSystem, at: position)
      }
    }
    _ = cursor.take("/")
    guard cursor.isAtEnd else { throw CoordinateError(.unexpectedCharacter, at: cursor.position) }
    return try Coordinate(
      latitude: latitude.degrees, at: latitude.position,
      longitude: longitude.degrees, at: longitude.position)
  }

  private static func angle(
    _ cursor: inout TextCursor, degreeDigits: Int
  ) throws(CoordinateError) -> (degrees: Double, units: Int, position: Int) {
    let position = cursor.position
    guard let sign = cursor.peek(), sign == "+" || sign.isMinus else {
      throw CoordinateError(.badISO6709, at: position)
    }
    cursor.skip()
    let digits = try cursor.takeNumber(points: [".", ","])
    let extra = digits.whole.utf8.count - degreeDigits
    let magnitude: Double
    if extra == 0 {
      magnitude = digits.value
    } else if let unpacked = try digits.unpacked(degreeDigits: degreeDigits) {
      magnitude = unpacked
    } else {
      throw CoordinateError(.badISO6709, at: position)
    }
    return (sign == "+" ? magnitude : -magnitude, extra, position)
  }
}
