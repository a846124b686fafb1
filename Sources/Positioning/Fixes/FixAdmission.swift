package import Geodesy

/// The one door of positions: sentences, gpsd's reports, track points and phones all make their
/// fixes of raw values here, so that a value without a meaning has none at any of them.
extension Fix {
  /// Metres a second. Receivers for civil use give no position above it (Missile Technology Control
  /// Regime, 11.A.3). The words for "not available" of NMEA 2000 are above: 655.32…655.35.
  private static let maximumSpeed = 600.0
  /// Metres; a larger error says no more.
  private static let maximumError = 1_000_000.0
  private static let altitudes = -12_000.0...100_000.0
  /// "Not available" in hundredths of a signed 16-bit number, which gateways write as a course.
  private static let noTrack = 327.67

  /// The fix with each value in its range or absent; nil where the position is the word of a device
  /// without one.
  ///
  /// An error is cut to 1 000 km and never dropped: a bad position is not an unknown one.
  /// - Parameter previous: the device's last position, if it is known.
  package func admitted(after previous: Coordinate? = nil) -> Fix? {
    guard !position.isPlaceholder(after: previous) else { return nil }
    var fix = self
    func checked(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
      value.flatMap { range.contains($0) ? $0 : nil }
    }
    fix.altitudeMSL = checked(altitudeMSL, Self.altitudes)
    fix.altitudeHAE = checked(altitudeHAE, Self.altitudes)
    fix.speed = checked(speed, 0...Self.maximumSpeed)
    fix.climb = checked(climb, -Self.maximumSpeed...Self.maximumSpeed)
    fix.track = checked(track, 0...360).flatMap {
      $0 == Self.noTrack ? nil : $0 == 360 ? 0 : $0
    }
    fix.eph = eph.flatMap { $0 > 0 ? min($0, Self.maximumError) : nil }
    return fix
  }

  /// The error, 95 %, of an accuracy as Android documents `Location.getAccuracy()`, 68 %, for a
  /// circular normal distribution: √(ln 0.05 ÷ ln 0.32) times that.
  package static func error(ofAccuracy radius: Double) -> Double { radius * 1.6215 }

  /// Gpsd's error of an HDOP: 19 m for each, or 4.75 m with corrections, 95 %
  /// (`H_UERE_NO_DGPS`, `H_UERE_WITH_DGPS`). A receiver without a solution writes 99.99, and the
  /// error is as large as that; 0 and less are no dilution. The greatest numbers of 16 bits, in
  /// hundredths, are NMEA 2000's "not available".
  /// - Returns: nil where the HDOP is unknown.
  package static func error(ofHDOP hdop: Double, source: Source) -> Double? {
    guard hdop > 0, hdop != 327.67, !(655.3...655.35).contains(hdop) else { return nil }
    return switch source {
    case .differential, .rtkFixed, .rtkFloat, .precise: hdop * 4.75
    default: hdop * 19
    }
  }
}

extension Coordinate {
  /// Whether a device without a position writes this one: 0° N 0° E, or exactly on one of its axes,
  /// where gateways put what they do not know (0.133° S 0.000° W). It counts for a device that was
  /// within a degree of it before.
  func isPlaceholder(after previous: Coordinate?) -> Bool {
    let (north, east) = (latitude.magnitude, longitude.magnitude)
    guard max(north, east) < 0.2, min(north, east) == 0 || east < 0.001 && north > 0.1
    else { return false }
    guard let previous else { return true }
    return max(previous.latitude.magnitude, previous.longitude.magnitude) > 1
  }
}
