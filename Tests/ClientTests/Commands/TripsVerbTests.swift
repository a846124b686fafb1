import Control
import JSONText
import TestSupport
import Testing

@testable import Client

/// Trips, the report of one, suggested places, and the tiles of a report.
@Suite struct TripsVerbTests {
  private static let trip: JSONObject = [
    "id": "20260612T150000Z", "start": "2026-06-12T15:00:00Z", "end": "2026-06-12T15:10:00Z",
    "distance_m": 1200, "time_s": 600,
  ]
  private static let track: JSONObject = [
    "t": [1_781_276_400_000, 10_000, 600_000], "lat": [52_000_000, 1_000, 1_000],
    "lon": [13_000_000, 0, 0], "speed": [0, 20, 20], "eph": [50, -1, 50], "gaps": [2],
  ]

  /// A daemon with one trip.
  private func run(_ arguments: [String]) throws -> Run {
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "ListTrips": [VarlinkReply(parameters: ["trips": [.object(Self.trip)], "more": false])]
      case "ReadTrack":
        [VarlinkReply(parameters: ["track": .object(Self.track), "trip": .object(Self.trip)])]
      case "SuggestPlaces":
        [
          VarlinkReply(parameters: [
            "places": [
              [
                "latitude": 52, "longitude": 13, "visits": 3, "time_s": 7200,
                "last": "2026-06-12T15:00:00Z",
              ]
            ]
          ])
        ]
      case "ForgetTrack": [VarlinkReply(parameters: ["trips": 1])]
      case "Log": [VarlinkReply(parameters: ["firings": []])]
      case "PageReminders": [VarlinkReply(parameters: ["reminders": []])]
      case "FindPlaces": [VarlinkReply(parameters: ["places": []])]
      case "ListCategories": [VarlinkReply(parameters: ["categories": []])]
      default: [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.methodName).varlink)]
      }
    }
    defer { daemon.stop() }
    return Run(arguments + ["--socket", daemon.path])
  }

  @Test func tripsAreListedAndExported() throws {
    let list = try run(["trips"])
    #expect(list.status == 0 && list.output.contains("20260612T150000Z"))
    #expect(list.output.contains("1.2 km") && list.output.contains("10min"))
    let gpx = try run(["trips", "export", "last"])
    #expect(gpx.output.components("<trkseg>") == 2 && gpx.output.components("<trkpt") == 3)
    #expect(gpx.output.contains("<trkpt lat=\"52.001\" lon=\"13.0\"><time>2026-06-12T15:00:10Z"))
    let json = try run(["trips", "export", "last", "--format", "geojson"])
    let feature = try JSONParser.parse(json.output)
    #expect(feature["geometry"]?["coordinates"]?.array?.map { $0.array?.count } == [2, 1])
  }

  @Test func forgettingNeedsItsExtent() throws {
    #expect(try run(["trips", "forget"]).status != 0)
    #expect(try run(["trips", "forget", "--all", "--before", "-7d"]).status != 0)
    #expect(try run(["trips", "forget", "--all"]).notes.contains("forgot 1 trip"))
  }

  @Test func suggestedPlacesHaveTheirVisits() throws {
    let places = try run(["place", "suggest"])
    #expect(places.output.contains("3 visits") && places.output.contains("2h"))
  }

  @Test func aTripIsDrawn() throws {
    let folder = try TemporaryFolder()
    #expect(try run(["report", "\(folder.path)/trip.html", "--trip", "last"]).status == 0)
    let page = try contents("\(folder.path)/trip.html")
    #expect(page.contains("trip 20260612T150000Z") && page.contains("<dt>Gaps</dt><dd>1</dd>"))
    #expect(try run(["report", "-", "--trip", "last", "--since", "today"]).status != 0)
  }

  @Test func aFileWithoutTilesIsNamed() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("region.mbtiles", "no tiles")
    let report = try run(["report", "-", "--map", file])
    #expect(report.status != 0 && report.notes.contains("region.mbtiles is no MBTiles file"))
    #expect(try run(["replay", "x.nmea", "--map", file]).notes.contains("--map is for --report"))
  }
}

extension String {
  fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
