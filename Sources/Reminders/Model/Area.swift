package import Geodesy
package import Geofencing
package import JSONText

extension Reminder {
  /// Where a location reminder fires when it is no circle: a polygon, or a corridor around a line.
  ///
  /// Immutable and shared: few reminders have one, and it would make every other one larger.
  package final class Area: Equatable, Sendable {
    package let region: Region
    /// Metres from side to side of a corridor; nil for a polygon.
    package let width: Double?
    /// The member `name` of the geometry, or that of the feature it came in.
    package let name: String?
    /// `Polygon`, `MultiPolygon`, `LineString` or `MultiLineString`.
    package let type: String
    /// The positions of all rings or lines.
    package let positionCount: Int
    /// The geometry as it was read, on one line: far smaller than the value it is.
    private let text: String

    init(
      region: Region, width: Double?, name: String?, type: String, positionCount: Int,
      geometry: JSONObject
    ) {
      self.region = region
      self.width = width
      self.name = name
      self.type = type
      self.positionCount = positionCount
      text = JSONValue.object(geometry).line
    }

    package static func == (a: Area, b: Area) -> Bool {
      a.region == b.region && a.width == b.width && a.name == b.name && a.type == b.type
        && a.text == b.text
    }

    /// The centre of a circle that holds it.
    package var middle: Coordinate { region.boundingCircle.center }

    /// Bytes of the geometry's text.
    var textByteCount: Int { text.utf8.count }

    /// Of heap, about.
    package var byteCount: Int { positionCount * 32 }

    /// The radius of that circle in metres.
    package var reach: Double { region.boundingCircle.radius }

    /// The GeoJSON geometry, with all members it had.
    package var json: JSONValue { (try? JSONParser.parse(text)) ?? .null }
  }

  /// What the monitor watches for a reminder of a place or a region.
  package var region: Region? {
    if let area { return area.region }
    return place.flatMap { Circle(center: $0.position, radius: $0.radius) }.map { .circle($0) }
  }

  /// The name of the region or the place, where it has one.
  package var knownName: String? { area.map(\.name) ?? place?.name }

  /// What the distance of a firing is measured from.
  var landmark: String {
    switch area?.region {
    case .polygon: "edge"
    case .corridor: "line"
    case .circle, nil: "centre"
    }
  }

  /// Metres from the centre of a place, the line of a corridor or, on whichever side, the edge of a
  /// polygon.
  func distance(from position: Coordinate) -> Double? {
    if let area { return area.region.distance(from: position) }
    return place.map { position.distance(to: $0.position) }
  }
}
