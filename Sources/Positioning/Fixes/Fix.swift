package import CivilTime
package import Geodesy

/// One receiver's position at one moment, merged from all sentences of an epoch.
package struct Fix: Equatable, Sendable {
  /// Metres a second in a knot.
  package static let knot = 1852.0 / 3600

  package enum Mode: UInt8, Sendable {
    case twoD = 2
    case threeD = 3
  }

  /// Source of the position; raw values as in gpsd's `status`, with `manual` and `network` added.
  package enum Source: UInt8, Sendable {
    case unknown = 0
    case gnss = 1
    case differential = 2
    case rtkFixed = 3
    case rtkFloat = 4
    case deadReckoning = 5
    case gnssDeadReckoning = 6
    case surveyed = 7
    case simulated = 8
    case precise = 9
    case manual = 100
    /// Of Wi-Fi or mobile networks.
    case network = 101
  }

  /// The kind of solution, in the words of firings and documents.
  package enum Solution: String, CaseIterable, Sendable {
    case gnss
    case dgnss
    case rtk
    case deadReckoning = "dead-reckoning"
    case manual
    case simulated
    case network

    /// nil where the receiver does not say.
    package init?(_ source: Source) {
      switch source {
      case .unknown: return nil
      case .gnss, .precise: self = .gnss
      case .differential: self = .dgnss
      case .rtkFixed, .rtkFloat: self = .rtk
      case .deadReckoning, .gnssDeadReckoning: self = .deadReckoning
      case .surveyed, .manual: self = .manual
      case .simulated: self = .simulated
      case .network: self = .network
      }
    }
  }

  package var solution: Solution? { Solution(source) }

  /// UTC from the receiver; nil until a date is known.
  package var time: Instant?
  /// Milliseconds of the UTC day, where only the time of day is known.
  package var timeOfDay: Int32?
  package var position: Coordinate
  package var mode: Mode
  package var source: Source
  /// Metres above mean sea level.
  package var altitudeMSL: Double?
  /// Metres above the WGS 84 ellipsoid.
  package var altitudeHAE: Double?
  /// Over ground, m/s.
  package var speed: Double?
  /// Over ground, degrees true, 0..<360.
  package var track: Double?
  /// Vertical speed, m/s, up positive.
  package var climb: Double?
  /// Horizontal error in metres, 95 %; nil where unknown.
  package var eph: Double?
  /// A stable number for the gpsd device by name; 0 without one.
  package var device: UInt64 = 0
  /// A stable number for whoever carries the device, by the name in it (`Carrier`); 0 without one.
  package var carrier: UInt64 = 0

  package init(
    time: Instant?, position: Coordinate, mode: Mode = .twoD, source: Source = .unknown,
    timeOfDay: Int32? = nil, altitudeMSL: Double? = nil, altitudeHAE: Double? = nil,
    speed: Double? = nil, track: Double? = nil, climb: Double? = nil, eph: Double? = nil
  ) {
    self.time = time
    self.timeOfDay = timeOfDay
    self.position = position
    self.mode = mode
    self.source = source
    self.altitudeMSL = altitudeMSL
    self.altitudeHAE = altitudeHAE
    self.speed = speed
    self.track = track
    self.climb = climb
    self.eph = eph
  }
}
