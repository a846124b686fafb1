import CivilTime
import Companion
import JSONText
import Testing

@testable import MQTT

/// Messages that anybody at the broker can send in any number.
@Suite struct FloodTests {
  private static let firing = "georemind/4f2a91c3/firing"

  /// Firings, without those of a repetition.
  private func count(_ effects: [Publisher.Effect]) -> Int {
    effects.count {
      if case .repetition? = $0.token { return false }
      return $0.message?.topic == Self.firing
    }
  }

  /// `online` every three seconds, with and without an end before it: a firing is sent at once, but
  /// for the first start, which may be a true one.
  @Test(arguments: [["online"], ["offline", "online"]])
  func startsWithoutEndHoldBackNoFiring(words: [String]) {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.pass(10)
    var seq = 0
    for turn in 0..<1_200 {
      for word in words { _ = answered(world, world.hear(word)) }
      _ = answered(world, world.pass(1))
      if turn % 7 == 3 {
        seq += 1
        var sent = answered(world, world.firing(seq))
        #expect(count(sent) == 1, "turn \(turn)")
        // In the wait after a start it is sent again at its end.
        for _ in 0..<5 where !sent.contains(where: { $0.token == .firing(seq) }) {
          sent = answered(world, world.pass(1))
        }
        #expect(sent.contains { $0.token == .firing(seq) }, "turn \(turn)")
        _ = answered(world, world.handle(.acknowledged(.firing(seq))))
      }
      _ = answered(world, world.pass(2))
    }
  }

  /// With all that follows when the daemon and the broker answer a repetition.
  private func answered(
    _ world: PublisherWorld, _ effects: [Publisher.Effect]
  ) -> [Publisher.Effect] {
    effects
      + effects.flatMap { effect -> [Publisher.Effect] in
        switch effect {
        case .read(let after, let limit):
          let rows = (after..<after + limit).map { Sample.firing($0 + 1, at: world.real.json) }
          return answered(world, world.handle(.read(rows)))
        case .publish(_, .repetition(let seq)?):
          return answered(world, world.handle(.acknowledged(.repetition(seq))))
        default: return []
        }
      }
  }

  /// Each start makes all documents once more, and a client's queue of them has no limit.
  @Test func startsAreAnsweredOnceAMinute() {
    let world = PublisherWorld()
    let all = world.handle(.connected(.five)).compactMap(\.message).count
    _ = world.pass(10)
    var sent = 0
    for _ in 0..<100_000 {
      world.now += 10_000
      sent += world.hear("online").compactMap(\.message).count
    }
    // A thousand seconds.
    #expect((16...17).contains(sent / all), "\(sent) of \(all)")
  }

  /// A first start with an end before it is one, and holds firings until all is subscribed.
  @Test func aTrueStartHoldsFiringsOnce() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.pass(10)
    _ = world.hear("offline")
    _ = world.hear("online")
    #expect(count(world.firing(1)) == 0)
    for _ in 0..<4 {
      _ = world.hear("online")
      #expect(count(world.pass(1)) == 0)
    }
    let sent = world.pass(1)
    #expect(count(sent) == 1 && sent.contains { $0.token == .firing(1) })
  }

  /// A start that soon follows another is taken later; what fires until then is repeated.
  @Test func whatFiresBeforeADeferredStartIsRepeated() {
    let world = PublisherWorld()
    _ = world.handle(.connected(.five))
    _ = world.hear("online")
    _ = world.pass(10)
    _ = world.hear("offline")
    _ = world.hear("online")
    #expect(world.deliver(1))
    _ = world.pass(50)
    #expect(world.pass(6).contains(.read(after: 0, limit: 1)))
  }

  @Test func anotherPhoneIsHeardWhileOneFloods() {
    let world = PublisherWorld()
    _ = world.handle(.feedOpen(true))
    let payload = Array(#"{"_type":"location","lat":1,"lon":2,"tst":1781279990}"#.utf8)
    func feeds(_ topic: String) -> Int {
      world.handle(.received(topic: topic, payload: payload, isRetained: false))
        .count { if case .feed = $0 { true } else { false } }
    }
    var (flooded, heard) = (0, 0)
    for turn in 0..<100_000 {
      world.now += 100
      flooded += feeds("owntracks/bad/phone")
      if turn % 10_000 == 0 { heard += feeds("owntracks/anna/phone") }
    }
    #expect(heard == 10)
    // Ten seconds.
    #expect(flooded <= 300 + 200)
  }
}
