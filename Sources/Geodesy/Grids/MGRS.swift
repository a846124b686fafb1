/// The Military Grid Reference System (NGA.STND.0037, 2014): `33UUU9177620072` is the square of a
/// metre in the square UU of 100 km in zone 33, band U. Fewer digits are a larger square, of which
/// the middle is taken.
enum MGRS {
  private static let columnSets = ["ABCDEFGH", "JKLMNPQR", "STUVWXYZ"].map {
    Array($0.unicodeScalars)
  }
  private static let rows = Array("ABCDEFGHJKLMNPQRSTUV".unicodeScalars)
  private static let square = 100_000.0

  /// Columns and rows of UPS and the hundreds of kilometres that they begin at, by the band.
  private struct Cap {
    let columns: [Unicode.Scalar]
    let firstColumn: Int
    let rows: [Unicode.Scalar]
    let firstRow: Int

    init(_ columns: String, from firstColumn: Int, _ rows: String, from firstRow: Int) {
      self.columns = Array(columns.unicodeScalars)
      self.firstColumn = firstColumn
      self.rows = Array(rows.unicodeScalars)
      self.firstRow = firstRow
    }
  }

  private static let caps: [Unicode.Scalar: Cap] = [
    "A": Cap("JKLPQRSTUXYZ", from: 8, "ABCDEFGHJKLMNPQRSTUVWXYZ", from: 8),
    "B": Cap("ABCFGHJKLPQR", from: 20, "ABCDEFGHJKLMNPQRSTUVWXYZ", from: 8),
    "Y": Cap("RSTUXYZ", from: 13, "ABCDEFGHJKLMNP", from: 13),
    "Z": Cap("ABCFGHJ", from: 20, "ABCDEFGHJKLMNP", from: 13),
  ]

  /// To the metre; cut off, not rounded, as the system has it.
  static func format(_ point: Coordinate) -> String {
    let grid = GridPosition(point)
    let column = Int(grid.easting / square)
    let row = Int(grid.northing / square)
    let digits =
      DecimalText.unsigned(Int(grid.easting) % 100_000, decimals: 0, width: 5)
      + DecimalText.unsigned(Int(grid.northing) % 100_000, decimals: 0, width: 5)
    if grid.zone == 0 {
      guard let cap = caps[grid.polarBand] else { return "" }
      let columns = cap.columns[max(0, min(cap.columns.count - 1, column - cap.firstColumn))]
      let rows = cap.rows[max(0, min(cap.rows.count - 1, row - cap.firstRow))]
      return "\(grid.polarBand)\(columns)\(rows)\(digits)"
    }
    let band = GridPosition.band(latitude: point.latitude, longitude: point.longitude)
    let zone = DecimalText.unsigned(grid.zone, decimals: 0, width: 2)
    let letters = columnSets[(grid.zone - 1) % 3]
    let rowLetter = rows[(row + (grid.zone.isMultiple(of: 2) ? 5 : 0)) % rows.count]
    return "\(zone)\(band)\(letters[max(0, min(7, column - 1))])\(rowLetter)\(digits)"
  }

  /// A zone, three letters and digits, blanks aside; not one of the words of typed coordinates.
  static func resemblesReference(_ start: TextCursor) -> Bool {
    var cursor = start
    let zone = cursor.takeWhile(\.isDigit).utf8.count
    guard zone <= 2 else { return false }
    var letters = ""
    var digits = 0
    var word = ""
    var isWord = false
    var hasBlank = false
    while let scalar = cursor.peek() {
      if scalar.isASCIILetter, digits == 0, letters.utf8.count < 3 {
        letters.unicodeScalars.append(scalar.asciiLowercased)
        word.unicodeScalars.append(scalar.asciiLowercased)
      } else if scalar.isDigit, letters.utf8.count == 3 {
        digits += 1
      } else if scalar.isBlank {
        word = ""
        hasBlank = true
      } else {
        return false
      }
      if ["lat", "lon", "lng", "deg", "min", "sec"].contains(word) { isWord = true }
      cursor.skip()
    }
    // 38LNG1234512345 is a square whose letters are a word by chance; `52deg 31` is not.
    if isWord, hasBlank || zone == 0 || digits < 4 || !digits.isMultiple(of: 2) { return false }
    return letters.utf8.count == 3
      && (zone > 0 || "abyz".unicodeScalars.contains(letters.unicodeScalars.first ?? " "))
  }

  static func parse(_ start: TextCursor) throws(CoordinateError) -> Coordinate {
    var cursor = start
    let zonePosition = cursor.position
    let zoneDigits = cursor.takeWhile(\.isDigit)
    var letters: [(letter: Unicode.Scalar, position: Int)] = []
    for _ in 0..<3 {
      cursor.skipSpaces()
      guard let letter = cursor.peek()?.asciiUppercased, letter.isASCIILetter else {
        throw CoordinateError(.badMGRS, at: cursor.position)
      }
      letters.append((letter, cursor.position))
      cursor.skip()
    }
    cursor.skipSpaces()
    let digitsPosition = cursor.position
    var groups: [String] = []
    while let scalar = cursor.peek() {
      guard scalar.isDigit else { throw CoordinateError(.badMGRS, at: cursor.position) }
      groups.append(cursor.takeWhile(\.isDigit))
      cursor.skipSpaces()
    }
    let digits = groups.joined()
    let half = digits.utf8.count / 2
    // A blank may stand between easting and northing alone.
    guard digits.utf8.count.isMultiple(of: 2), half <= 5,
      groups.count < 2 || groups.count == 2 && groups[0].utf8.count == half
    else { throw CoordinateError(.badMGRS, at: digitsPosition) }
    let unit = square / Double(DecimalText.power(half))
    let east = ((Double(digits.prefix(half)) ?? 0) + 0.5) * unit
    let north = ((Double(digits.suffix(half)) ?? 0) + 0.5) * unit
    guard !zoneDigits.isEmpty else { return try polar(letters, east, north) }
    guard let zone = Int(zoneDigits), (1...60).contains(zone) else {
      throw CoordinateError(.badMGRS, at: zonePosition)
    }
    return try inZone(zone, letters, east, north, unit: unit)
  }

  private static func inZone(
    _ zone: Int, _ letters: [(letter: Unicode.Scalar, position: Int)], _ east: Double,
    _ north: Double, unit: Double
  ) throws(CoordinateError) -> Coordinate {
    guard let band = GridPosition.latitudes(of: letters[0].letter) else {
      throw CoordinateError(.badMGRS, at: letters[0].position)
    }
    guard let column = columnSets[(zone - 1) % 3].firstIndex(of: letters[1].letter) else {
      throw CoordinateError(.outsideGrid, at: letters[1].position)
    }
    guard let letterRow = rows.firstIndex(of: letters[2].letter) else {
      throw CoordinateError(.badMGRS, at: letters[2].position)
    }
    let row = (letterRow + rows.count - (zone.isMultiple(of: 2) ? 5 : 0)) % rows.count
    let isNorth = band.lowerBound >= 0
    let easting = Double(column + 1) * square + east
    // Row letters repeat every 2000 km; the band, with partial squares on its edge, selects one.
    let slack = unit * 0.75 / 111_000 + 1e-3
    for cycle in 0..<5 {
      let northing = Double(row + cycle * rows.count) * square + north
      let point = GridPosition(
        zone: zone, isNorth: isNorth, easting: easting, northing: northing
      ).coordinate
      if (band.lowerBound - slack...band.upperBound + slack).contains(point.latitude) {
        return point
      }
    }
    throw CoordinateError(.outsideGrid, at: letters[2].position)
  }

  private static func polar(
    _ letters: [(letter: Unicode.Scalar, position: Int)], _ east: Double, _ north: Double
  ) throws(CoordinateError) -> Coordinate {
    guard let cap = caps[letters[0].letter] else {
      throw CoordinateError(.badMGRS, at: letters[0].position)
    }
    guard let column = cap.columns.firstIndex(of: letters[1].letter) else {
      throw CoordinateError(.outsideGrid, at: letters[1].position)
    }
    guard let row = cap.rows.firstIndex(of: letters[2].letter) else {
      throw CoordinateError(.outsideGrid, at: letters[2].position)
    }
    let isNorth = letters[0].letter == "Y" || letters[0].letter == "Z"
    return GridPosition(
      zone: 0, isNorth: isNorth, easting: Double(column + cap.firstColumn) * square + east,
      northing: Double(row + cap.firstRow) * square + north
    ).coordinate
  }
}
