import MQTT
import Testing

@Suite struct VersionChoiceTests {
  private func choice(after ends: [VersionChoice.End]) -> VersionChoice {
    var choice = VersionChoice()
    for end in ends { _ = choice.ended(end) }
    return choice
  }

  @Test func theNewVersionIsTriedFirst() {
    #expect(VersionChoice().version == .five)
    #expect(choice(after: [.other]).version == .five)
  }

  @Test func aBrokerThatRefusesItGetsTheOldOneAtOnce() {
    var choice = VersionChoice()
    #expect({ choice.ended(.refusedVersion) }())
    #expect(choice.version == .threeOneOne)
    #expect({ choice.accepted() }())
    // The next broker may be a newer one.
    #expect(!{ choice.ended(.other) }())
    #expect(choice.version == .five)
  }

  /// A proxy whose broker is down closes each connection, and then the broker comes.
  @Test(arguments: 1...9) func aProxyWithoutItsBrokerChoosesNoVersion(attempts: Int) {
    var choice = VersionChoice()
    for _ in 0..<attempts { _ = choice.ended(.silent) }
    // A broker of both versions.
    if !choice.accepted() { _ = choice.accepted() }
    #expect(choice.version == .five)
  }

  @Test func aBrokerThatClosesTheConnectionGetsTheOldVersion() {
    var choice = VersionChoice()
    #expect(!{ choice.ended(.silent) }())
    #expect(choice.version == .threeOneOne)
    #expect(!{ choice.accepted() }())
    #expect(choice.version == .five)
    #expect({ choice.ended(.silent) }())
    #expect(choice.version == .threeOneOne)
    #expect({ choice.accepted() }())
  }
}
