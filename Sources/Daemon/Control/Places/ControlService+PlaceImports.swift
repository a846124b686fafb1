import Bytes
import Control
import Geodesy
import JSONText
import Logging
import Reminders
import Storage

/// Imports of places: many calls, of which nothing is seen until the last.
extension ControlService {
  func beginPlaceImport() throws -> JSONObject {
    ["import": .int(Int(try daemon.placeImports.begin(by: caller)))]
  }

  func importPlaces(_ given: JSONObject) throws -> JSONObject {
    try daemon.checkRoomForPlaces(of: caller.owner)
    let batch = try daemon.placeImports.batch(number(given))
    let before = (batch.added, batch.known, batch.moved.count)
    try batch.add(try read(given["places"]?.array ?? []))
    return [
      "added": .int(batch.added - before.0), "known": .int(batch.known - before.1),
      "moved": .int(batch.moved.count - before.2),
    ]
  }

  func finishPlaceImport(_ given: JSONObject) throws -> JSONObject {
    let id = try number(given)
    let moves = try daemon.placeImports.batch(id).moved
    let followers = try moves.map { try self.followers(of: $0.old, by: "FinishPlaceImport") }
    let batch = try daemon.placeImports.finish(id)
    if daemon.refusals.permitsNews(of: caller.user) {
      daemon.log.info("Imported \(batch.added) places, \(batch.known) were known already")
    }
    for (move, ids) in zip(moves, followers) {
      try lead(ids, from: move.old, to: move.new, storing: move.new) { () throws(StoreError) in
        try daemon.store.places.replace(move.old.name, with: move.new)
      }
    }
    return [
      "added": .int(batch.added), "known": .int(batch.known), "moved": .int(moves.count),
    ]
  }

  func abandonPlaceImport(_ given: JSONObject) throws -> JSONObject {
    try daemon.placeImports.abandon(number(given))
    return JSONObject()
  }

  private func number(_ given: JSONObject) throws -> Int64 {
    let id = Int64(given["import"]?.int ?? 0)
    if let user = daemon.placeImports.user(of: id), user != caller.user, !caller.isMaster {
      try requireSharing("import \(id)", of: user, by: "a place import")
    }
    return id
  }

  private func read(_ values: [JSONValue]) throws -> [(place: SavedPlace, color: String?)] {
    var places: [(place: SavedPlace, color: String?)] = []
    places.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      func wrong(_ field: String, _ reason: String) -> GeoremindError {
        .invalidReminder(field: "places[\(index)].\(field)", reason: reason)
      }
      guard let name = value["name"]?.string?.onOneLine, !name.isEmpty, name.utf8.count <= 256
      else {
        throw wrong("name", "must be a text of 1 to 256 bytes")
      }
      guard
        let position = Coordinate(latitude: value["lat"]?.double, longitude: value["lon"]?.double)
      else { throw wrong("lat", "must be −90 to 90, and lon −180 to 180") }
      let radius = value["radius_m"]?.double ?? Reminder.Place.defaultRadius
      guard Reminder.Place.radii.contains(radius) else {
        throw wrong("radius_m", Reminder.Place.radiusRule)
      }
      let region = value["region"].flatMap { $0.object == nil ? nil : $0.line }
      places.append(
        (
          SavedPlace(
            name: name, position: position, radius: radius,
            category: value["category"]?.string?.onOneLine,
            notes: value["notes"]?.string, region: region, width: value["width_m"]?.double,
            uid: value["uid"]?.string.flatMap { $0.utf8.count <= 256 ? $0 : nil }),
          value["color"]?.string
        ))
    }
    return places
  }
}
