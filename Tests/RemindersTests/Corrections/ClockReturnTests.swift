import CivilTime
import Testing

@testable import Reminders

/// What a clock that was ahead has not brought about stays when it is right again.
///
/// The true time begins on Friday 2026-06-12 at 16:00.
@Suite struct ClockReturnTests {
  private func date(_ members: String) throws -> EngineHarness {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","kind":"date",\#(members)}"#)
    return harness
  }

  private func set(_ harness: inout EngineHarness, to time: String) throws {
    harness.now = try Instant(rfc3339: time)
    harness.send(.clockSet)
  }

  private func times(_ harness: borrowing EngineHarness) -> [String] {
    harness.firings.map {
      "\($0.time.json.dropFirst(8).prefix(8))\($0.repeated == .clock ? " again" : "")"
    }
  }

  @Test func aRepetitionComesAfterItsSpanOfTrueTime() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T","nag_s":600,\#(EngineHarness.place())}"#)
    try set(&harness, to: "2026-06-13T17:00:00Z")
    harness.walk(from: 600, to: 0)
    try set(&harness, to: "2026-06-12T16:05:00Z")
    harness.wait(900)
    #expect(harness.events == ["t:arrive", "t:arrive"])
  }

  /// Its second lead waits for the hours, whatever the clock shows.
  @Test func aLeadThatRangAtItsTrueTimeGoesOnRepeating() throws {
    var harness = try date(
      #""due":"2026-06-12T22:00:00","lead_s":[14400,3600],"hours":"08:00-20:00","nag_s":600"#)
    harness.wait(2 * 3600 + 300)
    try set(&harness, to: "2026-06-12T21:30:00Z")
    harness.wait(60)
    try set(&harness, to: "2026-06-12T18:06:00Z")
    harness.wait(600)
    #expect(times(harness) == ["12T18:00", "12T18:10"])
  }

  @Test func whatWasPoppedAheadOfTheClockStaysUsed() throws {
    var harness = try date(#""due":"2026-06-12T10:00:00","repeat":"daily""#)
    harness.send(.done(id: "t"))
    try set(&harness, to: "2026-06-12T20:00:00Z")
    harness.send(.pop(id: "t"))
    try set(&harness, to: "2026-06-12T16:05:00Z")
    let count = harness.firings.count
    harness.wait(48 * 3600)
    #expect(times(harness).dropFirst(count) == ["14T10:00"])
  }

  @Test func aSmallStepForwardIsNoReturnOfTheWrongTime() throws {
    var harness = try date(#""due":"2026-06-13T10:00:00""#)
    try set(&harness, to: "2026-06-14T12:00:00Z")
    try set(&harness, to: "2026-06-12T16:05:00Z")
    harness.send(.snooze(id: "t", .by(.hours(1))))
    try set(&harness, to: "2026-06-12T16:25:00Z")
    harness.wait(24 * 3600)
    #expect(times(harness) == ["14T12:00", "13T11:00"])
  }

  @Test func aLaterDueTimeThatStandsForAnEarlierOneComesForTheFirstTime() throws {
    var harness = try date(#""due":"2026-06-13T10:00:00","repeat":"daily""#)
    try set(&harness, to: "2026-06-13T12:00:00Z")
    try set(&harness, to: "2026-06-12T16:05:00Z")
    harness.now = try Instant(rfc3339: "2026-06-14T12:00:00Z")
    harness.send(.resumed)
    #expect(times(harness) == ["13T12:00", "14T12:00"])
    #expect(harness.firings.last?.due?.json == "2026-06-14T10:00:00Z")
  }
}
