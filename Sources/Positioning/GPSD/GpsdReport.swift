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
  /// As in `Fix.carrier`.
  var carrier: UInt64 = 0
  /// Whether the device is Android's provider `network`, alone or behind a phone's name and `/`:
  /// positions by Wi-Fi and mobile networks.
  var isNetwork = false
  /// Whether it is a `DEVICE` that is deactivated.
  var isDeactivated = false
  /// Whether it is a `DEVICES` without devices.
  var hasNoDevices = false
  /// From 1970 on, as in sentences (`CivilDay.number`).
  var time: Instant?
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
  /// - Parameter previous: the last position of the device.
  func fix(at time: Instant?, after previous: Coordinate?) -> Fix? {
    guard mode >= 2, let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    var fix = Fix(
      time: time, position: position, mode: mode >= 3 ? .threeD : .twoD,
      source: UInt8(exactly: status).flatMap { Fix.Source(rawValue: $0) } ?? .unknown)
    if fix.source == .unknown { fix.source = isNetwork ? .network : .gnss }
    fix.altitudeMSL = altitudeMSL.isNaN ? altitude : altitudeMSL
    fix.altitudeHAE = altitudeHAE
    fix.speed = speed
    fix.track = track
    fix.climb = climb
    // Before protocol 3.14 there are only errors per axis.
    fix.eph = eph.isNaN ? (epx * epx + epy * epy).squareRoot() : eph
    return fix.admitted(after: previous)
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
        carrier = value.string.flatMap { Carrier(device: $0) }?.number ?? 0
      case "path":
        device = Fingerprint(value.line.utf8).value
        text = value.string
      case "activated": isDeactivated = number == 0
      case "devices": hasNoDevices = value.array?.isEmpty ?? false
      case "time": time = DeviceTime.read(value)
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
}

extension Int {
  /// The integer part of a number, 0 outside ±1000 and for NaN.
  fileprivate init(clamping value: Double) {
    self = value >= -1000 && value <= 1000 ? Int(value) : 0
  }
}
