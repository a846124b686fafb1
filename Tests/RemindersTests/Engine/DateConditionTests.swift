import CivilTime
import Testing

@testable import Reminders

/// What limits when a date rings: hours, days, from, until, cooldown.
///
/// 2026-06-12 is a Friday; the clock starts there at 16:00.
@Suite struct DateConditionTests {
  /// The times at which a date with these members rings within some days.
  private func rings(_ members: String, days: Double = 4) throws -> [String] {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T",\#(members)}"#)
    harness.wait(days * 86_400)
    return harness.firings.map { $0.time.json }
  }

  @Test func anOccurrenceOnAnExcludedDayIsSkipped() throws {
    #expect(
      try rings(#""due":"2026-06-12T17:00:00Z","repeat":"daily","days":"mon..fri""#)
        == ["2026-06-12T17:00:00Z", "2026-06-15T17:00:00Z"])
  }

  @Test func theDayOfALeadIsThatOfItsDueTime() throws {
    #expect(
      try rings(#""due":"2026-06-13T00:30:00Z","lead_s":3600,"days":"sat""#)
        == ["2026-06-12T23:30:00Z"])
    #expect(try rings(#""due":"2026-06-13T00:30:00Z","lead_s":3600,"days":"fri""#) == [])
  }

  @Test func anOccurrenceOutsideTheHoursWaitsForTheOpening() throws {
    #expect(
      try rings(
        #""due":"2026-06-12T21:00:00Z","repeat":"daily","hours":"08:00-18:00""#, days: 2)
        == ["2026-06-13T08:00:00Z", "2026-06-14T08:00:00Z"])
  }

  @Test func theOpeningLiesOnAnAdmittedDay() throws {
    // Friday's waits over the weekend.
    #expect(
      try rings(
        #""due":"2026-06-12T21:00:00Z","repeat":"daily","hours":"08:00-18:00","days":"mon..fri""#)
        == ["2026-06-15T08:00:00Z", "2026-06-16T08:00:00Z"])
  }

  @Test func ofManyThatWaitOnlyTheLastRings() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z","repeat":"hourly","#
        + #""hours":"08:00-18:00"}"#)
    harness.wait(17 * 3600)
    #expect(
      harness.firings.map(\.time.json)
        == ["2026-06-12T17:00:00Z", "2026-06-13T08:00:00Z", "2026-06-13T09:00:00Z"])
    #expect(harness.firings[1].due?.json == "2026-06-13T08:00:00Z")
    #expect(harness.firings.allSatisfy { $0.event == .due })
  }

  /// The first two leads wait for the hours of a day that `days` have; the last one comes
  /// in a night whose hours are open.
  @Test func aLeadInOpenHoursRingsForThoseThatWait() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-15T05:18:00Z","lead_s":["2d",82800,3600],"#
        + #""hours":"19:09-05:17","days":"mon"}"#)
    #expect(
      harness.engine.slot("t").flatMap { harness.engine.plan(of: $0, at: harness.now).rings?.json }
        == "2026-06-15T04:18:00Z")
    harness.wait(4 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-15T04:18:00Z"])
  }

  @Test func leadsThatWaitTogetherRingOnce() throws {
    #expect(
      try rings(
        #""due":"2026-06-13T08:10:00Z","lead_s":[3600,1800,0],"hours":"08:00-18:00""#)
        == ["2026-06-13T08:00:00Z", "2026-06-13T08:10:00Z"])
  }

  @Test func hoursOverMidnightBelongToTheDayOnWhichTheyBegin() throws {
    let night = #""hours":"22:00-06:00","repeat":"daily","days":"fri""#
    #expect(try rings(#""due":"2026-06-13T03:00:00Z",\#(night)"#) == ["2026-06-13T03:00:00Z"])
    #expect(try rings(#""due":"2026-06-12T20:00:00Z",\#(night)"#) == ["2026-06-12T22:00:00Z"])
  }

  @Test func untilIsInclusive() throws {
    let until = #""until":"2026-06-13T17:00:00Z""#
    #expect(
      try rings(#""due":"2026-06-12T17:00:00Z","repeat":"daily",\#(until)"#)
        == ["2026-06-12T17:00:00Z", "2026-06-13T17:00:00Z"])
    #expect(try rings(#""due":"2026-06-13T17:00:00Z",\#(until)"#) == ["2026-06-13T17:00:00Z"])
    #expect(try rings(#""due":"2026-06-13T17:00:01Z",\#(until)"#) == [])
  }

  @Test func untilCountsForATimerThatComesALittleLate() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z","#
        + #""until":"2026-06-12T17:00:00Z"}"#)
    harness.now += .seconds(3600.5)
    harness.send(.tick)
    #expect(harness.events == ["t:due"])
  }

  @Test func oneThatWouldHaveToWaitBeyondUntilIsSkipped() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T21:00:00Z","hours":"08:00-18:00","#
        + #""until":"2026-06-13T07:59:59Z"}"#)
    harness.wait(2 * 86_400)
    #expect(harness.events == [])
    #expect(harness.notices == [.expired(id: "t", title: "T")])
  }

  @Test func fromHolds() throws {
    let from = #""from":"2026-06-13T18:00:00Z""#
    #expect(
      try rings(#""due":"2026-06-12T17:00:00Z","repeat":"daily",\#(from)"#)
        == ["2026-06-14T17:00:00Z", "2026-06-15T17:00:00Z"])
    // A single one waits, and so does a lead.
    #expect(try rings(#""due":"2026-06-13T17:00:00Z",\#(from)"#) == ["2026-06-13T18:00:00Z"])
    #expect(
      try rings(#""due":"2026-06-13T18:30:00Z","lead_s":[3600,0],\#(from)"#)
        == ["2026-06-13T18:00:00Z", "2026-06-13T18:30:00Z"])
  }

  @Test func withinTheCooldownItIsSkipped() throws {
    #expect(
      try rings(
        #""due":"2026-06-12T17:00:00Z","repeat":"hourly","cooldown_s":9000"#, days: 0.25)
        == ["2026-06-12T17:00:00Z", "2026-06-12T20:00:00Z"])
  }

  @Test func aTimerThatComesLateDoesNotLengthenTheCooldown() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T17:00:00Z","repeat":"hourly","cooldown_s":3600}"#)
    harness.now = try Instant(rfc3339: "2026-06-12T17:00:00.4Z")
    harness.send(.tick)
    harness.wait(3600)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T17:00:00.400Z", "2026-06-12T18:00:00Z"])
  }

  @Test func missedOutsideItsHoursItWaitsAndIsLate() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z","hours":"08:00-18:00"}"#)
    harness.restart(after: 4 * 3600)
    #expect(harness.events == [])
    harness.wait(86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-13T08:00:00Z"])
    #expect(harness.firings.first?.late == .hours(15))
  }

  @Test func anotherZoneBringsBackWhatFromExcluded() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00","repeat":"daily","#
        + #""from":"2026-06-12T18:00:00Z"}"#)
    #expect(harness.standings["t"]?.due?.json == "2026-06-13T17:00:00Z")
    harness.send(.zone(TimeZoneRules(name: "X", fixedOffset: -14_400, abbreviation: "X")))
    harness.wait(6 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T21:00:00Z"])
  }

  @Test func anotherZoneMovesTheDay() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T23:00:00Z","repeat":"daily","#
        + #""days":"sat"}"#)
    #expect(harness.standings["t"]?.due?.json == "2026-06-13T23:00:00Z")
    harness.send(.zone(TimeZoneRules(name: "X", fixedOffset: 7200, abbreviation: "X")))
    harness.wait(2 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T23:00:00Z"])
  }
}
