import CivilTime
import Companion
import JSONText

@testable import MQTT

/// A ledger, a delivery, a publisher and a broker, all virtual: the session as the service runs it.
///
/// The delivery and the publisher are the program's. The ways to the daemon and to the broker are
/// modelled, as `MQTTService` and `BrokerConnection` go them.
final class BrokerWorld {
  /// What a broker does with the messages of firings.
  enum Manner: Equatable {
    /// There is none.
    case down
    case works
    /// MQTT 5: it says so.
    case refuses
    /// It passes messages on, and acknowledges none.
    case swallows
    /// As with MQTT 3.1.1: it acknowledges what it drops.
    case drops
  }

  /// Whose event it is: a process that ends takes its events along.
  private enum Owner { case helper, daemon, connection }

  private static let second: Int64 = 1_000_000
  /// As of `BrokerConnection`.
  private static let acknowledgementTimeout = 30 * second

  private var publisher: PublisherWorld
  private var delivery = Delivery(name: "mqtt")
  private let settings: (inout MQTTSettings) -> Void
  private(set) var ledger: [FiringNotice] = []
  private(set) var row = ConsumerRow(name: "mqtt", upto: 0)
  private var pending: [(time: Int64, owner: Owner, action: () -> Void)] = []
  private var version = ProtocolVersion.five
  private var isConnected = false
  private var subscriptions: Set<String> = []
  private var backoff: Int64 = 2 * second
  private(set) var manner = Manner.down
  private(set) var now: Int64 = 0
  /// Numbers of the firings that the broker passed on, and when, in microseconds.
  private(set) var received: [(seq: Int, time: Int64)] = []
  /// Steady time at which each firing was added.
  private(set) var times: [Int64] = []

  init(_ settings: @escaping (inout MQTTSettings) -> Void = { _ in }) {
    self.settings = settings
    publisher = PublisherWorld(settings)
  }

  private func later(_ delay: Int64, _ owner: Owner, _ action: @escaping () -> Void) {
    let index = pending.firstIndex { $0.time > now + delay } ?? pending.count
    pending.insert((now + delay, owner, action), at: index)
  }

  private func drop(_ owners: Set<Owner>) { pending.removeAll { owners.contains($0.owner) } }

  func run(for duration: Int64) {
    let end = now + duration
    while let next = pending.first, next.time <= end {
      pending.removeFirst()
      now = max(now, next.time)
      next.action()
    }
    now = end
  }

  // MARK: - What happens

  func fire(priority: Int = 0) {
    publisher.now = now
    ledger.append(
      Sample.firing(ledger.count + 1, at: publisher.real.json, priority: priority))
    times.append(now)
    later(100, .daemon) { [self] in deliver(.news) }
  }

  /// The service and the daemon start.
  func begin() {
    publish(.daemonConnected)
    deliver(.connected)
    later(0, .connection) { [self] in connect() }
  }

  /// The service is killed and started again: it remembers nothing.
  func killHelper() {
    drop([.helper, .daemon, .connection])
    isConnected = false
    publisher = PublisherWorld(settings)
    delivery = Delivery(name: "mqtt")
    backoff = 2 * Self.second
    begin()
  }

  /// The daemon is killed and started again: its answers are lost, its ledger is not.
  func killDaemon() {
    drop([.daemon])
    deliver(.disconnected)
    publish(.daemonLost)
    later(Self.second / 2, .daemon) { [self] in
      publish(.daemonConnected)
      deliver(.connected)
    }
  }

  /// The broker changes. Where it stops, connections end; the next attempt finds one that is back.
  func become(_ new: Manner, _ version: ProtocolVersion = .five) {
    (manner, self.version) = (new, version)
    if new == .down { restartBroker() }
  }

  /// All connections end, and it forgets who had subscribed.
  func restartBroker() {
    lose(.init("it ended"))
    later(0, .connection) { [self] in connect() }
  }

  // MARK: - The daemon

  private func deliver(_ event: Delivery.Event) {
    publisher.now = now
    let moment = ClockReadings(steady: now, real: publisher.real)
    for effect in delivery.handle(event, at: moment) { carryOut(effect) }
  }

  private func carryOut(_ effect: Delivery.Effect) {
    switch effect {
    case .open:
      answer { [self] in .opened(row, ledger: "one", head: ledger.count) }
    case .read(let seq, let queue):
      let next = ledger.first { $0.seq > seq && $0.isUrgent == queue.isUrgent }
      answer { .read(next, queue) }
    case .store(let new, _):
      row = new
      answer { .stored(new, ledger: "one") }
    case .run(let firing, _): later(0, .helper) { [self] in publish(.firing(firing)) }
    case .wake(let delay): later(delay, .helper) { [self] in deliver(.tick) }
    case .report: break
    }
  }

  private func answer(_ event: @escaping () -> Delivery.Event) {
    later(100, .daemon) { [self] in deliver(event()) }
  }

  // MARK: - The broker

  private func connect() {
    guard !isConnected else { return }
    drop([.connection])
    guard manner != .down else {
      later(backoff, .connection) { [self] in connect() }
      backoff = min(2 * backoff, 120 * Self.second)
      return
    }
    (isConnected, subscriptions, backoff) = (true, [], 2 * Self.second)
    later(50_000, .connection) { [self] in publish(.connected(version)) }
  }

  private func lose(_ loss: Publisher.Loss) {
    drop([.connection])
    guard isConnected else { return }
    isConnected = false
    publish(.disconnected(loss))
  }

  private func publish(_ event: Publisher.Event) {
    publisher.now = now
    for effect in publisher.handle(event) { carryOut(effect) }
  }

  private func carryOut(_ effect: Publisher.Effect) {
    switch effect {
    case .subscribe(let filter): subscriptions.insert(filter)
    case .publish(let message, let token):
      if isConnected { take(message, token) }
    case .ended(let seq, let outcome): later(0, .helper) { [self] in deliver(.ended(seq, outcome)) }
    case .retry: later(0, .helper) { [self] in deliver(.reachable) }
    case .condition(let failure): later(0, .helper) { [self] in deliver(.condition(failure)) }
    case .connect: connect()
    case .wake(let delay): later(delay, .helper) { [self] in publish(.tick) }
    case .read(let after, let limit):
      let rows = Array(ledger.filter { $0.seq > after }.prefix(limit))
      later(100, .daemon) { [self] in publish(.read(rows)) }
    case .askLast, .call, .feed, .report: break
    }
  }

  /// Takes one message of the service.
  private func take(_ message: Message, _ token: Publisher.Token?) {
    let isOfFiring = message.topic.hasSuffix("/firing") || message.topic.hasSuffix("/selftest")
    let event: Publisher.Event
    switch manner {
    case .refuses where isOfFiring: event = .failed(token, "the broker refuses it")
    case .swallows where isOfFiring:
      pass(message)
      return later(Self.acknowledgementTimeout, .connection) { [self] in
        lose(.init("it acknowledges nothing", .unacknowledged))
        later(backoff, .connection) { [self] in connect() }
      }
    case .drops where isOfFiring: event = .acknowledged(token)
    default:
      pass(message)
      event = .acknowledged(token)
    }
    later(10_000, .connection) { [self] in publish(event) }
  }

  /// Gives a message to all who have subscribed, one of them the oracle.
  private func pass(_ message: Message) {
    if message.topic.hasSuffix("/firing"),
      let seq = (try? JSONParser.parse(message.payload))?["seq"]?.int
    {
      received.append((seq, now))
    }
    guard subscriptions.contains(message.topic) else { return }
    let (topic, payload) = (message.topic, Array(message.payload.utf8))
    later(5_000, .connection) { [self] in
      publish(.received(topic: topic, payload: payload, isRetained: false))
    }
  }
}
