import Companion
import TestSupport
import Testing

@testable import MQTT

/// The session among brokers that fail: each firing arrives at least once and in order, and a
/// destination that cannot deliver says so.
@Suite struct OutageTests {
  private static let second: Int64 = 1_000_000

  /// Twenty minutes without a broker, then an anchor that drags. The connection's own next attempt
  /// is minutes away.
  @Test(arguments: [0, 3, 70]) func anAlarmArrivesFirst(secondsToReturn: Int64) {
    let world = BrokerWorld()
    world.begin()
    for _ in 0..<20 {
      world.fire()
      world.run(for: 60 * Self.second)
    }
    world.fire(priority: 1)
    world.run(for: secondsToReturn * Self.second + 1)
    world.become(.works)
    let back = world.now
    world.run(for: 120 * Self.second)
    #expect(world.received.first?.seq == 21)
    #expect(world.received.first.map { $0.time - back <= 2 * Self.second } == true)
    // It comes once more, when Home Assistant has had the time to subscribe.
    #expect(world.received.map(\.seq) == [21, 21] + Array(1...20))
  }

  /// A day of firings while the broker stops, refuses, swallows acknowledgements and forgets, and
  /// the service and the daemon are killed.
  @Test(arguments: 1...40) func eachFiringArrivesInOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let world = BrokerWorld { $0.announcesEntities = seed % 2 == 0 }
    world.begin()
    world.become(.works)
    for _ in 0..<60 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: world.killHelper()
      case 1: world.killDaemon()
      case 2: world.restartBroker()
      case 3: world.become(.down)
      case 4: world.become(.refuses)
      case 5: world.become(.swallows)
      case 6...7: world.become(.works)
      default: world.fire(priority: Int.random(in: 0..<4, using: &random))
      }
      world.run(for: Int64.random(in: 1...1_200, using: &random) * Self.second / 4)
      if let silent = world.unreportedFailure { Issue.record("seed \(seed): \(silent)") }
    }
    world.become(.works)
    world.run(for: 3_600 * Self.second)
    #expect(world.row.failingSince == nil, "seed \(seed)")
    for isUrgent in [true, false] {
      let all = world.ledger.filter { $0.isUrgent == isUrgent }.map(\.seq)
      #expect(world.firstReceptions(of: Set(all)) == all, "seed \(seed), urgent: \(isUrgent)")
    }
  }

  /// With MQTT 3.1.1 a broker may acknowledge what it drops; each firing comes once it does not.
  @Test(arguments: 1...10) func whatAnOldBrokerDropsComesLater(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let world = BrokerWorld { $0.announcesEntities = seed % 2 == 0 }
    world.begin()
    world.become(.drops, .threeOneOne)
    for _ in 0..<10 {
      world.fire(priority: Int.random(in: 0..<4, using: &random))
      world.run(for: Int64.random(in: 60...200, using: &random) * Self.second)
      #expect(world.row.failingSince != nil, "seed \(seed)")
    }
    world.become(.works, .threeOneOne)
    world.restartBroker()
    world.run(for: 3_600 * Self.second)
    #expect(world.row.failingSince == nil, "seed \(seed)")
    #expect(Set(world.received.map(\.seq)) == Set(1...10), "seed \(seed)")
  }

  @Test func withoutFaultsEachFiringArrivesOnce() {
    let world = BrokerWorld { $0.announcesEntities = false }
    world.begin()
    world.become(.works)
    for number in 0..<50 {
      world.run(for: 7 * Self.second)
      world.fire(priority: number % 3)
    }
    world.run(for: 60 * Self.second)
    #expect(world.received.map(\.seq) == Array(1...50))
    for (entry, fired) in zip(world.received, world.times) {
      #expect(entry.time - fired < Self.second)
    }
  }
}

extension BrokerWorld {
  /// The numbers of firings in the order in which they arrived first.
  func firstReceptions(of seqs: Set<Int>) -> [Int] {
    var seen: Set<Int> = []
    return received.map(\.seq).filter { seqs.contains($0) && seen.insert($0).inserted }
  }

  /// A firing that has waited for two minutes while the row says that all is well.
  var unreportedFailure: String? {
    guard row.failingSince == nil else { return nil }
    let arrived = Set(received.map(\.seq))
    let waiting = zip(ledger, times).first { firing, time in
      !arrived.contains(firing.seq) && now - time > 120_000_000
    }
    return waiting.map { "firing \($0.0.seq) has not arrived, and nobody says so" }
  }
}
