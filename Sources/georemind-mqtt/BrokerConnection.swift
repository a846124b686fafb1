import Companion
import LinuxRuntime
import MQTT

/// The connection to the broker, made again when it is lost.
///
/// Delays grow from one second to two minutes, and begin anew after a connection of a minute: two
/// clients with one identifier, which end each other's connection, do not chase each other.
final class BrokerConnection {
  enum Event {
    case accepted(ProtocolVersion)
    case lost(Publisher.Loss)
    case acknowledged(Publisher.Token?)
    case refused(Publisher.Token?, String)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
  }

  private static let maximumLogged = 16
  /// For the broker to acknowledge a message, microseconds.
  private static let acknowledgementTimeout: Int64 = 30_000_000

  /// A message, or a subscription, whose acknowledgement is due.
  private struct Sent {
    let topic: String
    var token: Publisher.Token?
    let time: Int64
  }

  var onEvent: (Event) -> Void = { _ in }

  private let loop: EventLoop
  private let settings: MQTTSettings
  private let identity: Identity
  private let log: (ServiceLog.Level, String) -> Void
  private let clock: () -> Int64
  private let will: Message?
  private var client: MosquittoClient?
  private var timer: TimerSource?
  private var acknowledgementTimer: TimerSource?
  private var backoff = Backoff(
    first: 2_000_000, longest: 120_000_000, stableAfter: 60_000_000)
  private var versions = VersionChoice()
  /// Steady time of the acceptance; nil without one.
  private var acceptedAt: Int64?
  private var attempts = 0
  /// Connections that ended soon, one after the other.
  private var shortConnections = 0
  /// Reasons that were logged since the last stable connection: attempts take turns, and so may
  /// their reasons.
  private var logged: Set<String> = []
  private var sent: [Int32: Sent] = [:]

  /// - Parameter clock: steady time, microseconds.
  init(
    _ settings: MQTTSettings, _ identity: Identity, will: Message?, loop: EventLoop,
    clock: @escaping () -> Int64 = { SystemClock.monotonic.microseconds },
    log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.settings = settings
    self.identity = identity
    self.will = will
    self.loop = loop
    self.clock = clock
    self.log = log
    timer = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in connect() }
    acknowledgementTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) {
      [unowned self] _ in checkAcknowledgements()
    }
  }

  func start() { timer?.arm(in: 0) }

  /// Ends the wait for the next attempt; an attempt under way goes on.
  func retry() {
    if timer?.isEnabled == true { timer?.arm(in: 0) }
  }

  func stop() {
    timer?.close()
    timer = nil
    acknowledgementTimer?.close()
    acknowledgementTimer = nil
    client?.close()
    client = nil
    onEvent = { _ in }
  }

  private func connect() {
    sent = [:]
    acceptedAt = nil
    do throws(MosquittoClient.Failure) {
      let client = try MosquittoClient(
        id: identity.client, version: versions.version, loop: loop)
      self.client = client
      client.onEvent = { [unowned self] in take($0) }
      // Every second attempt is by IPv4: a name may have addresses that do not answer.
      try client.connect(
        to: settings, password: Password.read(settings), will: will,
        isIPv4: attempts % 2 == 1)
      attempts += 1
    } catch {
      attempts += 1
      lose(.init(reason: error.reason))
    }
  }

  private func take(_ event: MosquittoClient.Event) {
    switch event {
    case .accepted: accept()
    case .acknowledged(let id, let refusal):
      guard let message = sent.removeValue(forKey: id) else { return }
      guard let refusal else { return onEvent(.acknowledged(message.token)) }
      let reason = "the broker refuses messages of \(message.topic): \(refusal)"
      logOnce(.error, "\(reason); its access list must permit them")
      onEvent(.refused(message.token, reason))
    case .subscribed(let id, let refusal):
      guard let filter = sent.removeValue(forKey: id)?.topic, let refusal else { return }
      logOnce(.warning, "The broker refuses the subscription of \(filter): \(refusal)")
    case .received(let topic, let payload, let isRetained):
      onEvent(.received(topic: topic, payload: payload, isRetained: isRetained))
    case .lost(let loss): lose(loss)
    }
  }

  private func accept() {
    // The same addresses worked.
    attempts -= 1
    guard let client, versions.accepted() else {
      client?.close()
      timer?.arm(in: 0)
      return
    }
    acceptedAt = clock()
    let old = client.version == .five ? "" : ", by MQTT 3.1.1"
    log(.info, "Connected to the broker \(settings.broker)\(old)")
    onEvent(.accepted(client.version))
  }

  private func lose(_ loss: MosquittoClient.Loss) {
    guard let timer else { return }
    if versions.ended(acceptedAt == nil ? loss.end : .other) {
      attempts -= 1
      timer.arm(in: 0)
      return
    }
    var reason = loss.reason.hasSuffix(".") ? String(loss.reason.dropLast()) : loss.reason
    if let acceptedAt {
      let lasted = clock() - acceptedAt
      backoff.connectionEnded(after: lasted)
      shortConnections = lasted < backoff.stableAfter ? shortConnections + 1 : 0
      if shortConnections == 0 { logged = [] }
      if shortConnections > 1 {
        reason += "; does another client have the identifier \(identity.client)?"
      }
    }
    logOnce(
      .warning, "No connection to the broker \(settings.broker), trying again: \(reason)")
    let wasAccepted = acceptedAt != nil
    acceptedAt = nil
    timer.arm(in: backoff.next(random: .random(in: 0..<1)))
    if wasAccepted { onEvent(.lost(.init(loss.reason, loss.kind))) }
  }

  private func logOnce(_ level: ServiceLog.Level, _ text: String) {
    if logged.count < Self.maximumLogged, logged.insert(text).inserted { log(level, text) }
  }

  // MARK: - Sending

  /// - Returns: why it is not sent, if it is not.
  func publish(_ message: Message, _ token: Publisher.Token?) -> MosquittoClient.Failure? {
    guard acceptedAt != nil, let client else { return nil }
    do throws(MosquittoClient.Failure) {
      expect(try client.publish(message), Sent(topic: message.topic, token: token, time: clock()))
      return nil
    } catch {
      return error
    }
  }

  func subscribe(_ filter: String) {
    guard acceptedAt != nil, let client else { return }
    expect(client.subscribe(filter), Sent(topic: filter, token: nil, time: clock()))
  }

  private func expect(_ id: Int32, _ message: Sent) {
    sent[id] = message
    if acknowledgementTimer?.isEnabled != true {
      acknowledgementTimer?.arm(in: Self.acknowledgementTimeout)
    }
  }

  /// Ends a connection whose broker does not acknowledge: the next one may.
  func checkAcknowledgements() {
    guard acceptedAt != nil, let oldest = sent.values.min(by: { $0.time < $1.time }) else { return }
    let rest = oldest.time + Self.acknowledgementTimeout - clock()
    guard rest <= 0 else {
      acknowledgementTimer?.arm(in: rest)
      return
    }
    client?.close()
    client = nil
    let seconds = Self.acknowledgementTimeout / 1_000_000
    lose(
      .init(
        reason: "the broker has not acknowledged a message of \(oldest.topic) for \(seconds) s",
        kind: .unacknowledged))
  }
}
