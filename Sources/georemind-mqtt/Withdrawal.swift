import Companion
import LinuxRuntime
import MQTT

/// `--withdraw`: removes the entities and all retained documents of this machine, and ends.
final class Withdrawal {
  private let settings: MQTTSettings
  private let identity: Identity
  private let messages: [Message]
  private let discovery: Discovery
  private let topics: Topics
  private let loop: EventLoop
  private var client: MosquittoClient
  private var unacknowledged: Set<Int32> = []
  private(set) var failure: String?

  init(_ settings: MQTTSettings, _ identity: Identity, loop: EventLoop) throws {
    self.settings = settings
    self.identity = identity
    self.loop = loop
    discovery = Discovery(settings, identity)
    topics = Topics(settings, identity)
    messages = discovery.withdrawal + topics.retained.map { .clearing($0) }
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
        // The broker sends what it retains of trackers before it acknowledges what follows.
        unacknowledged.insert(client.subscribe(topics.trackerFilter))
        for message in messages { unacknowledged.insert(try client.publish(message)) }
      case .acknowledged(let id, let refusal):
        if let refusal { return end(refusal) }
        settle(id)
      case .subscribed(let id, _): settle(id)
      case .received(let topic, let payload, _):
        guard !payload.isEmpty, let key = topics.trackerKey(of: topic) else { return }
        for message in discovery.withdrawal(ofTracker: key) {
          unacknowledged.insert(try client.publish(message))
        }
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

  private func settle(_ id: Int32) {
    unacknowledged.remove(id)
    if unacknowledged.isEmpty { end(nil) }
  }

  private func end(_ reason: String?) {
    failure = reason
    client.close()
    loop.exit(0)
  }
}
