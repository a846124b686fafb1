import CivilTime
import Companion
import JSONText
import Testing

@testable import MQTT

/// A ledger, a delivery, a publisher and a broker that is away for a time, all virtual.
private final class Outage {
  private let publisher = PublisherWorld()
  private var delivery = Delivery(name: "mqtt")
  private var ledger: [FiringNotice] = []
  private var row = ConsumerRow(name: "mqtt", upto: 0)
  private var pending: [(time: Int64, action: () -> Void)] = []
  private var isConnected = false
  var isBrokerUp = false
  private(set) var now: Int64 = 0
  /// Numbers of the firings that the broker received, and when, in microseconds.
  private(set) var received: [(seq: Int, time: Int64)] = []

  private func later(_ delay: Int64, _ action: @escaping () -> Void) {
    let index = pending.firstIndex { $0.time > now + delay } ?? pending.count
    pending.insert((now + delay, action), at: index)
  }

  func run(for duration: Int64) {
    let end = now + duration
    while let next = pending.first, next.time <= end {
      pending.removeFirst()
      now = max(now, next.time)
      next.action()
    }
    now = end
  }

  func fire(priority: Int = 0) {
    publisher.now = now
    ledger.append(
      Sample.firing(ledger.count + 1, at: publisher.real.json, priority: priority))
    deliver(.news)
  }

  func begin() { deliver(.connected) }

  private func deliver(_ event: Delivery.Event) {
    publisher.now = now
    let moment = ClockReadings(steady: now, real: publisher.real)
    for effect in delivery.handle(event, at: moment) { carryOut(effect) }
  }

  private func carryOut(_ effect: Delivery.Effect) {
    switch effect {
    case .open:
      later(100) { [self] in deliver(.opened(row, ledger: "one", head: ledger.count)) }
    case .read(let seq, let queue):
      let next = ledger.first { $0.seq > seq && $0.isUrgent == queue.isUrgent }
      later(100) { [self] in deliver(.read(next, queue)) }
    case .store(let new, _):
      row = new
      later(100) { [self] in deliver(.stored(row, ledger: "one")) }
    case .run(let firing, _): later(0) { [self] in publish(.firing(firing)) }
    case .wake(let delay): later(delay) { [self] in deliver(.tick) }
    case .report: break
    }
  }

  private func publish(_ event: Publisher.Event) {
    publisher.now = now
    for effect in publisher.handle(event) { carryOut(effect) }
  }

  private func carryOut(_ effect: Publisher.Effect) {
    switch effect {
    case .publish(let message, let token):
      if message.topic.hasSuffix("/firing"),
        let seq = (try? JSONParser.parse(message.payload))?["seq"]?.int
      {
        received.append((seq, now))
      }
      if let token { later(10_000) { [self] in publish(.acknowledged(token)) } }
    case .ended(let seq, let outcome): later(0) { [self] in deliver(.ended(seq, outcome)) }
    case .retry: later(0) { [self] in deliver(.reachable) }
    case .connect:
      guard isBrokerUp, !isConnected else { return }
      isConnected = true
      later(50_000) { [self] in publish(.connected(.five)) }
    case .wake(let delay): later(delay) { [self] in publish(.tick) }
    case .subscribe, .askLast, .call, .feed, .report, .read, .condition: break
    }
  }
}

@Suite struct OutageTests {
  private static let second: Int64 = 1_000_000

  /// Twenty minutes without a broker, then an anchor that drags. The connection's own next attempt
  /// is minutes away.
  @Test(arguments: [0, 3, 70]) func anAlarmArrivesFirst(secondsToReturn: Int64) {
    let outage = Outage()
    outage.begin()
    for _ in 0..<20 {
      outage.fire()
      outage.run(for: 60 * Self.second)
    }
    outage.fire(priority: 1)
    outage.run(for: secondsToReturn * Self.second + 1)
    outage.isBrokerUp = true
    let back = outage.now
    outage.run(for: 120 * Self.second)
    #expect(outage.received.first?.seq == 21)
    #expect(outage.received.first.map { $0.time - back <= 2 * Self.second } == true)
    // It comes once more, when Home Assistant has had the time to subscribe.
    #expect(outage.received.map(\.seq) == [21, 21] + Array(1...20))
  }
}
