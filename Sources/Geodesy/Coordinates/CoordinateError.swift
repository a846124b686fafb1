/// Why a text is not read as a coordinate, and where.
package struct CoordinateError: Error, Hashable, CustomStringConvertible {
  /// The kind of fault; `CoordinateError.description` describes it.
  package enum Reason: Hashable, Sendable, CaseIterable {
    // The text as a whole.
    case empty, tooLong, unexpectedCharacter, badNumber
    // Numbers that are missing, or that could be put together in more than one way.
    case incomplete, ambiguousNumbers, ambiguousComma
    // Hemisphere letters and names of axes.
    case ambiguousLetter, missingLetter, misplacedLetter, sameAxis
    // Signs and marks around a number.
    case misplacedSign, signWithLetter, misplacedMark, fractionNotLast
    // Values.
    case latitudeOutOfRange, longitudeOutOfRange, minutesOutOfRange, secondsOutOfRange
    // ISO 6709 and geo URIs.
    case badISO6709, badGeoURI, unsupportedReferenceSystem
    // Plus Codes and grids.
    case badPlusCode, shortPlusCode, badUTM, badMGRS, badMaidenhead, outsideGrid
    case ambiguousHemisphere
    // Map links.
    case unknownLink, shortLink, severalPlaces, linkWithoutCoordinate
  }

  package let reason: Reason
  /// The character (Unicode scalar) of the text where it goes wrong, counted from 1.
  package let position: Int

  /// An error at `position`, counted from 1.
  package init(_ reason: Reason, at position: Int) {
    self.reason = reason
    self.position = position
  }

  /// One sentence for people.
  package var description: String {
    reason == .empty ? reason.sentence : "at character \(position): \(reason.sentence)"
  }
}

extension CoordinateError.Reason {
  fileprivate var sentence: String {
    switch self {
    case .empty: "no coordinate given; write it like 52.52,13.405"
    case .tooLong: "too long for a coordinate; give 2048 characters at most"
    case .unexpectedCharacter: "this does not belong to a coordinate; write it like 52.52,13.405"
    case .badNumber: "not a number that fits here; write degrees like 52.52 or 52 31.2"
    case .incomplete: "latitude or longitude is missing; give both, like 52.52,13.405"
    case .ambiguousNumbers:
      "it is not clear which numbers belong together; mark them, like N 52° 31.2' E 13° 24.3'"
    case .ambiguousComma:
      "a comma could be a decimal sign or a separator; use decimal points, or part with ';'"
    case .ambiguousLetter: "O is east in some languages and west in others; write E or W"
    case .missingLetter: "only one half has a letter; give N or S and E or W, or neither"
    case .misplacedLetter:
      "the letters must both stand before or both behind their numbers; write N 52.52 E 13.405"
    case .sameAxis: "twice the same axis; give one latitude and one longitude"
    case .misplacedSign: "a sign belongs right before the degrees; write -33.87,151.21"
    case .signWithLetter: "a sign and a letter together are ambiguous; use one of them"
    case .misplacedMark: "this mark is out of order; write degrees, then minutes, then seconds"
    case .fractionNotLast: "only the last part may have a fraction; write 52° 31.2'"
    case .latitudeOutOfRange: "the latitude is beyond 90°; check the number and the order lat,lon"
    case .longitudeOutOfRange: "the longitude is beyond 180°; check the number"
    case .minutesOutOfRange: "minutes must be below 60; check the number"
    case .secondsOutOfRange: "seconds must be below 60; check the number"
    case .badISO6709:
      "not an ISO 6709 position; write ±DD.D±DDD.D/, ±DDMM.M±DDDMM.M/ or ±DDMMSS.S±DDDMMSS.S/"
    case .badGeoURI: "not a geo URI; write it like geo:52.52,13.405;u=35"
    case .unsupportedReferenceSystem:
      "only the reference system WGS 84 is understood; convert first"
    case .badPlusCode: "not a Plus Code; write it like 9F4MGC94+2X"
    case .shortPlusCode:
      "a short Plus Code needs a coordinate near by; write it like GC94+2X 52.5,13.4"
    case .badUTM: "not a UTM position; write zone and band, easting, northing: 33U 391776 5820072"
    case .badMGRS: "not an MGRS reference; write it like 33UUU9177620072"
    case .badMaidenhead: "not a Maidenhead locator; write it like JO62qm"
    case .outsideGrid: "this does not lie in the zone and band given; check the letters and numbers"
    case .ambiguousHemisphere:
      "S could be the southern hemisphere or the band from 32° to 40° N; give decimal degrees"
    case .unknownLink:
      "not a map link of OpenStreetMap, Google or Apple; give the coordinate itself"
    case .shortLink:
      "a shortened link hides the position; open it and copy the full link or the coordinate"
    case .severalPlaces: "the link names several places; give the coordinate of one"
    case .linkWithoutCoordinate:
      "the link holds no position; copy the coordinate from the map instead"
    }
  }
}
