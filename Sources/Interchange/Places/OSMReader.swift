import Geodesy

/// Points of interest of an OpenStreetMap extract (https://wiki.openstreetmap.org/wiki/OSM_XML):
/// tagged nodes, and ways and relations with a centre or bounds.
final class OSMReader: XMLHandler {
  private let sink: PlaceSink
  private var position: Coordinate?
  private var tags = OSMTags()
  private var line = 0
  /// The object has a fault.
  private var isLeftOut = false

  init(_ sink: PlaceSink) { self.sink = sink }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    if parents.count == 1 { isLeftOut = false }
    switch element.name {
    case "tag":
      if let key = element["k"], let value = element["v"] { tags.add(key, value) }
    case "node":
      line = element.line
      // A deleted node has no position.
      position = element["visible"] == "false" ? nil : try element.position()
    case "way", "relation":
      line = element.line
      position = nil
    case "center" where parents.count == 2: position = try element.position()
    case "bounds" where parents.count == 2:
      guard let south = element["minlat"], let north = element["maxlat"],
        let west = element["minlon"], let east = element["maxlon"]
      else { return }
      position = try OSMTags.middle(
        Coordinate(latitude: south, longitude: west), Coordinate(latitude: north, longitude: east))
    default: break
    }
  }

  func end(_ name: String, text: String, in parents: [String]) throws(Fault) {
    guard parents.count == 1, name == "node" || name == "way" || name == "relation" else { return }
    defer { tags = OSMTags() }
    guard !isLeftOut else { return }
    try tags.take(name, at: position, line: line, sink)
  }

  func leaveOut(_ fault: Fault, line: Int) throws(Fault) {
    isLeftOut = true
    try sink.leaveOut(fault, line: line)
  }
}

/// A place's data from the tags of an OpenStreetMap object.
struct OSMTags {
  private var name: String?
  private var category: String?
  private var rank = Int.max
  private var details: [String: String] = [:]

  /// Keys whose value is the kind of object, the most specific first
  /// (https://wiki.openstreetmap.org/wiki/Map_features).
  private static let keys: [String: Int] = {
    let order = [
      "amenity", "shop", "tourism", "leisure", "healthcare", "emergency", "craft", "office",
      "historic", "aeroway", "railway", "public_transport", "seamark:type", "man_made", "natural",
      "sport", "place", "highway",
    ]
    return Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
  }()

  /// Values that are places, for keys that mostly describe lines and surfaces.
  private static let values: [String: Set<String>] = [
    "highway": [
      "bus_stop", "rest_area", "services", "speed_camera", "elevator", "toll_gantry",
      "emergency_access_point",
    ],
    "railway": ["station", "halt", "tram_stop", "subway_entrance", "level_crossing"],
    "natural": [
      "peak", "spring", "beach", "cave_entrance", "volcano", "hot_spring", "geyser", "rock",
      "stone", "bay", "cape",
    ],
    "man_made": [
      "lighthouse", "water_tap", "water_well", "observatory", "pier", "windmill", "watermill",
      "beacon", "tower",
    ],
  ]

  mutating func add(_ key: String, _ value: String) {
    switch key {
    case "name": name = value
    case "brand", "operator": if name == nil { name = value }
    case "addr:street", "addr:housenumber", "addr:city", "opening_hours": details[key] = value
    default:
      guard let rank = Self.keys[key], rank < self.rank, value != "no" else { return }
      if let allowed = Self.values[key], !allowed.contains(value) { return }
      self.rank = rank
      category = Self.words(value == "yes" ? key : value)
    }
  }

  /// `drinking_water` is "Drinking water".
  private static func words(_ value: String) -> String {
    let first = value.prefix { $0 != ";" }
    let text = String(first.map { $0 == "_" || $0 == ":" ? " " : $0 })
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Gives the object to the sink where it is a place.
  func take(_ kind: String, at position: Coordinate?, line: Int, _ sink: PlaceSink) throws(Fault) {
    guard let category else { return }
    guard let position else {
      return sink.refuse("a \(kind) without its centre; ask Overpass for 'out center'", line: line)
    }
    var place = PlaceEntry(
      name: name ?? category, position: position, category: category, line: line)
    let number = details["addr:housenumber"].map { " \($0)" } ?? ""
    let street = details["addr:street"].map { $0 + number }
    let notes = [street, details["addr:city"], details["opening_hours"]].compactMap { $0 }
    if !notes.isEmpty { place.notes = notes.joined(separator: ", ") }
    try sink.take(place)
  }

  /// The middle of bounds.
  static func middle(_ southWest: Coordinate, _ northEast: Coordinate) throws(Fault) -> Coordinate {
    var east = northEast.longitude
    if east < southWest.longitude { east += 360 }
    return Coordinate(
      clampingLatitude: (southWest.latitude + northEast.latitude) / 2,
      wrappingLongitude: (southWest.longitude + east) / 2)
  }
}
