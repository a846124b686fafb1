import Geodesy
package import JSONText

/// Geometries of RFC 7946.
enum GeoJSON {
  /// The shape of a geometry that is an area or a line; nil where it is neither.
  static func shape(
    _ type: String, _ coordinates: JSONValue, width: Double?
  ) throws(Fault) -> PlaceShape? {
    switch type {
    case "Polygon": return .polygons([try rings(coordinates)])
    case "MultiPolygon":
      var polygons: [[[Coordinate]]] = []
      for polygon in try list(coordinates) { polygons.append(try rings(polygon)) }
      return .polygons(polygons)
    case "LineString":
      let points = try positions(coordinates)
      guard points.count >= 2 else { throw Fault("a LineString has at least two positions") }
      return .line(points, width: width)
    default: return nil
    }
  }

  private static func list(_ value: JSONValue) throws(Fault) -> [JSONValue] {
    guard let list = value.array else { throw Fault("'coordinates' are a list, not \(value.kind)") }
    return list
  }

  /// Longitude, latitude and maybe an altitude.
  static func position(_ value: JSONValue) throws(Fault) -> Coordinate {
    let numbers = try list(value)
    guard numbers.count >= 2, let east = numbers[0].double, let north = numbers[1].double else {
      throw Fault("a position is a list of longitude and latitude")
    }
    return try Coordinate(north: north, east: east)
  }

  private static func positions(_ value: JSONValue) throws(Fault) -> [Coordinate] {
    var points: [Coordinate] = []
    for entry in try list(value) { points.append(try position(entry)) }
    return points
  }

  private static func rings(_ value: JSONValue) throws(Fault) -> [[Coordinate]] {
    var rings: [[Coordinate]] = []
    for entry in try list(value) {
      rings.append(try PlaceShape.closedRing(try positions(entry)))
    }
    guard !rings.isEmpty else { throw Fault("a polygon has at least one ring") }
    return rings
  }
}

extension PlaceShape {
  /// Reads a geometry that was stored; nil where it is neither an area nor a line.
  package init?(geoJSON value: JSONValue, width: Double?) throws(InterchangeError) {
    do throws(Fault) {
      let shape = try GeoJSON.shape(
        value["type"]?.string ?? "", value["coordinates"] ?? .null, width: width)
      guard let shape else { return nil }
      self = shape
    } catch {
      throw error.error(in: "the region", at: nil)
    }
  }
}
