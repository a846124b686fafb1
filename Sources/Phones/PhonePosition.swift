package import CivilTime
package import Geodesy
import JSONText
package import Positioning

/// A position of a phone, in the units of the daemon.
package struct PhonePosition: Equatable, Sendable {
  /// An older position says where the phone was. One of the future is the daemon's to judge: it
  /// knows whether the clock is set.
  package static let maximumAge = TimeSpan.minutes(5)

  /// The receiver that it is for the daemon: `owntracks:jane/phone`.
  package private(set) var device: String
  /// Whether it is of radio cells, which are a receiver of their own: they and the satellites
  /// disagree by kilometres.
  let isOfNetwork: Bool
  package private(set) var time: Instant
  /// Its values are checked like the values of a receiver. It has two dimensions: a phone's
  /// position can come from radio cells, and must not vouch for a clock. Apps differ in the datum
  /// of the altitude.
  package let fix: Fix

  package var position: Coordinate { fix.position }

  package func isFresh(at now: Instant) -> Bool { now - time <= Self.maximumAge }

  /// The position as one of the phone with this name.
  func of(phone name: String) -> PhonePosition {
    var position = self
    position.device = "phone:\(name)\(isOfNetwork ? "/network" : "")"
    return position
  }

  /// The position with its time corrected where the phone miscounts the weeks.
  package func corrected(near now: Instant) -> PhonePosition {
    var position = self
    position.time = DeviceTime.corrected(time, near: now) ?? time
    return position
  }

  /// The position as a line of gpsd (gpsd_json(5)).
  package var report: String {
    let report = JSONObject([
      "class": "TPV", "device": .string(device), "mode": 2, "time": .string(time.tpv),
      "lat": .double(position.latitude), "lon": .double(position.longitude),
      "alt": .double(fix.altitudeMSL), "speed": .double(fix.speed), "track": .double(fix.track),
      "eph": .double(fix.eph),
    ])
    return JSONValue.object(report).line + "\n"
  }
}

/// The values of an app before they are checked (`Fix.admitted`).
struct PositionFields {
  /// Bytes of a device's name, without the app.
  private static let maximumName = 64

  var latitude: Double?
  var longitude: Double?
  var time: Instant?
  /// Metres, 68 %.
  var radius: Double?
  var altitude: Double?
  /// m/s.
  var speed: Double?
  var track: Double?

  var isOfNetwork = false

  func position(app: String, name: String?) throws(UnusableMessage) -> PhonePosition {
    guard let position = Coordinate(latitude: latitude, longitude: longitude),
      let fix = Fix(
        time: nil, position: position, altitudeMSL: altitude, speed: speed, track: track,
        eph: radius.map { Fix.error(ofAccuracy: $0) }
      ).admitted()
    else { throw .noPosition }
    guard let time else { throw .noTime }
    return PhonePosition(
      device: "\(app):\(Self.shortened(name))", isOfNetwork: isOfNetwork, time: time, fix: fix)
  }

  /// Phones without a name are one device.
  private static func shortened(_ name: String?) -> String {
    guard let name, !name.isEmpty else { return "phone" }
    return String(decoding: name.utf8.prefix(maximumName), as: UTF8.self)
  }
}
