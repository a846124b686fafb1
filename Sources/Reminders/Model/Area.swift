package import Geodesy
package import Geofencing
package import JSONText

extension Reminder {
  /// A region other than a circle: a polygon, or a corridor around a line.
  ///
  /// Immutable and shared: few reminders have one, and stored inline it would enlarge them all.
  package final class Area: Equatable, Sendable {
    package let region: Region
    /// Full width of a corridor in metres; nil for a polygon.
    package let width: Double?
    /// The member `name` of the geometry or of its feature.
    package let name: String?
    /// `Polygon`, `MultiPolygon`, `LineString` or `MultiLineString`.
    package let type: String
    /// The positions of all rings or lines.
    package let positionCount: Int
    /// The geometry as one line of JSON text, far smaller than the parsed value.
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

    /// The centre of the bounding circle.
    package var middle: Coordinate { region.boundingCircle.center }

    /// Bytes of the geometry's text.
    var textByteCount: Int { text.utf8.count }

    /// Estimated heap use in bytes.
    package var byteCount: Int { positionCount * 32 }

    /// The radius of the bounding circle in metres.
    package var reach: Double { region.boundingCircle.radius }

    /// The GeoJSON geometry with all its members.
    package var json: JSONValue { (try? JSONParser.parse(text)) ?? .null }
  }

  /// The region to monitor, for a reminder of a place or an area.
  package var region: Region? {
    if let area { return area.region }
    return place.flatMap { Circle(center: $0.position, radius: $0.radius) }.map { .circle($0) }
  }

  package var knownName: String? { area.map(\.name) ?? place?.name }

  /// The reference point of a firing's distance, in words.
  var landmark: String { area?.region.landmark ?? Region.circleLandmark }

  /// Metres from the centre of a place, the line of a corridor or the edge of a polygon (on either
  /// side).
  func distance(from position: Coordinate) -> Double? {
    if let area { return area.region.distance(from: position) }
    return place.map { position.distance(to: $0.position) }
  }
}

extension Region {
  static let circleLandmark = "centre"

  /// The reference point of a distance to the region, in words.
  var landmark: String {
    switch self {
    case .polygon: "edge"
    case .corridor: "line"
    case .circle: Self.circleLandmark
    }
  }
}
