/// A coordinate read from text, with its uncertainty.
package struct ParsedCoordinate: Hashable, Sendable {
  package let coordinate: Coordinate
  /// The radius in metres within which the point is, where a geo URI said so (`u`, RFC 5870).
  package let uncertainty: Double?

  package init(coordinate: Coordinate, uncertainty: Double? = nil) {
    self.coordinate = coordinate
    self.uncertainty = uncertainty
  }

  /// Reads a coordinate as people type or paste it.
  ///
  /// Degrees, degrees and minutes, or degrees, minutes and seconds, with signs or hemisphere
  /// letters (before or after), marks or none, decimal point or comma; packed digits as in NMEA
  /// 0183 (`5231.200N01324.300E`); geo URIs (RFC 5870); ISO 6709 (the altitude is ignored); links
  /// of OpenStreetMap, Google Maps and Apple Maps; Plus Codes, short ones followed by a coordinate
  /// near by; UTM, UPS and MGRS; Maidenhead locators. Latitude comes first unless letters say
  /// otherwise. Ambiguous input is rejected. Linear in the length of the text, at most 2048
  /// characters.
  package init(parsing text: String) throws(CoordinateError) {
    let scalars = Array(text.unicodeScalars.prefix(2049))
    guard scalars.count <= 2048 else { throw CoordinateError(.tooLong, at: 2049) }
    var cursor = TextCursor(scalars)
    cursor.skipSpaces()
    guard !cursor.isAtEnd else { throw CoordinateError(.empty, at: 1) }
    cursor.dropTrailingSpaces()
    self = try Self.parse(cursor)
  }

  /// Selects the form by the beginning of the text.
  static func parse(_ cursor: TextCursor) throws(CoordinateError) -> ParsedCoordinate {
    if cursor.starts(withIgnoringCase: "geo:") { return try GeoURI.parse(cursor) }
    let coordinate =
      if MapLink.resemblesLink(cursor) {
        try MapLink.parse(cursor)
      } else if ISO6709.resemblesPosition(cursor) {
        try ISO6709.parse(cursor)
      } else if PlusCode.resemblesCode(cursor) {
        try PlusCode.parse(cursor)
      } else if UTM.resemblesPosition(cursor) {
        try UTM.parse(cursor)
      } else if MGRS.resemblesReference(cursor) {
        try MGRS.parse(cursor)
      } else if Maidenhead.resemblesLocator(cursor) {
        try Maidenhead.parse(cursor)
      } else {
        try TypedCoordinate.parse(cursor)
      }
    return ParsedCoordinate(coordinate: coordinate)
  }
}

extension Coordinate {
  /// Reads a coordinate in any of the forms of `ParsedCoordinate`.
  package init(parsing text: String) throws(CoordinateError) {
    self = try ParsedCoordinate(parsing: text).coordinate
  }

  /// Reads one angle in degrees, as people type it; an angle beyond its range too.
  package static func angle(
    parsing text: String, isLatitude: Bool
  ) throws(CoordinateError) -> Double {
    let scalars = Array(text.unicodeScalars.prefix(2049))
    guard scalars.count <= 2048 else { throw CoordinateError(.tooLong, at: 2049) }
    var cursor = TextCursor(scalars)
    cursor.dropTrailingSpaces()
    return rounded(try TypedCoordinate.angle(cursor, isLatitude: isLatitude))
  }

  /// The latitude and longitude read at two positions, or the error that names the one beyond
  /// its range.
  init(
    latitude: Double, at latitudePosition: Int, longitude: Double, at longitudePosition: Int
  ) throws(CoordinateError) {
    guard abs(latitude) <= 90 else {
      throw CoordinateError(.latitudeOutOfRange, at: latitudePosition)
    }
    let valid = Coordinate(
      latitude: Self.rounded(latitude), longitude: Self.rounded(longitude))
    guard let valid else {
      throw CoordinateError(.longitudeOutOfRange, at: longitudePosition)
    }
    self = valid
  }

  /// Sixtieths have no exact double: to a thousand-millionth of a second of arc, 31.2' is 0.52
  /// again.
  private static func rounded(_ degrees: Double) -> Double { (degrees * 1e13).rounded() / 1e13 }
}
