import Companion
import Control
import Glibc
import JSONText
import LinuxRuntime
import MQTT
import TestSupport
import Testing

@testable import georemind_mqtt

/// The whole service between a daemon and a broker, in one loop.
@Suite struct MQTTServiceTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private let broker: LoopBroker
  private let identity = Identity(id: "4f2a91c3", name: "boat", version: "0.1.0")
  private let log = Lines()

  /// What was logged, at most as urgent as a notice left out.
  private final class Lines {
    var texts: [String] = []

    func write(_ level: ServiceLog.Level, _ text: String) {
      if level.rawValue <= ServiceLog.Level.notice.rawValue { texts.append(text) }
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
    broker = try LoopBroker(loop: loop)
  }

  private func service(_ change: (inout MQTTSettings) -> Void = { _ in }) throws -> MQTTService {
    var settings = MQTTSettings()
    settings.broker = BrokerAddress(host: "127.0.0.1", port: broker.port)
    settings.announcesEntities = false
    change(&settings)
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let service = try MQTTService(
      settings, identity, consumer: "mqtt", session: session,
      positions: try PositionFeed(path: "\(folder.path)/owntracks", loop: loop), loop: loop,
      log: log.write)
    try service.start()
    return service
  }

  private func topics() -> [String] { broker.publications.map(\.topic) }

  /// The bytes that Home Assistant 2024.3 was seen to take.
  @Test func theFirstBytesAreTheDiscovery() throws {
    let service = try service {
      $0.announcesEntities = true
      $0.user = "boat"
      $0.passwordFile = try? folder.file("password", "secret\n")
    }
    defer { service.stop() }
    #expect(try loop.runUntil { broker.publications.count >= 7 })
    let connect = try #require(broker.connects.first)
    #expect(connect.client == "georemind-4f2a91c3")
    #expect(connect.user == "boat" && connect.password == "secret")
    #expect(connect.isClean && connect.keepAlive == 60)
    #expect(connect.version == 5 && connect.receiveMaximum == 20)
    #expect(connect.maximumPacket == 131_072)
    #expect(
      connect.will
        == .init(
          topic: "georemind/4f2a91c3/availability", payload: "offline", isRetained: true,
          quality: 1))
    #expect(
      broker.subscriptions == [
        "homeassistant/status", "georemind/4f2a91c3/tracker/+", "owntracks/+/+",
        "owntracks/+/+/event",
      ])
    #expect(broker.publications.allSatisfy { $0.isRetained && $0.quality == 1 })
    let device =
      #""device":{"identifiers":["georemind_4f2a91c3"],"name":"georemind boat","#
      + #""manufacturer":"georemind","model":"georemindd","sw_version":"0.1.0"},"#
      + #""origin":{"name":"georemind","sw_version":"0.1.0"}}"#
    let availability = #""availability":[{"topic":"georemind/4f2a91c3/availability"}],"#
    let event = try #require(broker.publications.first)
    #expect(event.topic == "homeassistant/event/georemind_4f2a91c3/firing/config")
    #expect(
      event.payload
        == #"{"name":"Firing","state_topic":"georemind/4f2a91c3/firing","event_types":"#
        + #"["arrive","depart","dwell","pass","absent","silent","due","leave","lost","late","summary"],"#
        + #""icon":"mdi:map-marker-check","unique_id":"georemind_4f2a91c3_firing","#
        + #""object_id":"georemind_boat_firing","#
        + #""default_entity_id":"event.georemind_boat_firing","qos":1,"# + availability + device)
    let tracker = try #require(broker.publications.first { $0.topic.contains("device_tracker") })
    #expect(tracker.payload.isEmpty)
  }

  @Test func aFiringIsDeliveredWhenTheBrokerAcknowledges() throws {
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { daemon.rows["mqtt"] != nil && !topics().isEmpty })
    broker.acknowledges = false
    daemon.fire("a")
    #expect(try loop.runUntil { topics().contains("georemind/4f2a91c3/firing") })
    #expect(daemon.rows["mqtt"]?.upto == 0)
    // The connection is lost before the acknowledgement: the firing goes again with the next.
    broker.acknowledges = true
    broker.dropClient()
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 1 })
    let firings = broker.publications.filter { $0.topic == "georemind/4f2a91c3/firing" }
    #expect(firings.count == 2)
    #expect(firings[0] == firings[1])
    #expect(!firings[0].isRetained)
    #expect(firings[0].payload.contains(#""firing_id":"a""#))
    #expect(firings[0].payload.contains(#""event_type":"due""#))
    #expect(log.texts.count == 1, "\(log.texts)")
  }

  /// Two clients of one identifier end each other's connection.
  @Test func connectionsThatEndAtOnceAreNoTightLoop() throws {
    broker.acceptsThenCloses = true
    let service = try service()
    defer { service.stop() }
    let begun = SystemClock.monotonic.microseconds
    let words = "another client have the identifier"
    #expect(try loop.runUntil { log.texts.contains { $0.contains(words) } })
    #expect(SystemClock.monotonic.microseconds - begun >= 1_000_000)
    #expect(broker.connects.count == 2)
  }

  /// An alarm does not wait for the next attempt to connect, which is two seconds away.
  @Test func anAlarmEndsTheWaitForTheBroker() throws {
    broker.answer = 5
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { !log.texts.isEmpty && daemon.rows["mqtt"] != nil })
    broker.answer = 0
    daemon.fire("milk")
    daemon.fire("anchor", priority: 1)
    let begun = SystemClock.monotonic.microseconds
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.urgentUpto == 2 })
    #expect(SystemClock.monotonic.microseconds - begun < 1_500_000)
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 1 })
    let firings = broker.publications.filter { $0.topic == "georemind/4f2a91c3/firing" }
    #expect(firings.first?.payload.contains(#""firing_id":"anchor""#) == true)
  }

  @Test func firingsArriveInOrder() throws {
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { daemon.rows["mqtt"] != nil && !topics().isEmpty })
    for number in 1...200 { daemon.fire("\(number)") }
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 200 })
    let ids = broker.publications.filter { $0.topic == "georemind/4f2a91c3/firing" }.map {
      (try? JSONParser.parse($0.payload))?["firing_id"]?.string
    }
    #expect(ids == (1...200).map { "\($0)" })
  }

  /// A connection without a password is refused, with a reason that leads elsewhere.
  @Test func aPasswordThatCannotBeReadIsAnError() throws {
    func reason(_ path: String) -> String? {
      var settings = MQTTSettings()
      settings.passwordFile = path
      do throws(MosquittoClient.Failure) {
        _ = try Password.read(settings)
        return nil
      } catch { return error.reason }
    }
    let pipe = "\(folder.path)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(reason(pipe) == "\(pipe): is no file")
    #expect(reason(folder.path) == "\(folder.path): is no file")
    #expect(reason("\(pipe)-none")?.contains("cannot be read: No such file") == true)
    #expect(reason(try folder.file("empty", "\n")) == nil)
  }

  @Test(arguments: [(4, "not authorised"), (5, "Not authorized")] as [(UInt8, String)])
  func aWrongPasswordIsLoggedOnce(version: UInt8, words: String) throws {
    broker.answer = 5
    broker.versions = [version]
    let service = try service { $0.user = "boat" }
    defer { service.stop() }
    // Without MQTT 5, each attempt is two.
    #expect(try loop.runUntil { broker.connects.count == (version == 5 ? 2 : 4) })
    #expect(log.texts.filter { $0.contains("broker") }.count == 1)
    #expect(log.texts.contains { $0.contains(words) }, "\(log.texts)")
    #expect(broker.publications.isEmpty)
  }

  @Test func aPositionOfAPhoneReachesTheFeed() throws {
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { broker.subscriptions.last == "owntracks/+/+/event" })
    var lines: [String] = []
    let feed = try StreamConnection(
      path: "\(folder.path)/owntracks", loop: loop, delimiter: UInt8(ascii: "\n"))
    feed.onMessage = { lines.append(String(decoding: $0, as: UTF8.self)) }
    let now = SystemClock.now() / 1_000_000
    func send() {
      broker.publish("owntracks/anna/phone", [0xFF])
      broker.publish(
        "owntracks/anna/phone",
        #"{"_type":"location","lat":53.5,"lon":9.9,"acc":10,"tst":\#(now)}"#)
    }
    // The server takes the feed's connection in one of the next turns.
    let timer = try loop.addTimer(.monotonic) { _ in send() }
    timer.arm(in: 100_000)
    #expect(try loop.runUntil { !lines.isEmpty })
    #expect(lines.first?.contains(#""eph":16.2"#) == true, "\(lines)")
    #expect(lines.first?.contains(#""device":"owntracks:anna/phone""#) == true)
    feed.close()
  }

  @Test func aCommandReachesTheDaemon() throws {
    let service = try service { $0.takesCommands = true }
    defer { service.stop() }
    #expect(
      try loop.runUntil {
        broker.subscriptions.contains("georemind/4f2a91c3/command") && daemon.rows["mqtt"] != nil
      })
    broker.publish(
      "georemind/4f2a91c3/command", #"{"command":"done","reminder_id":"x"}"#, isRetained: true)
    broker.publish("georemind/4f2a91c3/command", #"{"command":"done","reminder_id":"a1"}"#)
    #expect(try loop.runUntil { daemon.calls.contains { $0.methodName == "Done" } })
    #expect(
      daemon.calls.filter { $0.methodName == "Done" }.map { $0.parameters["id"]?.string }
        == ["a1"])
  }

  @Test func newSettingsMakeANewConnection() throws {
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { !topics().isEmpty && daemon.rows["mqtt"] != nil })
    var other = MQTTSettings()
    other.broker = BrokerAddress(host: "127.0.0.1", port: broker.port)
    other.announcesEntities = false
    other.prefix = "vessel"
    try service.change(to: other)
    #expect(try loop.runUntil { topics().contains("vessel/4f2a91c3/state") })
    daemon.fire("a")
    #expect(try loop.runUntil { topics().contains("vessel/4f2a91c3/firing") })
    #expect(broker.connects.count == 2)
  }
}
