import JSONText
package import LinuxRuntime

/// A position as GeoClue has it: the properties of `org.freedesktop.GeoClue2.Location`.
package struct GeoClueLocation: Equatable, Sendable {
  /// Microseconds since 1970; nil if unknown.
  let time: UInt64?
  /// Degrees.
  let latitude: Double
  let longitude: Double
  /// Horizontal error in metres, 95 %; nil if unknown.
  let error: Double?
  /// Metres above mean sea level.
  let altitude: Double?
  /// Metres a second.
  let speed: Double?
  /// Degrees from north.
  let heading: Double?

  /// The horizontal error of a receiver by its dilution of precision, as for NMEA sentences
  /// (`Epoch.horizontalError`).
  private static let errorOfDilution = 19.0

  /// - Parameter reply: the answer of `GetAll`; nil without a position.
  package init?(_ reply: [BusValue]) {
    var values: [String: BusValue] = [:]
    for case .entry(.string(let name), .variant(let value)) in reply.first?.elements ?? [] {
      values[name] = value
    }
    func number(_ name: String, from least: Double) -> Double? {
      guard case .double(let value)? = values[name], value.isFinite, value >= least else {
        return nil
      }
      return value
    }
    guard let latitude = number("Latitude", from: -90),
      let longitude = number("Longitude", from: -180)
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    error = number("Accuracy", from: .leastNonzeroMagnitude).map(Self.error)
    altitude = number("Altitude", from: -12_000)
    speed = number("Speed", from: 0)
    heading = number("Heading", from: 0)
    if case .structure(let fields)? = values["Timestamp"],
      case .uint64(let seconds)? = fields.first,
      case .uint64(let fraction)? = fields.last, seconds > 0, seconds < 1 << 40
    {
      time = seconds * 1_000_000 + min(fraction, 999_999)
    } else {
      time = nil
    }
  }

  /// For an NMEA receiver GeoClue gives the dilution by steps: 0 up to HDOP 1, which is as good as
  /// unknown, 1 up to HDOP 2, 3 up to HDOP 5. Larger values are metres.
  private static func error(_ accuracy: Double) -> Double {
    switch accuracy {
    case 1: 2 * errorOfDilution
    case 3: 5 * errorOfDilution
    default: accuracy
    }
  }

  /// The location as a report of gpsd (gpsd_json(5)).
  ///
  /// It is 2D, since its time may be the system's, which proves nothing of the system's clock.
  package var report: String {
    func number(_ value: Double?) -> JSONValue? {
      value.flatMap { JSONNumber($0) }.map { .number($0) }
    }
    let object = JSONObject([
      "class": "TPV", "device": "geoclue", "mode": .int(2),
      "time": number(time.map { Double($0) / 1e6 }), "lat": number(latitude),
      "lon": number(longitude), "altMSL": number(altitude), "eph": number(error),
      "speed": number(speed), "track": number(heading),
    ])
    return JSONValue.object(object).line + "\n"
  }
}
