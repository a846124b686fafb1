import JSONText

/// OwnTracks: a JSON object in each message, by HTTP or MQTT (owntracks.org/booklet/tech/json).
package enum OwnTracks {
  /// Types of messages without a position of the phone.
  private static let otherTypes: Set<String> = [
    "beacon", "card", "cmd", "configuration", "dump", "lwt", "request", "status", "steps",
    "transition", "waypoint", "waypoints",
  ]

  /// - Parameter name: the phone, such as `jane/phone`; nil to find the name in the message.
  package static func read(
    _ payload: [UInt8], name: String?
  ) throws(UnusableMessage) -> PhoneMessage {
    // A friend was deleted in the app, or a topic cleared.
    guard !payload.isEmpty else { return .nothing }
    guard let message = (try? JSONParser.parse(payload))?.object else { throw .noJSON }
    switch message["_type"]?.string {
    case "location": break
    case "encrypted": throw .encrypted
    case let type? where otherTypes.contains(type): return .nothing
    default: throw .unknownType
    }
    // A ping has the present time, and a position of any age.
    if message["t"]?.string == "p" { return .nothing }
    let fields = PositionFields(
      latitude: message["lat"]?.double, longitude: message["lon"]?.double,
      time: PositionFields.time(message["tst"]?.double), radius: message["acc"]?.double,
      altitude: message["alt"]?.double, speed: message["vel"]?.double.map { $0 / 3.6 },
      track: message["cog"]?.double)
    return .positions([
      try fields.position(app: "owntracks", name: name ?? Self.name(in: message))
    ])
  }

  /// The name in a request: in its headers, or in the query `?u=jane&d=phone`.
  static func name(in request: PhoneRequest, query: FormFields) -> String? {
    let given = [request.user ?? query["u"], request.device ?? query["d"]].compactMap(\.self)
      .filter { !$0.isEmpty }
    return given.isEmpty ? nil : given.joined(separator: "/")
  }

  /// `jane/phone` of the topic `owntracks/jane/phone`, or the tracker's two letters.
  private static func name(in message: JSONObject) -> String? {
    if let topic = message["topic"]?.string {
      return topic.split(separator: "/").dropFirst().joined(separator: "/")
    }
    return message["tid"]?.string
  }
}
