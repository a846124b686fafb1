import CivilTime
import Geodesy
import JSONText
import Phones
import Positioning
import Testing

@testable import MQTT

@Suite struct OwnTracksTests {
  private static let now = PublisherWorld.start

  private func read(
    _ text: String, topic: String = "owntracks/anna/phone"
  ) -> [Publisher.Effect] { read(Array(text.utf8), topic: topic) }

  private func read(
    _ payload: [UInt8], topic: String = "owntracks/anna/phone"
  ) -> [Publisher.Effect] {
    let world = PublisherWorld()
    _ = world.handle(.feedOpen(true))
    return world.handle(.received(topic: topic, payload: payload, isRetained: false))
  }

  private func line(_ effects: [Publisher.Effect]) throws -> String {
    let lines = effects.compactMap { if case .feed(let line) = $0 { line } else { nil } }
    try #require(effects.count == 1 && lines.count == 1, "\(effects)")
    return lines[0]
  }

  /// The decoder of the feeds is the judge of the line.
  @Test func aLocationIsAFixOfTheDecoder() throws {
    let effects = read(
      """
      {"_type":"location","lat":53.5461,"lon":9.9661,"acc":10,"alt":12,"vel":36,"cog":90,\
      "tst":1781279990,"t":"u","tid":"an","batt":80}
      """)
    let line = try line(effects)
    #expect(line.hasSuffix("\n"))
    #expect(line.contains(#""device":"owntracks:anna/phone""#))
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    decoder.consume(Array(line.utf8).span, into: &fixes)
    decoder.finish(into: &fixes)
    let fix = try #require(fixes.first)
    #expect(fix.time == Self.now - .seconds(10))
    #expect(fix.position.latitude == 53.5461 && fix.position.longitude == 9.9661)
    // A phone must not vouch for the clock.
    #expect(fix.mode == .twoD && fix.altitudeMSL == 12)
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
    #expect(read(text) == [])
  }

  @Test(arguments: [
    ("nonsense", "no JSON"), ("[1]", "no JSON"),
    (#"{"_type":"location","lat":"NaN","lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lat":91,"lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lon":2,"tst":1781279990}"#, "position"),
    (#"{"_type":"location","lat":1,"lon":2}"#, "time"),
    (#"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#, "time"),
    (#"{"_type":"encrypted","data":"Rm9v"}"#, "encrypted"),
  ])
  func whatCannotBeReadIsRefused(text: String, words: String) {
    guard case .report(let reason) = read(text).first else {
      Issue.record("\(text) is read")
      return
    }
    #expect(reason.contains(words))
  }

  @Test func bytesThatAreNoTextAreRefused() {
    let refusal = "A message of owntracks/anna/phone is ignored: "
    #expect(read([0x7B, 0xFF, 0xFE, 0x7D]) == [.report(refusal + "it is no JSON object")])
    let long = [UInt8](repeating: 0x20, count: 65_537)
    #expect(read(long) == [.report(refusal + "it is longer than 64 KiB")])
  }

  /// A name cannot leave its place in the line.
  @Test func aNameIsQuoted() throws {
    let line = try line(
      read(
        #"{"_type":"location","lat":1,"lon":2,"tst":1781279990}"#, topic: "owntracks/a\"b/c\nd"))
    #expect(line.filter { $0 == "\n" }.count == 1)
    #expect((try? JSONParser.parse(line)) != nil)
  }

  /// As by HTTP; the broker cannot be asked to send a position later.
  @Test func aPhoneThatSendsTooFastIsPassedOver() {
    let world = PublisherWorld()
    _ = world.handle(.feedOpen(true))
    let payload = Array(#"{"_type":"location","lat":1,"lon":2,"tst":1781279990}"#.utf8)
    func receive() -> [Publisher.Effect] {
      world.handle(.received(topic: "owntracks/a/b", payload: payload, isRetained: false))
    }
    func isFed(_ effects: [Publisher.Effect]) -> Bool {
      effects.contains { if case .feed = $0 { true } else { false } }
    }
    #expect((0..<300).allSatisfy { _ in isFed(receive()) })
    #expect(
      receive() == [.report("A message of owntracks/a/b is ignored: the phone sends too fast")])
    #expect(receive() == [])
    // Each reason has its count.
    _ = world.pass(1)
    _ = world.handle(.received(topic: "owntracks/a/b", payload: [0xFF], isRetained: false))
    _ = world.pass(60)
    for _ in 0..<300 { _ = receive() }
    #expect(
      receive() == [
        .report(
          "3 messages are ignored: the phone sends too fast (2), it is no JSON object (1); the "
            + "last of owntracks/a/b")
      ])
    _ = world.pass(1)
    #expect((0..<20).allSatisfy { _ in isFed(receive()) })
    #expect(receive() == [])
  }

  @Test func aTransitionIsAPositionOfItsPhone() throws {
    let line = try line(
      read(
        #"{"_type":"transition","event":"leave","lat":1,"lon":2,"acc":20,"tst":1781279990}"#,
        topic: "owntracks/anna/phone/event"))
    #expect(line.contains(#""device":"owntracks:anna/phone""#))
  }

  /// While the daemon starts again, and at boot before it reads: what comes then is kept.
  @Test func positionsWaitForTheDaemon() {
    let world = PublisherWorld()
    func receive(_ phone: String, late: Int, isRetained: Bool = false) -> [Publisher.Effect] {
      let text = #"{"_type":"location","lat":1,"lon":2,"tst":\#(1_781_280_000 - late)}"#
      return world.handle(
        .received(
          topic: "owntracks/\(phone)/p", payload: Array(text.utf8), isRetained: isRetained))
    }
    func delivered(_ effects: [Publisher.Effect]) -> [String] {
      effects.compactMap {
        guard case .feed(let line) = $0 else { return nil }
        return (try? JSONParser.parse(line))?["device"]?.string
      }
    }
    #expect(receive("anna", late: 200, isRetained: true).isEmpty)
    #expect(receive("ben", late: 1).isEmpty && receive("anna", late: 0).isEmpty)
    #expect(
      delivered(world.handle(.feedOpen(true)))
        == ["owntracks:anna/p", "owntracks:ben/p", "owntracks:anna/p"])
    #expect(delivered(receive("anna", late: 0)) == ["owntracks:anna/p"])
    _ = world.handle(.feedOpen(false))
    #expect(receive("anna", late: 200).isEmpty && receive("ben", late: 0).isEmpty)
    // One of them has become old.
    _ = world.pass(150)
    #expect(delivered(world.handle(.feedOpen(true))) == ["owntracks:ben/p"])
  }

  @Test func theBacklogIsBoundedForEachPhone() throws {
    var backlog = PositionBacklog()
    // None of them is too old.
    for number in 0..<400 {
      let text = #"{"_type":"location","lat":1,"lon":2,"tst":\#(1_781_279_900 + number / 4)}"#
      for position in try OwnTracks.read(Array(text.utf8), name: "a").positions {
        backlog.add(position)
      }
    }
    for position in try OwnTracks.read(
      Array(#"{"_type":"location","lat":1,"lon":2,"tst":1781279700}"#.utf8), name: "b"
    ).positions {
      backlog.add(position)
    }
    let left = backlog.take(at: Self.now)
    #expect(left.count == 301 && left.first?.time.seconds == 1_781_279_925)
    #expect(backlog.take(at: Self.now).isEmpty)
  }

  @Test func commandsNameAReminder() throws {
    let done = try CommandMessage(Array(#"{"command":"done","reminder_id":"a1"}"#.utf8))
    #expect(done.method == "Done" && done.parameters == ["id": "a1"])
    let snooze = try CommandMessage(
      Array(#"{"command":"snooze","reminder_id":"a1","until":"20min"}"#.utf8))
    #expect(snooze.method == "Snooze" && snooze.parameters == ["id": "a1", "until": "20min"])
    let add = try CommandMessage(Array(#"{"command":"add","reminder":{"title":"x"}}"#.utf8))
    #expect(add.method == "Add" && add.parameters == ["reminder": ["title": "x"], "typed": true])
    let text = try CommandMessage(Array(#"{"command":"add","text":"x tomorrow"}"#.utf8))
    #expect(text.parameters["reminder"] == ["title": "x tomorrow"])
    for wrong in [
      "done", "{}", #"{"command":"add","reminder":"x"}"#, #"{"command":"done"}"#,
      #"{"command":"rm","reminder_id":"a"}"#,
      #"{"command":"snooze","reminder_id":"a"}"#, #"{"command":"done","reminder_id":""}"#,
    ] {
      #expect(throws: CommandMessage.Objection.self) { try CommandMessage(Array(wrong.utf8)) }
    }
  }
}
