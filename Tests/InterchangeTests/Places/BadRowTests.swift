import TestSupport
import Testing

@testable import Interchange

/// A row that cannot be read is left out and named; the rows around it are taken.
@Suite struct BadRowTests {
  /// How a format writes a file, a place and rows with a fault.
  struct Form: CustomTestStringConvertible {
    let testDescription: String
    let start: String
    let end: String
    var separator = "\n"
    let good: String
    let bad: [(row: String, reason: String)]
  }

  private static func placemark(_ coordinates: String) -> String {
    "<Placemark><name>N</name><Point><coordinates>\(coordinates)</coordinates></Point></Placemark>"
  }

  private static func feature(_ coordinates: String) -> String {
    #"{"type":"Feature","properties":{"name":"N"},"geometry":{"type":"Point","coordinates":["#
      + coordinates + "]}}"
  }

  static let forms = [
    Form(
      testDescription: "GPX", start: "<gpx>\n", end: "\n</gpx>",
      good: "<wpt lat='1' lon='2'><name>N</name></wpt>",
      bad: [
        ("<wpt lat='91' lon='0'><name>x</name></wpt>", "the latitude 91.0 is beyond 90°"),
        ("<wpt lat='1' lon='181'/>", "the longitude 181.0 is beyond 180°"),
        ("<wpt lat='1'/>", "<wpt> has no lon"),
        ("<wpt lat='nan' lon='1'/>", "'nan' is not a number"),
        (
          "<rte><rtept lat='1' lon='2'/><rtept lat='1'/><rtept lat='3' lon='999'/>"
            + "<rtept lat='2' lon='2'/><rtept lat='4' lon='5'/></rte>", "<rtept> has no lon"
        ),
      ]),
    Form(
      testDescription: "KML", start: "<kml><Document>\n", end: "\n</Document></kml>",
      good: placemark("2,1"),
      bad: [
        (placemark("1"), "'1' is no position"),
        (placemark("1,2 3,4"), "a <Point> has one position, not 2"),
        (placemark("1,99"), "the latitude 99.0 is beyond 90°"),
        (
          "<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>1,2 3,4</coordinates>"
            + "</LinearRing></outerBoundaryIs></Polygon></Placemark>",
          "a ring has at least three corners"
        ),
      ]),
    Form(
      testDescription: "GeoJSON", start: "{\"features\":[\n", end: "\n]}", separator: ",\n",
      good: feature("2,1"),
      bad: [
        (feature("0,91"), "the latitude 91.0 is beyond 90°"),
        (feature("\"1\",2"), "a position is a list of longitude and latitude"),
        ("1", "a place is an object in braces, not a number"),
        ("{\"geometry\":{}}", "the geometry has no type"), ("{}", "a feature without a geometry"),
      ]),
    Form(
      testDescription: "OwnTracks", start: "{\"_type\":\"waypoints\",\"waypoints\":[\n",
      end: "\n]}", separator: ",\n", good: #"{"desc":"N","lat":1,"lon":2}"#,
      bad: [(#"{"desc":"x"}"#, "a place has the numbers 'lat' and 'lon'")]),
    Form(
      testDescription: "Overpass", start: "{\"elements\":[\n", end: "\n]}", separator: ",\n",
      good: #"{"type":"node","lat":1,"lon":2,"tags":{"shop":"x","name":"N"}}"#,
      bad: [
        (
          #"{"type":"node","lat":1,"lon":200,"tags":{"shop":"x"}}"#,
          "the longitude 200.0 is beyond 180°"
        )
      ]),
    Form(
      testDescription: "OSM", start: "<osm>\n", end: "\n</osm>",
      good: "<node lat='1' lon='2'><tag k='shop' v='x'/><tag k='name' v='N'/></node>",
      bad: [
        (
          "<node lat='1' lon='200'><tag k='shop' v='x'/></node>",
          "the longitude 200.0 is beyond 180°"
        )
      ]),
    Form(
      testDescription: "CSV", start: "name,lat,lon\n", end: "\n", good: "N,1,2",
      bad: [
        ("B,x,2", "'x' is no number of the column 'lat'"),
        ("A,1", "the latitude or the longitude is missing"), ("\"A,1,2", "a quote is not closed"),
        ("A,1,\"2", "a quote is not closed"), ("A,-91,2", "the latitude -91.0 is beyond 90°"),
      ]),
  ]

  @Test(arguments: forms) func aBadRowCostsThatRow(_ form: Form) throws {
    var random = SeededGenerator(seed: 48)
    for _ in 0..<200 {
      let rows = (0..<Int.random(in: 2...12, using: &random)).map { number in
        number == 0 || Bool.random(using: &random) ? nil : form.bad.randomElement(using: &random)
      }
      let text =
        form.start + rows.map { $0?.row ?? form.good }.joined(separator: form.separator) + form.end
      let file = try ReadFile(text)
      let bad = rows.enumerated().compactMap { index, row in row.map { (index + 2, $0.reason) } }
      #expect(file.names == Array(repeating: "N", count: rows.count - bad.count), "\(text)")
      let refusals = file.report?.refusals ?? []
      #expect(refusals.map(\.line) == bad.map(\.0), "\(text)")
      for (refusal, row) in zip(refusals, bad) {
        #expect(refusal.reason.hasPrefix(row.1), "\(refusal.reason)")
      }
    }
  }

  /// The place counts without a radius that cannot be read.
  @Test(arguments: [
    "<gpx>\n<wpt lat='1' lon='2'><name>N</name><Proximity>-5</Proximity></wpt></gpx>",
    "<gpx>\n<wpt lat='1' lon='2'><name>N</name><Proximity>6e6</Proximity></wpt></gpx>",
    "name,lat,lon,radius_m\nN,1,2,near\n",
  ]) func aBadRadiusCostsThatRadius(_ text: String) throws {
    let file = try ReadFile(text)
    #expect(file.names == ["N"])
    #expect(file.places.first?.radius == nil)
    #expect(file.report?.refusals.map(\.line) == [2])
    #expect(file.report?.refusals.first?.reason.hasPrefix("the radius of \"N\" is no") == true)
  }

  @Test func aBrokenQuoteCostsItsLineAlsoBeforeQuotedLineBreaks() throws {
    let file = try ReadFile("name,lat,lon\n\"A,1,2\n\"B\nC\",3,4\n\"D,5,6\nE,7,8\n")
    #expect(file.names == ["B C", "E"])
    #expect(file.report?.refusals.map(\.line) == [2, 5])
  }
}
