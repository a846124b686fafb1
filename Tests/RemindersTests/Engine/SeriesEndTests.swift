import CivilTime
import Testing

@testable import Reminders

/// Where a series at a place ends.
@Suite struct SeriesEndTests {
  @Test func aSeriesThatNobodyVisitedExpiresAtTheEndOfItsLastDay() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(2_000) }
    try harness.add(
      #"{"id":"r","kind":"location","title":"R","due":"2026-06-12T22:34:10","#
        + #""repeat":"FREQ=DAILY;COUNT=2",\#(EngineHarness.place())}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-14T03:26:54Z"))
    #expect(harness.standings["r"]?.state == .expired)
    #expect(harness.engine.why("r", at: harness.now)?.state == .expired)
    #expect(harness.notices.contains(.expired(id: "r", title: "R")))
  }

  /// Its day ended after `until`, and nobody was there.
  @Test func aDueTimeThatWasLeftAtUntilHasExpiredAlsoAfterAnEarlierFiring() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(2_000) }
    try harness.add(#"{"id":"r","title":"R",\#(EngineHarness.place())}"#)
    harness.walk(from: 2_000, to: 0)
    harness.wait(36 * 3600)
    let known = harness.engine.reminder("r")
    var reminder = try #require(known)
    reminder.due = try TimeStamp(parsing: "2026-06-12T14:00:00")
    reminder.repeatRule = try RepeatRule(parsing: "FREQ=DAILY;COUNT=2")
    reminder.until = try TimeStamp(parsing: "2026-06-13T19:00:00Z")
    harness.send(.replace(reminder))
    #expect(harness.events == ["r:arrive"])
    #expect(harness.standings["r"]?.state == .expired)
  }

  /// `from` had left it out, and the clock reads its name a second time after a journey west.
  @Test func aDueTimeThatWasOverWhenAskedForDoesNotRingInAnotherZone() throws {
    let east = try #require(TimeZoneRules(posix: "<+11>-11"))
    var harness = EngineHarness(zone: east)  // 03:00 on the 13th
    try harness.add(
      #"{"id":"d","title":"D","kind":"preemptive","due":"2026-06-13T00:30:00","repeat":"daily","#
        + #""travel_s":600,"from":"2026-06-12T20:00:00Z",\#(EngineHarness.place())}"#)
    harness.wait(5 * 3600)
    harness.send(.zone(.utc))
    harness.wait(28 * 3600)
    #expect(harness.firings.map(\.due?.json) == ["2026-06-14T00:30:00Z"])
  }

  /// A repetition names the due time that it repeats.
  @Test func aRepetitionNamesTheDueTimeOfItsFiring() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(0) }
    try harness.add(
      #"{"id":"r","kind":"location","title":"R","on":"depart","due":"2026-06-12T16:00:00","#
        + #""repeat":"daily","nag_s":25200,\#(EngineHarness.place())}"#)
    harness.walk(from: 0, to: 600)
    harness.wait(8 * 3600)
    #expect(harness.events == ["r:depart", "r:depart"])
    #expect(
      harness.firings.map(\.due?.json) == ["2026-06-12T16:00:00Z", "2026-06-12T16:00:00Z"])
  }
}

/// A start of the daemon, and times to leave that were missed before it.
@Suite struct FirstFixTests {
  private func leave() throws -> EngineHarness {
    var settings = EngineSettings()
    settings.firstFixWait = .minutes(2)
    var harness = EngineHarness(settings: settings)
    harness.fix(2_000)
    try harness.add(
      #"{"id":"p","title":"P","due":"2026-06-12T17:00:00Z","transport":"walking","#
        + #""travel_s":1800,\#(EngineHarness.place())}"#)
    return harness
  }

  @Test func withoutAFixItRingsAfterTheWait() throws {
    var harness = try leave()
    harness.restartByLoading(after: 5 * 3600)
    #expect(harness.events == [])
    #expect(harness.standings["p"]?.state == .armed)
    let start = harness.now
    harness.wait(600)
    #expect(harness.events == ["p:late"])
    #expect(harness.firings.first?.time == start + .minutes(2))
  }

  /// The wait keeps no timer busy.
  @Test func theWaitHasOneDeadline() throws {
    var harness = try leave()
    harness.restartByLoading(after: 5 * 3600)
    let deadline = harness.engine.nextDeadline
    #expect(deadline == harness.now + .minutes(2))
  }

  @Test func aFixEndsTheWait() throws {
    var harness = try leave()
    harness.restartByLoading(after: 5 * 3600)
    harness.fix(2_000)
    harness.fix(2_000)
    #expect(harness.events == ["p:late"])
  }
}

/// A lead that is longer than the repeat.
@Suite struct LongLeadTests {
  @Test func missedDueTimesRingBeforeTheLeadOfTheNext() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","title":"R","due":"2026-06-12T13:30:00Z","repeat":"daily","#
        + #""lead_s":["1d 30min",0]}"#)
    harness.wait(60)
    #expect(
      harness.firings.map { "\($0.event) \($0.due?.json ?? "")" }.sorted() == [
        "late 2026-06-12T13:30:00Z", "late 2026-06-13T13:30:00Z",
      ])
  }
}
