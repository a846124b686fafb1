import JSONText

/// OwnTracks in HTTP mode: a JSON object in each POST (owntracks.org/booklet/tech/json).
enum OwnTracks {
  /// Types of messages without a position of the phone.
  private static let otherTypes: Set<String> = [
    "beacon", "card", "cmd", "configuration", "dump", "lwt", "request", "status", "steps",
    "transition", "waypoint", "waypoints",
  ]

  static func read(
    _ request: PhoneRequest, query: FormFields
  ) throws(UnusableMessage) -> PhoneMessage {
    // A friend was deleted in the app.
    guard !request.body.isEmpty else { return .nothing }
    guard let message = (try? JSONParser.parse(request.body))?.object else { throw .noJSON }
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
      try fields.position(app: "owntracks", name: name(request, query, message))
    ])
  }

  /// `jane/phone`: of the headers, the query, or the topic `owntracks/jane/phone`.
  private static func name(
    _ request: PhoneRequest, _ query: FormFields, _ message: JSONObject
  ) -> String? {
    let given = [request.user ?? query["u"], request.device ?? query["d"]].compactMap(\.self)
      .filter { !$0.isEmpty }
    if !given.isEmpty { return given.joined(separator: "/") }
    if let topic = message["topic"]?.string {
      return topic.split(separator: "/").dropFirst().joined(separator: "/")
    }
    return message["tid"]?.string
  }
}
