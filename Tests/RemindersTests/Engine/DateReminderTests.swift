import CivilTime
import Testing

@testable import Reminders

@Suite struct DateReminderTests {
  @Test func firesAtEachLeadOnce() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"Tea","due":"2026-06-12T17:00:00Z","lead_s":[0,900,3600]}"#)
    harness.wait(2 * 3600)
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T16:00:00Z", "2026-06-12T16:45:00Z", "2026-06-12T17:00:00Z",
      ])
    #expect(harness.events == ["t:due", "t:due", "t:due"])
    #expect(harness.firings.allSatisfy { $0.late == nil })
    #expect(harness.standings["t"]?.state == .fired)
    #expect(harness.engine.nextDeadline == nil)
  }

  @Test func missedWhileOffIsToldOnceAndLate() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"Tea","due":"2026-06-12T17:00:00Z","lead_s":[0,900]}"#)
    harness.restart(after: 2 * 3600)
    #expect(harness.events == ["t:late"])
    #expect(harness.firings.first?.late == .hours(1))
    harness.restart(after: 60)
    #expect(harness.events == ["t:late"])
  }

  @Test func aRepeatingOneMissedManyTimesIsToldOnce() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"daily"}"#)
    harness.wait(2 * 3600)
    #expect(harness.events == ["r:due"])
    harness.restart(after: 10 * 86_400)
    #expect(harness.events == ["r:due", "r:late"])
    #expect(harness.firings.last?.late == .hours(1))
    harness.wait(86_400)
    #expect(harness.firings.last?.event == .due)
    #expect(harness.firings.last?.due?.json == "2026-06-23T17:00:00Z")
  }

  @Test func missedEverySecondOfAYearTakesFewSteps() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"FREQ=SECONDLY"}"#
    )
    harness.wait(3601)
    harness.firings.removeAll()
    harness.restart(after: 365 * 86_400)
    #expect(harness.firings.count <= 1)
  }

  @Test func skipOlderThanBoundsWhatIsTold() throws {
    var settings = EngineSettings()
    settings.skipOlderThan = .minutes(30)
    var harness = EngineHarness(settings: settings)
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z"}"#)
    harness.restart(after: 2 * 3600)
    #expect(harness.events.isEmpty)
    #expect(harness.standings["t"]?.state == .expired)
  }

  @Test func aFloatingTimeFollowsTheZone() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T18:00:00"}"#)
    harness.send(.zone(TimeZoneRules(name: "X", fixedOffset: 3600, abbreviation: "X")))
    harness.wait(3 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
  }

  @Test func snoozeAndDone() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z"}"#)
    harness.wait(3601)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(20))))
    harness.wait(3600)
    #expect(harness.events == ["t:due", "t:due"])
    harness.send(.done(id: "t"))
    #expect(harness.standings["t"]?.state == .done)
    harness.wait(86_400)
    #expect(harness.events.count == 2)
  }

  /// It ends hours later, five minutes before the next due time and after its lead.
  @Test func theEndOfASnoozeReplacesTheLeadOfALaterDueTime() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","title":"R","due":"2026-06-12T17:00:00Z","repeat":"hourly","lead_s":[900]}"#)
    harness.wait(2701)
    harness.send(.snooze(id: "r", .until(try Instant(rfc3339: "2026-06-12T19:50:00Z"))))
    harness.wait(until: try Instant(rfc3339: "2026-06-12T20:50:00Z"))
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T16:45:00Z", "2026-06-12T19:50:00Z", "2026-06-12T20:45:00Z",
      ])
  }

  @Test func doneMovesARepeatingOneOn() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"daily"}"#)
    harness.send(.done(id: "r"))
    harness.wait(86_400)
    #expect(harness.events.isEmpty)
    harness.wait(3700)
    #expect(harness.firings.map(\.time.json) == ["2026-06-13T17:00:00Z"])
  }

  @Test func theClockMayStep() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z"}"#)
    // Forward over the due time: late, once.
    harness.now = EngineHarness.start + .hours(3)
    harness.send(.tick)
    // And back again: not a second time.
    harness.now = EngineHarness.start
    harness.send(.tick)
    harness.wait(2 * 3600)
    #expect(harness.events == ["t:late"])
    #expect(harness.firings.first?.late == .hours(2))
  }

  @Test func whatIsRemovedDoesNotFire() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z"}"#)
    harness.send(.remove(id: "t"))
    harness.wait(7200)
    #expect(harness.events.isEmpty)
    #expect(harness.kept["t"] == nil)
    #expect(harness.engine.count == 0)
  }
}
