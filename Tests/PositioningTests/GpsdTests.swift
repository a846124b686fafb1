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
    #expect(decoder.hasOpenEpoch)
    #expect(decoder.silence().count == 1)
    #expect(!decoder.hasOpenEpoch)
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

  @Test func reportsWithoutATimeAreToldApartByPosition() {
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
}
