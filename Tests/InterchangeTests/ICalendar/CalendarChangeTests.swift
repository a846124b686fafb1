import CivilTime
import Reminders
import Testing

@testable import Interchange

/// What is written back into a calendar, and that nothing else is.
@Suite struct CalendarChangeTests {
  private let now = Instant(microseconds: 1_795_262_400_000_000)

  private func change(
    _ text: String, _ change: CalendarChange, number: Int = 0, in zone: TimeZoneRules = .utc
  ) throws -> String {
    var document = try CalendarDocument(Array(text.utf8), name: "f")
    let found = try CalendarReading(document, file: "f").reminders[number]
    _ = try document.apply(change, to: found, at: now, in: zone)
    return String(decoding: document.bytes, as: UTF8.self)
  }

  private func name(_ text: String) throws -> LocalDateTime {
    guard case .floating(let local) = try TimeStamp(parsing: text) else { throw NoName() }
    return local
  }

  private struct NoName: Error {}

  private func reminders(_ text: String) throws -> [CalendarReminder] {
    try CalendarReading(Array(text.utf8), file: "f").reminders
  }

  private func lines(_ text: String) -> [String] {
    text.replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
  }

  /// Lines that went and came, without those of every revision.
  private func difference(_ a: String, _ b: String) -> [String] {
    let change = lines(b).difference(from: lines(a))
    return change.compactMap { step in
      switch step {
      case .remove(_, let line, _): "-" + line
      case .insert(_, let line, _): "+" + line
      }
    }.filter { !$0.contains("DTSTAMP") && !$0.contains("LAST-MODIFIED") }.sorted()
  }

  @Test func doneCompletesATask() throws {
    let text = CalendarFixtures.appleGeofence
    let done = try change(text, .done(through: nil))
    #expect(
      difference(text, done) == [
        "+COMPLETED:20261121T120000Z", "+PERCENT-COMPLETE:100", "+SEQUENCE:1",
        "+STATUS:COMPLETED", "-STATUS:NEEDS-ACTION",
      ])
    #expect(
      done.contains("LAST-MODIFIED:20261121T120000Z") && done.contains("DTSTAMP:20261121T120000Z"))
    #expect(try reminders(done).map(\.standing) == ["done"])
  }

  @Test func doneAdvancesToTheNextOccurrence() throws {
    let text = CalendarFixtures.tasksOrg
    let next = try Instant(rfc3339: "2026-12-17T17:00:00Z")
    let done = try change(text, .done(through: name("2026-12-03T18:00:00")))
    #expect(
      difference(text, done) == [
        "+DUE;TZID=Europe/Berlin:20261217T180000",
        "+RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;COUNT=3", "+SEQUENCE:1",
        "-DUE;TZID=Europe/Berlin:20261119T180000",
        "-RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;COUNT=5",
      ])
    #expect(try reminders(done)[0].reminder.due == .absolute(next))
    let last = try change(done, .done(through: nil))
    #expect(try reminders(last).allSatisfy { $0.standing == "done" })
  }

  /// By the clock of the task, also where that is set forward in between.
  @Test func theClockOfATaskStays() throws {
    let text = CalendarFixtures.calendar(
      """
      BEGIN:VTODO
      UID:u
      DTSTART;VALUE=DATE:20270320
      DUE;TZID=Europe/Berlin:20270321T090000
      RRULE:FREQ=WEEKLY
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:20270321T070000Z
      ACKNOWLEDGED:20270321T070100Z
      END:VALARM
      END:VTODO
      """)
    let done = try change(text, .done(through: name("2027-03-20T00:00:00")))
    #expect(done.contains("DTSTART;VALUE=DATE:20270327\r\n"))
    #expect(done.contains("DUE;TZID=Europe/Berlin:20270328T090000\r\n"))
    #expect(!done.contains("ACKNOWLEDGED"))
  }

  @Test func doneAcknowledgesAnEvent() throws {
    let done = try change(CalendarFixtures.appleEvent, .done(through: nil))
    #expect(
      difference(CalendarFixtures.appleEvent, done) == ["+ACKNOWLEDGED:20261121T120000Z"])
    #expect(try reminders(done)[0].standing == "fired")
  }

  @Test func aSnoozeIsAnAlarmOfItsOwn() throws {
    let until = now + .minutes(20)
    let text = CalendarFixtures.appleGeofence
    let snoozed = try change(text, .snoozed(until: until))
    let added = difference(text, snoozed)
    #expect(added.contains("+ACKNOWLEDGED:20261121T120000Z"))
    #expect(added.contains("+RELATED-TO;RELTYPE=SNOOZE:9EF67428-7209-4EA4-9029-4049F577F4FF"))
    #expect(added.contains("+TRIGGER;VALUE=DATE-TIME:20261121T122000Z"))
    #expect(!added.contains { $0.hasPrefix("-") || $0.hasPrefix("+SEQUENCE") })
    let found = try reminders(snoozed)
    #expect(found.count == 1 && found[0].reminder.state == .snoozed)
    #expect(found[0].snoozedUntil == until)
    #expect(try found[0].reminder.id == reminders(text)[0].reminder.id)
    // Another snooze takes its place, and done takes it away.
    let again = try change(snoozed, .snoozed(until: until + .hours(1)))
    #expect(try reminders(again)[0].snoozedUntil == until + .hours(1))
    #expect(lines(again).filter { $0 == "BEGIN:VALARM" }.count == 2)
    let done = try change(again, .done(through: nil))
    #expect(lines(done).filter { $0 == "BEGIN:VALARM" }.count == 1)
    #expect(try reminders(done)[0].standing == "done")
  }

  @Test func aTaskWithoutAnAlarmCanBePutOff() throws {
    let until = now + .hours(30)
    let snoozed = try change(CalendarFixtures.nextcloud, .snoozed(until: until))
    let found = try reminders(snoozed)
    #expect(found.count == 1 && found[0].snoozedUntil == until)
    #expect(
      try found[0].reminder.due == reminders(CalendarFixtures.nextcloud)[0].reminder.due)
  }

  @Test func theNewerOfTwoRevisionsIsChanged() throws {
    let text = CalendarFixtures.calendar(
      """
      BEGIN:VTODO
      UID:u
      SEQUENCE:4
      SUMMARY:New
      DUE:20261121T100000Z
      END:VTODO
      BEGIN:VTODO
      UID:u
      SEQUENCE:2
      SUMMARY:Old
      DUE:20261121T100000Z
      END:VTODO
      """)
    let done = try change(text, .done(through: nil))
    #expect(lines(done).firstIndex(of: "SEQUENCE:5") == lines(text).firstIndex(of: "SEQUENCE:4"))
    #expect(done.contains("SEQUENCE:2"))
  }
}
