package import JSONText

/// Where a tracker is, for an entity of the kind `device_tracker`: a state, and attributes.
///
/// Home Assistant takes the state until its version 2027.1, and from then on the zones of the
/// attributes (home-assistant.io/integrations/device_tracker.mqtt). With coordinates it finds the
/// zones itself.
package struct TrackerDocument: Equatable, Sendable {
  /// `home`, the name of a place, or `not_home`; `None` leaves it to Home Assistant's zones.
  package let state: String
  /// One line of JSON.
  package let attributes: String

  /// - Parameters:
  ///   - tracker: one of the answer of `WatchPresence`.
  ///   - hasPosition: whether the coordinates may leave the machine.
  package init(_ tracker: JSONValue, hasPosition: Bool) {
    let inside = tracker["inside"]?.array ?? []
    let names = inside.compactMap { $0["name"]?.string }
    let fix = tracker["fix"]
    let away = fix == nil || hasPosition ? "None" : "not_home"
    state = names.first.map { Self.isHome($0) ? "home" : String($0.prefix(255)) } ?? away
    var document: JSONObject = [
      "place": names.first.map { .string($0) } ?? .null, "places": .array(inside),
    ]
    if hasPosition, let fix {
      for (name, member) in Self.members { document[name] = fix[member] }
    } else if fix != nil {
      document["in_zones"] = .array(
        names.map { .string(Self.isHome($0) ? "zone.home" : $0) })
    }
    attributes = JSONValue.object(document).line
  }

  /// Attributes by members of a fix.
  private static let members = [
    ("latitude", "lat"), ("longitude", "lon"), ("gps_accuracy", "eph"), ("speed", "speed"),
    ("course", "track"), ("time", "time"),
  ]

  private static func isHome(_ name: String) -> Bool { name.lowercased() == "home" }
}
