import Geodesy
import Geofencing
import JSONText
import Testing

@testable import Reminders

@Suite struct RegionJSONTests {
  @Test func aPlaceWithoutARadiusHas150Metres() throws {
    let document = #"{"id":"a","title":"A","place":{"lat":53.5,"lon":9.9}}"#
    let reminder = try Reminder(json: try #require(try JSONParser.parse(document).object))
    #expect(reminder.place?.radius == 150)
  }

  static let ring = "[[9.99,53.55],[10.0,53.55],[10.0,53.56],[9.99,53.56],[9.99,53.55]]"
  static let line = "[[9.98,53.55],[9.99,53.55,12.5],[10.0,53.551]]"

  private func reminder(_ members: String) throws -> Reminder {
    let object = try #require(
      try JSONParser.parse("{\"id\":\"r\",\"title\":\"R\",\(members)}").object)
    return try Reminder(json: object)
  }

  @Test(arguments: [
    #""region":{"type":"Polygon","coordinates":[\#(ring)]}"#,
    #""region":{"type":"Polygon","coordinates":[\#(ring)],"name":"Port","bbox":[1,2,3,4]}"#,
    #""region":{"type":"MultiPolygon","coordinates":[[\#(ring)]]}"#,
    #""region":{"type":"LineString","coordinates":\#(line)},"width_m":40"#,
    #""region":{"type":"MultiLineString","coordinates":[\#(line),\#(line)]},"width_m":2.5"#,
  ])
  func staysAsItWasRead(members: String) throws {
    let read = try reminder(members)
    #expect(read.kind == .location)
    let written = JSONValue.object(read.json).line
    #expect(
      written
        == #"{"id":"r","kind":"location","title":"R",\#(members),"on":"arrive","state":"armed"}"#)
    #expect(try Reminder(json: read.json) == read)
  }

  @Test func aFeatureIsItsGeometryAndItsName() throws {
    let polygon = #"{"type":"Polygon","coordinates":[\#(Self.ring)]}"#
    let feature = #"{"type":"Feature","properties":{"name":"Port"},"geometry":\#(polygon)}"#
    for region in [feature, #"{"type":"FeatureCollection","features":[\#(feature)]}"#] {
      let read = try reminder(#""region":\#(region)"#)
      #expect(read.knownName == "Port")
      #expect(
        read.json["region"]?.line
          == #"{"type":"Polygon","coordinates":[\#(Self.ring)],"name":"Port"}"#)
    }
  }

  /// Over the antimeridian in two parts, beyond 180°, and with a jump; clockwise or not.
  @Test func theAntimeridianIsNoEdge() throws {
    let outlines = [
      "[[[[178,-18],[180,-18],[180,-16],[178,-16],[178,-18]]],"
        + "[[[-180,-18],[-180,-16],[-178,-16],[-178,-18],[-180,-18]]]]",
      "[[[[178,-18],[180,-18],[182,-18],[182,-16],[180,-16],[178,-16],[178,-18]]]]",
      "[[[[178,-18],[178,-16],[180,-16],[-178,-16],[-178,-18],[180,-18],[178,-18]]]]",
      "[[[[-182,-18],[-180,-18],[-178,-18],[-178,-16],[-180,-16],[-182,-16],[-182,-18]]]]",
    ]
    let regions = try outlines.map {
      try #require(
        try reminder(#""region":{"type":"MultiPolygon","coordinates":\#($0)}"#).region)
    }
    for (latitude, longitude) in [(-17.0, 180.0), (-17, 179.2), (-17, -179), (-15, 180), (-17, 0)] {
      let place = try #require(
        Coordinate(latitude: latitude, longitude: longitude))
      let distances = regions.map { $0.signedBoundaryDistance(from: place) }
      #expect(distances.allSatisfy { abs($0 - distances[0]) < 0.001 }, "\(distances)")
      #expect((distances[0] < 0) == (latitude == -17 && longitude != 0))
    }
  }

  struct Refusal: CustomTestStringConvertible {
    let members: String
    let field: String
    let part: String
    var testDescription: String { members }

    init(_ members: String, _ field: String, _ part: String) {
      (self.members, self.field, self.part) = (members, field, part)
    }
  }

  @Test(arguments: [
    Refusal(#""region":7"#, "region", "not a number"),
    Refusal(#""region":{}"#, "region.type", "is missing"),
    Refusal(#""region":{"type":"Point","coordinates":[1,2]}"#, "region.type", "radius_m"),
    Refusal(#""region":{"type":"Blob"}"#, "region.type", "MultiPolygon"),
    Refusal(#""region":{"type":"Feature"}"#, "region.geometry", "must be a GeoJSON geometry"),
    Refusal(
      #""region":{"type":"FeatureCollection","features":[{},{}]}"#, "region.features", "not 2"),
    Refusal(
      #""region":{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"#
        + #""type":"Polygon","coordinates":[[[1,2],[1,3],"x"]]}}]}"#,
      "region.features[0].geometry.coordinates[0][2]", "[longitude, latitude]"),
    Refusal(#""region":{"type":"Polygon"}"#, "region.coordinates", "list of rings"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[1,2]]}"#, "region.coordinates[0][0]",
      "must be a position"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3]]]}"#,
      "region.coordinates[0]", "repeat the first position"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[\#(ring),[[1,2],[2,2],[1,2]]]}"#,
      "region.coordinates[1]", "fewer than three"),
    Refusal(
      #""region":{"type":"MultiPolygon","coordinates":[[\#(ring)],[[[1,1],[1,1]]]]}"#,
      "region.coordinates[1][0]", "fewer than three"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[[53,99],[53,9],[54,9],[53,99]]]}"#,
      "region.coordinates[0][0]", "longitude first"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[[999,9],[53,9],[54,9],[999,9]]]}"#,
      "region.coordinates[0][0]", "-540 to 540"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[[0,0],[1,0],[2,0],[0,0]]]}"#,
      "region.coordinates", "no area"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[[[-180,-60],[0,-60],[90,60],[-180,-60]]]}"#,
      "region.coordinates", "5000 km"),
    Refusal(#""region":{"type":"LineString","coordinates":\#(line)}"#, "width_m", "is missing"),
    Refusal(
      #""region":{"type":"LineString","coordinates":\#(line)},"width_m":0"#, "width_m", "1 to"),
    Refusal(
      #""region":{"type":"LineString","coordinates":[[1,2]]},"width_m":9"#, "region.coordinates",
      "fewer than two"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[\#(ring)]},"width_m":9"#, "width_m",
      "leave it out"),
    Refusal(#""width_m":9,"due":"2026-06-13T09:00:00""#, "width_m", "needs a region"),
    Refusal(
      #""region":{"type":"Polygon","coordinates":[\#(ring)]},"place":{"lat":1,"lon":2}"#,
      "region", "excludes a place"),
    Refusal(
      #""kind":"date","due":"2026-06-13T09:00:00","#
        + #""region":{"type":"Polygon","coordinates":[\#(ring)]}"#, "region",
      "for location reminders"),
  ])
  func refusesWithPathAndRemedy(refusal: Refusal) throws {
    let error = try #require(throws: ReminderError.self) { _ = try reminder(refusal.members) }
    #expect(error.field == refusal.field)
    #expect(error.reason.contains(refusal.part), "\(error)")
  }

  @Test func tooManyPositionsAreRefusedEarly() throws {
    let many = Array(repeating: "[1,2]", count: 10_001).joined(separator: ",")
    let error = try #require(throws: ReminderError.self) {
      _ = try reminder(#""region":{"type":"LineString","coordinates":[\#(many)]},"width_m":5"#)
    }
    #expect(error.description.contains("10001 positions"))
  }
}
