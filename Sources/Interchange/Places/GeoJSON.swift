import Geodesy
package import JSONText

/// Geometries of RFC 7946, or of the older GeoJSON in another coordinate system.
struct GeoJSON {
  var system = ReferenceSystem.geographic

  /// The system that a document, feature or geometry names in its `crs`; nil where it names none.
  static func system(of object: JSONObject) throws(Fault) -> ReferenceSystem? {
    guard let crs = object["crs"]?.object else { return nil }
    let properties = crs["properties"]
    let name = properties?["name"]?.string ?? properties?["code"]?.int.map { "EPSG:\($0)" } ?? ""
    guard let system = ReferenceSystem(named: name) else {
      throw Fault(
        "the coordinates are in the system '\(name)' (crs), which is not converted; convert the "
          + "file with ogr2ogr -t_srs EPSG:4326")
    }
    return system
  }

  /// The shape of a geometry that is an area or a line; nil where it is neither.
  func shape(
    _ type: String, _ coordinates: JSONValue, width: Double?
  ) throws(Fault) -> PlaceShape? {
    switch type {
    case "Polygon": return .polygons([try rings(coordinates)])
    case "MultiPolygon":
      return .polygons(try list(coordinates).map(rings))
    case "LineString":
      let points = try positions(coordinates)
      guard points.count >= 2 else { throw Fault("a LineString has at least two positions") }
      return .line(points, width: width)
    default: return nil
    }
  }

  private func list(_ value: JSONValue) throws(Fault) -> [JSONValue] {
    guard let list = value.array else { throw Fault("'coordinates' are a list, not \(value.kind)") }
    return list
  }

  /// Longitude, latitude and maybe an altitude, or east and north.
  func position(_ value: JSONValue) throws(Fault) -> Coordinate {
    let numbers = try list(value)
    guard numbers.count >= 2, let east = numbers[0].double, let north = numbers[1].double else {
      throw Fault("a position is a list of longitude and latitude")
    }
    guard system != .geographic else { return try Coordinate(north: north, east: east) }
    guard let position = system.coordinate(x: east, y: north) else {
      throw Fault("\(east), \(north) is beyond the bounds of its system of coordinates (crs)")
    }
    return position
  }

  private func positions(_ value: JSONValue) throws(Fault) -> [Coordinate] {
    try list(value).map(position)
  }

  private func rings(_ value: JSONValue) throws(Fault) -> [[Coordinate]] {
    let rings = try list(value).map { (ring) throws(Fault) in
      try PlaceShape.closedRing(try positions(ring))
    }
    guard !rings.isEmpty else { throw Fault("a polygon has at least one ring") }
    return rings
  }
}

extension PlaceEntry {
  /// A point, area or line of GeoJSON.
  /// - Parameter width: of a line, in metres.
  init(
    geometry: JSONObject, in system: ReferenceSystem = .geographic, name: String,
    width: Double? = nil, line: Int?
  ) throws(Fault) {
    guard let type = geometry["type"]?.string else { throw Fault("the geometry has no type") }
    let reader = GeoJSON(system: system)
    let coordinates = geometry["coordinates"] ?? .null
    if type == "Point" || type == "MultiPoint" && coordinates.array?.count == 1 {
      let single = type == "Point" ? coordinates : coordinates.array?.first ?? .null
      self.init(name: name, position: try reader.position(single), line: line)
    } else if let shape = try reader.shape(type, coordinates, width: width) {
      try self.init(name: name, shape: shape, line: line)
    } else {
      throw Fault("a \(type) named \"\(name)\" is no single place", line: line)
    }
  }
}

extension PlaceShape {
  /// Reads a geometry that was stored; nil where it is neither an area nor a line.
  package init?(geoJSON value: JSONValue, width: Double?) throws(InterchangeError) {
    do throws(Fault) {
      let shape = try GeoJSON().shape(
        value["type"]?.string ?? "", value["coordinates"] ?? .null, width: width)
      guard let shape else { return nil }
      self = shape
    } catch {
      throw error.error(in: "the region", at: nil)
    }
  }
}
