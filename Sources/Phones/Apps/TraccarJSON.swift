import CivilTime
import JSONText
import Positioning

/// Traccar Client 9: JSON, one location or a list of them (traccar.org/osmand).
enum TraccarJSON {
  static func read(_ body: [UInt8], app: String) throws(UnusableMessage) -> PhoneMessage {
    guard let message = try? JSONParser.parse(body) else { throw .noJSON }
    guard let location = message["location"] else { throw .noPosition }
    let id = message["device_id"]
    let name = id?.string ?? id?.int.map { "\($0)" }
    var content = PhoneMessage()
    for location in location.array ?? [location] {
      let place = location["coords"]
      let fields = PositionFields(
        latitude: place?["latitude"]?.double, longitude: place?["longitude"]?.double,
        time: DeviceTime.read(location["timestamp"]),
        radius: place?["accuracy"]?.double, altitude: place?["altitude"]?.double,
        // m/s; −1 is unknown.
        speed: place?["speed"]?.double, track: place?["heading"]?.double)
      do throws(UnusableMessage) {
        content.positions.append(try fields.position(app: app, name: name))
      } catch {
        content.leftOut.append(error)
      }
    }
    return content
  }
}
