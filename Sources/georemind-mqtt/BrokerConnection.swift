import Companion
import LinuxRuntime
import MQTT

/// The connection to the broker, made again when it is lost.
///
/// Delays grow from one second to two minutes, and begin anew after a connection of a minute: two
/// clients with one identifier, which end each other's connection, do not chase each other.
final class BrokerConnection {
  enum Event {
    case accepted
    case lost
    case acknowledged(Publisher.Token)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
  }

  private static let maximumLogged = 16

  var onEvent: (Event) -> Void = { _ in }

  private let loop: EventLoop
  private let settings: MQTTSettings
  private let identity: Identity
  private let log: (ServiceLog.Level, String) -> Void
  private let will: Message?
  private var client: MosquittoClient?
  private var timer: TimerSource?
  private var backoff = Backoff(
    first: 2_000_000, longest: 120_000_000, stableAfter: 60_000_000)
  /// Steady time of the acceptance; nil without one.
  private var acceptedAt: Int64?
  private var attempts = 0
  /// Connections that ended soon, one after the other.
  private var shortConnections = 0
  /// Reasons that were logged since the last stable connection: attempts take turns, and so may
  /// their reasons.
  private var logged: Set<String> = []
  private var tokens: [Int32: Publisher.Token] = [:]

  init(
    _ settings: MQTTSettings, _ identity: Identity, will: Message?, loop: EventLoop,
    log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.settings = settings
    self.identity = identity
    self.will = will
    self.loop = loop
    self.log = log
    timer = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in connect() }
  }

  func start() { timer?.arm(in: 0) }

  /// Ends the wait for the next attempt; an attempt under way goes on.
  func retry() {
    if timer?.isEnabled == true { timer?.arm(in: 0) }
  }

  func stop() {
    timer?.close()
    timer = nil
    client?.close()
    client = nil
    onEvent = { _ in }
  }

  private func connect() {
    tokens = [:]
    acceptedAt = nil
    do throws(MosquittoClient.Failure) {
      let client = try MosquittoClient(id: identity.client, loop: loop)
      self.client = client
      client.onEvent = { [unowned self] in take($0) }
      // Every second attempt is by IPv4: a name may have addresses that do not answer.
      try client.connect(
        to: settings, password: Password.read(settings), will: will,
        isIPv4: attempts % 2 == 1)
      attempts += 1
    } catch {
      attempts += 1
      lose(error.reason)
    }
  }

  private func take(_ event: MosquittoClient.Event) {
    switch event {
    case .accepted:
      acceptedAt = SystemClock.monotonic.microseconds
      // The same addresses worked.
      attempts -= 1
      log(.info, "Connected to the broker \(settings.broker)")
      onEvent(.accepted)
    case .acknowledged(let id):
      if let token = tokens.removeValue(forKey: id) { onEvent(.acknowledged(token)) }
    case .received(let topic, let payload, let isRetained):
      onEvent(.received(topic: topic, payload: payload, isRetained: isRetained))
    case .lost(let reason): lose(reason)
    }
  }

  private func lose(_ reason: String) {
    guard let timer else { return }
    var reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    if let acceptedAt {
      let lasted = SystemClock.monotonic.microseconds - acceptedAt
      backoff.connectionEnded(after: lasted)
      shortConnections = lasted < backoff.stableAfter ? shortConnections + 1 : 0
      if shortConnections == 0 { logged = [] }
      if shortConnections > 1 {
        reason += "; does another client have the identifier \(identity.client)?"
      }
    }
    if logged.count < Self.maximumLogged, logged.insert(reason).inserted {
      log(.warning, "No connection to the broker \(settings.broker), trying again: \(reason)")
    }
    let wasAccepted = acceptedAt != nil
    acceptedAt = nil
    timer.arm(in: backoff.next(random: .random(in: 0..<1)))
    if wasAccepted { onEvent(.lost) }
  }

  /// - Returns: why it is not sent, if it is not.
  func publish(_ message: Message, _ token: Publisher.Token?) -> String? {
    guard acceptedAt != nil, let client else { return nil }
    do throws(MosquittoClient.Failure) {
      let id = try client.publish(message)
      if let token { tokens[id] = token }
      return nil
    } catch {
      return error.reason
    }
  }

  func subscribe(_ filter: String) {
    guard acceptedAt != nil else { return }
    client?.subscribe(filter)
  }
}
