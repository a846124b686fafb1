import Companion
import Glibc
import JSONText
import LinuxRuntime
import MQTT
import TestSupport
import Testing

@testable import georemind_mqtt

/// Against a real broker, without persistence.
@Suite(.enabled(if: Mosquitto.isInstalled, "mosquitto is not installed"))
struct MosquittoTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private let settings: MQTTSettings

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
    var settings = MQTTSettings()
    settings.broker = BrokerAddress(host: "localhost", port: try freeStreamPort())
    self.settings = settings
  }

  /// A subscriber to everything: the last payload of each topic.
  private final class Listener {
    var payloads: [String: String] = [:]
    var isSubscribed = false
    private let client: MosquittoClient

    init(_ settings: MQTTSettings, id: String, loop: EventLoop) throws {
      client = try MosquittoClient(id: id, version: .five, loop: loop)
      client.onEvent = { [unowned self] event in
        switch event {
        case .accepted:
          _ = client.subscribe("#")
          isSubscribed = true
        case .received(let topic, let payload, _):
          payloads[topic] = String(decoding: payload, as: UTF8.self)
        case .acknowledged, .subscribed, .lost: break
        }
      }
      try client.connect(to: settings, password: nil, will: nil, isIPv4: true)
    }

    var availability: String? { payloads["georemind/4f2a91c3/availability"] }

    var entities: Int { payloads.keys.filter { $0.hasSuffix("/config") }.count }
  }

  /// Tries until the broker listens.
  private func listener(_ id: String) throws -> Listener {
    for _ in 0..<100 {
      let listener = try? Listener(settings, id: id, loop: loop)
      if let listener, try loop.runUntil({ listener.isSubscribed }) { return listener }
      usleep(50_000)
    }
    throw SystemError("reach mosquitto", code: ECONNREFUSED)
  }

  private func service(
    _ change: (inout MQTTSettings) -> Void = { _ in },
    log: @escaping (ServiceLog.Level, String) -> Void = { _, _ in }
  ) throws -> MQTTService {
    var settings = settings
    change(&settings)
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let service = try MQTTService(
      settings, Identity(id: "4f2a91c3", name: "boat", version: "0.1.0"), consumer: "mqtt",
      session: session, positions: nil, loop: loop, log: log)
    try service.start()
    return service
  }

  @Test func aBrokerThatWasKilledHasAllAgain() throws {
    let first = try Mosquitto(port: settings.broker.port, in: folder)
    let before = try listener("before")
    let service = try service()
    #expect(try loop.runUntil { before.availability == "online" })
    // An entity that is cleared is no retained message.
    #expect(before.entities >= 4)
    first.kill()
    let second = try Mosquitto(port: settings.broker.port, in: folder)
    let after = try listener("after")
    #expect(try loop.runUntil { after.availability == "online" && after.entities >= 4 })
    // The will: nobody says farewell.
    service.stop()
    #expect(try loop.runUntil { after.availability == "offline" })
    second.kill()
  }

  @Test func withdrawingLeavesNothing() throws {
    let broker = try Mosquitto(port: settings.broker.port, in: folder)
    let before = try listener("before")
    let service = try service { $0.published = .places }
    #expect(
      try loop.runUntil { before.availability == "online" && daemon.isWatched("WatchPresence") })
    daemon.push("WatchPresence", ["trackers": [["name": "anna", "inside": []]]])
    let entity = "homeassistant/device_tracker/georemind_4f2a91c3/tracker_anna/config"
    #expect(try loop.runUntil { before.payloads[entity]?.isEmpty == false })
    service.stop()
    #expect(try loop.runUntil { before.availability == "offline" })
    let other = try EventLoop()
    let withdrawal = try Withdrawal(
      settings, Identity(id: "4f2a91c3", name: "boat", version: "0.1.0"), loop: other)
    #expect(try other.run() == 0)
    #expect(withdrawal.failure == nil)
    let after = try listener("after")
    // A message of the listener's own comes after all that is retained.
    #expect(try loop.runUntil { before.availability == "" })
    #expect(after.payloads.isEmpty, "\(after.payloads)")
    broker.kill()
  }

  /// The broker is `localhost`: a certificate of another name is refused, though it is trusted.
  @Test(
    .enabled(if: Mosquitto.hasOpenSSL, "openssl is not installed"),
    arguments: [("localhost", true), ("other.example", false)])
  func aCertificateMustHaveTheNameOfTheBroker(name: String, isTaken: Bool) throws {
    let broker = try Mosquitto(port: settings.broker.port, in: folder, certificateOf: name)
    var log: [String] = []
    let service = try service {
      $0.broker = BrokerAddress(host: "localhost", port: settings.broker.port, usesTLS: true)
      $0.authoritiesFile = "\(folder.path)/certificate.pem"
    } log: {
      log.append($1)
    }
    let words = "the certificate must name the host of Broker="
    #expect(
      try loop.runUntil {
        log.contains { $0.contains(words) || $0.contains("Connected to the broker") }
      })
    #expect(log.contains { $0.contains(words) } != isTaken, "\(log)")
    service.stop()
    broker.kill()
  }
}
