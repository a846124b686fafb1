import Bytes
import CivilTime
import Geodesy
import JSONText

/// The members of a line of gpsd JSON that a fix needs.
struct GpsdReport {
  /// The supported classes by name.
  enum Class: String, Sendable {
    case tpv = "TPV"
    case error = "ERROR"
    case version = "VERSION"
    case device = "DEVICE"
    case devices = "DEVICES"
    case other = ""
  }

  var kind = Class.other
  /// A hash of the device's name; 0 without one.
  var device: UInt64 = 0
  /// Whether the device is Android's provider `network`, alone or behind a phone's name and `/`:
  /// positions by Wi-Fi and mobile networks.
  var isNetwork = false
  /// Whether it is a `DEVICE` that is deactivated.
  var isDeactivated = false
  /// Whether it is a `DEVICES` without devices.
  var hasNoDevices = false
  /// Milliseconds since 1970.
  var time: Int64?
  var mode = 0
  var status = 0
  var latitude = Double.nan
  var longitude = Double.nan
  var altitude = Double.nan
  var altitudeMSL = Double.nan
  var altitudeHAE = Double.nan
  var speed = Double.nan
  var track = Double.nan
  var climb = Double.nan
  var eph = Double.nan
  var epx = Double.nan
  var epy = Double.nan
  /// `message`, `release`, or the `path` of a device.
  var text: String?

  /// The fix; nil without a position, which gpsd may omit even in mode 3.
  func fix(at time: Instant?) -> Fix? {
    // 0° N 0° E is the value of a receiver without a position.
    guard mode >= 2, latitude != 0 || longitude != 0,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    var fix = Fix(
      time: time, position: position, mode: mode >= 3 ? .threeD : .twoD,
      source: UInt8(exactly: status).flatMap { Fix.Source(rawValue: $0) } ?? .unknown)
    if fix.source == .unknown { fix.source = isNetwork ? .network : .gnss }
    func checked(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
      range.contains(value) ? value : nil
    }
    fix.altitudeMSL = checked(altitudeMSL.isNaN ? altitude : altitudeMSL, -12_000...100_000)
    fix.altitudeHAE = checked(altitudeHAE, -12_000...100_000)
    fix.speed = checked(speed, 0...4000)
    fix.track = checked(track == 360 ? 0 : track, 0...360)
    fix.climb = checked(climb, -4000...4000)
    // Before protocol 3.14 there are only errors per axis.
    let error = eph.isNaN ? (epx * epx + epy * epy).squareRoot() : eph
    fix.eph = error > 0 ? checked(error, 0...1_000_000) : nil
    return fix
  }

  /// Reads one object; nil where the line is not one whole JSON object.
  init?(_ line: Span<UInt8>) {
    var bytes = [UInt8]()
    bytes.reserveCapacity(line.count)
    for index in line.indices { bytes.append(line[index]) }
    guard let object = (try? JSONParser.parse(bytes))?.object else { return nil }
    for (name, value) in object.members {
      let number = value.double ?? .nan
      switch name {
      case "class": kind = value.string.flatMap { Class(rawValue: $0) } ?? .other
      case "device":
        device = Fingerprint(value.line.utf8).value
        isNetwork = value.string.map { $0 == "network" || $0.hasSuffix("/network") } ?? false
      case "path":
        device = Fingerprint(value.line.utf8).value
        text = value.string
      case "activated": isDeactivated = number == 0
      case "devices": hasNoDevices = value.array?.isEmpty ?? false
      case "time": time = Self.milliseconds(value)
      case "mode": mode = Int(clamping: number)
      case "status": status = Int(clamping: number)
      case "lat": latitude = number
      case "lon": longitude = number
      case "alt": altitude = number
      case "altMSL": altitudeMSL = number
      case "altHAE": altitudeHAE = number
      case "speed": speed = number
      case "track": track = number
      case "climb": climb = number
      case "eph": eph = number
      case "epx": epx = number
      case "epy": epy = number
      case "message", "release": text = value.string
      default: break
      }
    }
  }

  /// `"2026-11-21T09:30:00.000Z"`, or seconds since 1970 as old versions have it; nil before 1970,
  /// as in sentences (`CivilDay.number`).
  private static func milliseconds(_ value: JSONValue) -> Int64? {
    if let text = value.string {
      guard let time = try? Instant(rfc3339: text), time.microseconds >= 0 else { return nil }
      return time.microseconds / 1000
    }
    guard let seconds = value.double, seconds > 0, seconds < 1e11 else { return nil }
    return Int64((seconds * 1000).rounded())
  }
}

extension Int {
  /// The integer part of a number, 0 outside ±1000 and for NaN.
  fileprivate init(clamping value: Double) {
    self = value >= -1000 && value <= 1000 ? Int(value) : 0
  }
}
