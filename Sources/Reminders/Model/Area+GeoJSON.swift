import Geodesy
import Geofencing
package import JSONText

extension Reminder.Area {
  /// Reads a GeoJSON geometry (RFC 7946), or a feature or collection of one feature.
  ///
  /// Winding is ignored, and longitudes may exceed 180°: files have both. A ring must be closed.
  /// - Parameter width: full width in metres; required for lines.
  package convenience init(geoJSON value: JSONValue, width: Double?) throws(ReminderError) {
    let (found, path) = try Self.geometry(in: value, path: "region")
    var (geometry, name) = found
    if let own = geometry["name"]?.string { name = own }
    if let name { geometry["name"] = .string(name) }
    let type = geometry["type"]?.string ?? ""
    var reader = PositionReader()
    let coordinates = geometry["coordinates"] ?? .null
    let place = path + ".coordinates"
    let region: Region
    do {
      switch type {
      case "Polygon":
        let rings = try reader.list(coordinates, place, "rings") {
          try reader.positions($0, $1, isRing: true)
        }
        region = .polygon(try Polygon(parts: [rings]))
      case "MultiPolygon":
        let parts = try reader.list(coordinates, place, "polygons") { part, path in
          try reader.list(part, path, "rings") { try reader.positions($0, $1, isRing: true) }
        }
        region = .polygon(try Polygon(parts: parts))
      case "LineString":
        let line = try reader.positions(coordinates, place, isRing: false)
        region = .corridor(try Corridor(lines: [line], width: try Self.needed(width)))
      default:
        let lines = try reader.list(coordinates, place, "lines") {
          try reader.positions($0, $1, isRing: false)
        }
        region = .corridor(try Corridor(lines: lines, width: try Self.needed(width)))
      }
    } catch let error as ShapeError {
      throw ReminderError(
        field: Self.place(of: error, type: type, in: place), reason: error.description)
    } catch let error as ReminderError {
      throw error
    } catch {
      throw ReminderError(field: path, reason: "\(error)")
    }
    if case .polygon = region, width != nil {
      throw ReminderError(
        field: "width_m", reason: "is for lines, and the region is a polygon; leave it out")
    }
    self.init(
      region: region, width: width, name: name, type: type, positionCount: reader.count,
      geometry: geometry)
  }

  private static let types = ["Polygon", "MultiPolygon", "LineString", "MultiLineString"]

  /// The geometry, the name of its feature, and its path in the document.
  private static func geometry(
    in value: JSONValue, path: String
  ) throws(ReminderError) -> ((JSONObject, String?), String) {
    guard let object = value.object else {
      throw ReminderError(field: path, reason: "must be a GeoJSON geometry, not \(value.kind)")
    }
    guard let type = object["type"]?.string else {
      throw ReminderError(
        field: path + ".type", reason: "is missing; a GeoJSON geometry says what it is")
    }
    switch type {
    case _ where types.contains(type): return ((object, nil), path)
    case "Feature":
      let (found, path) = try geometry(
        in: object["geometry"] ?? .null, path: path + ".geometry")
      return ((found.0, found.1 ?? object["properties"]?["name"]?.string), path)
    case "FeatureCollection":
      guard let features = object["features"]?.array, features.count == 1 else {
        throw ReminderError(
          field: path + ".features",
          reason: "must have one feature, not \(object["features"]?.array?.count ?? 0); "
            + "keep the intended one")
      }
      return try geometry(in: features[0], path: path + ".features[0]")
    case "Point", "MultiPoint":
      throw ReminderError(
        field: path + ".type",
        reason: "is \(type), which has no extent; use \"place\" with lat, lon and radius_m")
    default:
      throw ReminderError(
        field: path + ".type",
        reason: "must be one of \(types.joined(separator: ", ")), not \"\(type)\"")
    }
  }

  private static func needed(_ width: Double?) throws(ReminderError) -> Double {
    guard let width else {
      throw ReminderError(
        field: "width_m", reason: "is missing; a line needs the width of its corridor in metres")
    }
    return width
  }

  private static func place(of error: ShapeError, type: String, in path: String) -> String {
    switch error {
    case .badWidth: "width_m"
    case .noRing(let part, let ring):
      path + (type == "Polygon" ? "[\(ring)]" : "[\(part)][\(ring)]")
    case .noLine(let line): path + (type == "LineString" ? "" : "[\(line)]")
    case .tooManyPositions, .noArea, .tooLarge: path
    }
  }
}

/// Reads lists of positions; errors carry the path of the faulty member.
private struct PositionReader {
  private(set) var count = 0

  func list<Element>(
    _ value: JSONValue, _ path: String, _ what: String,
    _ read: (JSONValue, String) throws -> Element
  ) throws -> [Element] {
    guard let array = value.array else {
      throw ReminderError(field: path, reason: "must be a list of \(what), not \(value.kind)")
    }
    return try array.enumerated().map { try read($1, "\(path)[\($0)]") }
  }

  mutating func positions(
    _ value: JSONValue, _ path: String, isRing: Bool
  ) throws(ReminderError) -> [Coordinate] {
    guard let array = value.array else {
      throw ReminderError(field: path, reason: "must be a list of positions, not \(value.kind)")
    }
    count += array.count
    guard count <= Polygon.maximumPositions else {
      throw ReminderError(field: path, reason: ShapeError.tooManyPositions(count).description)
    }
    var positions: [Coordinate] = []
    positions.reserveCapacity(array.count)
    for (index, entry) in array.enumerated() {
      positions.append(try position(entry, at: { "\(path)[\(index)]" }))
    }
    if isRing, let first = positions.first, let last = positions.last,
      first.distance(to: last) > 0.001
    {
      throw ReminderError(
        field: path, reason: "is not closed; repeat the first position of the ring at its end")
    }
    return positions
  }

  /// - Parameter path: asked for in an error only.
  private func position(
    _ value: JSONValue, at path: () -> String
  ) throws(ReminderError) -> Coordinate {
    guard let numbers = value.array, numbers.count >= 2, let longitude = numbers[0].double,
      let latitude = numbers[1].double
    else {
      throw ReminderError(
        field: path(), reason: "must be a position: [longitude, latitude] in degrees")
    }
    guard abs(latitude) <= 90 else {
      throw ReminderError(
        field: path(),
        reason: "the latitude must be -90 to 90, not \(latitude); GeoJSON has longitude first")
    }
    guard abs(longitude) <= 540 else {
      throw ReminderError(
        field: path(), reason: "the longitude must be -540 to 540, not \(longitude)")
    }
    return Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
  }
}
