import CivilTime
import Geodesy
import JSONText

/// Values of the daemon's answers, for people.
enum Answer {
  static func time(_ value: JSONValue?, _ words: (Instant) -> String) -> String {
    value?.instant.map(words) ?? value?.string ?? ""
  }

  static func age(_ seconds: Double) -> String {
    let unit = seconds >= 3600 ? 60.0 : 1
    let rounded = max(0, (seconds / unit).rounded() * unit)
    return rounded == 0 ? "0s" : TimeSpan(seconds: rounded).brief
  }
}

extension JSONValue {
  /// A time of RFC 3339; nil for any other text.
  var instant: Instant? { string.flatMap { try? Instant(rfc3339: $0) } }

  /// The position of a fix or a firing (`lat`, `lon`), or of a place (`latitude`, `longitude`).
  var coordinate: Coordinate? {
    Coordinate(
      latitude: (self["lat"] ?? self["latitude"])?.double,
      longitude: (self["lon"] ?? self["longitude"])?.double)
  }
}
