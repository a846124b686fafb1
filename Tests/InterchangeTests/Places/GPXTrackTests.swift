import CivilTime
import Positioning
import Testing

@testable import Interchange

@Suite struct GPXTrackTests {
  private func fixes(
    _ text: String, piece: Int = 7, zone: TimeZoneRules = .utc
  ) throws -> [Fix] {
    var rest = Array(text.utf8)[...]
    var fixes: [Fix] = []
    try GPXTrack.read(name: "t.gpx", zone: zone) {
      defer { rest = rest.dropFirst(piece) }
      return Array(rest.prefix(piece))
    } _: {
      fixes.append($0)
    }
    return fixes
  }

  @Test func readsTrackPoints() throws {
    let found = try fixes(
      """
      <gpx><metadata><time>2020-01-01T00:00:00Z</time></metadata><wpt lat="9" lon="9"/>
      <trk><name>x</name><trkseg>
      <trkpt lat="53.5" lon="10"><ele>12.5</ele><time>2026-06-12T16:00:00.250Z</time><fix>3d</fix>
        <hdop>1.5</hdop><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>3.25</gpxtpx:speed>
        <gpxtpx:course>360</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>
      <trkpt lat="53.6" lon="10"><fix>none</fix></trkpt>
      </trkseg><trkseg><trkpt lat="53.7" lon="10"><hdop>99.9</hdop></trkpt></trkseg></trk></gpx>
      """)
    try #require(found.count == 2)
    #expect(
      found[0]
        == Fix(
          time: try Instant(rfc3339: "2026-06-12T16:00:00.25Z"), position: try point(53.5, 10),
          mode: .threeD, altitudeMSL: 12.5, speed: 3.25, track: 0, eph: 28.5))
    #expect(found[1] == Fix(time: nil, position: try point(53.7, 10)))
  }

  @Test func aTimeWithoutAZoneIsInTheGivenOne() throws {
    let text =
      "<gpx><trk><trkpt lat='1' lon='1'><time>2013-01-01T12:00:04</time></trkpt></trk></gpx>"
    let berlin = try #require(TimeZoneRules(posix: "CET-1"))
    #expect(try fixes(text)[0].time == Instant(rfc3339: "2013-01-01T12:00:04Z"))
    #expect(try fixes(text, zone: berlin)[0].time == Instant(rfc3339: "2013-01-01T11:00:04Z"))
  }

  @Test(arguments: ["\u{FEFF}<gpx/>", " \n<gpx/>"])
  func aByteOrderMarkMayStandBeforeGPX(_ text: String) {
    #expect(GPXTrack.resemblesXML(Array(text.utf8)[...]))
    #expect(!GPXTrack.resemblesXML(Array("\u{FEFF}$GPRMC".utf8)[...]))
  }

  @Test(arguments: [
    ("<gpx>\n<trk><trkpt lat='x' lon='1'/></trk></gpx>", "t.gpx:2: 'x' is not a number"),
    ("<gpx>\n<trk><trkpt lat='1' lon='1'>\n<time>noon</time>", "t.gpx:3: the time 'noon'"),
    ("<gpx>\n<trk>", "t.gpx:2: not well-formed XML"), ("<kml/>", "t.gpx:1: is XML but no GPX"),
  ]) func refusesWithItsLine(_ text: String, _ expected: String) throws {
    let error = #expect(throws: InterchangeError.self) { try fixes(text) }
    #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
  }

  @Test func anErrorOfTheCallerIsRethrown() throws {
    struct Enough: Error {}
    let text = "<gpx><trk><trkpt lat='1' lon='2'/></trk></gpx>"
    #expect(throws: Enough.self) {
      try GPXTrack.read(name: "t", zone: .utc, next: { Array(text.utf8) }, { _ in throw Enough() })
    }
    #expect(throws: Enough.self) {
      try GPXTrack.read(name: "t", zone: .utc, next: { throw Enough() }, { _ in })
    }
  }
}
