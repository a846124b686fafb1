package import JSONText
import Positioning

/// OwnTracks: a JSON object in each message, by HTTP or MQTT (owntracks.org/booklet/tech/json); and
/// the apps that send the same fields, such as Colota.
package enum OwnTracks {
  /// Types of messages with the position of the phone: `transition` is sent where the phone enters
  /// or leaves a region of its own.
  private static let positionTypes: Set<String> = ["location", "transition"]
  /// Types of messages without one.
  private static let otherTypes: Set<String> = [
    "beacon", "card", "cmd", "configuration", "dump", "lwt", "request", "status", "steps",
    "waypoint", "waypoints",
  ]

  /// Whether a JSON object has the form of a message: a type, or the fields of a position.
  package static func isMessage(_ message: JSONObject) -> Bool {
    message["_type"] != nil || message["lat"] != nil && message["lon"] != nil
  }

  /// - Parameter name: the phone, such as `jane/phone`; nil to find the name in the message.
  package static func read(
    _ payload: [UInt8], name: String?
  ) throws(UnusableMessage) -> PhoneMessage {
    // A friend was deleted in the app, or a topic cleared.
    guard !payload.isEmpty else { return .nothing }
    guard let message = (try? JSONParser.parse(payload))?.object else { throw .noJSON }
    return try read(message, name: name)
  }

  /// The same of a parsed message.
  package static func read(
    _ message: JSONObject, name: String?
  ) throws(UnusableMessage) -> PhoneMessage {
    let type = message["_type"]?.string
    switch type {
    case "encrypted": throw .encrypted
    case let type? where positionTypes.contains(type): break
    case let type? where otherTypes.contains(type): return .nothing
    case nil where message["_type"] == nil && isMessage(message): break
    default: throw .unknownType
    }
    // A ping has the present time, and a position of any age.
    if message["t"]?.string == "p", type == "location" { return .nothing }
    // A transition of a beacon can be without a position.
    if type == "transition", message["lat"] == nil { return .nothing }
    // Colota has the course in `bear`, and its speed in m/s.
    let speedUnit = message["bear"] == nil ? 3.6 : 1
    let fields = PositionFields(
      latitude: message["lat"]?.double, longitude: message["lon"]?.double,
      time: DeviceTime.read(message["tst"]), radius: message["acc"]?.double,
      altitude: message["alt"]?.double, speed: message["vel"]?.double.map { $0 / speedUnit },
      track: message["cog"]?.double ?? message["bear"]?.double)
    return PhoneMessage([
      try fields.position(app: "owntracks", name: name ?? Self.name(in: message))
    ])
  }

  /// The name in a request: in its headers, or in the query `?u=jane&d=phone`.
  static func name(in request: PhoneRequest, query: FormFields) -> String? {
    let given = [request.user ?? query["u"], request.device ?? query["d"]].compactMap(\.self)
      .filter { !$0.isEmpty }
    return given.isEmpty ? nil : given.joined(separator: "/")
  }

  /// The name in the levels of a topic: the last two, `jane/phone`, before the `event` of a
  /// transition.
  package static func name(inTopic levels: [Substring]) -> String {
    let own = levels.count > 2 && levels.last == "event" ? levels.dropLast() : levels[...]
    return own.suffix(2).joined(separator: "/")
  }

  /// `jane/phone` of the topic `owntracks/jane/phone`, or the tracker's two letters.
  private static func name(in message: JSONObject) -> String? {
    if let topic = message["topic"]?.string { return name(inTopic: topic.split(separator: "/")) }
    return message["tid"]?.string
  }
}
