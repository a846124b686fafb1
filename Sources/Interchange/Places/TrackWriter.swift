package import CivilTime
package import Geodesy
import JSONText

/// Writes a track with its times, in one of the formats that other programs read.
package enum TrackWriter {
  package enum Format: String, CaseIterable, Sendable {
    case gpx
    case geoJSON = "geojson"
  }

  /// A point of the way.
  package struct Point: Equatable, Sendable {
    package var time: Instant
    package var position: Coordinate
    /// The way from the point before is unknown: a new segment begins.
    package var isAfterGap: Bool

    package init(time: Instant, position: Coordinate, isAfterGap: Bool) {
      self.time = time
      self.position = position
      self.isAfterGap = isAfterGap
    }
  }

  /// - Parameter name: of the track, plain text without markup.
  package static func text(_ points: [Point], name: String, format: Format) -> String {
    var segments: [[Point]] = []
    for point in points {
      if point.isAfterGap || segments.isEmpty { segments.append([]) }
      segments[segments.count - 1].append(point)
    }
    switch format {
    case .gpx: return gpx(segments, name)
    case .geoJSON: return JSONValue.object(geoJSON(segments, name)).line + "\n"
    }
  }

  /// GPX 1.1 (https://www.topografix.com/GPX/1/1/).
  private static func gpx(_ segments: [[Point]], _ name: String) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="georemind" xmlns="http://www.topografix.com/GPX/1/1">
      <trk><name>\(name)</name>

      """
    for segment in segments {
      text += "<trkseg>\n"
      for point in segment {
        text +=
          "<trkpt \(PlaceWriter.position(point.position))>"
          + "<time>\(point.time.rfc3339())</time></trkpt>\n"
      }
      text += "</trkseg>\n"
    }
    return text + "</trk></gpx>\n"
  }

  /// A feature of RFC 7946 with the times in `coordinateProperties`, as togeojson writes them.
  private static func geoJSON(_ segments: [[Point]], _ name: String) -> JSONObject {
    [
      "type": "Feature",
      "properties": [
        "name": .string(name),
        "coordinateProperties": [
          "times": .array(
            segments.map { .array($0.map { .string($0.time.rfc3339()) }) })
        ],
      ],
      "geometry": [
        "type": "MultiLineString",
        "coordinates": .array(segments.map { .array($0.map(\.position.geoJSON)) }),
      ],
    ]
  }
}
