import CivilTime
import Geodesy
import JSONText
import Positioning
import Testing

@testable import MQTT

@Suite struct OwnTracksTests {
  /// 2026-06-12T16:00:00Z.
  private static let now = Instant(microseconds: 1_781_280_000_000_000)
  private static let topic = "owntracks/anna/phone"

  private func read(_ text: String, topic: String = topic) -> OwnTracksLocation.Reading {
    OwnTracksLocation.read(topic: topic, payload: Array(text.utf8), at: Self.now)
  }

  /// The decoder of the feeds is the judge of the line.
  @Test func aLocationIsAFixOfTheDecoder() throws {
    let reading = read(
      """
      {"_type":"location","lat":53.5461,"lon":9.9661,"acc":10,"alt":12,"vel":36,"cog":90,\
      "tst":1781279990,"t":"u","tid":"an","batt":80}
      """)
    guard case .report(let line) = reading else {
      Issue.record("\(reading)")
      return
    }
    #expect(line.hasSuffix("\n"))
    #expect(line.contains(#""device":"owntracks:anna/phone""#))
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    decoder.consume(Array(line.utf8).span, into: &fixes)
    decoder.finish(into: &fixes)
    let fix = try #require(fixes.first)
    #expect(fix.time == Self.now - .seconds(10))
    #expect(fix.position.latitude == 53.5461 && fix.position.longitude == 9.9661)
    #expect(fix.mode == .threeD)
    // 68 % to 95 %: the factor of a Rayleigh distribution, √(ln 0.05 / ln 0.32).
    #expect(abs((fix.eph ?? 0) - 16.2) < 0.3)
    #expect(fix.speed == 10 && fix.track == 90)
  }

  @Test(arguments: [
    #"{"_type":"transition","event":"enter"}"#, #"{"_type":"lwt","tst":1}"#,
    #"{"_type":"location","lat":1,"lon":2,"tst":1781279990,"t":"p"}"#,
    // Of an hour ago, from a phone that was without a network.
    #"{"_type":"location","lat":1,"lon":2,"tst":1781276400}"#, "",
  ])
  func whatIsNoFreshPositionIsPassedOver(text: String) {
    #expect(read(text) == .none)
  }

  @Test(arguments: [
    ("nonsense", "no JSON"), ("[1]", "no JSON"),
    (#"{"_type":"location","lat":"NaN","lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lat":91,"lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lat":1,"lon":2}"#, "time"),
    (#"{"_type":"location","lat":1,"lon":2,"tst":1781279990000}"#, "future"),
    (#"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#, "future"),
  ])
  func whatCannotBeReadIsRefused(text: String, words: String) {
    guard case .refused(let reason) = read(text) else {
      Issue.record("\(text) is read")
      return
    }
    #expect(reason.contains(words))
  }

  @Test func bytesThatAreNoTextAreRefused() {
    let reading = OwnTracksLocation.read(
      topic: Self.topic, payload: [0x7B, 0xFF, 0xFE, 0x7D], at: Self.now)
    #expect(reading == .refused("it is no JSON object"))
    let long = OwnTracksLocation.read(
      topic: Self.topic, payload: [UInt8](repeating: 0x20, count: 20_000), at: Self.now)
    #expect(long == .refused("it is too long"))
  }

  /// A name cannot leave its place in the line.
  @Test func aNameIsQuoted() {
    guard
      case .report(let line) = read(
        #"{"_type":"location","lat":1,"lon":2,"tst":1781279990}"#, topic: "owntracks/a\"b/c\nd")
    else {
      Issue.record("it is not read")
      return
    }
    #expect(line.filter { $0 == "\n" }.count == 1)
    #expect((try? JSONParser.parse(line)) != nil)
  }

  @Test func commandsNameAReminder() throws {
    let done = try CommandMessage(Array(#"{"command":"done","reminder_id":"a1"}"#.utf8))
    #expect(done.method == "Done" && done.parameters == ["id": "a1"])
    let snooze = try CommandMessage(
      Array(#"{"command":"snooze","reminder_id":"a1","until":"20min"}"#.utf8))
    #expect(snooze.method == "Snooze" && snooze.parameters == ["id": "a1", "until": "20min"])
    for wrong in [
      "done", "{}", #"{"command":"done"}"#, #"{"command":"rm","reminder_id":"a"}"#,
      #"{"command":"snooze","reminder_id":"a"}"#, #"{"command":"done","reminder_id":""}"#,
    ] {
      #expect(throws: CommandMessage.Objection.self) { try CommandMessage(Array(wrong.utf8)) }
    }
  }
}
