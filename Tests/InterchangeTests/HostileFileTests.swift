import CZlib
import TestSupport
import Testing

@testable import Interchange

/// Damaged files and those made to do harm: refused with a line and a reason, in bounded memory.
@Suite struct HostileFileTests {
  @Test(arguments: [
    ("<gpx>\n<wpt lat='1' lon='1'>", "f:2: not well-formed XML"),
    ("<gpx>\n<wpt lat='1' lon='1'></gpx>", "f:2: not well-formed XML: mismatched tag"),
    ("<gpx>\n<wpt lat='1' lon='1'><name>B & B</name></wpt></gpx>", "f:2: not well-formed XML"),
    (
      "{\"features\":[\n{\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}\n{}]}",
      "f:3: not JSON: ',' or ']' should be here"
    ),
    (
      "{\"features\":[{\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}",
      "f:1: not JSON: the text ends"
    ),
    (
      "{\"crs\":{\"properties\":{\"name\":\"EPSG:2056\"}},\"features\":[\n{}]}",
      "f:2: the coordinates are in the system 'EPSG:2056'"
    ),
    (
      "{\"features\":[{\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}],"
        + "\"crs\":{\"properties\":{\"name\":\"EPSG:3857\"}}}",
      "f:1: the member 'crs' comes behind features"
    ),
  ]) func aFileThatIsNotWellFormedIsRefusedWithItsLine(
    _ text: String, _ expected: String
  ) throws {
    let found = try #require(refusal(text))
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test(arguments: [
    """
    <!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
    <gpx><wpt lat="1" lon="2"><name>&b;</name></wpt></gpx>
    """,
    """
    <!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]>
    <gpx><wpt lat="1" lon="2"><name>&x;</name></wpt></gpx>
    """,
    "<!DOCTYPE gpx [<!ENTITY % p '<!ENTITY q \"z\">'> %p;]><gpx/>",
  ]) func entitiesAreRefused(_ text: String) throws {
    let found = try #require(refusal(text))
    #expect(found.contains("f:1: the document declares entities of its own"), "\(found)")
  }

  @Test func deepNestingIsRefused() throws {
    let levels = 100_000
    let xml = "<gpx>" + String(repeating: "<a>", count: levels)
    #expect(refusal(xml)?.contains("nested deeper than 100 levels") == true)
    let json =
      "{\"features\":[{\"a\":" + String(repeating: "[", count: levels)
      + String(repeating: "]", count: levels) + "}]}"
    #expect(refusal(json)?.contains("nested deeper than 64 levels") == true)
  }

  /// Fields without an end, made as they are read: what is kept of them must stay below a bound.
  @Test(arguments: [
    ("<gpx><wpt lat='1' lon='2'><name>", "longer than 8 MiB"),
    ("<gpx><wpt lat='1' lon='2' x='", "longer than 1 MiB"), ("<gpx><!-- ", "longer than 1 MiB"),
  ]) func endlessFieldsOfXMLAreRefused(_ start: String, _ expected: String) throws {
    var pieces = 0
    let handler = GPXReader(PlaceSink(.gpx) { _ in })
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
    let error = #expect(throws: InterchangeError.self) {
      try XMLReader.read(name: "f", handler) { () throws(InterchangeError) in
        pieces += 1
        // A gibibyte, if it is let.
        guard pieces < 1 << 14 else { return [] }
        return pieces == 1 ? Array(start.utf8) : filler
      }
    }
    #expect(error?.description.contains(expected) == true)
    #expect(pieces < 200)
  }

  @Test func endlessFieldsOfJSONAndTablesAreRefused() throws {
    let filler = String(repeating: "x", count: 17 << 20)
    #expect(refusal("{\"features\":[{\"a\":\"\(filler)")?.contains("longer than 16 MiB") == true)
    let table = try ReadFile("name,lat,lon\n\"\(filler)\nB,1,2\n")
    #expect(table.report?.refusals.first?.reason.contains("longer than 1 MiB") == true)
    #expect(table.names == ["B"])
  }

  // MARK: - Archives

  /// An archive of one file, deflated, made by hand.
  private func archive(_ content: [UInt8], name: String = "doc.kml", method: UInt8 = 8) -> [UInt8] {
    var packed = content
    if method == 8 {
      var size = compressBound(UInt(content.count))
      var zlib = [UInt8](repeating: 0, count: Int(size))
      compress(&zlib, &size, content, UInt(content.count))
      // zip has neither zlib's header of two bytes nor its checksum of four.
      packed = Array(zlib[2..<(Int(size) - 4)])
    }
    func long(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let nameBytes = Array(name.utf8)
    let sizes = long(0) + long(packed.count) + long(content.count)
    let nameLength: [UInt8] = [UInt8(nameBytes.count), 0]
    var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, method, 0, 0, 0, 0, 0] + sizes
    bytes += nameLength + [0, 0] + nameBytes + packed
    let directory = bytes.count
    bytes += [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0, method, 0, 0, 0, 0, 0] + sizes
    bytes += nameLength + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + long(0) + nameBytes
    let end = bytes.count
    bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0] + long(end - directory) + long(directory)
    return bytes + [0, 0]
  }

  private let kml = """
    <kml><Placemark><name>A</name><Point><coordinates>2,1</coordinates></Point></Placemark></kml>
    """

  @Test(arguments: [0, 8]) func readsKMZ(_ method: UInt8) throws {
    let file = try ReadFile(archive(Array(kml.utf8), method: method))
    #expect(file.kind == .places(.kmz))
    #expect(file.names == ["A"])
  }

  @Test func damagedArchivesAreRefused() throws {
    let whole = archive(Array(kml.utf8))
    #expect(refusal(Array(whole.dropLast(30)))?.contains("its directory is missing") == true)
    #expect(refusal(archive(Array(kml.utf8), name: "a.png"))?.contains("no .kml file") == true)
    #expect(refusal(archive(Array(kml.utf8), method: 9))?.contains("by method 9") == true)
    #expect(refusal(archive(Array("<kml>\n<a".utf8)))?.hasPrefix("f/doc.kml:2: not well") == true)
    // Not one byte that is changed may bring the reader down.
    for index in whole.indices.dropFirst(4) {
      var damaged = whole
      damaged[index] ^= 0xFF
      _ = try? ReadFile(damaged)
    }
  }

  /// 64 KiB that unpack to 64 MiB of one field are given up at the bound of a field.
  @Test func aZipBombIsGivenUp() throws {
    var content = Array("<kml><Placemark><name>".utf8)
    content += [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 20)
    let bytes = archive(content)
    #expect(bytes.count < 1 << 17)
    #expect(refusal(bytes)?.contains("longer than 8 MiB") == true)
  }

  /// Random damage to small files of every format: refused or read, never a trap.
  @Test func randomDamageIsSurvived() throws {
    let seed: UInt64 = 42
    var random = SeededGenerator(seed: seed)
    let files = [
      "<gpx><wpt lat='1' lon='2'><name>A</name><Proximity>5</Proximity></wpt></gpx>", kml,
      #"{"type":"FeatureCollection","features":[{"geometry":{"type":"Point","coordinates":[1,2]}}]}"#,
      #"{"_type":"waypoints","waypoints":[{"desc":"A","lat":1,"lon":2,"rad":0}]}"#,
      #"{"elements":[{"type":"node","lat":1,"lon":2,"tags":{"shop":"x"}}]}"#,
      "name,lat,lon\n\"A\",1,2\n", "<osm><node lat='1' lon='2'><tag k='shop' v='x'/></node></osm>",
    ]
    for file in files {
      for _ in 0..<500 {
        var bytes = Array(file.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        _ = try? ReadFile(bytes)
      }
    }
  }
}
