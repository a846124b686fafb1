import CivilTime
import Geodesy
import Positioning
import Testing

@testable import Interchange

@Suite final class GPXTrackTests {
  private func fixes(
    _ text: String, piece: Int = 7, zone: TimeZoneRules = .utc
  ) throws -> [Fix] {
    var rest = Array(text.utf8)[...]
    var fixes: [Fix] = []
    note = try GPXTrack.read(name: "t.gpx", zone: zone) {
      defer { rest = rest.dropFirst(piece) }
      return Array(rest.prefix(piece))
    } _: {
      fixes.append($0)
    }.note
    return fixes
  }

  /// Of the last file that was read.
  private var note: String?

  @Test func readsTrackPoints() throws {
    let found = try fixes(
      """
      <gpx><metadata><time>2020-01-01T00:00:00Z</time></metadata><wpt lat="9" lon="9"/>
      <trk><name>x</name><trkseg>
      <trkpt lat="53.5" lon="10"><ele>12.5</ele><time>2026-06-12T16:00:00.250Z</time><fix>3d</fix>
        <hdop>1.5</hdop><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>3.25</gpxtpx:speed>
        <gpxtpx:course>360</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>
      <trkpt lat="53.6" lon="10"><fix>none</fix></trkpt>
      </trkseg><trkseg><trkpt lat="53.7" lon="10"><hdop>100</hdop></trkpt></trkseg></trk></gpx>
      """)
    try #require(found.count == 2)
    #expect(
      found[0]
        == Fix(
          time: try Instant(rfc3339: "2026-06-12T16:00:00.25Z"), position: try point(53.5, 10),
          mode: .threeD, altitudeMSL: 12.5, speed: 3.25, track: 0, eph: 28.5))
    // A bad position is not an unknown one.
    #expect(found[1] == Fix(time: nil, position: try point(53.7, 10), eph: 1900))
    #expect(note == nil)
  }

  /// OsmAnd and Locus write Android's accuracy there.
  @Test(arguments: [("OsmAnd~ 4.7.10", 15.4), ("Locus Map", 15.4), ("georemind", 180.5)])
  func theHDOPOfAnAppIsItsAccuracy(_ creator: String, _ eph: Double) throws {
    let text =
      "<gpx creator='\(creator)'><trk><trkpt lat='1' lon='1'><hdop>9.5</hdop></trkpt></trk></gpx>"
    let found = try #require(fixes(text).first?.eph)
    #expect(abs(found - eph) < 0.05)
  }

  @Test func aTimeWithoutAZoneIsInTheGivenOne() throws {
    let text =
      "<gpx><trk><trkpt lat='1' lon='1'><time>2013-01-01T12:00:04</time></trkpt></trk></gpx>"
    let berlin = try #require(TimeZoneRules(posix: "CET-1"))
    #expect(try fixes(text)[0].time == Instant(rfc3339: "2013-01-01T12:00:04Z"))
    #expect(try fixes(text, zone: berlin)[0].time == Instant(rfc3339: "2013-01-01T11:00:04Z"))
  }

  /// As files of watches and loggers have them.
  @Test(arguments: [
    "2026-06-12T16:00:00.25+0000", "2026-06-12T18:00:00.250+0200", "2026-06-12 16:00:00.25Z",
  ])
  func eachFormOfATimeIsThatTime(_ time: String) throws {
    let text = "<gpx><trk><trkpt lat='1' lon='1'><time>\(time)</time></trkpt></trk></gpx>"
    #expect(try fixes(text).map(\.time) == [try Instant(rfc3339: "2026-06-12T16:00:00.25Z")])
  }

  @Test func aBadPointCostsItself() throws {
    let found = try fixes(
      """
      <gpx><trk><trkseg><trkpt lat='1' lon='1'><time>2026-06-12T16:00:00Z</time></trkpt>
      <trkpt lat='2' lon='2'><ele>5</ele><time>noon</time><speed>3</speed></trkpt>
      <trkpt lat='3' lon='3'><time>2026-06-12T16:00:02Z</time></trkpt>
      <trkpt lat='x' lon='4'><time>2026-06-12T16:00:03Z</time></trkpt>
      <trkpt lat='0' lon='0'><time>2026-06-12T16:00:04Z</time></trkpt>
      <trkpt lat='5' lon='5'><time>2026-06-12T16:00:05Z</time></trkpt></trkseg></trk></gpx>
      """)
    #expect(found.map(\.position.latitude) == [1, 3, 5])
    #expect(
      note == "t.gpx:2: left out: the time 'noon' cannot be read: a date is written like "
        + "2026-11-21; and 2 more track points")
  }

  @Test func valuesWithoutAMeaningAreUnknown() throws {
    let found = try fixes(
      """
      <gpx><trk><trkpt lat='1' lon='1'><ele>200000</ele><speed>655.35</speed>
      <course>327.67</course><hdop>0</hdop></trkpt></trk></gpx>
      """)
    #expect(found.map(\.speed) == [nil] && found.map(\.track) == [nil])
    #expect(found.map(\.eph) == [nil] && found.map(\.altitudeMSL) == [nil])
  }

  @Test(arguments: ["\u{FEFF}<gpx/>", " \n<gpx/>"])
  func aByteOrderMarkMayStandBeforeGPX(_ text: String) {
    #expect(GPXTrack.resemblesXML(Array(text.utf8)[...]))
    #expect(!GPXTrack.resemblesXML(Array("\u{FEFF}$GPRMC".utf8)[...]))
  }

  @Test(arguments: [
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
