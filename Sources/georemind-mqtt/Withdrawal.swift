import Companion
import LinuxRuntime
import MQTT

/// `--withdraw`: removes the entities and all retained documents of this machine, and ends.
final class Withdrawal {
  private let client: MosquittoClient
  private let messages: [Message]
  private var unacknowledged: Set<Int32> = []
  private(set) var failure: String?
  private let loop: EventLoop

  init(_ settings: MQTTSettings, _ identity: Identity, loop: EventLoop) throws {
    self.loop = loop
    let topics = Topics(settings, identity)
    messages =
      Discovery(settings, identity).withdrawal + topics.retained.map { .clearing($0) }
    client = try MosquittoClient(id: "\(identity.client)-withdraw", loop: loop)
    client.onEvent = { [unowned self] in take($0) }
    try client.connect(to: settings, password: Password.read(settings), will: nil, isIPv4: false)
  }

  private func take(_ event: MosquittoClient.Event) {
    switch event {
    case .accepted:
      do throws(MosquittoClient.Failure) {
        for message in messages { unacknowledged.insert(try client.publish(message)) }
      } catch {
        end(error.reason)
      }
    case .acknowledged(let id):
      unacknowledged.remove(id)
      if unacknowledged.isEmpty { end(nil) }
    case .received: break
    case .lost(let reason): end(reason)
    }
  }

  private func end(_ reason: String?) {
    failure = reason
    client.close()
    loop.exit(0)
  }
}
