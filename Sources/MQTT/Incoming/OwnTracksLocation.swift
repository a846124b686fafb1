package import CivilTime
import Geodesy
import JSONText
import Reminders

/// Positions of phones with OwnTracks, as lines that a feed reads.
package enum OwnTracksLocation {
  package enum Reading: Equatable, Sendable {
    /// A TPV object of gpsd_json(5), with the line's end.
    case report(String)
    /// No fresh position, which is usual.
    case none
    /// Not readable, and why.
    case refused(String)
  }

  /// The 68 % radius of Android and OwnTracks, times this, is the 95 % radius of a fix.
  private static let radiusFactor = 1.62
  private static let maximumLength = 16_384
  /// A phone may send positions of hours ago. Seconds.
  private static let maximumAge = 300.0

  /// - Parameter topic: its last two levels are the user and the device.
  package static func read(topic: String, payload: [UInt8], at now: Instant) -> Reading {
    guard payload.count <= maximumLength else { return .refused("it is too long") }
    // The last message of a topic that was cleared.
    guard !payload.isEmpty else { return .none }
    guard let report = (try? JSONParser.parse(payload))?.object else {
      return .refused("it is no JSON object")
    }
    guard report["_type"]?.string == "location" else { return .none }
    // An answer to a ping repeats the last fix.
    guard report["t"]?.string != "p" else { return .none }
    guard
      let position = Coordinate(
        latitude: report["lat"]?.double, longitude: report["lon"]?.double)
    else { return .refused("it has no valid position") }
    guard let seconds = report["tst"]?.double else { return .refused("it has no time") }
    let age = Double(now.microseconds) / 1e6 - seconds
    guard age > -maximumAge else { return .refused("its time is in the future") }
    guard age < maximumAge else { return .none }
    let names = TopicText.levels(of: topic).suffix(2).joined(separator: "/")
    return .report(line(report, position, Instant(seconds: seconds), device: names))
  }

  private static func line(
    _ report: JSONObject, _ position: Coordinate, _ time: Instant, device: String
  ) -> String {
    func value(_ name: String, _ range: ClosedRange<Double>, times factor: Double = 1) -> JSONValue?
    {
      guard let value = report[name]?.double, range.contains(value) else { return nil }
      return .double(Decimal.rounded(value * factor, digits: 2))
    }
    let altitude = value("alt", -12_000...100_000)
    return JSONValue.object([
      "class": "TPV", "device": .string("owntracks:\(device)"), "mode": altitude == nil ? 2 : 3,
      "time": .string(time.tpv), "lat": .double(position.latitude),
      "lon": .double(position.longitude), "altMSL": altitude,
      "eph": value("acc", 0.1...1e6, times: radiusFactor),
      // Kilometres an hour.
      "speed": value("vel", 0...1_000, times: 1 / 3.6), "track": value("cog", 0...360),
    ]).line + "\n"
  }
}
