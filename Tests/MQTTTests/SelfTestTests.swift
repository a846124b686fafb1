import CivilTime
import Companion
import Testing

@testable import MQTT

/// A broker of MQTT 3.1.1 acknowledges also what it drops.
@Suite struct SelfTestTests {
  private static let test = "georemind/4f2a91c3/selftest"
  private static let firing = "georemind/4f2a91c3/firing"

  private let world = PublisherWorld { $0.announcesEntities = false }

  /// Connects, and answers the message of the self-test.
  private func connect() throws -> Message {
    let effects = world.handle(.connected(.threeOneOne))
    #expect(effects.contains(.subscribe(Self.test)) && effects.contains(.subscribe(Self.firing)))
    return try #require(effects.compactMap(\.message).first { $0.topic == Self.test })
  }

  private func passBack(_ message: Message?) -> [Publisher.Effect] {
    guard let message else { return [] }
    return world.handle(
      .received(
        topic: message.topic, payload: Array(message.payload.utf8), isRetained: false))
  }

  private func conditions(_ effects: [Publisher.Effect]) -> [String?] {
    effects.compactMap { effect -> String?? in
      if case .condition(let failure) = effect { .some(failure) } else { nil }
    }
  }

  private func ends(_ effects: [Publisher.Effect]) -> [Publisher.Effect] {
    effects.filter { if case .ended = $0 { true } else { false } }
  }

  @Test func aFiringIsDeliveredWhenItComesBack() throws {
    #expect(conditions(passBack(try connect())) == [nil])
    let sent = world.firing(1).compactMap(\.message).first { $0.topic == Self.firing }
    #expect(ends(world.handle(.acknowledged(.firing(1)))).isEmpty)
    #expect(ends(passBack(sent)) == [.ended(1, .delivered)])
  }

  /// The order of the acknowledgement and of the message is the broker's.
  @Test func aFiringMayComeBackBeforeItsAcknowledgement() throws {
    _ = passBack(try connect())
    let sent = world.firing(1).compactMap(\.message).first { $0.topic == Self.firing }
    #expect(ends(passBack(sent)).isEmpty)
    #expect(ends(world.handle(.acknowledged(.firing(1)))) == [.ended(1, .delivered)])
  }

  /// The access list forbids the topic of firings alone.
  @Test func aFiringThatDoesNotComeBackFails() throws {
    _ = passBack(try connect())
    _ = world.firing(1)
    _ = world.handle(.acknowledged(.firing(1)))
    #expect(ends(world.pass(29)).isEmpty)
    guard case .ended(1, .failed(let reason))? = ends(world.pass(1)).first else {
      Issue.record("no failure")
      return
    }
    #expect(reason.contains(Self.firing) && reason.contains("access list"))
  }

  /// Nothing comes back: it is said, each firing is sent, and again when it is known to arrive.
  @Test func withoutProofFiringsGoOnceAndAgainWithIt() throws {
    _ = try connect()
    _ = world.firing(1)
    #expect(ends(world.handle(.acknowledged(.firing(1)))).isEmpty)
    let failed = world.pass(30)
    #expect(ends(failed) == [.ended(1, .delivered)])
    let reason = try #require(conditions(failed).first ?? nil)
    #expect(reason.contains(Self.test) && reason.contains(Self.firing))
    // The next ones do not wait.
    _ = world.firing(2)
    #expect(ends(world.handle(.acknowledged(.firing(2)))) == [.ended(2, .delivered)])
    // The access list is changed, and the broker started again.
    _ = world.handle(.disconnected(.init("it ended")))
    let proven = passBack(try connect())
    #expect(conditions(proven) == [nil])
    #expect(proven.contains(.read(after: 0, limit: 2)))
    let rows = [1, 2].map { Sample.firing($0, at: world.real.json) }
    #expect(world.handle(.read(rows)).compactMap(\.token) == [.repetition(1), .repetition(2)])
    for seq in [1, 2] { _ = world.handle(.acknowledged(.repetition(seq))) }
    // Only once.
    _ = world.handle(.disconnected(.init("it ended")))
    #expect(!passBack(try connect()).contains { if case .read = $0 { true } else { false } })
  }

  /// What is retained was kept from everybody with the rest.
  @Test func withProofAllThatIsRetainedIsSentAgain() throws {
    let last = "georemind/4f2a91c3/last"
    let test = try connect()
    _ = world.firing(1)
    let late = world.pass(30)
    #expect(!late.contains { $0.message?.topic == last })
    #expect(world.publisher.selfTest?.verdict == .unproven)
    let daily = world.pass(86_400).compactMap(\.message).first { $0.topic == test.topic }
    #expect(passBack(daily).contains { $0.message?.topic == last })
    // Once more it is only tested.
    let next = world.pass(86_400).compactMap(\.message).first { $0.topic == test.topic }
    #expect(!passBack(next).contains { $0.message?.topic == last })
  }

  @Test func theTestIsRepeatedEachDay() throws {
    _ = passBack(try connect())
    #expect(world.pass(86_399).compactMap(\.message).isEmpty)
    let daily = world.pass(1).compactMap(\.message)
    #expect(daily.map(\.topic) == [Self.test])
    #expect(conditions(world.pass(30)).first??.contains("access list") == true)
    // Its answer is late, and the next one is not.
    #expect(conditions(passBack(daily.first)).isEmpty)
    #expect(world.pass(299).compactMap(\.message).isEmpty)
    let next = world.pass(1).compactMap(\.message)
    #expect(conditions(passBack(next.first)) == [nil])
    #expect(world.pass(86_399).compactMap(\.message).isEmpty)
  }

  @Test func messagesOfOthersProveNothing() throws {
    _ = try connect()
    #expect(conditions(passBack(Message(Self.test, "1"))).isEmpty)
    #expect(conditions(passBack(Message(Self.firing, #"{"firing_id":"other"}"#))).isEmpty)
    #expect(conditions(passBack(Message(Self.firing, "\u{0}"))).isEmpty)
    #expect(world.publisher.selfTest?.verdict == .unknown)
  }

  /// A message that is too large may be one of the own topics: then nothing is read for an hour.
  @Test func aMessageThatIsTooLargeStopsNoFiring() throws {
    for _ in 1...2 {
      _ = world.handle(.connected(.threeOneOne))
      _ = world.handle(.disconnected(.init("too large", .oversized)))
    }
    let effects = world.handle(.connected(.threeOneOne))
    #expect(!effects.contains { if case .subscribe = $0 { true } else { false } })
    #expect(!effects.contains { $0.message?.topic == Self.test })
    _ = world.firing(1)
    #expect(ends(world.handle(.acknowledged(.firing(1)))) == [.ended(1, .delivered)])
    let later = world.pass(3_600)
    #expect(later.contains(.subscribe(Self.firing)) && later.contains(.subscribe("owntracks/+/+")))
    let test = later.compactMap(\.message).first { $0.topic == Self.test }
    #expect(conditions(passBack(test)) == [nil])
  }

  @Test func theNewVersionNeedsNoTest() {
    let effects = world.handle(.connected(.five))
    #expect(!effects.contains(.subscribe(Self.firing)))
    #expect(!effects.contains { $0.message?.topic == Self.test })
    _ = world.firing(1)
    #expect(
      ends(world.handle(.acknowledged(.firing(1)))) == [.ended(1, .delivered)])
  }

  @Test func aBrokerThatDoesNotAcknowledgeIsAFailure() {
    _ = world.handle(.connected(.five))
    _ = world.firing(1)
    let lost = world.handle(.disconnected(.init("no answer", .unacknowledged)))
    #expect(conditions(lost) == ["no answer"])
    #expect(
      ends(lost)
        == [.ended(1, .failed("the connection to the broker was lost: no answer"))])
    _ = world.handle(.connected(.five))
    #expect(conditions(world.handle(.acknowledged(nil))) == [nil])
  }
}
