import Testing

@testable import Feeds

/// Speeds of a line, found by trying.
@Suite struct SpeedHuntTests {
  private static let second: Int64 = 1_000_000

  private func hunt(leftAt speed: Int? = nil) -> SpeedHunt {
    var hunt = SpeedHunt(timeout: 3 * Self.second)
    hunt.begin(leftAt: speed)
    return hunt
  }

  @Test func triesEverySpeedInTurn() {
    var hunt = hunt()
    var tried: [Int] = []
    var now: Int64 = 0
    for _ in 0...SpeedHunt.speeds.count {
      tried.append(hunt.speed)
      #expect(hunt.took(200, at: now) == .wait(until: now + 3 * Self.second))
      #expect(hunt.took(200, at: now + 1) == .none)
      now += 3 * Self.second
      #expect(hunt.timeIsUp(at: now) == .change)
    }
    #expect(tried == SpeedHunt.speeds + [SpeedHunt.speeds[0]])
    // Every one that receivers have, and that gpsd tries.
    #expect(
      SpeedHunt.speeds.sorted() == [
        4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
      ])
  }

  @Test func waitsForBytes() {
    var hunt = hunt()
    #expect(hunt.timeIsUp(at: 100 * Self.second) == .none)
    #expect(hunt.speed == SpeedHunt.speeds[0])
  }

  /// The first bytes may be the end of a sentence, and the next one seconds away.
  @Test func givesAFewBytesTwiceTheTime() {
    var hunt = hunt()
    #expect(hunt.took(40, at: 0) == .wait(until: 3 * Self.second))
    #expect(hunt.timeIsUp(at: 3 * Self.second) == .wait(until: 6 * Self.second))
    #expect(hunt.took(40, at: 5 * Self.second) == .none)
    #expect(hunt.timeIsUp(at: 6 * Self.second) == .change)
  }

  @Test func staysWithTheSpeedThatGivesSentences() {
    var hunt = hunt(leftAt: 38400)
    #expect(hunt.speed == 38400)
    _ = hunt.took(300, at: 0)
    hunt.confirm()
    #expect(hunt.isConfirmed)
    #expect(hunt.timeIsUp(at: 3 * Self.second) == .none)
    // A line end behind each sentence, a sentence each minute.
    for minute in 1...20 {
      #expect(hunt.took(400, at: Int64(minute) * 60 * Self.second) == .none)
      hunt.confirm()
    }
    #expect(hunt.speed == 38400)
  }

  @Test func startsAgainWhenSentencesStop() {
    var hunt = hunt(leftAt: 38400)
    hunt.confirm()
    for second in 0..<10 { #expect(hunt.took(60, at: Int64(second) * Self.second) == .none) }
    #expect(hunt.took(60, at: 10 * Self.second) == .change)
    #expect(!hunt.isConfirmed)
    #expect(hunt.speed != 38400)
    #expect(
      hunt.took(60, at: 11 * Self.second) == .wait(until: 14 * Self.second))
    // Plugged in again: what was good goes first, whatever the line has now.
    hunt.begin(leftAt: 4800)
    #expect(hunt.speed == 38400)
  }

  @Test func passesOverASpeedThatNoReceiverHas() {
    #expect(hunt(leftAt: 300).speed == SpeedHunt.speeds[0])
  }
}
