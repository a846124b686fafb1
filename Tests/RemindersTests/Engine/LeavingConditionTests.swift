import CivilTime
import Testing

@testable import Reminders

/// What limits a time to leave: days and until of the due time, from, cooldown.
///
/// 2026-06-12 is a Friday; the clock starts there at 16:00. The way takes an hour.
@Suite struct LeavingConditionTests {
  private func harness(_ members: String) throws -> EngineHarness {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":3600,\#(EngineHarness.place()),\#(members)}"#
    )
    return harness
  }

  private func leaves(_ members: String, days: Double = 4) throws -> [String] {
    var harness = try harness(members)
    harness.wait(days * 86_400)
    return harness.firings.map { $0.time.json }
  }

  @Test func daysAreThoseOfTheDueTime() throws {
    // The lead, and the time to leave itself, fall on the day before.
    let due = #""due":"2026-06-13T00:30:00Z","repeat":"daily","lead_s":[7200,0]"#
    #expect(
      try leaves(#"\#(due),"days":"sat""#) == ["2026-06-12T21:30:00Z", "2026-06-12T23:30:00Z"])
    #expect(try leaves(#"\#(due),"days":"fri""#) == [])
  }

  @Test func untilIsAskedOfTheDueTime() throws {
    let due = #""due":"2026-06-13T09:00:00Z""#
    #expect(try leaves(#"\#(due),"until":"2026-06-13T09:00:00Z""#) == ["2026-06-13T08:00:00Z"])
    #expect(try leaves(#"\#(due),"until":"2026-06-13T08:59:59Z""#) == [])
    #expect(
      try leaves(#"\#(due),"repeat":"daily","until":"2026-06-14T10:00:00Z""#)
        == ["2026-06-13T08:00:00Z", "2026-06-14T08:00:00Z"])
  }

  @Test func fromHolds() throws {
    var harness = try harness(
      #""due":"2026-06-12T18:30:00Z","from":"2026-06-12T18:00:00Z""#)
    harness.wait(86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T18:00:00Z"])
    #expect(harness.events == ["t:leave"])
    #expect(
      try leaves(#""due":"2026-06-12T18:30:00Z","repeat":"daily","from":"2026-06-13T18:30:00Z""#)
        == ["2026-06-13T18:30:00Z", "2026-06-14T17:30:00Z", "2026-06-15T17:30:00Z"])
  }

  /// Due so many minutes after 18:00, its `from`. The end of a snooze has rung after the time to
  /// leave; then the device is at the place for a while, and away again.
  private func slackBeforeFrom(due minute: String) throws -> [String] {
    var harness = try harness(
      #""due":"2026-06-12T18:\#(minute):00Z","from":"2026-06-12T18:00:00Z""#)
    harness.wait(5_700)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(5))))
    harness.wait(400)
    #expect(harness.events == ["t:due"])
    for distance in [0.0, 0, 0, 2000, 2000, 2000] {
      harness.fix(distance, after: 60)
      // What does not ring wakes nobody.
      #expect(harness.engine.nextDeadline.map { $0 > harness.now } ?? true)
    }
    harness.wait(3_600)
    return Array(harness.firings.map(\.time.json).dropFirst())
  }

  @Test func slackThatCameBackBeforeFromCounts() throws {
    #expect(try slackBeforeFrom(due: "30") == ["2026-06-12T18:00:00Z"])
  }

  @Test func slackCountsFromThenOn() throws {
    #expect(try slackBeforeFrom(due: "09") == [])
  }

  /// The way takes so many seconds, and at the place there is as much slack.
  @Test(arguments: [(660, 2), (600, 1)])
  func itRingsAgainAfterMoreThanTenMinutesOfSlack(way: Int, count: Int) throws {
    var harness = EngineHarness()
    harness.fix(300)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":\#(way),"due":"2026-06-12T17:00:00Z",\#(EngineHarness.place())}"#
    )
    while harness.firings.isEmpty { harness.fix(300, after: 10) }
    for _ in 0..<3 { harness.fix(0, after: 10) }
    for _ in 0..<20 { harness.fix(300, after: 30) }
    #expect(harness.events.count == count)
  }

  @Test func withinTheCooldownItIsSkipped() throws {
    #expect(
      try leaves(
        #""due":"2026-06-12T18:00:00Z","repeat":"hourly","cooldown_s":9000"#, days: 0.25)
        == ["2026-06-12T17:00:00Z", "2026-06-12T20:00:00Z"])
  }

  /// An hour further east the first due time falls on a Sunday, and "done" is for a later one: none
  /// before that counts any more.
  @Test func whatTheOldZoneAloneExcludedDoesNotCountAfterDone() throws {
    var harness = EngineHarness(
      zone: TimeZoneRules(name: "E", fixedOffset: 3600, abbreviation: "E"))
    harness.fix(2000)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":3600,\#(EngineHarness.place()),"due":"2026-06-13T23:30:00Z","repeat":"hourly","days":"fri,sat"}"#
    )
    harness.send(.done(id: "t"))
    harness.send(.zone(.utc))
    harness.wait(3 * 86_400)
    #expect(harness.firings.isEmpty)
  }

  @Test func storedHoursAreIgnored() throws {
    #expect(
      try leaves(#""due":"2026-06-12T18:00:00Z","hours":"08:00-10:00""#)
        == ["2026-06-12T17:00:00Z"])
  }
}
