import Companion
import Glibc
import LinuxRuntime
import MQTT
import TestSupport
import Testing

@testable import georemind_mqtt

/// What a real broker refuses, drops and sends, in both versions.
@Suite(.enabled(if: Mosquitto.isInstalled, "mosquitto is not installed"))
struct MosquittoLimitTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let settings: MQTTSettings

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    var settings = MQTTSettings()
    settings.broker = BrokerAddress(host: "localhost", port: try freeStreamPort())
    self.settings = settings
  }

  /// A client, and what came to it.
  private final class Peer {
    let client: MosquittoClient
    var isAccepted = false
    var answers: [Int32: String?] = [:]
    var topics: [String] = []
    var longest = 0
    var loss: MosquittoClient.Loss?

    init(
      _ settings: MQTTSettings, id: String, version: ProtocolVersion, loop: EventLoop
    ) throws {
      client = try MosquittoClient(id: id, version: version, loop: loop)
      client.onEvent = { [unowned self] event in
        switch event {
        case .accepted: isAccepted = true
        case .acknowledged(let id, let refusal): answers[id] = .some(refusal)
        case .received(let topic, let payload, _):
          topics.append(topic)
          longest = max(longest, payload.count)
        case .lost(let found): loss = found
        case .subscribed: break
        }
      }
      try client.connect(to: settings, password: nil, will: nil, isIPv4: true)
    }
  }

  /// Tries until the broker listens.
  private func peer(_ id: String, _ version: ProtocolVersion) throws -> Peer {
    for _ in 0..<400 {
      let peer = try? Peer(settings, id: id, version: version, loop: loop)
      if let peer, try loop.runUntil({ peer.isAccepted || peer.loss != nil }), peer.isAccepted {
        return peer
      }
      usleep(50_000)
    }
    throw SystemError("reach mosquitto", code: ECONNREFUSED)
  }

  /// MQTT 5 says what the access list forbids; 3.1.1 acknowledges it and passes nothing on.
  @Test(arguments: [ProtocolVersion.five, .threeOneOne])
  func aForbiddenTopicIsAcknowledged(version: ProtocolVersion) throws {
    let broker = try Mosquitto(
      port: settings.broker.port, in: folder, permitted: ["readwrite allowed/#", "read #"])
    let peer = try peer("peer", version)
    for filter in ["allowed/a", "forbidden/a"] { _ = peer.client.subscribe(filter) }
    let forbidden = try peer.client.publish(Message("forbidden/a", "text"))
    let allowed = try peer.client.publish(Message("allowed/a", "text"))
    #expect(try loop.runUntil { peer.answers.count == 2 && !peer.topics.isEmpty })
    #expect(peer.topics == ["allowed/a"])
    #expect(peer.answers[allowed] == .some(nil))
    #expect(
      peer.answers[forbidden]
        == .some(version == .five ? "Not authorized (0x87)" : nil))
    broker.kill()
  }

  /// A retained message of 18 MiB: MQTT 5 never gets it. With 3.1.1 the connection ends, at the
  /// latest when it has come whole.
  @Test(arguments: [ProtocolVersion.five, .threeOneOne])
  func aHugeMessageIsNeverRead(version: ProtocolVersion) throws {
    let broker = try Mosquitto(port: settings.broker.port, in: folder)
    let sender = try peer("sender", .five)
    let huge = Message(
      "owntracks/a/b", String(repeating: " ", count: 18 << 20), isRetained: true)
    let id = try sender.client.publish(huge)
    #expect(try loop.runUntil { sender.answers[id] != nil })
    let peer = try peer("peer", version)
    _ = peer.client.subscribe("owntracks/+/+")
    _ = peer.client.subscribe("own/topic")
    _ = try peer.client.publish(Message("own/topic", "text"))
    #expect(try loop.runUntil { peer.loss != nil || peer.topics.contains("own/topic") })
    if version == .five {
      #expect(peer.loss == nil && peer.topics == ["own/topic"])
    } else {
      #expect(peer.loss?.kind == .oversized, "\(String(describing: peer.loss)) \(peer.topics)")
    }
    #expect(peer.longest <= Publisher.maximumPayload + 1)
    broker.kill()
  }
}
