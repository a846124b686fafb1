import Geodesy

/// The text of KML's `<coordinates>`: tuples `lon,lat[,altitude]` with blanks between.
///
/// Writers also leave a comma behind a tuple, a blank behind a comma, and the blank between tuples
/// out; write decimal commas; and separate the numbers of a point by blanks alone. Each is read
/// where it has one meaning.
enum KMLCoordinates {
  /// - Parameter isOne: whether the text is one position.
  static func points(_ text: String, isOne: Bool) throws(Fault) -> [Coordinate] {
    var tuples = text.utf8.split { $0 <= 0x20 }.map { numbers(Substring($0)) }
    if isOne, (2...3).contains(tuples.count), tuples.allSatisfy({ $0.count == 1 }),
      !text.contains(",")
    {
      tuples = [tuples.flatMap { $0 }]
    } else if !tuples.allSatisfy({ (2...3).contains($0.count) }) {
      tuples = withoutBlanksAtCommas(text).split(separator: " ").map { numbers($0) }
    }
    var points: [Coordinate] = []
    for tuple in tuples {
      guard let positions = positions(in: tuple) else {
        throw Fault(
          "'\(tuple.joined(separator: ",").prefix(40))' is no position; write lon,lat and a blank "
            + "between positions")
      }
      for (east, north) in positions {
        points.append(try Coordinate(latitude: String(north), longitude: String(east)))
      }
    }
    return points
  }

  /// The numbers of a tuple, without a comma at its ends.
  private static func numbers(_ tuple: Substring) -> [Substring] {
    var numbers = tuple.split(separator: ",", omittingEmptySubsequences: false)
    if numbers.count > 1, numbers.last?.isEmpty == true { numbers.removeLast() }
    if numbers.count > 1, numbers.first?.isEmpty == true { numbers.removeFirst() }
    return numbers
  }

  /// The text with one blank between tuples, and none at a comma.
  private static func withoutBlanksAtCommas(_ text: String) -> String {
    var result = ""
    var isAfterBlank = false
    for scalar in text.unicodeScalars {
      if scalar.value <= 0x20 {
        isAfterBlank = true
        continue
      }
      if isAfterBlank, scalar != ",", result.last != "," { result += " " }
      result.unicodeScalars.append(scalar)
      isAfterBlank = false
    }
    return result
  }

  private typealias Position = (east: Substring, north: Substring)

  /// nil where it is not clear which numbers belong together.
  private static func positions(in tuple: [Substring]) -> [Position]? {
    if (2...3).contains(tuple.count) { return [(tuple[0], tuple[1])] }
    guard tuple.contains(where: { $0.contains(".") }) else { return decimalCommas(tuple) }
    // The blanks between tuples are missing. Altitudes are all the same where they are not known.
    let isFlat = stride(from: 2, to: tuple.count, by: 3).allSatisfy { tuple[$0] == tuple[2] }
    let hasTriples = tuple.count.isMultiple(of: 3)
    let size = hasTriples && (isFlat || tuple.count % 2 == 1) ? 3 : 2
    guard tuple.count > 3, tuple.count.isMultiple(of: size), size == 3 || !hasTriples else {
      return nil
    }
    return stride(from: 0, to: tuple.count, by: size).map { (tuple[$0], tuple[$0 + 1]) }
  }

  /// `21,118,52,085` and perhaps an altitude: three digits and more cannot be degrees of latitude.
  private static func decimalCommas(_ tuple: [Substring]) -> [Position]? {
    func isFraction(_ text: Substring) -> Bool {
      text.utf8.count >= 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    guard (4...6).contains(tuple.count), isFraction(tuple[1]), isFraction(tuple[3]) else {
      return nil
    }
    return [(tuple[0] + "." + tuple[1], tuple[2] + "." + tuple[3])]
  }
}
