import Geodesy
import Testing

@testable import Interchange

@Suite struct PlaceFormatTests {
  @Test func readsWaypointsAndRoutesOfGPX() throws {
    let file = try ReadFile(
      """
      <?xml version="1.0"?>
      <!-- by hand -->
      <gpx version="1.1" xmlns:opencpn="http://www.opencpn.org" xmlns:gpxx="g" xmlns:wptx1="w">
        <metadata><name>not a place</name></metadata>
        <wpt lat="52.52" lon="13.405"><name> Rewe &amp; Co </name><desc>open</desc>
          <type>Shopping</type><link href="x"><text>no</text></link>
          <extensions><gpxx:WaypointExtension><gpxx:Proximity>120.5</gpxx:Proximity>
          <gpxx:Categories><gpxx:Category>Other</gpxx:Category></gpxx:Categories>
          </gpxx:WaypointExtension></extensions></wpt>
        <wpt lat="54" lon="10"><name>Buoy</name><type>WPT</type>
          <extensions><opencpn:arrival_radius>0.05</opencpn:arrival_radius></extensions></wpt>
        <wpt lat="1" lon="2"><extensions><wptx1:WaypointExtension>
          <wptx1:Proximity>80</wptx1:Proximity></wptx1:WaypointExtension></extensions></wpt>
        <rte><name>Fairway</name><rtept lat="54" lon="10"/>
          <rtept lat="54.1" lon="10"><extensions><opencpn:arrival_radius>0.1</opencpn:arrival_radius>
          </extensions></rtept></rte>
        <rte><name>Short</name><rtept lat="54" lon="10"/></rte>
        <trk><trkseg><trkpt lat="54" lon="10"/></trkseg></trk>
      </gpx>
      """)
    #expect(file.kind == .places(.gpx))
    #expect(file.names == ["Rewe & Co", "Buoy", "Place", "Fairway"])
    #expect(file.places.map(\.line) == [5, 10, 12, 14])
    #expect(try file.places[0].position == point(52.52, 13.405))
    #expect(file.places[0].radius == 120.5)
    #expect(file.places[0].notes == "open")
    #expect(file.places[0].category == "Shopping" && file.places[1].category == nil)
    #expect(abs((file.places[1].radius ?? 0) - 92.6) < 1e-9)
    #expect(file.places[2].radius == 80)
    guard case .line(let points, let width) = file.places[3].shape else {
      Issue.record("a route is a line")
      return
    }
    #expect(points == [try point(54, 10), try point(54.1, 10)])
    #expect(abs((width ?? 0) - 370.4) < 1e-9)
    #expect(file.report?.refusals.map(\.line) == [17, 18])
  }

  @Test func readsPlacemarksOfKML() throws {
    let file = try ReadFile(
      """
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name>
      <Folder><name>Food</name>
      <Placemark><name>Café</name><description><![CDATA[<b>good</b>]]></description>
        <Point><coordinates> 13.4,52.5,34 </coordinates></Point></Placemark>
      </Folder>
      <Placemark><name>Harbour</name><Polygon>
        <innerBoundaryIs><LinearRing><coordinates>10.2,54.2 10.3,54.2 10.3,54.3</coordinates>
        </LinearRing></innerBoundaryIs>
        <outerBoundaryIs><LinearRing><coordinates>10,54 11,54 11,55 10,55 10,54</coordinates>
        </LinearRing></outerBoundaryIs></Polygon></Placemark>
      <Placemark><name>Way</name><ExtendedData><Data name="width"><value>50</value></Data>
        </ExtendedData><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>
      <Placemark><name>Nothing</name></Placemark>
      <NetworkLink><name>far</name></NetworkLink>
      </Document></kml>
      """)
    #expect(file.kind == .places(.kml))
    #expect(file.names == ["Café", "Harbour", "Way"])
    #expect(file.places[0].category == "Food")
    #expect(file.places[0].notes == "<b>good</b>")
    #expect(try file.places[0].position == point(52.5, 13.4))
    guard case .polygons(let polygons) = file.places[1].shape else {
      Issue.record("a Polygon is an area")
      return
    }
    #expect(polygons.count == 1 && polygons[0].count == 2)
    #expect(try polygons[0][0].count == 5 && polygons[0][0][0] == point(54, 10))
    #expect(polygons[0][1].count == 4, "an open ring is closed")
    #expect(file.places[1].category == nil)
    let center = file.places[1].position
    for corner in polygons[0][0] {
      #expect(center.distance(to: corner) <= file.places[1].radius ?? 0)
    }
    #expect(file.places[2].shape == .line([try point(2, 1), try point(4, 3)], width: 50))
    #expect(file.report?.refusals.map(\.line) == [13, 14])
  }

  @Test func readsGeoJSON() throws {
    let file = try ReadFile(
      """
      {"type": "FeatureCollection", "name": "x", "features": [
        {"type": "Feature", "properties": {"name": "A", "radius": 75, "category": "Food",
          "marker-color": "#ff0000"}, "geometry": {"type": "Point", "coordinates": [13.4, 52.5, 3]}},
        {"type": "Feature", "properties": null, "geometry":
          {"type": "Polygon", "coordinates": [[[0,0],[1,0],[1,1],[0,0]]]}},
        {"type": "Feature", "properties": {"name": "M"}, "geometry": {"type": "MultiPolygon",
          "coordinates": [[[[0,0],[1,0],[1,1],[0,0]]],[[[5,5],[6,5],[6,6],[5,5]]]]}},
        {"type": "Feature", "properties": {"title": "L"}, "geometry":
          {"type": "LineString", "coordinates": [[0,0],[1,1]]}},
        {"type": "Feature", "properties": {"name": "none"}, "geometry": null},
        {"type": "Feature", "properties": {"name": "G"}, "geometry":
          {"type": "GeometryCollection", "geometries": []}}
      ], "more": [1, {"features": []}]}
      """)
    #expect(file.kind == .places(.geoJSON))
    #expect(file.names == ["A", "Place", "M", "L"])
    #expect(file.places[0].radius == 75 && file.places[0].color == "#ff0000")
    #expect(file.places.map(\.line) == [2, 4, 6, 8])
    guard case .polygons(let both) = file.places[2].shape else {
      Issue.record("a MultiPolygon is an area")
      return
    }
    #expect(both.count == 2)
    #expect(file.report?.refusals.map(\.line) == [10, 11])
  }

  @Test(arguments: [
    #"{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[2,1]}}"#,
    #"{"type":"Feature","geometry":{"type":"MultiPoint","coordinates":[[2,1]]},"properties":{"name":"A"}}"#,
    "\u{1E}"
      + #"{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[2,1]}}"#,
    #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"A","lat":1,"lon":2,"rad":0}]}"#,
    #"[{"_type":"waypoint","desc":"A","lat":"1","lon":"2"}]"#,
    #"{"name":"A","lat":1,"lon":2,"radius_m":null}"#,
    #"{"version":0.6,"elements":[{"type":"node","id":1,"lat":1,"lon":2,"tags":{"name":"A","shop":"yes"}}]}"#,
    #"{"elements":[{"type":"way","center":{"lat":1,"lon":2},"tags":{"shop":"x","name":"A"}}]}"#,
    #"{"elements":[{"type":"way","bounds":{"minlat":0,"maxlat":2,"minlon":1,"maxlon":3},"tags":{"shop":"x","name":"A"}}]}"#,
    "name,lat,lon\nA,1,2\n", "\u{FEFF}\"Name\";\"Latitude\";\"Longitude\"\r\n\"A\";1,0;2,0\r\n",
    "lon\tlat\ttitle\n2\t1\tA", "x,y,label\n2,1,A\n\n",
    "<gpx><wpt lat='1' lon='2'><name>A</name></wpt></gpx>",
    "<?xml version='1.0'?><!-- <kml> --><g:gpx xmlns:g='x'><g:wpt lat='1' lon='2'><g:name>A</g:name></g:wpt></g:gpx>",
    "<osm><node id='1' lat='1' lon='2'><tag k='name' v='A'/><tag k='shop' v='x'/></node></osm>",
    "<osm><way id='1'><center lat='1' lon='2'/><tag k='shop' v='x'/><tag k='name' v='A'/></way></osm>",
  ]) func readsOnePlaceInManyFormats(_ text: String) throws {
    let file = try ReadFile(text)
    #expect(file.names == ["A"])
    #expect(try file.places.first?.position == point(1, 2))
    #expect(file.places.first?.radius == nil)
    #expect(file.report?.refused == 0)
  }

  @Test func readsUTF16() throws {
    let text =
      "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><gpx><wpt lat='1' lon='2'><name>Ä</name></wpt></gpx>"
    let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try ReadFile(bytes).names == ["Ä"])
  }

  @Test(arguments: [
    "<gpx><wpt lat='1' lon='2'><name>Ä😀</name></wpt></gpx>",
    "<?xml version='1.0' encoding='ISO-8859-1'?><gpx><wpt lat='1' lon='2'><name>Ä😀</name></wpt></gpx>",
    "<kml><Placemark><name>Ä😀</name><Point><coordinates>2,1</coordinates></Point></Placemark></kml>",
    #"{"features":[{"geometry":{"type":"Point","coordinates":[2,1]},"properties":{"name":"Ä😀"}}]}"#,
    #"{"name":"Ä😀","lat":1,"lon":2}"#, "name,lat,lon\nÄ😀,1,2\n",
  ]) func aByteOrderMarkIsReadInEveryFormat(_ text: String) throws {
    let marked = "\u{FEFF}" + text
    let units = Array(marked.utf16)
    #expect(try ReadFile(marked).names == ["Ä😀"])
    #expect(try ReadFile(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).names == ["Ä😀"])
    #expect(try ReadFile(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).names == ["Ä😀"])
  }

  @Test func aTextIsDecodedAlikeInPiecesOfAnySize() {
    let text = "\u{FEFF}a😀ß"
    let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for size in 1...bytes.count {
      var decoder = TextDecoder(head: bytes)
      var decoded: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        decoded += decoder.decode(Array(bytes[start...].prefix(size)), isLast: false)
      }
      decoded += decoder.decode([], isLast: true)
      #expect(String(decoding: decoded, as: UTF8.self) == "a😀ß")
    }
    #expect(TextDecoder.decode(Array(bytes.dropLast())) == Array("a😀\u{FFFD}".utf8))
  }

  @Test func aTableOfWindowsIsReadInItsOwnEncoding() throws {
    var bytes = Array("name;lat;lon\n".utf8)
    bytes += [0x43, 0x61, 0x66, 0xE9, 0x20, 0x80]
    bytes += Array(";1,5;2\n".utf8)
    let file = try ReadFile(bytes)
    #expect(file.names == ["Café €"])
    #expect(try file.places.first?.position == point(1.5, 2))
  }

  @Test func columnsOfTheHemisphereCount() throws {
    let file = try ReadFile(
      "name,LATITUDE,N/S,LONGITUDE,E/W\nA,33.5,S,70.6,W\nB,33.5,N,70.6,E\nC,-1,,2,\n")
    #expect(
      try file.places.map(\.position) == [point(-33.5, -70.6), point(33.5, 70.6), point(-1, 2)])
    let wrong = try ReadFile("name,lat,N/S,lon,E/W\nA,33.5,x,1,E\nA,1,N,-1,W\n")
    let reasons = wrong.report?.refusals.map(\.reason) ?? []
    #expect(reasons.first?.hasPrefix("'x' beside 33.5") == true)
    #expect(reasons.last?.hasPrefix("'W' beside -1.0") == true)
  }

  @Test func readsPointsOfInterestOfOpenStreetMap() throws {
    let file = try ReadFile(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <osm version="0.6"><bounds minlat="0" minlon="0" maxlat="1" maxlon="1"/>
      <node id="1" lat="52.5" lon="13.4"/>
      <node id="2" lat="52.5" lon="13.4"><tag k="amenity" v="drinking_water"/></node>
      <node id="3" lat="52.6" lon="13.4"><tag k="name" v="Rewe"/><tag k="shop" v="supermarket"/>
        <tag k="building" v="yes"/><tag k="addr:street" v="Hauptstraße"/>
        <tag k="addr:housenumber" v="5"/><tag k="opening_hours" v="24/7"/></node>
      <node id="4" lat="52.6" lon="13.4"><tag k="highway" v="crossing"/></node>
      <way id="5"><nd ref="1"/><tag k="amenity" v="school"/></way>
      <node id="6" visible="false"><tag k="shop" v="x"/></node>
      </osm>
      """)
    #expect(file.names == ["Drinking water", "Rewe"])
    #expect(file.places.map(\.category) == ["Drinking water", "Supermarket"])
    #expect(file.places[1].notes == "Hauptstraße 5, 24/7")
    #expect(file.report?.refusals.map(\.line) == [9, 10])
  }

  @Test func readsTablesWithQuotes() throws {
    let file = try ReadFile(
      "name,lat,lon,radius,notes\r\n\"A, \"\"B\"\"\",1,2,50,\"two\nlines\"\r\nC,3,4,,\r\n")
    #expect(file.names == ["A, \"B\"", "C"])
    #expect(file.places[0].notes == "two\nlines")
    #expect(file.places.map(\.radius) == [50, nil])
    #expect(file.places.map(\.line) == [2, 4])
  }

  @Test(arguments: [
    ("", FileKind.empty), (" \n", .empty), ("BEGIN:VCALENDAR\r\n", .calendar),
    ("$GPRMC,", .recording),
    (#"{"class":"TPV"}"#, .recording), ("[]", .reminders), ("{", .reminders),
    (#"{"title":"x","place":{"lat":1,"lon":2}}"#, .reminders),
    (#"[{"title":"x","lat":1,"lon":2}]"#, .reminders),
  ]) func recognizesFilesByContent(_ text: String, _ kind: FileKind) throws {
    #expect(try ReadFile(text).kind == kind)
  }

  @Test func aShapeIsWithinItsCircleOverTheAntimeridian() throws {
    let shape = PlaceShape.line([try point(0, 179.9), try point(0, -179.9)], width: 100)
    let circle = try #require(shape.circle())
    #expect(circle.center.longitude.magnitude > 179.99)
    #expect((11_100...11_300).contains(circle.radius))
  }
}
