import CivilTime
import JSONText
import Testing

@testable import Reminders

/// What `done`, `pop` and the end of a snooze use, and what they leave.
@Suite struct CompletionTests {
  private static let place = EngineHarness.place()
  private static let far = #""place":{"lat":10,"lon":10,"radius_m":150}"#

  /// Friday 2026-06-12, 16:00.
  private func harness(_ members: String) throws -> EngineHarness {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(0) }
    try harness.add(#"{"id":"t","title":"T",\#(members)}"#)
    return harness
  }

  private func times(_ harness: borrowing EngineHarness) -> [String] {
    harness.firings.map { "\($0.time.json.dropFirst(8).prefix(8))" }
  }

  @Test func doneKeepsADepartureSilentUntilTheNextVisit() throws {
    var harness = try harness(#""on":"depart","every_visit":true,\#(Self.place)"#)
    harness.send(.snooze(id: "t", .nextVisit))
    harness.send(.done(id: "t"))
    harness.walk(from: 0, to: 600)
    #expect(harness.events == [])
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == ["t:depart"])
  }

  /// Friday 2026-06-12, 16:00: it rings after ten minutes, is put off to the next visit and, instead,
  /// for some minutes. In a zone to the west its due time is ahead again, and has rung.
  @Test func whatHasRungStaysUsedUntilTheNextVisit() throws {
    var harness = try harness(
      #""due":"2026-06-12T15:30:00","on":"dwell","dwell_s":600,"if_inside":"fire",\#(Self.place)"#)
    for _ in 0..<12 { harness.fix(0, after: 60) }
    #expect(harness.events == ["t:dwell"])
    harness.send(.snooze(id: "t", .nextVisit))
    harness.send(.snooze(id: "t", .by(.seconds(600))))
    harness.send(.zone(TimeZoneRules(name: "X", fixedOffset: -14_400, abbreviation: "X")))
    harness.wait(1200)
    #expect(harness.events == ["t:dwell", "t:due"])
    #expect(harness.standings["t"]?.state == .fired)
  }

  /// Done twice, it rings once more for a snooze: the second due time, which is done, stays so.
  @Test func otherLeadsDoNotBringBackATimeToLeaveThatIsDone() throws {
    var harness = try harness(
      #""kind":"preemptive","due":"2026-06-12T16:40:00","repeat":"FREQ=DAILY","travel_s":1800,"#
        + Self.far)
    harness.wait(660)
    #expect(harness.events == ["t:leave"])
    harness.send(.done(id: "t"))
    harness.send(.done(id: "t"))
    harness.send(.snooze(id: "t", .until(harness.now + .seconds(600))))
    harness.wait(1200)
    let before = harness.events
    #expect(before.count == 2)
    try harness.replace(
      #"{"id":"t","title":"T","kind":"preemptive","due":"2026-06-12T16:40:00","#
        + #""repeat":"FREQ=DAILY","travel_s":1800,"lead_s":[3600],\#(Self.far)}"#)
    harness.wait(24 * 3600)
    #expect(harness.events == before)
  }

  @Test(arguments: [Event.done(id: "t"), .pop(id: "t")])
  func doneAndPopUseAllThatWaitForTheHours(command: Event) throws {
    var harness = try harness(
      #""due":"2026-06-12T17:00:00","repeat":"FREQ=HOURLY;COUNT=3","hours":"08:00-09:00""#)
    harness.wait(4 * 3600)
    harness.send(command)
    #expect(harness.standings["t"]?.state == .done)
    harness.wait(24 * 3600)
    #expect(harness.events == [])
  }

  @Test func popEndsTheRepetitions() throws {
    var harness = try harness(#""due":"2026-06-12T17:00:00","repeat":"daily","nag_s":600"#)
    harness.wait(65 * 60)
    harness.send(.pop(id: "t"))
    harness.wait(3600)
    #expect(times(harness) == ["12T17:00"])
  }

  @Test func popEndsASnooze() throws {
    var harness = try harness(#""due":"2026-06-12T17:00:00","repeat":"daily""#)
    harness.send(.snooze(id: "t", .by(.hours(1))))
    harness.send(.pop(id: "t"))
    harness.wait(26 * 3600)
    #expect(times(harness) == ["13T17:00"])
  }

  /// Friday's due time and the first lead of Saturday's have passed meanwhile.
  @Test func theEndOfASnoozeStandsForTheLeadsOfTheNextDueTime() throws {
    var harness = try harness(
      #""due":"2026-06-12T17:00:00","repeat":"daily","lead_s":[72000,3600]"#)
    harness.send(.snooze(id: "t", .until(harness.now + .hours(6))))
    harness.wait(30 * 3600)
    #expect(times(harness) == ["12T22:00", "13T16:00", "13T21:00"])
  }

  @Test func aRepetitionOfALeadNamesTheDueTimeToCome() throws {
    var harness = try harness(
      #""due":"2026-06-12T18:00:00","repeat":"daily","lead_s":3600,"nag_s":600"#)
    harness.wait(65 * 60 + 600)
    #expect(times(harness) == ["12T17:00", "12T17:10"])
    #expect(harness.firings.allSatisfy { $0.due?.json == "2026-06-12T18:00:00Z" })
  }

  @Test func aVisitStaysSettledForWhatItHasRungFor() throws {
    let document = try JSONParser.parse(#"{"id":"t","title":"T",\#(Self.place)}"#).object
    let schedule = Schedule(try Reminder(json: try #require(document)), in: .utc)
    var history = History()
    let noon = LocalDateTime(microseconds: 12 * 3_600_000_000)
    history.stay = .inside(Stay.Visit(since: EngineHarness.start, settledUpTo: noon))
    let before = history
    schedule.settleVisit(upTo: noon.previous, &history)
    #expect(history == before)
  }

  /// In spring 02:30 and 03:30 are one instant; in autumn 02:30 comes twice, and the first counts.
  @Test(arguments: ["2026-03-28T23:00:00Z", "2026-10-24T22:00:00Z"])
  func aTimeToLeaveRingsOnceInTheNightOfAChange(start: String) throws {
    let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    var harness = EngineHarness(zone: zone, now: try Instant(rfc3339: start))
    harness.fix(3_000)
    let rule = start.contains("03-28") ? "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30" : "daily"
    try harness.add(
      #"{"id":"t","title":"T","kind":"preemptive","due":"2026-01-01T02:30:00","travel_s":600,"#
        + #""repeat":"\#(rule)",\#(Self.place)}"#)
    harness.wait(12 * 3600)
    #expect(harness.events == ["t:leave"])
    harness.wait(24 * 3600)
    #expect(harness.events.count == (rule == "daily" ? 2 : 3))
  }
}
