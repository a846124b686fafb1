import CivilTime
import Reminders
import Testing

@testable import Interchange

/// Events without an occurrence, and times of which it is not clear when they are.
@Suite struct CalendarEmptySeriesTests {
  private func read(_ lines: String, _ kind: String = "VEVENT") throws -> CalendarReading {
    let alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:PT0S\nEND:VALARM"
    let item = "BEGIN:\(kind)\nUID:u\nSUMMARY:S\n\(lines)\n\(alarm)\nEND:\(kind)"
    return try CalendarReading(Array(CalendarFixtures.calendar(item).utf8), file: "f")
  }

  @Test(arguments: [
    ("DTSTART:20130803T190000Z", "EXDATE:20130803T190000Z"),
    ("DTSTART;TZID=Europe/London:20130803T200000", "EXDATE;VALUE=DATE-TIME:20130803T190000Z"),
    ("DTSTART:20130803T190000Z", "EXDATE;TZID=Europe/London:20130803T200000,20130831T200000"),
    ("DTSTART;VALUE=DATE:20130803", "EXDATE;VALUE=DATE:20130803"),
  ])
  func anEventWhoseOnlyOccurrenceIsExcludedNeverRings(start: String, exception: String) throws {
    let reading = try read("\(start)\n\(exception)")
    #expect(reading.reminders.isEmpty)
    #expect(reading.leftOut.isEmpty)
    #expect(reading.unalarmed.map(\.reason) == ["EXDATE excludes its only occurrence"])
  }

  @Test(arguments: [
    ("DTSTART:19801109T193000", "FREQ=DAILY;UNTIL=19701119T203000Z"),
    ("DTSTART:20261204T090000Z", "FREQ=WEEKLY;UNTIL=20261204T085959Z"),
    ("DTSTART;TZID=Europe/Berlin:20261204T090000", "FREQ=WEEKLY;UNTIL=20261204T075959Z"),
    ("DTSTART;TZID=Europe/Berlin:20261204T090000", "FREQ=WEEKLY;UNTIL=20261203"),
    ("DTSTART;VALUE=DATE:20261204", "FREQ=YEARLY;UNTIL=20261203T000000Z"),
  ])
  func anEventThatEndsBeforeItBeginsNeverRings(start: String, rule: String) throws {
    let reading = try read("\(start)\nRRULE:\(rule)")
    #expect(reading.reminders.isEmpty)
    #expect(reading.leftOut.isEmpty)
    #expect(reading.unalarmed.map(\.reason) == ["UNTIL is before its first occurrence"])
    // A task is still to be done.
    #expect(try read("\(start)\nRRULE:\(rule)", "VTODO").reminders.count == 1)
  }

  @Test(arguments: [
    ("DTSTART:20261204T090000Z", "FREQ=WEEKLY;UNTIL=20261204T090000Z"),
    ("DTSTART;TZID=Europe/Berlin:20261204T090000", "FREQ=WEEKLY;UNTIL=20261204"),
    ("DTSTART;VALUE=DATE:20261204", "FREQ=YEARLY;UNTIL=20261204"),
    ("DTSTART:20261204T090000Z", "FREQ=WEEKLY;UNTIL=20261203\nRDATE:20261211T090000Z"),
  ])
  func anEventThatEndsWithItsStartRings(start: String, rule: String) throws {
    #expect(try read("\(start)\nRRULE:\(rule)").reminders.count == 1)
  }

  /// As Google Calendar reads it.
  @Test func aZoneBesideAZCounts() throws {
    let reading = try read(
      "DTSTART;TZID=America/New_York:20211222T170000Z\nDTEND;TZID=America/New_York:20211222T180000Z"
    )
    #expect(
      reading.reminders.map(\.reminder.due) == [
        .absolute(try Instant(rfc3339: "2021-12-22T22:00:00Z"))
      ])
    #expect(reading.leftOut.isEmpty)
    let excluded = try read(
      "DTSTART;TZID=Europe/London:20130803T200000Z\nEXDATE;TZID=Europe/London:20130803T200000")
    #expect(excluded.reminders.isEmpty)
    let utc = try read("DTSTART;TZID=UTC:20130803T200000Z")
    #expect(
      utc.reminders.map(\.reminder.due) == [
        .absolute(try Instant(rfc3339: "2013-08-03T20:00:00Z"))
      ])
  }
}
