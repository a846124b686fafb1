import CivilTime
import Companion
import JSONText
import Testing

@testable import MQTT

/// A publisher and a clock.
final class PublisherWorld {
  var publisher: Publisher
  var now: Int64 = 0
  /// 2026-06-12T16:00:00Z.
  static let start = Instant(microseconds: 1_781_280_000_000_000)

  init(_ change: (inout MQTTSettings) -> Void = { _ in }) {
    var settings = MQTTSettings()
    change(&settings)
    publisher = Publisher(settings, Sample.identity)
  }

  var real: Instant { Self.start + TimeSpan(microseconds: now) }

  func handle(_ event: Publisher.Event) -> [Publisher.Effect] {
    publisher.handle(event, at: .init(steady: now, real: real))
  }

  func pass(_ seconds: Double) -> [Publisher.Effect] {
    now += Int64(seconds * 1e6)
    return handle(.tick)
  }

  func firing(_ seq: Int, priority: Int = 0) -> [Publisher.Effect] {
    handle(.firing(Sample.firing(seq, at: real.json, priority: priority)))
  }

  /// Home Assistant says so.
  func hear(_ word: String, isRetained: Bool = false) -> [Publisher.Effect] {
    handle(
      .received(
        topic: "homeassistant/status", payload: Array(word.utf8), isRetained: isRetained))
  }

  /// Delivers a firing from its arrival to the acknowledgement.
  func deliver(_ seq: Int) -> Bool {
    let sent = (firing(seq) + pass(5)).contains { $0.token == .firing(seq) }
    return sent && handle(.acknowledged(.firing(seq))).contains(.ended(seq, .delivered))
  }
}

extension Publisher.Effect {
  var message: Message? { if case .publish(let message, _) = self { message } else { nil } }

  var token: Publisher.Token? { if case .publish(_, let token) = self { token } else { nil } }
}

@Suite struct PublisherTests {
  private static let status: JSONObject = [
    "armed": 2, "position": "known", "version": "0.1.0", "feeds": [["url": "x"]],
    "fix": ["time": "2026-06-12T16:00:00Z"],
  ]

  private func topics(_ effects: [Publisher.Effect]) -> [String] {
    effects.compactMap { $0.message?.topic }
  }

  @Test func everyConnectionBeginsWithAllThatIsRetained() {
    let world = PublisherWorld()
    _ = world.handle(.daemonConnected)
    _ = world.handle(.status(Self.status))
    _ = world.handle(.last(Sample.firing(7)))
    let first = world.handle(.connected(.five))
    let expected =
      [
        "event/georemind_4f2a91c3/firing", "sensor/georemind_4f2a91c3/last",
        "sensor/georemind_4f2a91c3/next_due", "binary_sensor/georemind_4f2a91c3/position",
        "device_tracker/georemind_4f2a91c3/location", "sensor/georemind_4f2a91c3/anchor",
        "sensor/georemind_4f2a91c3/anchor_distance", "sensor/georemind_4f2a91c3/anchor_bearing",
        "binary_sensor/georemind_4f2a91c3/anchor_alarm", "text/georemind_4f2a91c3/add",
      ].map { "homeassistant/\($0)/config" }
      + ["availability", "state", "anchor", "last", "position", "position/state"]
      .map { "georemind/4f2a91c3/\($0)" }
    #expect(topics(first) == expected)
    #expect(first.compactMap(\.message).allSatisfy { $0.isRetained })
    #expect(
      first.prefix(4)
        == [
          .subscribe("homeassistant/status"), .subscribe("georemind/4f2a91c3/tracker/+"),
          .subscribe("owntracks/+/+"),
          .subscribe("owntracks/+/+/event"),
        ])
    _ = world.handle(.disconnected(.init("it ended")))
    #expect(topics(world.handle(.connected(.five))) == expected)
  }

  /// The access list forbade the last firing's topic for a while, and nothing else changes.
  @Test func whatTheBrokerRefusesIsSentAgain() {
    let world = PublisherWorld { $0.announcesEntities = false }
    _ = world.handle(.connected(.five))
    #expect(topics(world.firing(1)).last == "georemind/4f2a91c3/last")
    _ = world.handle(.failed(nil, "not authorized"))
    #expect(topics(world.pass(59)).isEmpty)
    #expect(topics(world.pass(1)).contains("georemind/4f2a91c3/last"))
    _ = world.handle(.acknowledged(nil))
    #expect(topics(world.pass(86_400)).isEmpty)
  }

  /// A topic that is never permitted: the waits grow up to 16 minutes, and a new refusal after
  /// quiet begins with the first one.
  @Test func refusalsWithoutEndAreBounded() {
    let world = PublisherWorld { $0.announcesEntities = false }
    _ = world.handle(.connected(.five))
    var waits: [Double] = []
    for _ in 0..<7 {
      _ = world.handle(.failed(nil, "not authorized"))
      _ = world.handle(.failed(nil, "not authorized"))
      let before = world.now
      while topics(world.pass(1)).isEmpty {}
      waits.append(Double(world.now - before) / 1e6)
    }
    #expect(waits == [60, 120, 240, 480, 960, 960, 960])
    _ = world.pass(961)
    _ = world.handle(.failed(nil, "not authorized"))
    #expect(topics(world.pass(59)).isEmpty)
    #expect(!topics(world.pass(1)).isEmpty)
  }

  @Test func aFiringWaitsUntilHomeAssistantHasSubscribed() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    #expect(world.firing(1) == [.wake(in: 5_000_000)])
    #expect(world.pass(4.9) == [.wake(in: 100_000)])
    let sent = world.pass(0.2)
    #expect(topics(sent) == ["georemind/4f2a91c3/firing", "georemind/4f2a91c3/last"])
    #expect(sent.compactMap(\.message).map(\.isRetained) == [false, true])
    #expect(
      world.handle(.acknowledged(.firing(1))) == [.condition(nil), .ended(1, .delivered)])
    // Later ones wait no more.
    #expect(topics(world.firing(2)).first == "georemind/4f2a91c3/firing")
  }

  /// Whoever listens hears it at once, and Home Assistant when it has subscribed.
  @Test func anAlarmIsSentAtOnceAndAgainAfterTheWait() throws {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.firing(1)
    let early = world.firing(2, priority: 1)
    #expect(topics(early) == ["georemind/4f2a91c3/firing", "georemind/4f2a91c3/last"])
    #expect(early.compactMap(\.token) == [])
    let sent = world.pass(5)
    #expect(sent.compactMap(\.token) == [.firing(1), .firing(2)])
    #expect(sent.last?.message?.payload.contains(#""repeated":"#) == true)
    #expect(
      world.handle(.acknowledged(.firing(2))) == [.condition(nil), .ended(2, .delivered)])
    #expect(world.handle(.acknowledged(.firing(1))) == [.ended(1, .delivered)])
  }

  @Test func aTestFiringIsSentAndIsNotTheLastFiring() throws {
    let world = PublisherWorld { $0.announcesEntities = false }
    _ = world.handle(.connected(.five))
    var json = Sample.firing(0).json
    json["test"] = true
    let test = try #require(FiringNotice(json))
    let sent = world.handle(.firing(test))
    #expect(topics(sent) == ["georemind/4f2a91c3/firing"])
    #expect(sent.first?.message?.payload.contains(#""test":true"#) == true)
    #expect(
      world.handle(.acknowledged(.firing(0))) == [.condition(nil), .ended(0, .delivered)])
  }

  @Test func anAlarmWithoutAConnectionEndsTheWaitForTheBroker() {
    let world = PublisherWorld()
    let failed = Delivery.Outcome.failed("there is no connection to the broker")
    #expect(world.firing(7, priority: 2) == [.connect, .ended(7, failed)])
  }

  @Test func withoutHomeAssistantNothingWaits() {
    let world = PublisherWorld { $0.announcesEntities = false }
    let effects = world.handle(.connected(.five))
    #expect(!topics(effects).contains { $0.hasPrefix("homeassistant") })
    #expect(topics(world.firing(1)).first == "georemind/4f2a91c3/firing")
  }

  @Test func aFiringWithoutAConnectionFailsAndIsTriedWithTheNext() {
    let world = PublisherWorld()
    #expect(
      world.firing(1) == [.ended(1, .failed("there is no connection to the broker"))])
    #expect(world.handle(.connected(.five)).contains(.retry))
    _ = world.firing(1)
    let lost = world.handle(.disconnected(.init("it ended")))
    #expect(lost == [.ended(1, .failed("the connection to the broker was lost: it ended"))])
    // The late acknowledgement of another connection means nothing for the firing.
    #expect(world.handle(.acknowledged(.firing(1))) == [.condition(nil)])
  }

  @Test func whatTheLibraryRefusesIsGivenUp() {
    let world = PublisherWorld { $0.announcesEntities = false }
    _ = world.handle(.connected(.five))
    _ = world.firing(1)
    #expect(world.handle(.refused(.firing(1), "too long")) == [.ended(1, .refused("too long"))])
  }

  /// Of those that nobody may have read, the last hundred.
  @Test(arguments: [(100, 0), (101, 1), (150, 50)])
  func aHundredMissedFiringsAreRepeated(count: Int, after: Int) {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.pass(10)
    for seq in 1...count { #expect(world.deliver(seq)) }
    _ = world.hear("online")
    #expect(world.pass(5).contains(.read(after: after, limit: 16)))
  }

  @Test func firingsThatHomeAssistantMissedAreRepeated() throws {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.hear("online", isRetained: true)
    #expect(world.deliver(1))
    _ = world.hear("offline")
    for seq in 2...4 { #expect(world.deliver(seq)) }
    let announced = world.hear("online")
    #expect(topics(announced).first == "homeassistant/event/georemind_4f2a91c3/firing/config")
    // A new one waits behind the missed ones.
    #expect(topics(world.firing(5)).isEmpty)
    #expect(world.pass(5) == [.read(after: 1, limit: 3)])
    let repeated = world.handle(.read((2...4).map { Sample.firing($0, at: world.real.json) }))
    #expect(repeated.compactMap(\.token) == (2...4).map { .repetition($0) })
    for message in repeated.compactMap(\.message) {
      #expect(message.payload.contains(#""repeated":true"#))
      #expect(message.topic == "georemind/4f2a91c3/firing")
    }
    _ = world.handle(.acknowledged(.repetition(2)))
    _ = world.handle(.acknowledged(.repetition(3)))
    let last = world.handle(.acknowledged(.repetition(4)))
    #expect(last.first?.token == .firing(5))
    #expect(last.first?.message?.payload.contains("repeated") == false)
    // Nothing is missed now.
    _ = world.handle(.acknowledged(.firing(5)))
    _ = world.hear("offline")
    _ = world.hear("online")
    #expect(topics(world.pass(60)).first?.hasPrefix("homeassistant") == true)
    #expect(world.pass(5).isEmpty)
  }

  @Test func atMostAHundredOfAnHourAreRepeated() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.hear("offline")
    for seq in 1...150 { #expect(world.deliver(seq)) }
    _ = world.hear("online")
    var asked = world.pass(5)
    var sent: [Int] = []
    while case .read(let after, let limit)? = asked.last {
      #expect(limit <= 16)
      let rows = (after + 1...after + limit).map { seq in
        // The first thirty of the hundred are too old.
        Sample.firing(seq, at: (world.real - .minutes(seq <= 80 ? 61 : 59)).json)
      }
      asked = world.handle(.read(rows))
      let seqs = rows.map(\.seq).filter { $0 > 80 }
      #expect(asked.compactMap(\.token) == seqs.map { .repetition($0) })
      sent += seqs
      for seq in seqs { asked = world.handle(.acknowledged(.repetition(seq))) }
    }
    #expect(sent == Array(81...150))
  }

  @Test func aRestartOfTheDaemonInterruptsNoRepetition() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.hear("offline")
    #expect(world.deliver(1))
    _ = world.hear("online")
    #expect(world.pass(5) == [.read(after: 0, limit: 1)])
    _ = world.handle(.daemonLost)
    _ = world.handle(.read(nil))
    #expect(world.handle(.daemonConnected).contains(.read(after: 0, limit: 1)))
  }

  @Test func entitiesAreUnavailableWithoutTheDaemonAfterAWhile() {
    let world = PublisherWorld()
    _ = world.handle(.daemonConnected)
    #expect(
      world.handle(.connected(.five)).compactMap(\.message).contains {
        $0.topic.hasSuffix("availability") && $0.payload == "online"
      })
    _ = world.handle(.daemonLost)
    #expect(topics(world.pass(9)).isEmpty)
    #expect(world.pass(2).first?.message?.payload == "offline")
    #expect(world.handle(.daemonConnected).first?.message?.payload == "online")
    // A restart is not noticed.
    _ = world.handle(.daemonLost)
    _ = world.pass(1)
    #expect(topics(world.handle(.daemonConnected)).isEmpty)
  }

  @Test func theStateIsSentOnlyWhenItChanges() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    #expect(
      topics(world.handle(.status(Self.status)))
        == ["georemind/4f2a91c3/state", "georemind/4f2a91c3/anchor"])
    var later = Self.status
    later["fix"] = ["time": "2026-06-12T16:00:01Z"]
    #expect(world.handle(.status(later)).isEmpty)
    later["armed"] = 3
    #expect(topics(world.handle(.status(later))) == ["georemind/4f2a91c3/state"])
  }

  @Test func commandsNeedPermission() {
    let payload = Array(#"{"command":"done","reminder_id":"a1"}"#.utf8)
    func event(isRetained: Bool = false) -> Publisher.Event {
      .received(topic: "georemind/4f2a91c3/command", payload: payload, isRetained: isRetained)
    }
    let closed = PublisherWorld()
    #expect(!closed.handle(.connected(.five)).contains(.subscribe("georemind/4f2a91c3/command")))
    #expect(closed.handle(event()).isEmpty)
    let open = PublisherWorld { $0.takesCommands = true }
    #expect(open.handle(.connected(.five)).contains(.subscribe("georemind/4f2a91c3/command")))
    guard case .call(let command)? = open.handle(event()).first else {
      Issue.record("no command")
      return
    }
    #expect(command.method == "Done")
    #expect(open.handle(event(isRetained: true)).isEmpty)
  }

  @Test func ignoredMessagesAreLoggedOnceAMinute() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    func wrong() -> [String] {
      world.handle(
        .received(topic: "owntracks/a/b", payload: [0xFF], isRetained: false)
      ).compactMap { if case .report(let text) = $0 { text } else { nil } }
    }
    #expect(wrong() == ["A message of owntracks/a/b is ignored: it is no JSON object"])
    #expect(wrong().isEmpty && wrong().isEmpty)
    world.now += 60_000_000
    #expect(
      wrong() == [
        "3 messages are ignored: it is no JSON object (3); the last of owntracks/a/b"
      ])
  }

  // MARK: - The anchor

  private static func status(_ place: String, _ distance: Double, alarm: Bool = false) -> JSONObject
  {
    var status = Self.status
    status["anchor"] = [
      "id": "anchor", "place": .string(place), "alarm": .bool(alarm), "radius_m": 40,
      "distance_m": .double(distance), "bearing_deg": 45,
    ]
    return status
  }

  /// A change of the state is news at once, another distance ten seconds apart.
  @Test func theAnchorIsReportedWithoutAFlood() throws {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    func anchors(_ effects: [Publisher.Effect]) throws -> [JSONValue] {
      try effects.compactMap(\.message).filter { $0.topic == "georemind/4f2a91c3/anchor" }
        .map { try JSONParser.parse($0.payload) }
    }
    let none = try anchors(world.handle(.status(Self.status)))
    #expect(none.map { $0["state"] } == ["none"])
    var all = try anchors(world.handle(.status(Self.status("inside", 20))))
    for second in 1...60 {
      all += try anchors(world.pass(0.5))
      all += try anchors(world.handle(.status(Self.status("inside", 20 + Double(second) / 10))))
      all += try anchors(world.pass(0.5))
    }
    #expect((6...8).contains(all.count), "\(all.count)")
    let alarm = try anchors(world.handle(.status(Self.status("outside", 47, alarm: true))))
    #expect(alarm.map { $0["alarm"] } == [true] && alarm.map { $0["distance_m"] } == [47])
    // Again with each connection, as a broker without persistence forgets it.
    #expect(try anchors(world.handle(.connected(.five))) == alarm)
  }
}
