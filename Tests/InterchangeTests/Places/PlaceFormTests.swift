import Geodesy
import Testing

@testable import Interchange

/// Forms of place files that programs and people write beside the standard.
@Suite struct PlaceFormTests {
  private func kml(_ coordinates: String, in shape: String = "Point") -> String {
    "<kml><Placemark><\(shape)><coordinates>\(coordinates)</coordinates></\(shape)></Placemark></kml>"
  }

  @Test(arguments: [
    "13.4,52.5", "13.4,52.5,7", " 13.4 , 52.5 ", "13.4, 52.5, 7", "13.4,52.5,", ",13.4,52.5",
    "13.4 52.5", "13.4 52.5 7.0", "13,400,52,500", "13,400,52,500,7", "13,400,52,500,7,5",
  ]) func readsThePositionOfAPoint(_ text: String) throws {
    #expect(try ReadFile(kml(text)).places.first?.position == point(52.5, 13.4))
  }

  /// Where numbers go together in two ways or in none, no position is guessed.
  @Test(arguments: [
    "13,4,52,5", "13.4,52.5,13.5,52.6", "13.4", "13.4 52.5 7 1", "13.4,,52.5", "13,118,52", "",
    "a,b",
  ]) func doesNotGuessAPosition(_ text: String) throws {
    let file = try ReadFile(kml(text))
    #expect(file.places.isEmpty)
    #expect(file.report?.refusals.count == 1)
  }

  @Test(arguments: [
    "1.5,2 3.5,4 5.5,6", "1.5,2,0 3.5,4,0 5.5,6,0", "1.5,2, 3.5,4, 5.5,6,", "1.5, 2 3.5, 4 5.5, 6",
    "1.5,2,0,3.5,4,0,5.5,6,0", "1.5,2,9,3.5,4,8,5.5,6,7", "1.5,2\n3.5,4,5.5,6",
    "1.5,2,0\t3.5,4,0,5.5,6,0", "1,500,2,000 3,500,4,000 5,500,6,000",
  ]) func readsThePositionsOfALine(_ text: String) throws {
    let file = try ReadFile(kml(text, in: "LineString"))
    let points = [try point(2, 1.5), try point(4, 3.5), try point(6, 5.5)]
    #expect(file.places.first?.shape == .line(points, width: nil))
  }

  @Test(arguments: ["1.5,2,3.5,4,5.5,6", "1.5,2,0,3.5,4", "1 2 3 4", "1.5,2,0 3.5"])
  func doesNotGuessALine(_ text: String) throws {
    let file = try ReadFile(kml(text, in: "LineString"))
    #expect(file.places.isEmpty)
    #expect(file.report?.refusals.count == 1)
  }

  @Test func readsDecimalCommasOfGPX() throws {
    let file = try ReadFile(
      "<gpx><wpt lat='52,5' lon='13,4'><Proximity>80,5</Proximity></wpt></gpx>")
    #expect(try file.places.first?.position == point(52.5, 13.4))
    #expect(file.places.first?.radius == 80.5)
  }

  // MARK: - Tables

  @Test(arguments: [
    "name,lat,lon\nA,54.5,10.25", "Name;Breite;Länge\nA;54,5;10,25",
    "Customer Name,lat,lon\nA,54.5,10.25", "Shop,Name,lat,lon\nyes,A,54.5,10.25",
    "Nr;Kunde;Breite;Länge\n7;A;54,5;10,25",
    "nom\tlatitude\tlongitude\nA\t54,5\t10,25",
    "Bezeichnung;Geogr. Breite;Geogr. Länge\nA;54,5;10,25",
    "sep=;\nTitel;Breitengrad;Längengrad\nA;54,5;10,25",
    "\"Name\",\"Latitude (°)\",\"Longitude [deg]\"\nA,\"54,5\",\"10,25\"",
    "name,lat,lon\nA,54° 30.000' N,10° 15.000' E", "name,lat,lon\nA,N54 30.000,E010 15.000",
    "name,lat,lon\nA,\"54°30'00\"\"N\",\"10°15'00\"\"E\"",
    "name,lat,n/s,lon,e/w\nA,54 30,N,10 15,E",
    "WKT,name\n\"POINT (10.25 54.5)\",A", "name,coordinates\nA,\"54.5,10.25\"",
    "name,position\nA,54° 30' N 10° 15' E", "geom;name\n\"SRID=4326;POINT(10.25 54.5)\";A",
    "wkt,name\nPOINT Z (10.25 54.5 3),A", "name,latlng\nA,\"10.25E, 54.5N\"",
    "Title,Note,URL,Tags,Comment\nA,,\"https://www.google.com/maps/search/54.5000,10.2500\",,",
    "My list, from Google\n\nTitle,URL\nA,\"https://www.google.com/maps/search/54.5000,10.2500\"",
    "10.25,54.5,A", "10.25000,54.50000,\"A\",\"Open 8-18\"\n",
  ]) func readsThePositionOfATable(_ text: String) throws {
    let file = try ReadFile(text)
    #expect(file.names == ["A"], "\(file.kind) \(file.report?.refusals ?? [])")
    let position = try #require(file.places.first?.position)
    #expect(try position.distance(to: point(54.5, 10.25)) < 0.01)
  }

  @Test(
    arguments: [
      ("Radius (km)", "2", 2000), ("Radius [ft]", "500", 152.4), ("radius", "2", 2),
      ("radius_m", "2,5", 2.5), ("Radius (about)", "2", 2), ("radius", "2 km", 2000),
    ])
  func aRadiusOfATableHasItsUnit(_ title: String, _ text: String, _ metres: Double) throws {
    let file = try ReadFile("name;lat;lon;\(title)\nA;54.5;10.25;\(text)\n")
    #expect(file.places.first?.radius == metres)
  }

  @Test func minutesOfATableAreExact() throws {
    let file = try ReadFile("name,lat,lon\nBuoy,54° 12.345' N,10° 05.500' W\n")
    #expect(try file.places.first?.position == Coordinate(parsing: "54.20575,-10.0916666666667"))
  }

  @Test func readsAreasOfWKT() throws {
    let file = try ReadFile(
      "WKT,name\n\"POLYGON ((13 52, 13.1 52, 13.1 52.1, 13 52))\",Area\n"
        + "\"LINESTRING(1 2,3 4)\",Way\n\"MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))\",M\n"
        + "\"MULTIPOINT ((1 2),(3 4))\",Two\n\"POINT EMPTY\",None\n\"POINT (1)\",Half")
    #expect(file.names == ["Area", "Way", "M"])
    #expect(file.places[1].shape == .line([try point(2, 1), try point(4, 3)], width: nil))
    #expect(file.report?.refusals.map(\.line) == [5, 6, 7])
  }

  /// The longitude comes first in Garmin's tables, and the answer says that it was read so.
  @Test func aTableWithoutAHeaderIsNamedAsGarmins() throws {
    let file = try ReadFile("10.12345,54.32100,\"Fuel\",\"Open 8-18\"\n200,54,Bad\n")
    #expect(try file.places.first?.position == point(54.321, 10.12345))
    #expect(file.places.first?.notes == "Open 8-18")
    #expect(file.report?.notice?.contains("longitude, latitude, name") == true)
    #expect(file.report?.refusals.map(\.line) == [2])
  }

  /// Customers that lose their names are noticed when they are imported.
  @Test func aTableWithoutNamesSaysWhichColumnMayHaveThem() throws {
    let file = try ReadFile("Patron,lat,Since,lon\nSchmidt,53.5,2019,9.9\n")
    let notice = file.report?.notice ?? ""
    #expect(notice.contains("no column is called 'name'") && notice.contains("'Patron' or 'Since'"))
    #expect(try ReadFile("lat,lon\n53.5,9.9\n").report?.notice == nil)
    #expect(try ReadFile("lat,lon,name\n53.5,9.9,A\n").report?.notice == nil)
  }

  /// Decimal commas between commas make more cells than columns.
  @Test func aRowWithMoreNumbersThanColumnsIsLeftOut() throws {
    let file = try ReadFile("name,lat,lon\nA,54,20,10,09\nB,54,10,good,cheap\nC,54,10,,\n")
    #expect(file.names == ["B", "C"])
    #expect(file.report?.refusals.map(\.line) == [2])
  }

  @Test func aPlaceOfAListWithoutAPositionIsNamed() throws {
    let file = try ReadFile(
      "Title,Note,URL,Tags,Comment\nBakery,,https://www.google.com/maps/place/X/data=!4m2,,\n"
        + "Pin,,\"https://www.google.com/maps/search/52.5200,13.4050\",,\n")
    #expect(file.names == ["Pin"])
    #expect(file.report?.refusals.first?.reason.hasPrefix("\"Bakery\" has no position") == true)
  }

  /// Excel writes UTF-16 with tabs as "Unicode text".
  @Test(arguments: [false, true]) func readsTablesInUTF16(_ isSwapped: Bool) throws {
    let units = Array("\u{FEFF}Name\tBreite\tLänge\r\nB\u{1F600}\t54,5\t10,25\r\n".utf16)
    let bytes = units.flatMap { unit -> [UInt8] in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return isSwapped ? bytes.reversed() : bytes
    }
    let file = try ReadFile(bytes)
    #expect(file.names == ["B\u{1F600}"])
    #expect(try file.places.first?.position == point(54.5, 10.25))
  }

  // MARK: - JSON

  @Test func savedPlacesOfGoogleKeepTheirNames() throws {
    let file = try ReadFile(
      #"""
      {"type": "FeatureCollection", "features": [
      {"geometry": {"coordinates": [13.4, 52.5], "type": "Point"}, "properties":
        {"google_maps_url": "http://maps.google.com/?cid=1",
         "location": {"address": "Street 1", "name": "Bakery"}}, "type": "Feature"},
      {"geometry": {"coordinates": [0, 0], "type": "Point"}, "properties":
        {"google_maps_url": "http://maps.google.com/?q=Somewhere&ftid=0x1:0x2"}, "type": "Feature"},
      {"geometry": {"coordinates": [0, 0], "type": "Point"}, "properties": {"Title": "Pin",
        "Google Maps URL": "http://maps.google.com/?q=52.7,13.6"}, "type": "Feature"},
      {"geometry": {"coordinates": [13.5, 52.6], "type": "Point"}, "properties":
        {"Google Maps URL": "http://maps.google.com/?cid=3", "Title": "Old",
         "Location": {"Business Name": "Old Form"}}, "type": "Feature"}]}
      """#)
    #expect(file.names == ["Bakery", "Pin", "Old"])
    #expect(try file.places[1].position == point(52.7, 13.6))
    #expect(file.places[0].notes == "Street 1")
    #expect(file.report?.refusals.map(\.line) == [5])
  }

  /// By pyproj 3.7.2: the same point in each system.
  @Test(arguments: [
    ("urn:ogc:def:crs:OGC:1.3:CRS84", "13.4,52.5"), ("EPSG:4326", "13.4,52.5"),
    ("urn:ogc:def:crs:EPSG::3857", "1491681.1766,6891041.7239"),
    ("EPSG:25833", "391390.7313,5817855.2407"), ("EPSG:32632", "798609.5209,5825756.2421"),
  ]) func aReferenceSystemIsConverted(_ name: String, _ position: String) throws {
    let crs = #""crs":{"type":"name","properties":{"name":"\#(name)"}}"#
    let geometry = #"{"type":"Point","coordinates":[\#(position)]"#
    for text in [
      #"{\#(crs),"features":[{"geometry":\#(geometry)}}]}"#,
      #"{"type":"Feature","geometry":\#(geometry),\#(crs)}}"#,
    ] {
      let found = try #require(try ReadFile(text).places.first?.position)
      #expect(try found.distance(to: point(52.5, 13.4)) < 0.01)
    }
  }

  @Test func aReferenceSystemOfOneFeatureThatIsUnknownCostsTheFeature() throws {
    let file = try ReadFile(
      #"""
      {"features":[{"geometry":{"type":"Point","coordinates":[1,2]}},
      {"geometry":{"type":"Point","coordinates":[1,2]},
       "crs":{"type":"name","properties":{"name":"EPSG:2056"}}}]}
      """#)
    #expect(file.places.count == 1)
    #expect(file.report?.refusals.first?.reason.contains("'EPSG:2056'") == true)
  }

  // MARK: - What it is not

  @Test(arguments: [
    ("hello", "is of no kind that is known"),
    (
      "a,b,c\n1,2,3",
      "is a table without columns of a position; its first line has to name lat and lon, not 'a', 'b', 'c'"
    ),
    ("<html/>", "is a web page"), ("<a:tcx xmlns:a='x'/>", "is XML with the root <tcx>"),
    (#"{"semanticSegments":[]}"#, "is a Google Timeline"),
    (#"{"adress":"x"}"#, "is JSON, but no reminder, which has a 'title', and no place"),
  ]) func namesWhatAFileIsAndWhatIsMissing(_ text: String, _ expected: String) throws {
    guard case .unknown(let reason) = try ReadFile(text).kind else {
      Issue.record("\(text) is unknown")
      return
    }
    #expect(reason.hasPrefix(expected), "\(reason)")
  }

  // MARK: - Identifiers

  @Test func readsTheIdentifiersOfPlaces() throws {
    let gpx = try ReadFile(
      "<gpx><wpt lat='1' lon='2'><extensions><guid>a</guid></extensions></wpt>"
        + "<rte><extensions><guid>b</guid></extensions><rtept lat='1' lon='2'><extensions>"
        + "<guid>c</guid></extensions></rtept><rtept lat='1' lon='3'/></rte></gpx>")
    #expect(gpx.places.map(\.uid) == ["a", "b"])
    let kml = try ReadFile(
      "<kml><Placemark id='p'><Point><coordinates>2,1</coordinates></Point></Placemark></kml>")
    #expect(kml.places.map(\.uid) == ["p"])
  }

  // MARK: - Names

  @Test func lineBreaksAndControlCharactersOfNamesBecomeABlank() throws {
    let file = try ReadFile(
      "<gpx><wpt lat='1' lon='2'><name>\nWild\n\t camp &#x85; A  B\u{2028}</name>"
        + "<type>Camp\n site</type><desc>one\ntwo</desc></wpt></gpx>")
    #expect(file.names == ["Wild camp A  B"])
    #expect(file.places.first?.category == "Camp site")
    #expect(file.places.first?.notes == "one\ntwo")
  }
}
