import Control
import Geodesy
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Client

/// The next place of a category: ahead on the course, or along a route.
@Suite struct PlaceAheadTests {
  private static let berlin = Coordinate(clampingLatitude: 52.5, wrappingLongitude: 13.4)

  /// A daemon that has these places and answers `FindPlaces` by a scan of all of them.
  private func run(
    _ arguments: [String], _ places: [String: Coordinate] = [:], fix: JSONValue? = nil,
    course: JSONValue? = 90
  ) throws -> Run {
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "Where":
        return [VarlinkReply(parameters: ["fix": fix, "course_deg": course, "nearest": []])]
      case "FindPlaces":
        let given = call.parameters
        let center = Coordinate(
          latitude: given["latitude"]?.double, longitude: given["longitude"]?.double)
        let course = given["course"]?.double
        let near = places.compactMap { name, at -> (Double, JSONValue)? in
          let distance = center?.distance(to: at) ?? 0
          guard distance <= given["within_m"]?.double ?? .infinity else { return nil }
          // The test of the store has the angle.
          if course == 90, at.longitude < center?.longitude ?? 0 { return nil }
          return (
            distance,
            [
              "name": .string(name), "latitude": .double(at.latitude),
              "longitude": .double(at.longitude), "radius_m": 150,
              "distance_m": .double(distance),
            ]
          )
        }
        let limit = given["limit"]?.int ?? 20
        let sorted = near.sorted { $0.0 < $1.0 }.prefix(limit).map(\.1)
        return [VarlinkReply(parameters: ["places": .array(sorted)])]
      default:
        return [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.method).varlink)]
      }
    }
    defer { daemon.stop() }
    return Run(
      ["place", "find"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  private static let fix: JSONValue = ["lat": .double(52.5), "lon": .double(13.4)]

  private static let fuel = [
    "East": berlin.destination(bearing: 80, distance: 9_000),
    "West": berlin.destination(bearing: 270, distance: 1_000),
  ]

  @Test func aheadAsksForTheCourseAndPrintsBearings() throws {
    let run = try run(["--ahead", "--within", "80km"], Self.fuel, fix: Self.fix)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.lines.count == 1)
    #expect(run.output.contains("9.0 km") && run.output.contains("80°"), "\(run.output)")
    let json = try firstLine(["--ahead", "--json"], Self.fuel, fix: Self.fix)
    #expect(json["bearing_deg"]?.double == 80)
  }

  private func firstLine(
    _ arguments: [String], _ places: [String: Coordinate], fix: JSONValue?
  ) throws -> JSONValue {
    try JSONParser.parse(try run(arguments, places, fix: fix).lines.first ?? "")
  }

  @Test func aheadNeedsACourse() throws {
    let still = try run(["--ahead"], Self.fuel, fix: Self.fix, course: nil)
    #expect(still.status != 0 && still.notes.contains("the device stands still"))
    let none = try run(["--ahead"], Self.fuel, course: nil)
    #expect(none.status != 0 && none.notes.contains("there is no fix yet"))
    let both = try run(["--ahead", "--near", "52,13"], Self.fuel)
    #expect(both.status == 64 && both.notes.contains("--ahead goes without --near"))
  }

  // MARK: - Along a route

  private func file(_ folder: TemporaryFolder, _ route: [Coordinate]) throws -> String {
    let positions = route.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
    return try folder.file(
      "route.json", #"{"type":"LineString","coordinates":[\#(positions)]}"#)
  }

  /// Ten places a page of the daemon would not hold, at random; each is found where a scan of a
  /// dense line finds it.
  @Test func placesAlongARouteAgreeWithAScan() throws {
    var random = SeededGenerator(seed: 5)
    var route = [Self.berlin]
    for _ in 0..<6 {
      let bearing = Double.random(in: 40...140, using: &random)
      let leg = Double.random(in: 500...30_000, using: &random)
      route.append((route.last ?? Self.berlin).destination(bearing: bearing, distance: leg))
    }
    let line = RouteLine(route)
    // A point each 20 m.
    var dense: [(along: Double, at: Coordinate)] = []
    var along = 0.0
    for (a, b) in zip(route, route.dropFirst()) {
      let leg = a.distance(to: b)
      let bearing = a.initialBearing(to: b)
      for step in stride(from: 0, to: leg, by: 20) {
        dense.append((along + step, a.destination(bearing: bearing, distance: step)))
      }
      along += leg
    }
    #expect(abs(line.length - along) < 1)
    var places: [String: Coordinate] = [:]
    for number in 0..<400 {
      let near = dense.randomElement(using: &random)?.at ?? Self.berlin
      places["p\(number)"] = near.destination(
        bearing: Double.random(in: 0..<360, using: &random),
        distance: Double.random(in: 0...9_000, using: &random))
    }
    let start = dense[dense.count / 4]
    var wanted: [(name: String, way: Double, detour: Double)] = []
    for (name, place) in places {
      guard
        let nearest = dense.map({ (along: $0.along, off: $0.at.distance(to: place)) })
          .min(by: { $0.off < $1.off }), nearest.off <= PlacesAlong.farthest,
        nearest.along >= start.along
      else { continue }
      wanted.append((name, nearest.along - start.along + nearest.off, 2 * nearest.off))
    }
    wanted.sort { $0.way < $1.way }
    let folder = try TemporaryFolder()
    let path = try file(folder, route)
    let here: JSONValue = ["lat": .double(start.at.latitude), "lon": .double(start.at.longitude)]
    let run = try run(["--along", path, "--limit", "300", "--json"], places, fix: here)
    #expect(run.status == 0, "\(run.notes)")
    let found = try run.lines.map { try JSONParser.parse($0) }
    // At the edges of the search 20 m decide.
    #expect(abs(found.count - wanted.count) <= 4)
    for place in found {
      let name = place["name"]?.string ?? ""
      guard let other = wanted.first(where: { $0.name == name }) else { continue }
      #expect(abs((place["distance_m"]?.double ?? 0) - other.way) < 60, "\(name)")
      #expect(abs((place["detour_m"]?.double ?? 0) - other.detour) < 60, "\(name)")
    }
    let ways = found.compactMap { $0["distance_m"]?.double }
    #expect(ways == ways.sorted())
    // The first of them, and those within a distance.
    let three = try self.run(["--along", path, "--limit", "3", "--json"], places, fix: here)
    #expect(three.lines == Array(run.lines.prefix(3)))
    let near = try self.run(
      ["--along", path, "--limit", "300", "--within", "10km", "--json"], places, fix: here)
    #expect(near.lines == Array(run.lines.prefix(ways.count { $0 <= 10_000 })))
  }

  /// Behind a sharp bend a place lies nearer to the part that comes later.
  @Test func theNearerPartOfARouteCountsAlsoForTheFirstPlaceAlone() throws {
    let folder = try TemporaryFolder()
    let bend = Self.berlin.destination(bearing: 90, distance: 20_500)
    let path = try file(
      folder, [Self.berlin, bend, bend.destination(bearing: 290, distance: 30_000)])
    let place = Self.berlin.destination(bearing: 90, distance: 17_000)
      .destination(bearing: 0, distance: 2_000)
    let run = try run(["--along", path, "--limit", "1", "--json"], ["Bar": place], fix: Self.fix)
    let found = try JSONParser.parse(run.lines.first ?? "")
    #expect(found["detour_m"]?.double.map { $0 < 2_000 } == true, "\(run.output)\(run.notes)")
    #expect(found["distance_m"]?.double.map { $0 > 23_000 } == true)
  }

  @Test func aRouteElsewhereCountsFromItsBeginning() throws {
    let folder = try TemporaryFolder()
    let east = Self.berlin.destination(bearing: 90, distance: 40_000)
    let path = try file(folder, [Self.berlin, east])
    let run = try run(["--along", path], Self.fuel)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.notes.contains("from the beginning of the route"))
    #expect(run.output.contains("East") && run.output.contains("detour 3.1 km"), "\(run.output)")
  }

  @Test func aTrackOfGPXIsARoute() throws {
    let folder = try TemporaryFolder()
    let points = (0...40).map { step in
      let at = Self.berlin.destination(bearing: 90, distance: Double(step) * 500)
      return #"<trkpt lat="\#(at.latitude)" lon="\#(at.longitude)"></trkpt>"#
    }.joined()
    let path = try folder.file(
      "trip.gpx", "<gpx version=\"1.1\"><trk><trkseg>\(points)</trkseg></trk></gpx>")
    let run = try run(["--along", path], Self.fuel, fix: Self.fix)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.output.contains("East"), "\(run.output)")
  }

  @Test func aFileWithoutARouteIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("point.json", #"{"type":"Point","coordinates":[13,52]}"#)
    for bad in [path, folder.path + "/none", try folder.file("empty", "")] {
      let run = try run(["--along", bad])
      #expect(run.status != 0)
      #expect(run.notes.contains("--along"), "\(run.notes)")
    }
  }
}
