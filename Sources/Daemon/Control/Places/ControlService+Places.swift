import Bytes
import CivilTime
import Control
import Departure
import Geodesy
import JSONText
import Positioning
import Reminders
import Storage

/// Places, categories, and where the device is.
extension ControlService {
  func addPlace(_ given: JSONObject) throws -> JSONObject {
    let name = given["name"]?.string?.asName ?? ""
    guard !name.isEmpty else {
      throw GeoremindError.invalidReminder(field: "name", reason: "a place needs a name")
    }
    let position = try position(given)
    let radius = try radius(given) ?? Reminder.Place.defaultRadius
    try daemon.checkRoomForPlaces(of: caller.owner)
    let place = SavedPlace(
      name: name, position: position, radius: radius,
      category: given["category"]?.string?.onOneLine,
      notes: given["notes"]?.string, owner: caller.owner)
    try daemon.store.places.add(place, color: given["color"]?.string)
    updateEngine(of: place, number: try daemon.store.places.number(named: name))
    return ["place": json(place, colors: try colors())]
  }

  /// The given radius in metres; nil if there is none.
  func radius(_ given: JSONObject) throws -> Double? {
    guard let radius = given["radius_m"]?.double else { return nil }
    guard Reminder.Place.radii.contains(radius) else {
      throw GeoremindError.invalidReminder(field: "radius_m", reason: Reminder.Place.radiusRule)
    }
    return radius
  }

  // MARK: - Categories

  func addCategory(_ given: JSONObject) throws -> JSONObject {
    let category = Category(
      name: given["name"]?.string?.asName ?? "",
      color: given["color"]?.string ?? Category.neutralColor, owner: caller.owner)
    try daemon.store.categories.add(category)
    return ["category": json(category)]
  }

  func listCategories() throws -> JSONObject {
    ["categories": .array(try daemon.store.categories.all().values.map(json))]
  }

  func editCategory(_ given: JSONObject) throws -> JSONObject {
    var category = try knownCategory(given)
    try mayChange(category, by: "EditCategory")
    category.color = given["color"]?.string ?? ""
    try daemon.store.categories.replace(category.name, with: category)
    return ["category": json(category)]
  }

  func removeCategory(_ given: JSONObject) throws -> JSONObject {
    let category = try knownCategory(given)
    try mayChange(category, by: "RemoveCategory")
    let waiting = daemon.host.reminders(nearCategory: category.name)
    guard waiting.isEmpty else {
      throw GeoremindError.inUse(name: category.name, reminders: waiting)
    }
    try daemon.store.categories.remove(named: category.name)
    return ["category": json(category)]
  }

  private func knownCategory(_ given: JSONObject) throws -> Storage.Category {
    let name = given["name"]?.string ?? ""
    guard let category = try daemon.store.categories.category(named: name) else {
      throw GeoremindError.notFound(id: name)
    }
    return category
  }

  // MARK: - Places

  /// Updates reminders that wait for the place's old or new category; nil for a removed place.
  func updateEngine(of place: SavedPlace?, number: Int64?) {
    guard let number, let now = daemon.clock.now else { return }
    daemon.host.handle(placeEvent(of: place, number: number), at: now)
  }

  func placeEvent(of place: SavedPlace?, number: Int64) -> Event {
    let numbered = place.map {
      NumberedPlace(
        number: number, position: $0.position, radius: $0.radius, area: $0.area)
    }
    return .place(number: number, numbered, category: place?.category)
  }

  /// The colour of each category, by its `nameKey`.
  func colors() throws -> [String: String] {
    var colors: [String: String] = [:]
    for category in try daemon.store.categories.all().values {
      colors[category.name.nameKey] = category.color
    }
    return colors
  }

  func json(
    _ place: SavedPlace, colors: [String: String], distance: Double? = nil
  ) -> JSONValue {
    [
      "name": .string(place.name),
      "latitude": .double(place.position.latitude),
      "longitude": .double(place.position.longitude),
      "radius_m": .double(place.radius),
      "category": place.category.map { .string($0) },
      "color": place.category.flatMap { colors[$0.nameKey] }.map { .string($0) },
      "notes": place.notes.map { .string($0) },
      "region": place.region.flatMap { try? JSONParser.parse($0) },
      "width_m": .double(place.width),
      "distance_m": .double(distance.map { Decimal.rounded($0, digits: 1) }),
    ]
  }

  private func json(_ category: Storage.Category) -> JSONValue {
    ["name": .string(category.name), "color": .string(category.color)]
  }

  /// The current fix; nil without one.
  var currentFix: JSONValue? { daemon.host.engine.lastFix.map { .object($0.tpv(device: nil)) } }
}
