import Geodesy
import TestSupport
import Testing

@testable import Interchange

@Suite struct PlaceWriterTests {
  private static let texts = [
    "Rewe", "A & <B> \"C\"", "Käse, \"frisch\"; gut", "日本 🚢", "two\nlines", "=1+1", "]]>", "'",
    "+1", "\"\u{301},",
  ]

  /// Places as none of the formats likes them, from a seed.
  private static func places(seed: UInt64) throws -> [PlaceEntry] {
    var random = SeededGenerator(seed: seed)
    var places: [PlaceEntry] = []
    for index in 0..<200 {
      func text() -> String { texts.randomElement(using: &random) ?? "" }
      func corner(_ north: Double, _ east: Double) throws -> Coordinate {
        try point(north + Double.random(in: 0...1, using: &random), east)
      }
      let position = try point(
        Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random))
      var place = PlaceEntry(name: "\(text()) \(index)", position: position)
      if Bool.random(using: &random) { place.radius = Double(Int.random(in: 1...9000)) }
      if Bool.random(using: &random) { place.category = text() }
      if Bool.random(using: &random) { place.notes = text() }
      places.append(place)
    }
    return places
  }

  private static func written(_ places: [PlaceEntry], _ format: PlaceWriter.Format) -> String {
    var text = ""
    var writer = PlaceWriter(format)
    writer.begin(into: &text)
    for place in places { writer.write(place, into: &text) }
    writer.end(into: &text)
    return text
  }

  @Test(arguments: PlaceWriter.Format.allCases)
  func writtenPlacesReadBackTheSame(_ format: PlaceWriter.Format) throws {
    let seed: UInt64 = 7
    let places = try Self.places(seed: seed)
    let file = try ReadFile(Self.written(places, format))
    #expect(file.kind == .places(try #require(PlaceFormat(rawValue: format.rawValue))))
    #expect(file.places.count == places.count, "seed \(seed)")
    for (read, place) in zip(file.places, places) {
      var expected = place
      expected.line = read.line
      // Names are read on one line.
      _ = expected.finish()
      if format == .ownTracks {
        expected.category = nil
        expected.notes = nil
      }
      #expect(read == expected, "seed \(seed)")
    }
  }

  @Test(arguments: [PlaceWriter.Format.gpx, .kml, .geoJSON, .json])
  func shapesAreReadBack(_ format: PlaceWriter.Format) throws {
    let line = [try point(54, 10), try point(54.1, 10.2), try point(54.2, 10.1)]
    let ring = [try point(0, 0), try point(0, 1), try point(1, 1), try point(0, 0)]
    let hole = [try point(0.2, 0.5), try point(0.2, 0.6), try point(0.3, 0.6), try point(0.2, 0.5)]
    let other = [try point(5, 5), try point(5, 6), try point(6, 6), try point(5, 5)]
    var shapes: [PlaceShape] = [.line(line, width: 250)]
    // GPX has no areas: of a place that is one it gets the circle around it.
    if format != .gpx { shapes += [.polygons([[ring, hole]]), .polygons([[ring], [other]])] }
    let places = try shapes.enumerated().map {
      try PlaceEntry(name: "S\($0.offset)", shape: $0.element, line: nil)
    }
    let file = try ReadFile(Self.written(places, format))
    #expect(file.places.map(\.shape) == places.map(\.shape))
    #expect(file.names == places.map(\.name))
  }

  /// Numbers of GPX are of `xsd:decimal`, which has no exponent.
  @Test func numbersOfGPXHaveNoExponent() throws {
    let places = [PlaceEntry(name: "Greenwich", position: try point(51.4779, -0.00005))]
    let text = Self.written(places, .gpx)
    #expect(text.contains("lat=\"51.4779\" lon=\"-0.00005\""))
  }

  /// GPX 1.1 has way points, routes and tracks in this order.
  @Test func routesStandBehindAllWayPoints() throws {
    let line = PlaceShape.line([try point(54, 10), try point(54.1, 10.2)], width: 250)
    let route = try PlaceEntry(name: "Canal", shape: line, line: nil)
    let harbour = PlaceEntry(name: "Harbour", position: try point(54, 10))
    let text = Self.written([route, harbour, route, harbour], .gpx)
    #expect(text.split(separator: "<rte>").dropFirst().allSatisfy { !$0.contains("<wpt ") })
    #expect(text.split(separator: "<rte>").count == 3)
    #expect(try ReadFile(text).names == ["Harbour", "Harbour", "Canal", "Canal"])
  }

  /// No cell of a text begins as a formula; numbers stay numbers.
  @Test(
    arguments: [
      ("=1+1", "'=1+1"), ("+49 40 1", "'+49 40 1"), ("-x", "'-x"), ("@SUM(A1)", "'@SUM(A1)"),
      ("'=1", "''=1"), ("= \"a\",b", "\"'= \"\"a\"\",b\""), ("'", "'"), ("'a", "'a"),
      ("a=b", "a=b"),
    ])
  func aSpreadsheetRunsNoTextOfATable(text: String, cell: String) throws {
    var place = PlaceEntry(name: text, position: try point(-1.5, -2.5))
    place.notes = text
    place.category = text
    let table = Self.written([place], .csv)
    #expect(table.split(separator: "\r\n").last == "\(cell),-1.5,-2.5,,\(cell),,\(cell)")
    let read = try #require(try ReadFile(table).places.first)
    #expect([read.name, read.notes, read.category] == [text, text, text])
  }

  @Test(arguments: ["=1", "\t=1", "\r1", "'+1"]) func theApostropheIsTakenOff(text: String) {
    #expect(FormulaGuard.protected(text) == "'" + text)
    #expect(FormulaGuard.plain("'" + text) == text)
    #expect(FormulaGuard.plain("'plain") == "'plain")
  }

  @Test func controlCharactersDoNotBreakXML() throws {
    let place = PlaceEntry(name: "a\u{0}b\u{1B}[31m\u{FFFE}c", position: try point(1, 2))
    #expect(try ReadFile(Self.written([place], .gpx)).names == ["a b [31m c"])
  }
}
