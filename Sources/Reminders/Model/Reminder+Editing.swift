package import JSONText

extension Reminder {
  /// Ways to say where.
  private static let shapes = ["place", "region", "near_category"]

  /// A reminder's document with changes; null removes a member. A member that a change replaces is
  /// removed. A member that it does not name stays, such as the radius of another place.
  package static func document(_ old: JSONObject, with changes: JSONObject) -> JSONObject {
    var document = old
    for (key, value) in changes.members where value != .null { document[key] = value }
    if changes["lead_s"] == .null { document["lead_days"] = nil }
    document.remove(changes.members.filter { $0.value == .null }.map(\.key))
    func gives(_ key: String) -> Bool { (changes[key] ?? .null) != .null }
    if shapes.contains(where: gives) {
      document.remove(shapes.filter { !gives($0) })
      if !gives("region") { document["width_m"] = nil }
      if !gives("near_category"), !gives("radius_m") { document["radius_m"] = nil }
    }
    if var place = changes["place"]?.object, (place["radius_m"] ?? .null) == .null {
      place["radius_m"] = old["place"]?["radius_m"] ?? old["radius_m"]
      document["place"] = .object(place)
    }
    if document["on"]?.string == Trigger.arrive.rawValue, !gives("dwell_s") {
      document["dwell_s"] = nil
    }
    if gives("lead_s"), !gives("lead_days") { document["lead_days"] = nil }
    // Another due time is the start of its series itself.
    if gives("due"), !gives("repeat_start") { document["repeat_start"] = nil }
    if document["repeat_start"] == nil || gives("due"), !gives("due_after") {
      document["due_after"] = nil
    }
    if changes["nag_s"] == .null, !gives("nag_limit") { document["nag_limit"] = nil }
    return document
  }
}
