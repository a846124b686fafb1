/// `geo:` URIs, RFC 5870. An altitude and unknown parameters are read over; Android's `?q=` and
/// `?z=` are understood.
enum GeoURI {
  static func parse(_ start: TextCursor) throws(CoordinateError) -> ParsedCoordinate {
    var cursor = start
    cursor.skip(4)
    let latitude = try number(&cursor)
    guard cursor.take(",") else { throw CoordinateError(.incomplete, at: cursor.position) }
    let longitude = try number(&cursor)
    if cursor.take(",") { _ = try number(&cursor) }
    var uncertainty: Double?
    while cursor.take(";") {
      let position = cursor.position
      let name = cursor.takeWhile { $0.isASCIILetter || $0.isDigit || $0 == "-" }.lowercased()
      guard !name.isEmpty else { throw CoordinateError(.badGeoURI, at: position) }
      let hasValue = cursor.take("=")
      switch name {
      case "crs":
        let system = cursor.takeWhile { $0 != ";" && $0 != "?" }
        guard system.lowercased() == "wgs84" else {
          throw CoordinateError(.unsupportedReferenceSystem, at: position)
        }
      case "u":
        guard hasValue, uncertainty == nil else { throw CoordinateError(.badGeoURI, at: position) }
        uncertainty = try cursor.takeNumber(points: ["."]).value
      default:
        _ = cursor.takeWhile { $0 != ";" && $0 != "?" && !$0.isBlank }
      }
    }
    let coordinate = try Coordinate(
      latitude: latitude.value, at: latitude.position,
      longitude: longitude.value, at: longitude.position)
    guard cursor.peek() == "?" else {
      guard cursor.isAtEnd else { throw CoordinateError(.badGeoURI, at: cursor.position) }
      return ParsedCoordinate(coordinate: coordinate, uncertainty: uncertainty)
    }
    cursor.skip()
    // A query for a place stands in for the position, which is then often 0,0.
    for parameter in LinkParameter.list(&cursor) where parameter.name == "q" {
      guard let found = try parameter.placedCoordinate() else {
        throw CoordinateError(.linkWithoutCoordinate, at: parameter.position)
      }
      return ParsedCoordinate(coordinate: found, uncertainty: uncertainty)
    }
    return ParsedCoordinate(coordinate: coordinate, uncertainty: uncertainty)
  }

  private static func number(
    _ cursor: inout TextCursor
  ) throws(CoordinateError) -> (value: Double, position: Int) {
    let position = cursor.position
    let negative = cursor.take("-")
    let magnitude = try cursor.takeNumber(points: ["."]).value
    return (negative ? -magnitude : magnitude, position)
  }
}
