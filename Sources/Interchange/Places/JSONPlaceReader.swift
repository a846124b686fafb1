import Geodesy
import JSONText

/// Places in JSON, recognised element by element: GeoJSON (RFC 7946), OwnTracks waypoints
/// (https://owntracks.org/booklet/tech/json/), Overpass elements and objects of `georemind place
/// list --json`.
final class JSONPlaceReader {
  private let sink: PlaceSink
  /// The coordinate system of all elements of the document.
  private var system = ReferenceSystem.geographic

  init(_ sink: PlaceSink) { self.sink = sink }

  /// Reads a whole document, and refuses a text that is not JSON.
  func read(_ source: ByteSource) throws(InterchangeError) {
    var elements = source.jsonElements()
    var hasList = false
    while let element = try elements.next() {
      if element.list != nil {
        hasList = true
        try setSystem(of: elements.header, source.name, element.line)
      }
      try sink.attempt(
        { () throws(Fault) in try read(element) }, in: source.name, line: element.line)
    }
    if hasList { try setSystem(of: elements.header, source.name, 1) }
  }

  /// A `crs` behind features comes too late for them.
  private func setSystem(
    of header: JSONObject, _ file: String, _ line: Int
  ) throws(InterchangeError) {
    do throws(Fault) {
      let found = try GeoJSON.system(of: header) ?? .geographic
      guard sink.report.taken + sink.report.refused == 0 || found == system else {
        throw Fault("the member 'crs' comes behind features; put it in front of them")
      }
      system = found
    } catch {
      throw error.error(in: file, at: line)
    }
  }

  private func read(_ element: JSONStream<InterchangeError>.Element) throws(Fault) {
    guard let object = element.value.object else {
      throw Fault("a place is an object in braces, not \(element.value.kind)")
    }
    let type = object["type"]?.string
    switch (element.list, type, object["_type"]?.string) {
    case ("features", _, _), (_, "Feature", _): try feature(object, element.line)
    case ("elements", _, _): try overpass(object, element.line)
    case ("waypoints", _, _), (_, _, "waypoint"): try waypoint(object, element.line)
    case (_, _, let kind?): sink.refuse("an OwnTracks message of type \(kind)", line: element.line)
    case (_, _?, _) where object["coordinates"] != nil || object["geometries"] != nil:
      try geometry(object, of: JSONObject(), element.line)
    case (_, "FeatureCollection", _): throw Fault("a FeatureCollection has a list 'features'")
    default: try plain(object, element.line)
    }
  }

  // MARK: - GeoJSON

  private func feature(_ object: JSONObject, _ line: Int) throws(Fault) {
    guard let geometry = object["geometry"]?.object else {
      throw Fault("a feature without a geometry")
    }
    try self.geometry(
      geometry, in: GeoJSON.system(of: object), of: object["properties"]?.object ?? [:], line)
  }

  private func geometry(
    _ geometry: JSONObject, in system: ReferenceSystem? = nil, of properties: JSONObject,
    _ line: Int
  ) throws(Fault) {
    let system = try GeoJSON.system(of: geometry) ?? system ?? self.system
    var place = try PlaceEntry(
      geometry: geometry, in: system, name: Self.text(properties, Self.names) ?? "",
      width: try Self.number(properties, ["width", "width_m"]), line: line)
    if place.shape == nil { place.radius = try Self.number(properties, ["radius", "radius_m"]) }
    if place.position == Coordinate(latitude: 0, longitude: 0),
      let link = Self.text(properties, ["google_maps_url", "Google Maps URL"])
    {
      guard let position = try? Coordinate(parsing: link) else {
        throw Fault("\"\(place.name.isEmpty ? link : place.name)\" has no position, only a link")
      }
      place.position = position
    }
    place.category = Self.text(properties, ["category", "type", "amenity", "shop"])
    place.color = Self.text(properties, ["color", "marker-color"])
    place.notes = Self.text(
      properties, ["notes", "description", "desc", "location.address", "Location.Address"])
    try sink.take(place)
  }

  /// Google's Takeout has the name of a saved place in its location.
  private static let names = [
    "name", "title", "Name", "Title", "location.name", "Location.Business Name",
  ]

  // MARK: - The others

  private func waypoint(_ object: JSONObject, _ line: Int) throws(Fault) {
    let name = object["desc"]?.string ?? ""
    guard !name.hasPrefix("+") else {
      return sink.refuse("\"\(name)\" is a region that moves along with the phone", line: line)
    }
    var place = PlaceEntry(name: name, position: try position(of: object), line: line)
    place.radius = try Self.number(object, ["rad"])
    try sink.take(place)
  }

  private func overpass(_ object: JSONObject, _ line: Int) throws(Fault) {
    var tags = OSMTags()
    for (key, value) in object["tags"]?.object?.members ?? [] {
      if let text = value.string { tags.add(key, text) }
    }
    var point: Coordinate?
    if object["lat"] != nil {
      point = try position(of: object)
    } else if let center = object["center"]?.object {
      point = try position(of: center)
    } else if let bounds = object["bounds"]?.object,
      let south = bounds["minlat"]?.double, let north = bounds["maxlat"]?.double,
      let west = bounds["minlon"]?.double, let east = bounds["maxlon"]?.double
    {
      point = try OSMTags.middle(
        Coordinate(north: south, east: west), Coordinate(north: north, east: east))
    }
    try tags.take(object["type"]?.string ?? "element", at: point, line: line, sink)
  }

  private func plain(_ object: JSONObject, _ line: Int) throws(Fault) {
    if let region = object["region"]?.object {
      var properties = object
      properties["width"] = object["width_m"]
      return try geometry(region, of: properties, line)
    }
    var place = PlaceEntry(
      name: Self.text(object, ["name", "title"]) ?? "", position: try position(of: object),
      line: line)
    place.radius = try Self.number(object, ["radius_m", "radius"])
    place.category = Self.text(object, ["category"])
    place.color = Self.text(object, ["color"])
    place.notes = Self.text(object, ["notes"])
    try sink.take(place)
  }

  private func position(of object: JSONObject) throws(Fault) -> Coordinate {
    guard let north = try Self.number(object, ["lat", "latitude"]),
      let east = try Self.number(object, ["lon", "longitude", "lng"])
    else { throw Fault("a place has the numbers 'lat' and 'lon'") }
    return try Coordinate(north: north, east: east)
  }

  /// A text of any of these names; a point in a name separates an object's from its member's.
  private static func text(_ object: JSONObject, _ names: [String]) -> String? {
    for name in names {
      var value: JSONValue? = .object(object)
      for part in name.split(separator: ".") { value = value?[String(part)] }
      if let text = value?.string { return text }
    }
    return nil
  }

  /// A number of any of these names; older apps write numbers as texts.
  private static func number(_ object: JSONObject, _ names: [String]) throws(Fault) -> Double? {
    for name in names {
      guard let value = object[name], value != .null else { continue }
      guard let number = value.double ?? value.string.flatMap({ Double($0) }), number.isFinite
      else { throw Fault("'\(name)' is a number, not \(value.kind)") }
      return number
    }
    return nil
  }
}

extension ByteSource {
  /// The elements of a JSON document, by default of places.
  func jsonElements(
    lists: Set<String> = ["features", "elements", "waypoints"]
  ) -> JSONStream<InterchangeError> {
    JSONStream(lists: lists) { () throws(InterchangeError) in
      try self.next()
    } failure: { [name] line, reason in
      InterchangeError(file: name, line: line, reason: "not JSON: \(reason)")
    }
  }
}
