/// Positions of UTM as people write them: `33U 391776 5820072`, with the letter of the band or of
/// the hemisphere, `mE` and `mN` or not; of UPS: `Z 2000000 2000000`.
enum UTM {
  static func format(_ point: Coordinate, decimals: Int) -> String {
    let grid = GridPosition(point)
    let numbers =
      DecimalText.fixed(grid.easting, decimals: decimals, width: 6) + " "
      + DecimalText.fixed(grid.northing, decimals: decimals)
    guard grid.zone > 0 else { return "\(grid.polarBand) \(numbers)" }
    let band = GridPosition.band(latitude: point.latitude, longitude: point.longitude)
    // S would also be read as south; N is the hemisphere of that band.
    return "\(grid.zone)\(band == "S" ? "N" : band) \(numbers)"
  }

  /// A zone with a letter, and a number of six digits or seven behind it.
  static func resemblesPosition(_ start: TextCursor) -> Bool {
    var cursor = start
    if cursor.starts(withIgnoringCase: "utm") { return true }
    let zone = cursor.takeWhile(\.isDigit)
    guard zone.utf8.count <= 2 else { return false }
    cursor.skipSpaces()
    guard let letter = cursor.peek(), letter.isASCIILetter else { return false }
    if zone.isEmpty, !"abyz".unicodeScalars.contains(letter.asciiLowercased) { return false }
    cursor.skip()
    guard cursor.peek()?.isBlank == true else { return false }
    cursor.skipSpaces()
    let easting = cursor.takeWhile(\.isDigit).utf8.count
    return (6...7).contains(easting) && cursor.peek() != "°"
  }

  static func parse(_ start: TextCursor) throws(CoordinateError) -> Coordinate {
    var cursor = start
    if cursor.starts(withIgnoringCase: "utm") {
      cursor.skip(3)
      cursor.skipSpaces()
    }
    let zonePosition = cursor.position
    let zoneDigits = cursor.takeWhile(\.isDigit)
    cursor.skipSpaces()
    let letterPosition = cursor.position
    guard let letter = cursor.peek()?.asciiUppercased, letter.isASCIILetter else {
      throw CoordinateError(.badUTM, at: letterPosition)
    }
    cursor.skip()
    cursor.skipSpaces()
    let easting = try metres(&cursor, unit: "e")
    _ = cursor.take(",")
    cursor.skipSpaces()
    let northing = try metres(&cursor, unit: "n")
    guard cursor.isAtEnd else { throw CoordinateError(.unexpectedCharacter, at: cursor.position) }
    if zoneDigits.isEmpty {
      return try polar(letter, letterPosition, easting, northing)
    }
    guard let zone = Int(zoneDigits), (1...60).contains(zone) else {
      throw CoordinateError(.badUTM, at: zonePosition)
    }
    guard (100_000...900_000).contains(easting.value) else {
      throw CoordinateError(.outsideGrid, at: easting.position)
    }
    guard northing.value <= 10_000_000 else {
      throw CoordinateError(.outsideGrid, at: northing.position)
    }
    func point(isNorth: Bool) -> Coordinate {
      GridPosition(
        zone: zone, isNorth: isNorth, easting: easting.value, northing: northing.value
      ).coordinate
    }
    return try choose(letter, letterPosition, point, northing.position)
  }

  /// Resolves N and S, which may be a hemisphere or a band (0–8° N and 32–40° N), by the position;
  /// if both fit, it is ambiguous.
  private static func choose(
    _ letter: Unicode.Scalar, _ letterPosition: Int, _ point: (Bool) -> Coordinate,
    _ northingPosition: Int
  ) throws(CoordinateError) -> Coordinate {
    guard let band = GridPosition.latitudes(of: letter) else {
      throw CoordinateError(.badUTM, at: letterPosition)
    }
    let isNorthBand = band.lowerBound >= 0
    let inBand = point(isNorthBand)
    // A metre that was rounded off may lead out of the band.
    let fitsBand = (band.lowerBound - 1e-3...band.upperBound + 1e-3).contains(inBand.latitude)
    switch letter {
    case "N": return try inRange(point(true), northingPosition)
    case "S":
      let south = point(false)
      guard fitsBand else { return try inRange(south, northingPosition) }
      guard south.latitude < -80 else {
        throw CoordinateError(.ambiguousHemisphere, at: letterPosition)
      }
      return inBand
    default:
      guard fitsBand else { throw CoordinateError(.outsideGrid, at: northingPosition) }
      return inBand
    }
  }

  private static func inRange(
    _ point: Coordinate, _ position: Int
  ) throws(CoordinateError) -> Coordinate {
    guard (-80.001...84.001).contains(point.latitude) else {
      throw CoordinateError(.outsideGrid, at: position)
    }
    return point
  }

  private static func polar(
    _ letter: Unicode.Scalar, _ position: Int, _ easting: (value: Double, position: Int),
    _ northing: (value: Double, position: Int)
  ) throws(CoordinateError) -> Coordinate {
    guard "ABYZ".unicodeScalars.contains(letter) else {
      throw CoordinateError(.badUTM, at: position)
    }
    for number in [easting, northing] where !(700_000...3_300_000).contains(number.value) {
      throw CoordinateError(.outsideGrid, at: number.position)
    }
    let isNorth = letter == "Y" || letter == "Z"
    let point = GridPosition(
      zone: 0, isNorth: isNorth, easting: easting.value, northing: northing.value
    ).coordinate
    guard abs(point.latitude) >= (isNorth ? 83.999 : 79.999) else {
      throw CoordinateError(.outsideGrid, at: easting.position)
    }
    return point
  }

  /// A number with `m`, `mE`, `E` (or N) behind it, or nothing.
  private static func metres(
    _ cursor: inout TextCursor, unit: Unicode.Scalar
  ) throws(CoordinateError) -> (value: Double, position: Int) {
    let position = cursor.position
    guard cursor.peek()?.isDigit == true else { throw CoordinateError(.badUTM, at: position) }
    let value = try cursor.takeNumber(points: ["."]).value
    cursor.skipSpaces()
    if cursor.peek()?.asciiLowercased == "m" {
      cursor.skip()
      cursor.skipSpaces()
    }
    if cursor.peek()?.asciiLowercased == unit { cursor.skip() }
    cursor.skipSpaces()
    return (value, position)
  }
}

extension Unicode.Scalar {
  var asciiUppercased: Unicode.Scalar {
    self >= "a" && self <= "z" ? Unicode.Scalar(UInt8(truncatingIfNeeded: value) & 0xDF) : self
  }
}
