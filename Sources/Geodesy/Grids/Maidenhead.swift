/// Maidenhead locators of amateur radio: `JO62qm`, pairs of letters and digits in turn, each for a
/// smaller cell (IARU Region 1 VHF Managers Handbook, version 9, section XI.1).
enum Maidenhead {
  /// Cells in a cell of the pair before, for the first pair in the whole.
  private static let divisions = [18, 10, 24, 10, 24]

  /// Two letters, two digits and two letters, and perhaps further pairs, with nothing behind.
  static func resemblesLocator(_ start: TextCursor) -> Bool {
    var cursor = start
    let word = cursor.takeWhile { $0.isASCIILetter || $0.isDigit }.unicodeScalars
    guard cursor.isAtEnd, [6, 8, 10].contains(word.count) else { return false }
    return word.enumerated().allSatisfy { index, scalar in
      index / 2 % 2 == 0 ? scalar.isASCIILetter : scalar.isDigit
    }
  }

  /// The middle of the cell.
  static func parse(_ start: TextCursor) throws(CoordinateError) -> Coordinate {
    var cursor = start
    var (east, north, width, height) = (-180.0, -90.0, 360.0, 180.0)
    for division in divisions where !cursor.isAtEnd {
      width /= Double(division)
      height /= Double(division)
      east += Double(try digit(&cursor, below: division)) * width
      north += Double(try digit(&cursor, below: division)) * height
    }
    return try Coordinate(
      latitude: north + height / 2, at: start.position, longitude: east + width / 2,
      at: start.position)
  }

  private static func digit(
    _ cursor: inout TextCursor, below limit: Int
  ) throws(CoordinateError) -> Int {
    guard let scalar = cursor.peek() else {
      throw CoordinateError(.badMaidenhead, at: cursor.position)
    }
    let zero: Unicode.Scalar = scalar.isDigit ? "0" : "A"
    let value = Int(scalar.asciiUppercased.value) - Int(zero.value)
    guard (0..<limit).contains(value) else {
      throw CoordinateError(.badMaidenhead, at: cursor.position)
    }
    cursor.skip()
    return value
  }
}
