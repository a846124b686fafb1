import Bytes
import Control
import Geodesy
import JSONText
import Reminders
import Storage

/// Finding, changing and removing places, with what hangs on them.
extension ControlService {
  func listPlaces(_ given: JSONObject) throws -> JSONObject {
    let store = daemon.store.places
    let limit = Self.maximumBytes
    let places =
      try given["category"]?.string.map { try store.places(inCategory: $0, bytes: limit) }
      ?? store.all(bytes: limit)
    guard !places.isCut else { throw tooMuch("ask with PagePlaces") }
    return try list(places.values)
  }

  func pagePlaces(_ given: JSONObject) throws -> JSONObject {
    let limit = max(1, min(given["limit"]?.int ?? Self.longestPage, Self.longestPage))
    return try list(
      daemon.store.places.page(
        after: given["after"]?.string ?? "", inCategory: given["category"]?.string, limit: limit,
        bytes: Self.pageBytes
      ).values)
  }

  func showPlace(_ given: JSONObject) throws -> JSONObject {
    let place = try known(given["name"])
    return try shown(place, try daemon.store.places.followers(of: place))
  }

  private func known(_ given: JSONValue?) throws -> SavedPlace {
    let name = given?.string ?? ""
    guard let place = try daemon.store.places.place(named: name) else {
      throw GeoremindError.notFound(id: name)
    }
    return place
  }

  private func list(_ places: [SavedPlace]) throws -> JSONObject {
    let colors = try colors()
    return ["places": .array(places.map { json($0, colors: colors) })]
  }

  private func shown(_ place: SavedPlace, _ reminders: [String]) throws -> JSONObject {
    [
      "place": json(place, colors: try colors()),
      "reminders": .array(reminders.map { .string($0) }),
    ]
  }

  func findPlaces(_ given: JSONObject) throws -> JSONObject {
    var query = PlaceQuery(words: given["words"]?.string, category: given["category"]?.string)
    query.limit = max(1, min(given["limit"]?.int ?? 20, Self.longestPage))
    query.bytes = Self.maximumBytes
    if given["latitude"]?.double != nil || given["longitude"]?.double != nil {
      query.near = try position(given)
    }
    if let within = given["within_m"]?.double {
      guard within >= 0, query.near != nil else {
        throw GeoremindError.invalidReminder(
          field: "within_m", reason: "needs a latitude and a longitude, and is 0 or more")
      }
      query.within = within
    }
    if let course = given["course"]?.double {
      guard (0...360).contains(course), query.near != nil else {
        throw GeoremindError.invalidReminder(
          field: "course", reason: "needs a latitude and a longitude, and is 0 to 360 degrees")
      }
      query.course = course
    }
    let colors = try colors()
    return [
      "places": .array(
        try found(query).map {
          json($0.place, colors: colors, distance: $0.distance)
        })
    ]
  }

  /// The places of a search, including the places whose category has some of the words.
  private func found(_ query: PlaceQuery) throws -> [FoundPlace] {
    let store = daemon.store.places
    var found = try store.search(query)
    guard let words = query.words?.split(whereSeparator: \.isWhitespace), query.category == nil
    else { return found }
    for category in try daemon.store.categories.all().values {
      let names = category.name.lowercased().split { !$0.isLetter && !$0.isNumber }
      let others = words.filter { word in !names.contains { $0.hasPrefix(word.lowercased()) } }
      guard others.count < words.count else { continue }
      var within = query
      within.category = category.name
      within.words = others.isEmpty ? nil : others.joined(separator: " ")
      let known = Set(found.map(\.place.name))
      found += try store.search(within).filter { !known.contains($0.place.name) }
      found.sort { a, b in
        (a.distance ?? 0, a.place.name.lowercased()) < (b.distance ?? 0, b.place.name.lowercased())
      }
      found = Array(found.prefix(query.limit))
    }
    return found
  }

  func position(_ given: JSONObject) throws -> Coordinate {
    guard
      let position = Coordinate(
        latitude: given["latitude"]?.double, longitude: given["longitude"]?.double)
    else {
      throw GeoremindError.invalidReminder(
        field: "latitude", reason: "must be −90 to 90, and longitude −180 to 180")
    }
    return position
  }

  // MARK: - Changes

  func editPlace(_ given: JSONObject) throws -> JSONObject {
    let place = try known(given["name"])
    var changed = place
    if let name = given["new_name"]?.string { changed.name = name.asName }
    if given["latitude"]?.double != nil || given["longitude"]?.double != nil {
      changed.position = try position(given)
      guard place.region == nil || changed.position == place.position else {
        throw GeoremindError.invalidReminder(
          field: "latitude", reason: "moves no shape; remove the place and import its new shape")
      }
    }
    if let radius = try radius(given) {
      guard place.region == nil || radius == place.radius else {
        throw GeoremindError.invalidReminder(
          field: "radius_m", reason: "is for a circle, and the place has a shape")
      }
      changed.radius = radius
    }
    // An empty text takes it away.
    if let category = given["category"]?.string { changed.category = category.nonEmpty }
    if let notes = given["notes"]?.string { changed.notes = notes.nonEmpty }
    let followers = try followers(of: place, by: "EditPlace")
    try lead(followers, from: place, to: changed, storing: changed) { () throws(StoreError) in
      try daemon.store.places.replace(place.name, with: changed)
    }
    return try shown(changed, followers)
  }

  func mergePlaces(_ given: JSONObject) throws -> JSONObject {
    let place = try known(given["name"])
    let other = try known(given["into"])
    guard place.name != other.name else {
      throw GeoremindError.invalidReminder(field: "into", reason: "is the same place")
    }
    let followers = try followers(of: place, by: "MergePlaces")
    try lead(followers, from: place, to: other, storing: nil) { () throws(StoreError) in
      try daemon.store.places.remove(named: place.name)
    }
    return try shown(other, followers)
  }

  func removePlace(_ given: JSONObject) throws -> JSONObject {
    let store = daemon.store.places
    let place = try known(given["name"])
    let followers = try followers(of: place, by: "RemovePlace")
    if given["unless_used"]?.bool == true, !followers.isEmpty {
      throw GeoremindError.inUse(name: place.name, reminders: followers)
    }
    let number = try store.number(named: place.name)
    try store.remove(named: place.name)
    updateEngine(of: nil, number: number)
    return try shown(place, followers)
  }

  /// Changes a place and its reminders in one transaction. Reminders keep a radius of their own.
  /// - Parameters:
  ///   - stored: the new state of the old place; nil if it is removed.
  ///   - body: changes the place in the store.
  func lead(
    _ ids: [String], from old: SavedPlace, to new: SavedPlace, storing stored: SavedPlace?,
    _ body: () throws(StoreError) -> Void
  ) throws {
    let number = try daemon.store.places.number(named: old.name)
    var changed: [ReminderStore.Entry] = []
    for id in ids {
      guard var entry = try daemon.store.reminders.reminder(id: id) else { continue }
      let radius = entry.reminder.place?.radius ?? old.radius
      entry.reminder.put(at: new, radius: radius == old.radius ? nil : radius)
      changed.append(entry)
    }
    try daemon.checkRoom(for: changed.map(\.reminder))
    var command = Command(
      events: changed.map { .replace($0.reminder, follows: true) }, saved: changed)
    if let number {
      command.events.append(placeEvent(of: stored, number: number))
      command.undo = [placeEvent(of: old, number: number)]
    }
    try daemon.perform(command, and: body)
  }
}

extension Reminder {
  /// Puts the reminder at a known place: in its shape, or in the circle where it has none, where
  /// another radius is wanted, or where travel ends there.
  mutating func put(at place: SavedPlace, radius: Double?) {
    if kind == .location, radius == nil, let area = place.area {
      (self.area, self.place) = (area, nil)
    } else {
      area = nil
      self.place = Place(
        name: place.name, position: place.position, radius: radius ?? place.radius)
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
