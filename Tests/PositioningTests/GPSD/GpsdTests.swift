import CivilTime
import Geodesy
import JSONText
import Positioning
import Testing

/// gpsd's JSON reports.
struct GpsdTests {
  static func tpv(_ time: String?, _ more: String, device: String = "/dev/a") -> String {
    let time = time.map { #""time":"\#($0)","# } ?? ""
    return #"{"class":"TPV","device":"\#(device)",\#(time)\#(more)}"# + "\r\n"
  }

  @Test func aReportIsRead() throws {
    let fixes = decode(
      #"{ "mode" : 3, "class" : "TPV" , "time":"2026-11-21T09:30:00.500Z", "ept":0.005,"lat":52.5163,"#
        + #""lon":-13.3777e0,"altHAE":80.5,"altMSL":36.1,"alt":36.1,"epx":3.1,"track":12.5,"#
        + #""speed":1.25E+1,"climb":-0.1,"eps":6.5,"eph":7.5,"status":3,"new":[{"a":"}"},[]],"x":null}"#
    )
    let fix = try #require(fixes.first)
    #expect(fixes.count == 1 && fix.isoTime == "2026-11-21T09:30:00.500Z")
    #expect(fix.position == Coordinate(latitude: 52.5163, longitude: -13.3777))
    #expect(fix.mode == .threeD && fix.source == .rtkFixed)
    #expect(fix.altitudeMSL == 36.1 && fix.altitudeHAE == 80.5 && fix.speed == 12.5)
    #expect(fix.track == 12.5 && fix.climb == -0.1 && fix.eph == 7.5)
  }

  @Test func aReportOfTheNullIslandIsNoFix() {
    let time = "2026-11-21T09:30:00Z"
    #expect(decode(Self.tpv(time, #""mode":3,"lat":0,"lon":0.0"#)).isEmpty)
    #expect(decode(Self.tpv(time, #""mode":3,"lat":-0.133,"lon":-0.0"#)).isEmpty)
    #expect(decode(Self.tpv(time, #""mode":3,"lat":0,"lon":0.3"#)).count == 1)
  }

  /// A ship crosses 0° N 0° E; the value of a receiver without a position is no part of a track.
  @Test func aTrackLeadsOverTheNullIsland() {
    func report(_ second: Int, _ latitude: Double) -> String {
      Self.tpv("2026-11-21T09:30:0\(second)Z", #""mode":3,"lat":\#(latitude),"lon":0"#)
    }
    #expect(decode(report(0, 0.3) + report(1, 0.1) + report(2, 0)).count == 3)
    #expect(decode(report(0, 48) + report(1, 0) + report(2, 48)).count == 2)
  }

  @Test func valuesWithoutAMeaningAreUnknownAndABadErrorIsBad() {
    let fixes = decode(
      Self.tpv(
        "2026-11-21T09:30:00Z",
        #""mode":3,"lat":1,"lon":2,"speed":655.34,"track":327.67,"eph":5e7,"alt":4e5"#))
    #expect(fixes.map(\.speed) == [nil] && fixes.map(\.track) == [nil])
    #expect(fixes.map(\.eph) == [1_000_000] && fixes.map(\.altitudeMSL) == [nil])
  }

  @Test(arguments: [
    #""2026-11-21T09:30:00+0000""#, #""2026-11-21 09:30:00""#, "1795253400", "1795253400000",
  ])
  func eachFormOfATimeIsThatTime(_ time: String) {
    let fixes = decode(#"{"class":"TPV","mode":3,"lat":1,"lon":2,"time":\#(time)}"#)
    #expect(fixes.map(\.isoTime) == ["2026-11-21T09:30:00.000Z"])
  }

  /// A report of ours is read back as the fix that it tells of.
  @Test func aReportReadsBack() throws {
    for fix in decode(Fixture.mixed) {
      var text = ""
      fix.tpv(device: "/dev/a").write(to: &text)
      let again = try #require(decode(text).first)
      #expect(again.time == fix.time && again.mode == fix.mode && again.source == fix.source)
      #expect(abs(again.position.latitude - fix.position.latitude) < 1e-9)
      #expect(abs((again.eph ?? 0) - (fix.eph ?? 0)) < 1e-3)
    }
  }

  @Test func theLastReportOfAnEpochWithAPositionCounts() {
    let fixes = decode(
      Self.tpv("2026-11-21T09:30:00.000Z", #""mode":2,"lat":1.0,"lon":2.0"#)
        + Self.tpv("2026-11-21T09:30:00.000Z", #""mode":3,"lat":1.5,"lon":2.0,"speed":1"#)
        + Self.tpv("2026-11-21T09:30:00.000Z", #""mode":3"#)
        + Self.tpv("2026-11-21T09:30:00.000Z", #""mode":3,"lat":7,"lon":8"#, device: "/dev/b")
        + Self.tpv("2026-11-21T09:30:01.000Z", #""mode":1"#)
        + Self.tpv("2026-11-21T09:30:02.000Z", #""mode":2,"lat":1.0,"lon":2.0"#))
    #expect(fixes.map(\.position.latitude) == [1.5, 7, 1])
    #expect(fixes.map(\.speed) == [1, nil, nil])
  }

  @Test func silenceEndsTheEpoch() {
    var decoder = FixDecoder()
    #expect(decoder.read(Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":1,"lon":2"#)).isEmpty)
    #expect(decoder.hasOpenEpoch == true)
    #expect(decoder.silence().count == 1)
    #expect(decoder.hasOpenEpoch == false)
  }

  @Test(arguments: [
    #"{"class":"TPV","mode":0,"lat":1,"lon":2}"#, #"{"class":"TPV","mode":1,"lat":1,"lon":2}"#,
    #"{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3,"lat":91,"lon":2}"#,
    #"{"class":"TPV","mode":3,"lat":1}"#, #"{"class":"TPV","mode":"3","lat":1,"lon":2}"#,
    #"{"class":"TPV","mode":3,"lat":true,"lon":2}"#, #"{"class":"SKY","mode":3,"lat":1,"lon":2}"#,
    #"{"class":"VERSION","proto_major":16}"#, #"{"class":"DEVICES","devices":[]}"#, "{}",
  ])
  func aReportWithoutAFix(_ line: String) {
    var decoder = FixDecoder()
    #expect((decoder.read(line + "\n") + decoder.end()).isEmpty)
    #expect(decoder.statistics.jsonLines == 1 && decoder.statistics.malformed == 0)
  }

  @Test(arguments: [
    #"{"class":"TPV","mode":3,"lat":1,"lon":2"#, #"{"class":"TPV","mode":3,"lat":1,"lon":2}}"#,
    #"{"class":"TPV","mode":3,"lat":1,"lon":2,}"#, #"{"class":"TPV" "mode":3,"lat":1,"lon":2}"#,
    #"{"class":"TPV","mode":3,"lat":1,"lon":}"#,
    #"{"class":"TPV","a":[{]},"mode":3,"lat":1,"lon":2}"#,
    #"{"class":"TPV","a":"\"#, "{", #"{"a"#, #"{"a":["#, "{1:2}", "{\"a\":" + "[" + "\n",
  ])
  func aBrokenLineIsCounted(_ line: String) {
    var decoder = FixDecoder()
    #expect((decoder.read(line + "\n") + decoder.end()).isEmpty)
    #expect(decoder.statistics.malformed == 1 && decoder.statistics.jsonLines == 0)
  }

  @Test func deepNestingIsRefused() {
    var decoder = FixDecoder()
    let depth = 5000
    let line =
      #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    _ = decoder.read(line + "}\n")
    #expect(decoder.statistics.malformed == 1)
  }

  @Test(arguments: [
    "1013-11-21T09:30:00.000Z", "1969-12-31T23:59:59.999Z", "-0001-01-01T00:00:00Z",
  ])
  func aTimeBefore1970IsNoTime(_ time: String) {
    let fixes = decode(Self.tpv(time, #""mode":3,"lat":1,"lon":2"#))
    #expect(fixes.count == 1 && fixes.first?.time == nil)
  }

  @Test func reportsWithoutATimeAreDistinguishedByPosition() {
    let fixes = decode(
      Self.tpv(nil, #""mode":2,"lat":1,"lon":2"#) + Self.tpv(nil, #""mode":3,"lat":1,"lon":2"#)
        + Self.tpv(nil, #""mode":3,"lat":1,"lon":3"#))
    #expect(fixes.map(\.mode) == [.threeD, .threeD] && fixes.allSatisfy { $0.time == nil })
  }

  @Test func anErrorIsKept() {
    var decoder = FixDecoder()
    _ = decoder.read(#"{"class":"ERROR","message":"Unrecognized request '?FOO;'"}"# + "\r\n")
    #expect(decoder.statistics.lastError == "gpsd reports: Unrecognized request '?FOO;'")
  }

  @Test func manyDevicesAreBounded() {
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    for device in 0..<100 {
      fixes += decoder.read(
        Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":1,"lon":2"#, device: "/dev/\(device)"))
    }
    #expect(fixes.count == 92)
    #expect(decoder.end().count == 8)
  }

  /// Two receivers on one connection: each epoch of each, told apart by a number that stays.
  @Test func devicesAreKeptApart() {
    var text = ""
    for second in 0..<5 {
      let time = "2026-11-21T09:30:0\(second).000Z"
      text += Self.tpv(time, #""mode":3,"lat":1,"lon":2"#)
      text += Self.tpv(time, #""mode":3,"lat":7,"lon":8"#, device: "/dev/b")
    }
    let fixes = decode(text)
    let devices = Set(fixes.map(\.device))
    #expect(fixes.count == 10 && devices.count == 2 && !devices.contains(0))
    for device in devices {
      let own = fixes.filter { $0.device == device }
      #expect(own.count == 5 && Set(own.map(\.position.latitude)).count == 1)
    }
    #expect(decode(#"{"class":"TPV","mode":2,"lat":1,"lon":2}"#).map(\.device) == [0])
  }

  @Test func aRemovedDeviceGivesItsLastFixAndIsReported() {
    var decoder = FixDecoder()
    _ = decoder.read(
      Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":1,"lon":2"#)
        + Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":3,"lon":4"#, device: "/dev/b"))
    #expect(decoder.takeLostDevices().isEmpty)
    let last = decoder.read(#"{"class":"DEVICE","path":"/dev/a","activated":0}"# + "\r\n")
    #expect(last.map(\.position.latitude) == [1])
    #expect(decoder.takeLostDevices() == last.map(\.device))
    #expect(decoder.takeLostDevices().isEmpty)
    #expect(decoder.statistics.lastError == "gpsd has lost /dev/a")
    let active = #"{"class":"DEVICE","path":"/dev/b","activated":"2026-11-21T09:30:00.1Z"}"#
    #expect(decoder.read(active + "\n").isEmpty && decoder.takeLostDevices().isEmpty)
    // Some have a list, but not of this one.
    let list = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/b"}]}"#
    #expect(decoder.read(list + "\n").isEmpty && decoder.takeLostDevices().isEmpty)
    #expect(decoder.read(#"{"class":"DEVICES","devices":[]}"# + "\n").count == 1)
    #expect(decoder.takeLostDevices().count == 1)
    #expect(decoder.statistics.lastError == "gpsd has no device")
  }

  /// A report that comes late, after the silence that ended its epoch, is no second fix.
  @Test func anEpochIsReportedOnce() {
    var decoder = FixDecoder()
    let report = Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":1,"lon":2"#)
    _ = decoder.read(report)
    #expect(decoder.silence().count == 1)
    #expect(decoder.read(report + report).isEmpty && decoder.silence().isEmpty)
    #expect(decoder.statistics.lateSentences == 2)
    var fixes: [Fix] = []
    decoder.disconnected(into: &fixes)
    // gpsd comes back and repeats its last report.
    #expect((decoder.read(report) + decoder.silence()).isEmpty && fixes.isEmpty)
  }

  /// What each protocol says in front of its reports, 3.1 of 2010 to 16.1 of today, makes no
  /// difference.
  @Test(arguments: 3...16)
  func anyProtocolWillDo(major: Int) {
    var decoder = FixDecoder()
    let version =
      #"{"class":"VERSION","release":"3.\#(major + 10)","rev":"3.x","proto_major":\#(major),"#
      + #""proto_minor":1}"# + "\r\n"
    let old = major < 4
    // In protocol 3 there were a tag and a time in seconds, later an error in the plane.
    let report =
      old
      ? #"{"class":"TPV","tag":"MID2","device":"/dev/a","time":1795253400.25,"ept":0.005,"#
        + #""lat":46.5,"lon":7.5,"alt":1343.1,"epx":3,"epy":4,"mode":3}"#
      : #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T09:30:00.250Z","leapseconds"#
        + #"":18,"ept":0.005,"lat":46.5,"lon":7.5,"altMSL":1343.1,"eph":5,"ecefx":1.0,"jam":1}"#
    _ = decoder.read(version + report + "\r\n")
    let fixes = decoder.end()
    #expect(fixes.map(\.isoTime) == ["2026-11-21T09:30:00.250Z"])
    #expect(fixes.map(\.eph) == [5] && fixes.map(\.altitudeMSL) == [1343.1])
    #expect(decoder.statistics.gpsdRelease == "3.\(major + 10)")
  }

  /// gpsd cuts its lines at 10,240 bytes: the cut one is lost, the next one is not.
  @Test func aCutLineCostsOnlyItself() {
    let report = Self.tpv("2026-11-21T09:30:00Z", #""mode":2,"lat":1,"lon":2"#)
    let satellites = (0..<200).map { #"{"PRN":\#($0),"el":10.0,"az":20.0,"ss":30.0,"used":true}"# }
    let line =
      #"{"class":"SKY","device":"/dev/a","satellites":["# + satellites.joined(separator: ",")
    var decoder = FixDecoder()
    let text = String(line.prefix(10_237)) + "\r\n" + report
    #expect((decoder.read(text) + decoder.end()).count == 1)
    #expect(decoder.statistics.malformed == 1)
    for length in 0..<report.utf8.count - 3 {
      let cut = String(report.prefix(length)) + "\r\n"
      #expect(decode(cut + report).count == 1 && decode(report + cut).count == 1)
    }
  }

  @Test(arguments: [
    (2, Fix.Source.differential), (3, .rtkFixed), (4, .rtkFloat), (5, .deadReckoning),
  ])
  func theStatusIsTheSource(_ status: Int, _ source: Fix.Source) {
    #expect(
      decode(#"{"class":"TPV","mode":3,"status":\#(status),"lat":1,"lon":2}"#).map(\.source) == [
        source
      ])
  }
}
