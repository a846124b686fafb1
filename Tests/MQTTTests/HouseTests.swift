import CivilTime
import Companion
import JSONText
import TestSupport
import Testing

@testable import MQTT

/// A broker without persistence and a Home Assistant that both come and go, in virtual time. The
/// latter behaves as version 2024.3 does: it subscribes to an entity's topic some time after it
/// has read its configuration, and again after each start.
private final class House {
  private let publisher = PublisherWorld()
  private var random: SeededGenerator
  /// Milliseconds.
  private(set) var now = 0
  private var pending: [(time: Int, action: () -> Void)] = []
  private var ledger: [FiringNotice] = []
  /// Numbers of the firings that were delivered, and those under way.
  private var delivered: Set<Int> = []
  private var underWay: Set<Int> = []

  private var isBrokerUp = true
  private var isConnected = false
  private var retained: [String: String] = [:]
  private var isAssistantUp = false
  private var isAssistantConnected = false
  private var isSubscribed = false
  /// Counts starts of each, so that what an earlier one had planned is void.
  private var brokerRun = 0
  private var assistantRun = 0
  /// Numbers of the firings that arrived in Home Assistant.
  private(set) var received: Set<Int> = []
  private(set) var repetitions = 0
  /// Home Assistant had the entity when it fired, was connected, and got it twice.
  var count: Int { ledger.count }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private func later(_ delay: Int, _ action: @escaping () -> Void) {
    let index = pending.firstIndex { $0.time > now + delay } ?? pending.count
    pending.insert((now + delay, action), at: index)
  }

  func run(for duration: Int) {
    let end = now + duration
    while let next = pending.first, next.time <= end {
      pending.removeFirst()
      now = next.time
      next.action()
    }
    now = end
  }

  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  // MARK: The publisher

  private func handle(_ event: Publisher.Event) {
    publisher.now = Int64(now) * 1_000
    for effect in publisher.handle(event) { carryOut(effect) }
  }

  private func carryOut(_ effect: Publisher.Effect) {
    switch effect {
    case .publish(let message, let token):
      guard isBrokerUp else { return }
      take(message)
      let run = brokerRun
      later(random(1...20)) { [self] in
        if let token, run == brokerRun, isConnected { handle(.acknowledged(token)) }
      }
    case .ended(let seq, let outcome):
      underWay.remove(seq)
      if outcome == .delivered { delivered.insert(seq) }
      later(outcome == .delivered ? 1 : 1_000) { [self] in deliver() }
    case .retry: later(1) { [self] in deliver() }
    case .read(let after, let limit):
      later(5) { [self] in handle(.read(Array(ledger.dropFirst(after).prefix(limit)))) }
    case .wake(let delay): later(Int(delay / 1_000) + 1) { [self] in handle(.tick) }
    case .subscribe, .askLast, .call, .feed, .report, .connect, .condition: break
    }
  }

  private func deliver() {
    for isUrgent in [true, false] {
      let queue = ledger.filter { $0.isUrgent == isUrgent && !delivered.contains($0.seq) }
      guard let next = queue.first else { continue }
      if underWay.insert(next.seq).inserted { handle(.firing(next)) }
      return
    }
  }

  func fire(priority: Int = 0) {
    publisher.now = Int64(now) * 1_000
    ledger.append(
      Sample.firing(ledger.count + 1, at: publisher.real.json, priority: priority))
    deliver()
  }

  private func connect() {
    guard isBrokerUp, !isConnected else { return }
    isConnected = true
    handle(.connected(.five))
  }

  // MARK: The broker

  func killBroker() {
    guard isBrokerUp else { return }
    (isBrokerUp, isConnected, isAssistantConnected) = (false, false, false)
    brokerRun += 1
    retained = [:]
    handle(.disconnected(.init("it ended")))
    later(random(100...20_000)) { [self] in startBroker() }
  }

  func startBroker() {
    guard !isBrokerUp else { return }
    isBrokerUp = true
    later(random(500...20_000)) { [self] in connect() }
    later(random(500...20_000)) { [self] in connectAssistant() }
  }

  private func take(_ message: Message) {
    if message.isRetained { retained[message.topic] = message.payload }
    guard isAssistantConnected else { return }
    if message.topic.hasSuffix("firing/config") { discover() }
    guard isSubscribed, message.topic.hasSuffix("/firing") else { return }
    guard let firing = try? JSONParser.parse(message.payload), let seq = firing["seq"]?.int
    else { return }
    received.insert(seq)
    if firing["repeated"] == true { repetitions += 1 }
  }

  // MARK: Home Assistant

  func startAssistant() {
    guard !isAssistantUp else { return }
    isAssistantUp = true
    assistantRun += 1
    let run = assistantRun
    later(random(2_000...10_000)) { [self] in if run == assistantRun { connectAssistant() } }
  }

  func stopAssistant() {
    guard isAssistantUp else { return }
    assistantRun += 1
    let wasConnected = isAssistantConnected
    (isAssistantUp, isAssistantConnected, isSubscribed) = (false, false, false)
    if wasConnected { hear("offline") }
  }

  private func connectAssistant() {
    guard isBrokerUp, isAssistantUp, !isAssistantConnected else { return }
    isAssistantConnected = true
    if retained.keys.contains(where: { $0.hasSuffix("firing/config") }) { discover() }
    hear("online")
  }

  private func discover() {
    let run = assistantRun
    later(random(100...4_500)) { [self] in
      if run == assistantRun, isAssistantUp { isSubscribed = true }
    }
  }

  private func hear(_ word: String) {
    guard isConnected else { return }
    handle(
      .received(topic: "homeassistant/status", payload: Array(word.utf8), isRetained: false))
  }

  func begin() {
    handle(.daemonConnected)
    connect()
  }
}

@Suite struct HouseTests {
  /// Whatever ends and starts, each firing arrives in Home Assistant at last.
  @Test(arguments: 1...200)
  func everyFiringArrives(seed: Int) {
    let house = House(seed: UInt64(seed))
    house.begin()
    for _ in 0..<60 {
      switch house.random(0...9) {
      case 0: house.killBroker()
      case 1: house.startBroker()
      case 2, 3: house.startAssistant()
      case 4: house.stopAssistant()
      case 5, 6: house.fire(priority: 1)
      default: house.fire()
      }
      house.run(for: house.random(10...20_000))
    }
    house.startBroker()
    house.run(for: 60_000)
    house.startAssistant()
    // A start that soon follows another is taken a minute after it.
    house.run(for: 150_000)
    let missing = Set(1...max(1, house.count)).subtracting(house.received)
    #expect(house.count == 0 || missing.isEmpty, "\(missing.sorted())")
  }

  /// Home Assistant that never stops gets none twice.
  @Test(arguments: 1...20)
  func nothingIsRepeatedToOneThatListens(seed: Int) {
    let house = House(seed: UInt64(seed))
    house.startAssistant()
    house.run(for: 20_000)
    house.begin()
    for _ in 0..<30 {
      house.fire()
      house.run(for: house.random(10...20_000))
    }
    house.run(for: 20_000)
    #expect(house.received.count == 30)
    #expect(house.repetitions == 0)
  }
}
