package import JSONText
import Positioning

/// A position that a Traccar server forwards (`forward.type=json`,
/// traccar.org/forward): an object with the position, and the device beside it.
package enum TraccarServer {
  /// Whether a JSON object has the form of a message.
  package static func isMessage(_ message: JSONObject) -> Bool {
    message["position"]?.object != nil
  }

  /// - Parameter name: the device.
  package static func read(
    _ message: JSONObject, name: String
  ) throws(UnusableMessage) -> PhoneMessage {
    guard let position = message["position"] else { throw .noPosition }
    // An old place, sent again while the tracker has no fix.
    guard position["valid"]?.bool ?? true, position["outdated"]?.bool != true else {
      return .nothing
    }
    let accuracy = position["accuracy"]?.double
    let fields = PositionFields(
      latitude: position["latitude"]?.double, longitude: position["longitude"]?.double,
      time: DeviceTime.read(position["fixTime"]),
      // 0 is unknown.
      radius: accuracy == 0 ? nil : accuracy, altitude: position["altitude"]?.double,
      // The server has all speeds in knots.
      speed: position["speed"]?.double.map { $0 * Fix.knot }, track: position["course"]?.double)
    return PhoneMessage([try fields.position(app: "traccar", name: name)])
  }
}
