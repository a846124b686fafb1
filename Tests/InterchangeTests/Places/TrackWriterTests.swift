import CivilTime
import Geodesy
import JSONText
import Positioning
import Testing

@testable import Interchange

/// Tracks that other programs read, read back.
@Suite struct TrackWriterTests {
  private static let points = (0..<6).map { number in
    TrackWriter.Point(
      time: Instant(seconds: 1_781_280_000 + Double(number) * 10.25),
      position: Coordinate(
        clampingLatitude: 47 + Double(number) * 1e-6, wrappingLongitude: 179.999999),
      isAfterGap: number == 4)
  }

  @Test func gpxIsReadAsItWasWritten() throws {
    var rest = Array(TrackWriter.text(Self.points, name: "t", format: .gpx).utf8)[...]
    var fixes: [Fix] = []
    let content = try GPXTrack.read(name: "t.gpx", zone: .utc) {
      defer { rest = rest.dropFirst(64) }
      return Array(rest.prefix(64))
    } _: {
      fixes.append($0)
    }
    #expect(content.note == nil)
    #expect(fixes.map(\.time) == Self.points.map(\.time))
    #expect(fixes.map(\.position) == Self.points.map(\.position))
  }

  @Test func geoJSONHasALineForEachPartAndATimeForEachPoint() throws {
    let feature = try JSONParser.parse(TrackWriter.text(Self.points, name: "t", format: .geoJSON))
    #expect(feature["geometry"]?["type"] == "MultiLineString")
    let lines = feature["geometry"]?["coordinates"]?.array ?? []
    let times = feature["properties"]?["coordinateProperties"]?["times"]?.array ?? []
    #expect(lines.map { $0.array?.count } == [4, 2] && times.map { $0.array?.count } == [4, 2])
    #expect(lines.first?.array?.first?.array?.map(\.double) == [179.999999, 47])
  }

  @Test func withoutPointsTheFileIsValid() throws {
    #expect(TrackWriter.text([], name: "t", format: .gpx).contains("<trk><name>t</name>"))
    let feature = try JSONParser.parse(TrackWriter.text([], name: "t", format: .geoJSON))
    #expect(feature["geometry"]?["coordinates"] == [])
  }
}
