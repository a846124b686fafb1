import CivilTime
import JSONText
import Testing

@testable import Reminders

/// `from`, `until` and the zone: what they hold back, and what they take away.
@Suite struct LimitTests {
  private func date(_ members: String) throws -> EngineHarness {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","kind":"date",\#(members)}"#)
    return harness
  }

  /// Hundreds of due times lie before it.
  @Test func aSeriesIsNextDueAtAFromFarAhead() throws {
    let harness = try date(
      #""due":"2026-06-12T17:00:00","repeat":"hourly","from":"2026-07-20T08:30:00""#)
    #expect(harness.engine.plan("t", at: harness.now)?.due?.json == "2026-07-20T09:00:00Z")
  }

  /// At a place each night at 02:10, in Berlin.
  private func nightly() throws -> Schedule {
    let document = try JSONParser.parse(
      #"{"id":"t","title":"T","due":"2026-01-01T02:10:00","repeat":"daily","#
        + #""hours":"22:00-02:30",\#(EngineHarness.place())}"#)
    let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    return Schedule(try Reminder(json: try #require(document.object)), in: zone)
  }

  /// The night ends at the first 02:30, and 02:10 is read again after it.
  @Test func aDueTimeAtAPlaceIsOverWithItsNightThoughItsReadingComesAgain() throws {
    var schedule = try nightly()
    let start = try Instant(rfc3339: "2026-10-25T02:10:00+02:00")
    #expect(schedule.inForce(at: start)?.due == start)
    for minutes in [25.0, 65] {
      #expect(schedule.inForce(at: start + .minutes(minutes)) == nil)
    }
  }

  /// Where the clocks skip 02:30 the night ends with the skip, and the due time at 03:10 lies in the
  /// next one.
  @Test func aDueTimeAtAPlaceHoldsInTheNightThatBeginsWithASkip() throws {
    var schedule = try nightly()
    let start = try Instant(rfc3339: "2026-03-29T03:10:00+02:00")
    #expect(schedule.inForce(at: start)?.due == start)
    #expect(schedule.inForce(at: start + .hours(22))?.due == start)
  }

  /// The hours open after `until`.
  @Test func whatUntilKeepsFromRingingIsNotSaidToRing() throws {
    let harness = try date(
      #""due":"2026-06-12T17:00:00","hours":"20:00-21:00","until":"2026-06-12T18:00:00""#)
    #expect(harness.engine.plan("t", at: harness.now)?.state == .armed)
    #expect(harness.engine.upcoming(limit: 5, at: harness.now).isEmpty)
  }

  @Test func aRepetitionWaitsForFrom() throws {
    var harness = try date(#""due":"2026-06-12T16:30:00","nag_s":600"#)
    harness.wait(35 * 60)
    let known = harness.engine.reminder("t")
    var reminder = try #require(known)
    reminder.from = .absolute(EngineHarness.start + .hours(2))
    harness.send(.replace(reminder))
    harness.wait(90 * 60)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T16:30:00Z", "2026-06-12T18:00:00Z"])
  }

  @Test func aRepetitionWhoseHoursOpenJustAfterUntilEndsTheRound() throws {
    var harness = try date(
      #""due":"2026-06-12T16:30:00","hours":"16:00-16:35","nag_s":600,"until":"2026-06-13T15:59:59""#
    )
    harness.wait(26 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:30:00Z"])
    #expect(harness.kept["t"]?.repetition == nil)
  }

  /// Saturday's lead had passed when it was added. Friday's, which `from` left out, is ahead in the
  /// new zone.
  @Test func aLeadThatHadPassedStaysUsedWhenAnEarlierDueTimeComesBeforeIt() throws {
    var harness = try date(
      #""due":"2026-06-12T17:00:00","repeat":"daily","lead_s":[108000,0],"#
        + #""from":"2026-06-12T17:30:00Z""#)
    harness.wait(2 * 3600)
    harness.send(.zone(try #require(TimeZoneRules(posix: "<-04>4"))))
    harness.wait(8 * 3600)
    #expect(harness.firings.allSatisfy { $0.due?.json == "2026-06-12T21:00:00Z" })
    #expect(harness.firings.last?.time.json == "2026-06-12T21:00:00Z")
  }

  /// `from` left out Friday's, which is over in the new zone.
  @Test func whatTheOldZoneLeftOutDoesNotRingLateInTheNewOne() throws {
    var harness = try date(
      #""due":"2026-06-01T10:00:00","repeat":"daily","from":"2026-06-12T12:00:00Z""#)
    harness.send(.zone(try #require(TimeZoneRules(posix: "<-05>5"))))
    harness.wait(24 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-13T15:00:00Z"])
  }

  /// Without the end of the search, each question takes hundreds of steps.
  @Test func theSearchForATimeToLeaveEndsAtUntil() throws {
    let document = try JSONParser.parse(
      #"{"id":"t","title":"T","kind":"preemptive","due":"2026-06-01T10:00:00","repeat":"daily","#
        + #""until":"2026-06-20T00:00:00",\#(EngineHarness.place())}"#)
    let reminder = try Reminder(json: try #require(document.object))
    var schedule = Schedule(reminder, in: .utc)
    var history = History()
    schedule.use(dueBy: EngineHarness.start + .hours(24 * 30), &history)
    #expect(schedule.next(after: history.usedUpTo) == nil)
    #expect(schedule.work < 100)
  }
}
