/// The forms in which coordinates are printed; all of them can be read back.
package enum CoordinateFormat: String, CaseIterable, Sendable {
  /// `52.520000, 13.405000`: latitude first, six decimals (0.1 m).
  case decimalDegrees = "dd"
  /// `N 52° 31.2000' E 013° 24.3000'`: as on GPS receivers and charts, four decimals of a minute
  /// (0.2 m).
  case degreesMinutes = "dm"
  /// `52°31′12.00″N 13°24′18.00″E`: two decimals of a second (0.3 m).
  case degreesMinutesSeconds = "dms"
  /// `geo:52.52,13.405`: RFC 5870, up to six decimals without the zeros at the end.
  case geoURI = "geo"
  /// `9F4MGC94+2X`: a Plus Code of ten digits, a cell of 14 m from north to south.
  case plusCode = "plus_code"
  /// `33U 391776 5820072`: zone, band (N for the band S), metres east and north; around the poles
  /// UPS.
  case utm
  /// `33UUU9177620072`: the square of a metre in the Military Grid Reference System.
  case mgrs

  /// The number of decimals of the last unit where none is asked for.
  package var defaultDecimals: Int {
    switch self {
    case .decimalDegrees, .geoURI: 6
    case .degreesMinutes: 4
    case .degreesMinutesSeconds: 2
    case .plusCode, .utm, .mgrs: 0
    }
  }
}

extension Coordinate {
  /// The coordinate as text, rounded to `decimals` (0…9) of the last unit; Plus Codes and MGRS name
  /// the cell that holds it, always of the same size.
  ///
  /// The rounding is carried through all units, so 60 minutes or seconds never appear, nor does a
  /// negative zero.
  package func formatted(_ format: CoordinateFormat, decimals: Int? = nil) -> String {
    let places = max(0, min(9, decimals ?? format.defaultDecimals))
    switch format {
    case .decimalDegrees:
      return DecimalText.fixed(latitude, decimals: places) + ", "
        + DecimalText.fixed(longitude, decimals: places)
    case .degreesMinutes:
      let north = Sexagesimal(latitude, positive: "N", negative: "S")
      let east = Sexagesimal(longitude, positive: "E", negative: "W")
      return north.minutes(decimals: places, width: 2) + " "
        + east.minutes(decimals: places, width: 3)
    case .degreesMinutesSeconds:
      let north = Sexagesimal(latitude, positive: "N", negative: "S")
      let east = Sexagesimal(longitude, positive: "E", negative: "W")
      return north.seconds(decimals: places) + " " + east.seconds(decimals: places)
    case .geoURI:
      // RFC 5870, section 3.4.2: the longitude of a pole should be 0.
      let north = DecimalText.trimmed(DecimalText.fixed(latitude, decimals: places))
      let east = DecimalText.trimmed(DecimalText.fixed(longitude, decimals: places))
      return "geo:\(north),\(north == "90" || north == "-90" ? "0" : east)"
    case .plusCode: return PlusCode.encode(self)
    case .utm: return UTM.format(self, decimals: places)
    case .mgrs: return MGRS.format(self)
    }
  }
}

/// One angle to be written in degrees and parts of sixty.
private struct Sexagesimal {
  let magnitude: Double
  let letters: (positive: String, negative: String)
  let isNegative: Bool

  init(_ degrees: Double, positive: String, negative: String) {
    magnitude = abs(degrees)
    isNegative = degrees < 0
    letters = (positive, negative)
  }

  private func letter(_ scaled: Int) -> String {
    isNegative && scaled > 0 ? letters.negative : letters.positive
  }

  func minutes(decimals: Int, width: Int) -> String {
    let unit = DecimalText.power(decimals)
    let total = DecimalText.scaled(magnitude * 60, by: decimals) ?? 0
    let degrees = DecimalText.unsigned(total / (60 * unit), decimals: 0, width: width)
    let rest = DecimalText.unsigned(total % (60 * unit), decimals: decimals, width: 2)
    return "\(letter(total)) \(degrees)° \(rest)'"
  }

  func seconds(decimals: Int) -> String {
    let unit = DecimalText.power(decimals)
    let total = DecimalText.scaled(magnitude * 3600, by: decimals) ?? 0
    let minutes = DecimalText.unsigned(total / (60 * unit) % 60, decimals: 0, width: 2)
    let rest = DecimalText.unsigned(total % (60 * unit), decimals: decimals, width: 2)
    return "\(total / (3600 * unit))°\(minutes)′\(rest)″\(letter(total))"
  }
}
