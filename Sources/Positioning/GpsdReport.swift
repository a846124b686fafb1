import CivilTime
import Geodesy

/// What a line of gpsd JSON says, as far as a fix needs it.
struct GpsdReport {
  enum Class: Sendable {
    case tpv, error, version, device, devices, other
  }

  var kind = Class.other
  /// A hash of the device's name; 0 where there is none.
  var device: UInt64 = 0
  /// A `DEVICE` that is not in use any more.
  var isDeactivated = false
  /// A `DEVICES` that names none.
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
  /// The bytes of `message`, `release`, or a device's `path` within the line.
  var text: Range<Int>?

  /// The fix, or nil where the report has none. gpsd may say mode 3 and give no position.
  func fix(at time: Instant?) -> Fix? {
    guard mode >= 2, let position = Coordinate(latitude: latitude, longitude: longitude) else {
      return nil
    }
    var fix = Fix(
      time: time, position: position, mode: mode >= 3 ? .threeD : .twoD,
      source: UInt8(exactly: status).flatMap { Fix.Source(rawValue: $0) } ?? .unknown)
    if fix.source == .unknown { fix.source = .gnss }
    func checked(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
      range.contains(value) ? value : nil
    }
    fix.altitudeMSL = checked(altitudeMSL.isNaN ? altitude : altitudeMSL, -12_000...100_000)
    fix.altitudeHAE = checked(altitudeHAE, -12_000...100_000)
    fix.speed = checked(speed, 0...4000)
    fix.track = checked(track == 360 ? 0 : track, 0...360)
    fix.climb = checked(climb, -4000...4000)
    // Before protocol 3.14 there is only an error for each axis.
    let error = eph.isNaN ? (epx * epx + epy * epy).squareRoot() : eph
    fix.eph = error > 0 ? checked(error, 0...1_000_000) : nil
    return fix
  }

  /// Names of members by their bytes, the last eight of them at most.
  private enum Key {
    static let activated: UInt64 = 0x6374_6976_6174_6564
    static let alt: UInt64 = 0x61_6C74
    static let altHAE: UInt64 = 0x616C_7448_4145
    static let altMSL: UInt64 = 0x616C_744D_534C
    static let `class`: UInt64 = 0x63_6C61_7373
    static let climb: UInt64 = 0x63_6C69_6D62
    static let device: UInt64 = 0x6465_7669_6365
    static let devices: UInt64 = 0x64_6576_6963_6573
    static let eph: UInt64 = 0x65_7068
    static let epx: UInt64 = 0x65_7078
    static let epy: UInt64 = 0x65_7079
    static let lat: UInt64 = 0x6C_6174
    static let lon: UInt64 = 0x6C_6F6E
    static let message: UInt64 = 0x6D_6573_7361_6765
    static let mode: UInt64 = 0x6D6F_6465
    static let path: UInt64 = 0x7061_7468
    static let release: UInt64 = 0x72_656C_6561_7365
    static let speed: UInt64 = 0x73_7065_6564
    static let status: UInt64 = 0x7374_6174_7573
    static let time: UInt64 = 0x7469_6D65
    static let track: UInt64 = 0x74_7261_636B
  }

  /// Reads one object; nil where the line is not one whole object with text members' names.
  init?(_ line: Span<UInt8>) {
    var scanner = JSONLineScanner()
    guard scanner.open(line) else { return nil }
    while let name = scanner.name(line) {
      guard scanner.value(line) else { return nil }
      let value = scanner.lastValue
      switch name {
      case Key.class:
        kind = Self.kind(line.extracting(value).shortText)
      case Key.device: device = Self.hash(line.extracting(value))
      case Key.path:
        device = Self.hash(line.extracting(value))
        text = value
      case Key.activated: isDeactivated = line.extracting(value).jsonNumber == 0
      case Key.devices: hasNoDevices = line.extracting(value).isEmptyList
      case Key.time: time = Self.time(line.extracting(value))
      case Key.mode: mode = Int(clamping: line.extracting(value).jsonNumber)
      case Key.status: status = Int(clamping: line.extracting(value).jsonNumber)
      case Key.lat: latitude = line.extracting(value).jsonNumber
      case Key.lon: longitude = line.extracting(value).jsonNumber
      case Key.alt: altitude = line.extracting(value).jsonNumber
      case Key.altMSL: altitudeMSL = line.extracting(value).jsonNumber
      case Key.altHAE: altitudeHAE = line.extracting(value).jsonNumber
      case Key.speed: speed = line.extracting(value).jsonNumber
      case Key.track: track = line.extracting(value).jsonNumber
      case Key.climb: climb = line.extracting(value).jsonNumber
      case Key.eph: eph = line.extracting(value).jsonNumber
      case Key.epx: epx = line.extracting(value).jsonNumber
      case Key.epy: epy = line.extracting(value).jsonNumber
      case Key.message, Key.release: text = value
      default: break
      }
    }
    guard scanner.isAtEnd(line) else { return nil }
  }

  /// Names of classes by their bytes.
  private static func kind(_ name: UInt64) -> Class {
    switch name {
    case 0x54_5056: .tpv
    case 0x45_5252_4F52: .error
    case 0x56_4552_5349_4F4E: .version
    case 0x4445_5649_4345: .device
    case 0x44_4556_4943_4553: .devices
    default: .other
    }
  }

  /// FNV-1a.
  private static func hash(_ text: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<text.count { hash = (hash ^ UInt64(text[index])) &* 0x100_0000_01B3 }
    return hash
  }

  /// `"2026-11-21T09:30:00.000Z"` with its quotes, or seconds since 1970 as old versions have it.
  private static func time(_ text: Span<UInt8>) -> Int64? {
    guard text.count > 0, text[0] == UInt8(ascii: "\"") else {
      let seconds = text.jsonNumber
      return seconds > 0 && seconds < 1e11 ? Int64((seconds * 1000).rounded()) : nil
    }
    func digits(_ start: Int, _ count: Int) -> Int? {
      var value = 0
      for index in start..<start + count {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
      }
      return value
    }
    guard text.count >= 22, text[text.count - 2] == UInt8(ascii: "Z"),
      text[11] | 0x20 == UInt8(ascii: "t"),
      let year = digits(1, 4), let month = digits(6, 2), let day = digits(9, 2),
      let hour = digits(12, 2), let minute = digits(15, 2), let second = digits(18, 2),
      let number = CivilDay.number(year: year, month: month, day: day)
    else { return nil }
    var milliseconds = 0
    if text[20] == UInt8(ascii: ".") {
      let count = min(3, text.count - 23)
      guard count > 0, let fraction = digits(21, count) else { return nil }
      milliseconds = count == 1 ? fraction * 100 : count == 2 ? fraction * 10 : fraction
    }
    guard
      let timeOfDay = CivilDay.timeOfDay(
        hour: hour, minute: minute, second: second, millisecond: milliseconds)
    else { return nil }
    return Int64(number) * CivilDay.millisecondsPerDay + Int64(timeOfDay)
  }
}

extension Span where Element == UInt8 {
  /// Whether a list holds nothing.
  fileprivate var isEmptyList: Bool {
    guard count > 1, self[0] == UInt8(ascii: "[") else { return false }
    for index in 1..<count - 1 where self[index] != 0x20 { return false }
    return true
  }
}

extension Int {
  /// The integer part, 0 for what is not a number, clamped to what a status or mode may be.
  fileprivate init(clamping value: Double) {
    self = value >= -1000 && value <= 1000 ? Int(value) : 0
  }
}
