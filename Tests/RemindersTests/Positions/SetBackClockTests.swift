import CivilTime
import Positioning
import Testing

@testable import Reminders

@Suite struct SetBackClockTests {
  private func take(_ fixes: [(time: Double, arrival: Double)]) -> Int? {
    var clock = SetBackClock()
    return fixes.firstIndex {
      clock.take(Instant(seconds: $0.time), at: Instant(seconds: 1_000_000 + $0.arrival))
    }
  }

  @Test func theClockOfALiveReceiverCountsAfterTwoMinutes() {
    #expect(take((0..<300).map { (Double($0), Double($0)) }) == 120)
    #expect(take((0..<30).map { (10 * Double($0), 10 * Double($0) + 0.8) }) == 12)
  }

  /// A logger sends what it has stored, faster than it came.
  @Test func aBlockOfAnyLengthDoesNotCount() {
    #expect(take((0..<100_000).map { (Double($0), Double($0) / 1_000) }) == nil)
    #expect(take((0..<100).map { (60 * Double($0), 2 * Double($0)) }) == nil)
    // A recording: its clock stands still.
    #expect(take((0..<1_000).map { (Double($0), 0) }) == nil)
  }

  @Test func aJumpAndADisorderBeginAnew() {
    #expect(take((0..<200).map { (Double($0) + ($0 < 100 ? 0 : 50), Double($0)) }) == nil)
    #expect(take((0..<400).map { (Double($0 % 100), Double($0)) }) == nil)
  }

  @Test func aNewerFixBeginsAnew() {
    var harness = EngineHarness()
    func fix(_ offset: Double) -> Event {
      .fix(Fix(time: EngineHarness.start + .seconds(offset), position: EngineHarness.home))
    }
    harness.send(fix(3_600))
    for second in 0..<119 {
      harness.now = harness.now + .seconds(1)
      harness.send(fix(Double(second)))
    }
    harness.send(fix(3_700))
    for second in 119..<239 {
      harness.now = harness.now + .seconds(1)
      harness.send(fix(Double(second)))
    }
    #expect(harness.engine.lastFix?.time == EngineHarness.start + .seconds(3_700))
    harness.now = harness.now + .seconds(1)
    harness.send(fix(239))
    #expect(harness.engine.lastFix?.time == EngineHarness.start + .seconds(239))
    #expect(harness.notices.contains(.fixTimeSteppedBack(.seconds(3_461))))
  }
}
