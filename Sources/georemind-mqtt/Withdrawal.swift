import Companion
import LinuxRuntime
import MQTT

/// `--withdraw`: removes the entities and all retained documents of this machine, and ends.
final class Withdrawal {
  private let settings: MQTTSettings
  private let identity: Identity
  private let messages: [Message]
  private let loop: EventLoop
  private var client: MosquittoClient
  private var unacknowledged: Set<Int32> = []
  private(set) var failure: String?

  init(_ settings: MQTTSettings, _ identity: Identity, loop: EventLoop) throws {
    self.settings = settings
    self.identity = identity
    self.loop = loop
    messages =
      Discovery(settings, identity).withdrawal
      + Topics(settings, identity).retained.map { .clearing($0) }
    client = try Self.client(.five, identity, loop)
    try connect()
  }

  private static func client(
    _ version: ProtocolVersion, _ identity: Identity, _ loop: EventLoop
  ) throws(MosquittoClient.Failure) -> MosquittoClient {
    try MosquittoClient(id: "\(identity.client)-withdraw", version: version, loop: loop)
  }

  private func connect() throws(MosquittoClient.Failure) {
    client.onEvent = { [unowned self] in take($0) }
    try client.connect(to: settings, password: Password.read(settings), will: nil, isIPv4: false)
  }

  private func take(_ event: MosquittoClient.Event) {
    do throws(MosquittoClient.Failure) {
      switch event {
      case .accepted:
        for message in messages { unacknowledged.insert(try client.publish(message)) }
      case .acknowledged(let id, let refusal):
        if let refusal { return end(refusal) }
        unacknowledged.remove(id)
        if unacknowledged.isEmpty { end(nil) }
      case .received, .subscribed: break
      case .lost(let loss) where loss.end != .other && client.version == .five:
        // The loop holds the first client until this returns.
        let first = client
        defer { withExtendedLifetime(first) {} }
        client = try Self.client(.threeOneOne, identity, loop)
        try connect()
      case .lost(let loss): end(loss.reason)
      }
    } catch {
      end(error.reason)
    }
  }

  private func end(_ reason: String?) {
    failure = reason
    client.close()
    loop.exit(0)
  }
}
