import Geodesy
package import JSONText

/// Writes places in one of the formats that other programs read: `begin`, each place, `end`.
package struct PlaceWriter {
  package enum Format: String, CaseIterable, Sendable {
    case json, gpx, kml, csv
    case geoJSON = "geojson"
    case ownTracks = "otrw"
  }

  package let format: Format
  /// Places whose shape the format cannot hold, written as the circle around it.
  package private(set) var flattened = 0
  /// Places of which the format holds no category, colour or notes.
  package private(set) var shortened = 0
  private var isFirst = true
  /// The routes of GPX, which stand behind all way points (GPX 1.1, `gpxType`).
  private var routes = ""

  package init(_ format: Format) { self.format = format }

  package func begin(into text: inout String) { text += Self.frames[format]?.head ?? "" }

  package func end(into text: inout String) { text += routes + (Self.frames[format]?.tail ?? "") }

  /// The text before and behind all places.
  private static let frames: [Format: (head: String, tail: String)] = [
    .gpx: (
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="georemind" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3" \
      xmlns:wptx1="http://www.garmin.com/xmlschemas/WaypointExtension/v1" \
      xmlns:opencpn="http://www.opencpn.org">
      """, "</gpx>\n"
    ),
    .kml: (
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document>
      """, "</Document></kml>\n"
    ),
    .geoJSON: ("{\"type\":\"FeatureCollection\",\"features\":[", "\n]}\n"),
    .ownTracks: ("{\"_type\":\"waypoints\",\"waypoints\":[", "\n]}\n"),
    .csv: ("name,lat,lon,radius_m,category,color,notes\r\n", ""),
  ]

  package mutating func write(_ place: PlaceEntry, into text: inout String) {
    defer { isFirst = false }
    note(place)
    switch format {
    case .gpx: writeGPX(place, &text)
    case .kml: writeKML(place, &text)
    case .csv: writeCSV(place, &text)
    case .json:
      Self.object(place).write(to: &text)
      text += "\n"
    case .geoJSON:
      text += isFirst ? "\n" : ",\n"
      Self.feature(place).write(to: &text)
    case .ownTracks:
      text += isFirst ? "\n" : ",\n"
      // OwnTracks has whole metres; a radius of 0 is none, and a '+' name is a region that moves.
      let name = place.name.hasPrefix("+") ? " " + place.name : place.name
      JSONValue.object([
        "_type": "waypoint", "desc": .string(name),
        "lat": .double(place.position.latitude), "lon": .double(place.position.longitude),
        "rad": .int(Int((place.radius ?? 0).rounded())),
      ]).write(to: &text)
    }
  }

  /// Counts what the format cannot hold.
  private mutating func note(_ place: PlaceEntry) {
    let isLine = if case .line = place.shape { true } else { false }
    let holdsShape = format == .gpx ? isLine : format != .csv && format != .ownTracks
    if place.shape != nil, !holdsShape { flattened += 1 }
    let hasWords = place.category != nil || place.notes != nil
    switch format {
    case .gpx where place.color != nil: shortened += 1
    case .ownTracks where place.color != nil || hasWords: shortened += 1
    default: break
    }
  }

  /// A place in the form of `place list --json`.
  package static func object(_ place: PlaceEntry) -> JSONObject {
    var width: Double?
    if case .line(_, let given) = place.shape { width = given ?? PlaceShape.defaultWidth }
    return [
      "name": .string(place.name), "lat": .double(place.position.latitude),
      "lon": .double(place.position.longitude), "radius_m": .double(place.radius),
      "category": place.category.map { .string($0) }, "color": place.color.map { .string($0) },
      "notes": place.notes.map { .string($0) }, "region": place.shape?.geoJSON,
      "width_m": .double(width),
    ]
  }

  private static func feature(_ place: PlaceEntry) -> JSONValue {
    var properties = object(place)
    for name in ["lat", "lon", "region", "radius_m", "width_m"] { properties[name] = nil }
    if case .line(_, let width) = place.shape {
      properties["width"] = .double(width ?? PlaceShape.defaultWidth)
    } else if place.shape == nil {
      properties["radius"] = .double(place.radius)
    }
    return [
      "type": "Feature", "properties": .object(properties),
      "geometry": place.shape?.geoJSON
        ?? ["type": "Point", "coordinates": place.position.geoJSON],
    ]
  }

  // MARK: - GPX

  private mutating func writeGPX(_ place: PlaceEntry, _ text: inout String) {
    if case .line(let points, let width) = place.shape {
      routes += "<rte>" + Self.element("name", place.name) + Self.element("desc", place.notes)
      routes += Self.element("type", place.category) + "\n"
      for point in points {
        routes += "<rtept \(Self.position(point))>"
        routes += Self.radius((width ?? PlaceShape.defaultWidth) / 2) + "</rtept>\n"
      }
      routes += "</rte>\n"
      return
    }
    text += "<wpt \(Self.position(place.position))>"
    text += Self.element("name", place.name) + Self.element("desc", place.notes)
    text += Self.element("type", place.category)
    if let radius = place.radius { text += Self.radius(radius) }
    text += "</wpt>\n"
  }

  /// The attributes of a point of GPX, whose numbers have no exponent.
  static func position(_ position: Coordinate) -> String {
    "lat=\"\(CalendarText.decimal(position.latitude))\" "
      + "lon=\"\(CalendarText.decimal(position.longitude))\""
  }

  /// The radius in each dialect; metres stand last, so that reading it back takes them.
  private static func radius(_ metres: Double) -> String {
    "<extensions>" + element("opencpn:arrival_radius", "\(metres / 1852)")
      + "<gpxx:WaypointExtension>" + element("gpxx:Proximity", "\(metres)")
      + "</gpxx:WaypointExtension><wptx1:WaypointExtension>"
      + element("wptx1:Proximity", "\(metres)") + "</wptx1:WaypointExtension></extensions>"
  }

  // MARK: - KML

  private func writeKML(_ place: PlaceEntry, _ text: inout String) {
    func list(_ points: [Coordinate]) -> String {
      Self.element(
        "coordinates", points.map { "\($0.longitude),\($0.latitude)" }.joined(separator: " "))
    }
    text += "<Placemark>" + Self.element("name", place.name)
    text += Self.element("description", place.notes)
    var data = [("category", place.category), ("color", place.color)]
    switch place.shape {
    case .polygons: break
    case .line(_, let width): data.append(("width", "\(width ?? PlaceShape.defaultWidth)"))
    case nil: data.append(("radius", place.radius.map { "\($0)" }))
    }
    let known = data.filter { $0.1 != nil }
    if !known.isEmpty {
      text += "<ExtendedData>"
      for (name, value) in known {
        text += "<Data name=\"\(name)\">" + Self.element("value", value) + "</Data>"
      }
      text += "</ExtendedData>"
    }
    switch place.shape {
    case nil: text += "<Point>" + list([place.position]) + "</Point>"
    case .line(let points, _): text += "<LineString>" + list(points) + "</LineString>"
    case .polygons(let polygons):
      text += "<MultiGeometry>"
      for polygon in polygons {
        text += "<Polygon>"
        for (index, ring) in polygon.enumerated() {
          let name = index == 0 ? "outerBoundaryIs" : "innerBoundaryIs"
          text += "<\(name)><LinearRing>" + list(ring) + "</LinearRing></\(name)>"
        }
        text += "</Polygon>"
      }
      text += "</MultiGeometry>"
    }
    text += "</Placemark>\n"
  }

  private static func element(_ name: String, _ content: String?) -> String {
    content.map { "<\(name)>\(escaped($0))</\(name)>" } ?? ""
  }

  /// For XML 1.0, which cannot say most control characters at all.
  private static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\r": result += "&#13;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  // MARK: - CSV

  private func writeCSV(_ place: PlaceEntry, _ text: inout String) {
    let cells: [String] = [
      FormulaGuard.protected(place.name), "\(place.position.latitude)",
      "\(place.position.longitude)", place.radius.map { "\($0)" } ?? "",
      FormulaGuard.protected(place.category ?? ""), FormulaGuard.protected(place.color ?? ""),
      FormulaGuard.protected(place.notes ?? ""),
    ]
    text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
  }

  private static func cell(_ text: String) -> String {
    guard
      text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D })
        || text.first == " " || text.last == " "
    else { return text }
    // By scalars: a quote with an accent above it is one character, but not to the reader.
    var result = "\""
    for scalar in text.unicodeScalars { result += scalar == "\"" ? "\"\"" : "\(scalar)" }
    return result + "\""
  }
}
