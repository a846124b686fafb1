import Bytes
import CivilTime
import Control
import Geodesy
import JSONText
import LinuxRuntime
import Reminders
import Storage

/// The places and the fences of a box, for a map.
extension ControlService {
  private static let maximumPlaces = 1_000
  private static let maximumFences = 500
  private static let maximumCells = 64

  private func box(_ given: JSONObject) throws(GeoremindError) -> GeographicBox {
    func degrees(_ name: String) -> Double { given[name]?.double ?? .nan }
    guard
      let box = GeographicBox(
        south: degrees("south"), west: degrees("west"), north: degrees("north"),
        east: degrees("east"))
    else {
      throw .invalidReminder(
        field: "south",
        reason: "a box has latitudes of −90 to 90, south first, and longitudes of −180 to 180")
    }
    return box
  }

  /// The position that a call supposes; nil without one.
  func standpoint(_ given: JSONObject) throws -> Standpoint? {
    guard let here = given["here"]?.object else { return nil }
    guard let standpoint = Standpoint(try position(here), error: here["eph_m"]?.double) else {
      throw GeoremindError.invalidReminder(field: "here.eph_m", reason: "must be 0 to 100000")
    }
    return standpoint
  }

  func placesInBox(_ given: JSONObject) throws -> JSONObject {
    let box = try box(given)
    let hidden = (given["without"]?.array ?? []).prefix(100).compactMap(\.string)
    let limit = max(1, min(given["limit"]?.int ?? Self.maximumPlaces, Self.maximumPlaces))
    let colors = try colors()
    if let places = try daemon.store.places.places(in: box, without: hidden, limit: limit) {
      return ["places": .array(places.map { json($0, colors: colors) }), "groups": []]
    }
    let cells = max(1, min(given["cells"]?.int ?? 16, Self.maximumCells))
    let groups = try daemon.store.places.groups(in: box, without: hidden, cells: cells)
    return [
      "places": [],
      "groups": .array(
        groups.map { group in
          [
            "latitude": .double(group.position.latitude),
            "longitude": .double(group.position.longitude), "count": .int(group.count),
            "color": group.category.flatMap { colors[$0.nameKey] }.map { .string($0) },
          ]
        }),
    ]
  }

  func fencesInBox(_ given: JSONObject) throws -> JSONObject {
    let box = try box(given)
    let limit = max(1, min(given["limit"]?.int ?? 200, Self.maximumFences))
    let colors = try colors()
    guard let now = daemon.clock.now else { return ["fences": [], "more": false] }
    let here = try standpoint(given)
    let fences = daemon.engines(for: caller).flatMap {
      $0.engine.fences(
        near: box.middle, within: box.reach, limit: limit + 1, from: here, at: now)
    }
    return [
      "fences": .array(fences.prefix(limit).map { json($0, colors: colors) }),
      "more": .bool(fences.count > limit),
    ]
  }

  private func json(_ fence: FenceView, colors: [String: String]) -> JSONValue {
    let reminder = fence.reminder
    func metres(_ value: Double?) -> JSONValue? {
      .double(value.map { Decimal.rounded($0, digits: 1) })
    }
    return [
      "id": .string(reminder.id), "title": .string(reminder.title),
      "on": .string(reminder.trigger.rawValue),
      "category": reminder.category.map { .string($0) },
      "color": reminder.category.flatMap { colors[$0.nameKey] }.map { .string($0) },
      "who": reminder.who.map { .string("\($0)") },
      "owner": reminder.owner.map { .int(Int($0)) },
      "state": .string(fence.standing.state.rawValue),
      "place": reminder.place.map { .object($0.json) },
      "region": reminder.area?.json, "width_m": metres(reminder.area?.width),
      "presence": .string("\(fence.presence)"), "edge_m": metres(fence.edge),
      "margin_m": metres(fence.margin), "error_m": metres(fence.error),
      "next_due": fence.standing.due.map { .string($0.json) },
      "shut": fence.shut.isEmpty ? nil : .array(fence.shut.map { .string($0) }),
    ]
  }
}
