package import CivilTime
package import Geodesy
import JSONText

/// A position of a phone, in the units of the daemon.
package struct PhonePosition: Equatable, Sendable {
  /// The receiver that it is for the daemon: `owntracks:jane/phone`.
  package let device: String
  package let time: Instant
  package let position: Coordinate
  /// Horizontal error in metres, 95 %; nil where unknown.
  package let error: Double?
  /// Metres; apps differ in the datum.
  package let altitude: Double?
  /// Over ground, m/s.
  package let speed: Double?
  /// Over ground, degrees true, 0..<360.
  package let track: Double?

  /// The position as a line of gpsd (gpsd_json(5)).
  ///
  /// Always mode 2: a phone's position can come from radio cells, and must not vouch for a clock.
  package var report: String {
    let report = JSONObject([
      "class": "TPV", "device": .string(device), "mode": 2, "time": .string(time.tpv),
      "lat": .double(position.latitude), "lon": .double(position.longitude),
      "alt": .double(altitude), "speed": .double(speed), "track": .double(track),
      "eph": .double(error),
    ])
    return JSONValue.object(report).line + "\n"
  }
}

/// The values of an app before they are checked; out-of-range ones count as absent.
struct PositionFields {
  /// Bytes of a device's name, without the app.
  private static let maximumName = 64
  /// The daemon takes no larger error.
  private static let maximumError = 1_000_000.0
  /// Ratio of the radii that hold 95 % and 68 % of a circular normal distribution:
  /// √(ln 0.05 ÷ ln 0.32). Android documents `Location.getAccuracy()` as a 68 % radius.
  static let errorFactor = 1.6215

  var latitude: Double?
  var longitude: Double?
  var time: Instant?
  /// Metres, 68 %.
  var radius: Double?
  var altitude: Double?
  /// m/s.
  var speed: Double?
  var track: Double?

  func position(app: String, name: String?) throws(UnusableMessage) -> PhonePosition {
    // 0° N 0° E is the value of an app without a position.
    guard let position = Coordinate(latitude: latitude, longitude: longitude),
      position.latitude != 0 || position.longitude != 0
    else { throw .noPosition }
    guard let time else { throw .noTime }
    func checked(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
      value.flatMap { range.contains($0) ? $0 : nil }
    }
    let track = checked(track, 0...360).map { $0 == 360 ? 0 : $0 }
    return PhonePosition(
      device: "\(app):\(Self.shortened(name))", time: time, position: position,
      error: radius.flatMap { $0 > 0 ? min($0 * Self.errorFactor, Self.maximumError) : nil },
      altitude: checked(altitude, -12_000...100_000), speed: checked(speed, 0...4000), track: track)
  }

  /// Phones without a name are one device.
  private static func shortened(_ name: String?) -> String {
    guard let name, !name.isEmpty else { return "phone" }
    return String(decoding: name.utf8.prefix(maximumName), as: UTF8.self)
  }

  /// Seconds or milliseconds since 1970, whichever gives a date before the year 5000.
  static func time(_ number: Double?) -> Instant? {
    guard let number, number > 0, number < 1e14 else { return nil }
    return Instant(seconds: number < 1e11 ? number : number / 1000)
  }

  /// Such a number, or RFC 3339.
  static func time(_ text: String?) -> Instant? {
    guard let text else { return nil }
    return time(Double(decimal: text)) ?? (try? Instant(rfc3339: text))
  }
}
