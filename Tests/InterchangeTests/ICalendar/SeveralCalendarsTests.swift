import CivilTime
import Geodesy
import Reminders
import Testing

@testable import Interchange

/// Several VCALENDARs in one stream, as `cat a.ics b.ics` makes it.
@Suite struct SeveralCalendarsTests {
  private static let alarm = "BEGIN:VALARM\nTRIGGER:PT0S\nEND:VALARM\n"

  /// Outlook names each zone like this.
  private func zone(_ offset: String) -> String {
    "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:16010101T000000\n"
      + "TZOFFSETFROM:\(offset)\nTZOFFSETTO:\(offset)\nEND:STANDARD\nEND:VTIMEZONE\n"
  }

  private func event(_ uid: String, _ lines: String) -> String {
    "BEGIN:VEVENT\nUID:\(uid)\nSUMMARY:S\n\(lines)\n\(Self.alarm)END:VEVENT"
  }

  private func reading(_ calendars: String...) throws -> CalendarReading {
    let text = calendars.map { CalendarFixtures.calendar($0) }.joined()
    return try CalendarReading(Array(text.utf8), file: "f")
  }

  /// The due times in UTC, rising.
  private func times(_ reading: CalendarReading) throws -> [String] {
    var found: [Instant] = []
    for reminder in reading.reminders where reminder.reminder.state != .done {
      guard let series = reminder.reminder.series(in: .utc) else {
        found.append(try #require(reminder.reminder.due).instant(in: .utc))
        continue
      }
      var last: LocalDateTime?
      while let next = series.next(after: last) {
        (last, found) = (next.name, found + [next.due])
      }
    }
    return found.sorted().map(\.json)
  }

  @Test func aTZIDIsOfItsOwnCalendar() throws {
    let local = "DTSTART;TZID=Customized Time Zone:20261202T100000"
    let both = try reading(
      zone("+0100") + event("east", local), zone("-0500") + event("west", local))
    #expect(try times(both) == ["2026-12-02T09:00:00Z", "2026-12-02T15:00:00Z"])
    // One that describes none takes the description of the other.
    let one = try reading(event("none", local), zone("-0500") + event("west", local))
    #expect(try times(one) == ["2026-12-02T15:00:00Z", "2026-12-02T15:00:00Z"])
    #expect(one.leftOut.isEmpty)
  }

  @Test func aChangedOccurrenceMayBeInAnotherCalendar() throws {
    let series = event("o", "DTSTART:20261202T100000Z\nRRULE:FREQ=DAILY;COUNT=3")
    let id = "RECURRENCE-ID:20261203T100000Z\nDTSTART:20261203T150000Z"
    #expect(
      try times(reading(series, event("o", id)))
        == ["2026-12-02T10:00:00Z", "2026-12-03T15:00:00Z", "2026-12-04T10:00:00Z"])
    #expect(
      try times(reading(series, event("o", id + "\nSTATUS:CANCELLED")))
        == ["2026-12-02T10:00:00Z", "2026-12-04T10:00:00Z"])
  }

  /// The one of the highest revision counts.
  @Test func anOccurrenceThatIsNamedOnTwoClocksIsOne() throws {
    let series = event("o", "DTSTART;TZID=Europe/Berlin:20261202T100000\nRRULE:FREQ=DAILY;COUNT=2")
    let local = event(
      "o",
      "SEQUENCE:1\nRECURRENCE-ID;TZID=Europe/Berlin:20261203T100000\nDTSTART:20261203T140000Z")
    let utc = event("o", "SEQUENCE:2\nRECURRENCE-ID:20261203T090000Z\nDTSTART:20261203T160000Z")
    for parts in [[series, local, utc], [series, utc, local]] {
      #expect(
        try times(reading(parts.joined(separator: "\n")))
          == ["2026-12-02T09:00:00Z", "2026-12-03T16:00:00Z"])
    }
  }

  /// `task-1` may be in an unreadable part; `task-10` is another task.
  @Test func anUnreadTaskHoldsItsOwnRemindersAlone() throws {
    let reading = try reading("BEGIN:VTODO\nUID:task-1\nDUE:soon\nEND:VTODO")
    for id in ["task-1", "task-1/leave", "task-1#abc", "task-1+-PT1H"] {
      #expect(reading.mayHold(id))
    }
    for id in ["task-10", "task-", "other"] { #expect(!reading.mayHold(id)) }
  }

  @Test func aSnoozeMayBeRelativeToTheStart() throws {
    let text = """
      BEGIN:VEVENT
      UID:e
      SUMMARY:E
      DTSTART:20261202T100000Z
      BEGIN:VALARM
      UID:A
      TRIGGER:-PT15M
      ACKNOWLEDGED:20261202T094600Z
      END:VALARM
      BEGIN:VALARM
      UID:B
      TRIGGER:-PT5M
      RELATED-TO;RELTYPE=SNOOZE:A
      END:VALARM
      END:VEVENT
      """
    let found = try #require(try reading(text).reminders.first)
    #expect(found.reminder.state == .snoozed)
    #expect(found.snoozedUntil?.json == "2026-12-02T09:55:00Z")
  }

  @Test func oneBadPlaceOfAnAlarmLeavesTheOthers() throws {
    func location(_ position: String) -> String {
      "BEGIN:VLOCATION\nURL:geo:\(position)\nEND:VLOCATION\n"
    }
    let both = try reading(
      "BEGIN:VTODO\nUID:p\nSUMMARY:P\nBEGIN:VALARM\nPROXIMITY:ARRIVE\n"
        + "TRIGGER;VALUE=DATE-TIME:19760401T005545Z\n" + location("152.5,13.4")
        + location("52.5,13.4;u=100") + "END:VALARM\nEND:VTODO")
    #expect(both.reminders.map(\.reminder.place?.position.latitude) == [52.5])
    #expect(both.leftOut.map(\.line) == [12])
  }
}
