import Companion
import LinuxRuntime
import MQTT
import TestSupport
import Testing

@testable import georemind_mqtt

/// Brokers that refuse, drop and say nothing, and those of MQTT 3.1.1.
@Suite struct RefusalTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private let broker: LoopBroker
  private let log = Lines()
  private let identity = Identity(id: "4f2a91c3", name: "boat", version: "0.1.0")
  private static let firing = "georemind/4f2a91c3/firing"

  private final class Lines {
    var texts: [String] = []
  }

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
    broker = try LoopBroker(loop: loop)
  }

  private var settings: MQTTSettings {
    var settings = MQTTSettings()
    settings.broker = BrokerAddress(host: "127.0.0.1", port: broker.port)
    settings.announcesEntities = false
    return settings
  }

  private func service() throws -> MQTTService {
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let service = try MQTTService(
      settings, identity, consumer: "mqtt", session: session, positions: nil, loop: loop
    ) { [log] in
      log.texts.append($1)
    }
    try service.start()
    return service
  }

  private func firings() -> [LoopBroker.Publication] {
    broker.publications.filter { $0.topic == Self.firing }
  }

  /// The broker refuses MQTT 5, in the form of either version or by closing the connection.
  @Test(arguments: [LoopBroker.Refusal.old, .new, .silent])
  func aBrokerOfTheOldVersionGetsTheOldVersion(refusal: LoopBroker.Refusal) throws {
    broker.versions = [4]
    broker.refusal = refusal
    let service = try service()
    defer { service.stop() }
    #expect(
      try loop.runUntil { daemon.rows["mqtt"] != nil && broker.subscriptions.contains(Self.firing) }
    )
    daemon.fire("a")
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 1 })
    #expect(broker.connects.last?.version == 4)
    #expect(daemon.rows["mqtt"]?.failingSince == nil)
    #expect(broker.publications.contains { $0.topic == "georemind/4f2a91c3/selftest" })
    #expect(log.texts.contains { $0.contains("by MQTT 3.1.1") }, "\(log.texts)")
  }

  /// MQTT 5 says why a message is refused: the firing waits, and the reason is seen.
  @Test func aFiringThatTheBrokerRefusesIsKept() throws {
    broker.publishCodes[Self.firing] = 0x87
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { daemon.rows["mqtt"] != nil && !broker.publications.isEmpty })
    daemon.fire("a")
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.failingSince != nil })
    let row = try #require(daemon.rows["mqtt"])
    #expect(row.upto == 0)
    #expect(
      row.text
        == "the broker refuses messages of \(Self.firing): Not authorized (0x87)", "\(row)")
    #expect(log.texts.filter { $0.contains("access list") }.count == 1, "\(log.texts)")
    broker.publishCodes = [:]
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 1 })
    #expect(daemon.rows["mqtt"]?.failingSince == nil && daemon.rows["mqtt"]?.text == nil)
  }

  /// The row is of an earlier run of the service.
  @Test func aFailureOfAnEarlierRunEndsWithTheFirstAcknowledgement() throws {
    var row = ConsumerRow(name: "mqtt", upto: 0)
    (row.failingSince, row.text) = ("2026-06-12T16:00:00Z", "it failed")
    daemon.rows["mqtt"] = row
    let service = try service()
    defer { service.stop() }
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.failingSince == nil })
    #expect(daemon.rows["mqtt"]?.text == nil)
  }

  @Test func aSubscriptionThatIsRefusedIsLogged() throws {
    broker.subscribeCodes["owntracks/+/+"] = 0x87
    let service = try service()
    defer { service.stop() }
    let words =
      "The broker refuses the subscription of owntracks/+/+: Not authorized (0x87)"
    #expect(try loop.runUntil { log.texts.contains(words) }, "\(log.texts)")
  }

  /// A broker that acknowledges nothing loses its client after half a minute.
  @Test func withoutAcknowledgementsTheConnectionEnds() throws {
    broker.acknowledges = false
    var now: Int64 = 0
    let connection = try BrokerConnection(settings, identity, will: nil, loop: loop) {
      now
    } log: { [log] in
      log.texts.append($1)
    }
    defer { connection.stop() }
    var loss: Publisher.Loss?
    var isAccepted = false
    connection.onEvent = { event in
      switch event {
      case .accepted: isAccepted = true
      case .lost(let found): loss = found
      case .acknowledged, .refused, .received: break
      }
    }
    connection.start()
    #expect(try loop.runUntil { isAccepted })
    _ = connection.publish(Message("a/b", "text"), nil)
    now = 29_999_999
    connection.checkAcknowledgements()
    #expect(loss == nil)
    now = 30_000_000
    connection.checkAcknowledgements()
    #expect(
      loss
        == .init("the broker has not acknowledged a message of a/b for 30 s", .unacknowledged))
    isAccepted = false
    connection.retry()
    #expect(try loop.runUntil { isAccepted })
  }

  /// A client cannot limit what a broker of MQTT 3.1.1 sends, but it ends the connection in time.
  @Test(arguments: [4, 5] as [UInt8])
  func aMessageThatIsTooLargeEndsTheConnectionAndIsNotAskedForAgain(version: UInt8) throws {
    broker.versions = [version]
    let service = try service()
    defer { service.stop() }
    let filter = "owntracks/+/+"
    #expect(try loop.runUntil { broker.subscriptions.contains(filter) })
    broker.announce(10_000_000, for: "owntracks/a/b")
    let count = broker.connects.count
    #expect(
      try loop.runUntil {
        broker.sendPart()
        return log.texts.contains { $0.contains("more than 128 KiB") }
      })
    // A part of it was read.
    #expect(broker.partSent < 2_000_000, "\(broker.partSent)")
    let before = broker.subscriptions.count
    #expect(try loop.runUntil { broker.connects.count > count && daemon.rows["mqtt"] != nil })
    daemon.fire("a")
    #expect(try loop.runUntil { daemon.rows["mqtt"]?.upto == 1 })
    #expect(!broker.subscriptions.dropFirst(before).contains(filter))
  }

  /// Each message is read, and none makes another.
  @Test func aFloodOfStartsIsBounded() throws {
    let connection = try BrokerConnection(settings, identity, will: nil, loop: loop) { _, _ in }
    defer { connection.stop() }
    var received = 0
    var isAccepted = false
    connection.onEvent = { event in
      switch event {
      case .accepted: isAccepted = true
      case .received: received += 1
      case .lost, .acknowledged, .refused: break
      }
    }
    connection.start()
    #expect(try loop.runUntil { isAccepted })
    for turn in 1...20 {
      for _ in 0..<500 { broker.publish("homeassistant/status", "online") }
      #expect(try loop.runUntil { received == turn * 500 })
    }
  }
}
