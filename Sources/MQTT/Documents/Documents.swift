package import Companion
package import JSONText

/// The bodies of the messages.
package enum Documents {
  /// A firing with its members of the daemon, and `event_type`, which Home Assistant reads.
  /// - Parameters:
  ///   - isRepeated: it was sent before, while Home Assistant was not running.
  ///   - hasPosition: whether the coordinates may leave the machine.
  package static func firing(
    _ firing: FiringNotice, isRepeated: Bool = false, hasPosition: Bool
  ) -> String {
    var document = firing.json
    document["event_type"] = .string(firing.event)
    if isRepeated { document["repeated"] = true }
    if !hasPosition {
      for member in ["lat", "lon", "eph_m"] { document[member] = nil }
    }
    return JSONValue.object(document).line
  }

  /// The part of the daemon's status that changes seldom.
  package static func state(_ status: JSONObject) -> String {
    let feeds = status["feeds"]?.array ?? []
    let areLost = feeds.allSatisfy { $0["lost"]?.bool == true }
    return JSONValue.object([
      "next_due": status["next_due"] ?? .null, "armed": status["armed"],
      "position": status["position"], "version": status["version"],
      "feed": feeds.isEmpty ? "none" : areLost ? "lost" : "open",
    ]).line
  }

  /// The anchor watch of the daemon's status; `none` without one.
  package static func anchor(_ status: JSONObject) -> String {
    let anchor = status["anchor"]
    func value(_ name: String) -> JSONValue { anchor?[name] ?? .null }
    return JSONValue.object([
      "state": anchor?["place"] ?? "none", "alarm": .bool(anchor?["alarm"]?.bool == true),
      "distance_m": value("distance_m"), "bearing_deg": value("bearing_deg"),
      "radius_m": value("radius_m"), "silenced_until": value("silenced_until"),
      "reminder_id": value("id"),
    ]).line
  }
}
