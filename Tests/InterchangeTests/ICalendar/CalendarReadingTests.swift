import CivilTime
import Departure
import Geodesy
import Reminders
import Testing

@testable import Interchange

@Suite struct CalendarReadingTests {
  private func read(_ text: String) throws -> [CalendarReminder] {
    try CalendarReading(Array(text.utf8), file: "f.ics").reminders
  }

  private func task(_ lines: String) throws -> [CalendarReminder] {
    try read(CalendarFixtures.calendar("BEGIN:VTODO\nUID:u\nSUMMARY:S\n\(lines)\nEND:VTODO"))
  }

  private func one(_ lines: String) throws -> CalendarReminder {
    let found = try task(lines)
    try #require(found.count == 1, "\(found)")
    return found[0]
  }

  private func utc(_ text: String) throws -> TimeStamp { try TimeStamp(parsing: text) }

  // MARK: - Programs

  @Test func applePlaces() throws {
    let found = try read(CalendarFixtures.appleGeofence)
    try #require(found.count == 1)
    let reminder = found[0].reminder
    #expect(reminder.kind == .location && reminder.trigger == .arrive)
    #expect(reminder.title == "Buy milk, eggs")
    #expect(reminder.place?.name == "Corner shop")
    #expect(try reminder.place?.position == point(53.5549, 9.9126))
    #expect(reminder.place?.radius == 141.1748408176572)
    // The trigger of 1976 is no date.
    #expect(reminder.due == nil && reminder.state == .armed)
    #expect(reminder.id.hasPrefix("11A1AD20-6412-4F61-AE56-7D0EE8CE4CE5#"))
  }

  @Test func appleDates() throws {
    let reminder = try read(CalendarFixtures.appleDue)[0].reminder
    #expect(reminder.kind == .date && reminder.leads == [])
    #expect(try reminder.due == utc("2026-11-18T22:00:00Z"))
    #expect(reminder.id == "A11D558C")
  }

  @Test func appleTravel() throws {
    let found = try read(CalendarFixtures.appleEvent).map(\.reminder)
    try #require(found.map(\.kind) == [.date, .preemptive])
    #expect(try found[0].due == utc("2026-11-20T09:00:00Z"))
    #expect(found[0].leads == [.minutes(15)])
    #expect(found[0].notes == "https://example.org/dentist")
    #expect(found[1].id == "EV-1/leave" && found[1].transport == .walking)
    #expect(found[1].place?.name == "Dentist, Main Street" && found[1].place?.radius == 70)
  }

  @Test func severalPlaces() throws {
    let found = try read(CalendarFixtures.proximity).map(\.reminder)
    #expect(found.map { $0.place?.name } == ["Office 1", "Office 2", "Home"])
    #expect(found.map { $0.place?.radius } == [10, Reminder.Place.defaultRadius, 200])
    #expect(found.map(\.trigger) == [.arrive, .arrive, .depart])
    #expect(Set(found.map(\.id)).count == 3)
  }

  /// The end of an event, its start without one, or the end of its day.
  @Test(arguments: [
    ("DTSTART:20261120T090000Z\nDTEND:20261120T100000Z", "2026-11-20T10:00:00Z"),
    ("DTSTART:20261120T090000Z\nDURATION:PT30M", "2026-11-20T09:30:00Z"),
    ("DTSTART:20261120T090000Z", "2026-11-20T09:00:00Z"),
    ("DTSTART;VALUE=DATE:20261120", "2026-11-21T00:00:00"),
    ("DTSTART;VALUE=DATE:20261120\nDTEND;VALUE=DATE:20261122", "2026-11-22T00:00:00"),
  ]) func anEventAtAPlaceEndsWithItsTime(times: String, until: String) throws {
    let found = try read(
      CalendarFixtures.calendar(
        """
        BEGIN:VEVENT
        UID:e
        SUMMARY:Fair
        \(times)
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER;VALUE=DATE-TIME:19760401T005545Z
        PROXIMITY:ARRIVE
        BEGIN:VLOCATION
        URL:geo:53.5,9.9;u=100
        END:VLOCATION
        END:VALARM
        END:VEVENT
        """)
    ).map(\.reminder)
    try #require(found.map(\.kind) == [.location])
    #expect(try found[0].until == TimeStamp(parsing: until))
  }

  @Test func tasksOrg() throws {
    let found = try read(CalendarFixtures.tasksOrg)
    try #require(found.count == 2)
    let reminder = found[0].reminder
    #expect(reminder.id == "3863299529704302692")
    #expect(reminder.category == "Home" && reminder.priority == 1)
    #expect(try reminder.due == utc("2026-11-19T17:00:00Z"))
    #expect(reminder.leads == [.hours(1)])
    #expect(reminder.repeatRule?.description == "FREQ=WEEKLY;COUNT=5;INTERVAL=2;BYDAY=TH")
    #expect(reminder.repeatChanges.zone?.name == "Europe/Berlin")
    // Half an hour behind the due time is a reminder of its own.
    #expect(try found[1].reminder.due == utc("2026-11-19T17:30:00Z"))
    #expect(found[1].reminder.repeats)
  }

  @Test func thunderbird() throws {
    let found = try read(CalendarFixtures.thunderbird)
    try #require(found.count == 1)
    #expect(found[0].reminder.state == .snoozed)
    #expect(try found[0].snoozedUntil == Instant(rfc3339: "2026-11-20T12:56:00Z"))
    #expect(found[0].standing == "snoozed 2026-11-20T12:56:00Z")
    #expect(found[0].reminder.leads == [.minutes(15)])
    #expect(try found[0].reminder.due == utc("2026-11-20T13:00:00Z"))
  }

  @Test func nextcloud() throws {
    let reminder = try read(CalendarFixtures.nextcloud)[0].reminder
    #expect(try reminder.due == utc("2026-11-21T09:00:00"))
    #expect(reminder.state == .armed)
  }

  @Test func evolution() throws {
    let found = try read(CalendarFixtures.evolution).map(\.reminder)
    try #require(found.count == 2)
    #expect(found[0].leads == [.minutes(10), .minutes(5), .zero])
    let named = try #require(found[0].repeatChanges.zone)
    #expect(named.name == "America/New_York")
    let series = try #require(found[0].series(in: .utc))
    var times: [String] = []
    var last: LocalDateTime? = series.first
    while let next = series.next(after: last), times.count < 4 {
      times.append(next.due.description)
      last = next.name
    }
    // The 3rd and the 4th are taken out, the 5th comes twice, the 6th was moved.
    #expect(
      times == [
        "2026-11-05T14:00:00Z", "2026-11-06T01:00:00Z", "2026-11-07T14:00:00Z",
        "2026-11-08T14:00:00Z",
      ])
    #expect(found[1].title == "Stand-up (moved)")
    #expect(found[1].id == "evo-1/20261106T090000")
    #expect(try found[1].due == utc("2026-11-06T16:00:00Z"))
  }

  @Test func jtx() throws {
    let reminder = try read(CalendarFixtures.jtx)[0].reminder
    #expect(reminder.state == .done)
    #expect(reminder.notes == "Line one\nLine two\nhttps://example.org/sails")
  }

  @Test(arguments: CalendarFixtures.all) func readingTwiceGivesTheSame(_ text: String) throws {
    #expect(try read(text) == read(text))
    // What a store and the socket carry is the JSON.
    for found in try read(text) {
      #expect(try Reminder(json: found.reminder.json) == found.reminder)
    }
  }

  // MARK: - Alarms and times

  @Test(arguments: [
    ("DUE:20261121T100000Z", "2026-11-21T10:00:00Z"),
    ("DUE:20261121T100000", "2026-11-21T10:00:00"),
    ("DUE;VALUE=DATE:20261121", "2026-11-21T09:00:00"),
    ("DTSTART:20261121T100000Z\nDURATION:PT2H", "2026-11-21T12:00:00Z"),
    ("DUE;TZID=W. Europe Standard Time:20261121T100000", "2026-11-21T09:00:00Z"),
    (
      "DUE;TZID=\"/freeassociation.sourceforge.net/Tzfile/Europe/Berlin\":20261121T100000",
      "2026-11-21T09:00:00Z"
    ),
    ("DUE;TZID=UTC:20261121T100000", "2026-11-21T10:00:00Z"),
    ("DUE:20261121T100060Z", "2026-11-21T10:00:59Z"),
  ]) func aTaskFiresWhenDue(_ line: String, _ due: String) throws {
    let found = try one(line)
    #expect(found.reminder.due?.description == due)
    #expect(found.reminder.leads == [])
  }

  @Test func aTaskWithoutTimeAndAlarmIsNone() throws {
    #expect(try task("STATUS:NEEDS-ACTION").isEmpty)
    let event = CalendarFixtures.calendar(
      "BEGIN:VEVENT\nUID:u\nDTSTART:20261121T100000Z\nEND:VEVENT")
    #expect(try read(event).isEmpty)
  }

  @Test func alarmsOfAWholeDayCountFromMidnight() throws {
    let found = try one(
      "DUE;VALUE=DATE:20261121\nBEGIN:VALARM\nTRIGGER;RELATED=END:PT8H30M\nACTION:DISPLAY\nEND:VALARM"
    )
    #expect(found.reminder.due?.description == "2026-11-21T08:30:00")
  }

  @Test func alarmsWithoutADueTime() throws {
    let found = try one(
      """
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:20261121T100000Z
      END:VALARM
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:20261121T090000Z
      END:VALARM
      """)
    #expect(found.reminder.due?.description == "2026-11-21T10:00:00Z")
    #expect(found.reminder.leads == [.hours(1), .zero])
  }

  /// A lead of more than a century could not be kept.
  @Test func alarmsOfAnotherAgeAreNone() throws {
    let alarms = ["19010101T000000Z", "20261121T090000Z"].map {
      "BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:\($0)\nEND:VALARM"
    }.joined(separator: "\n")
    #expect(try one("DUE:20261121T100000Z\n" + alarms).reminder.leads == [.hours(1)])
    #expect(try one(alarms).reminder.leads == [])
  }

  @Test func acknowledgedAlarmsDoNotFireAgain() throws {
    func alarms(_ first: String, _ second: String) -> String {
      """
      DUE:20261121T100000Z
      BEGIN:VALARM
      TRIGGER;RELATED=END:-PT1H
      ACKNOWLEDGED:\(first)
      END:VALARM
      BEGIN:VALARM
      TRIGGER;RELATED=END:PT0S
      ACKNOWLEDGED:\(second)
      END:VALARM
      """
    }
    let early = "20261101T000000Z"
    let none = try one(alarms(early, early))
    #expect(none.standing == "armed" && none.history(at: nil, in: .utc).leadsUsed.isEmpty)
    let first = try one(alarms("20261121T090001Z", early))
    #expect(first.standing == "acknowledged 1")
    #expect(first.history(at: nil, in: .utc).leadsUsed.values.first == 1)
    let both = try one(alarms("20261121T090001Z", "20261121T100001Z"))
    #expect(both.standing == "fired" && both.reminder.state == .fired)
    #expect(both.reminder.leads == [.hours(1), .zero])
  }

  /// Two hours after the second occurrence, which somebody has dismissed elsewhere or not.
  @Test(arguments: [
    ("ACKNOWLEDGED:20261122T100001Z\n", "2026-11-23T10:00:00Z"),
    ("ACKNOWLEDGED:20261121T100001Z\n", "2026-11-22T10:00:00Z"), ("", "2026-11-22T10:00:00Z"),
  ])
  func whatWasAcknowledgedOfASeriesDoesNotRing(_ line: String, _ next: String) throws {
    let found = try one(
      "DUE:20261121T100000Z\nRRULE:FREQ=DAILY\nBEGIN:VALARM\nTRIGGER;RELATED=END:PT0S\n\(line)"
        + "END:VALARM")
    let history = found.history(at: try Instant(rfc3339: "2026-11-22T12:00:00Z"), in: .utc)
    var schedule = Schedule(found.reminder, in: .utc)
    #expect(schedule.next(after: history.usedUpTo)?.due.json == next)
    #expect((found.standing == "armed") == line.isEmpty)
  }

  @Test func theFilesOwnZoneCountsWhereTheSystemHasNone() throws {
    let zone = """
      BEGIN:VTIMEZONE
      TZID:Boat time
      BEGIN:DAYLIGHT
      TZOFFSETFROM:+0330
      TZOFFSETTO:+0430
      DTSTART:19700329T020000
      RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
      END:DAYLIGHT
      BEGIN:STANDARD
      TZOFFSETFROM:+0430
      TZOFFSETTO:+0330
      DTSTART:19701025T030000
      RRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=25,26,27,28,29,30,31;BYDAY=SU
      END:STANDARD
      END:VTIMEZONE

      """
    func due(_ time: String, rule: String = "") throws -> Reminder {
      try read(
        CalendarFixtures.calendar(
          zone + "BEGIN:VTODO\nUID:u\nDUE;TZID=Boat time:\(time)\n\(rule)END:VTODO"))[0].reminder
    }
    #expect(try due("20261121T100000").due == utc("2026-11-21T06:30:00Z"))
    #expect(try due("20260721T100000").due == utc("2026-07-21T05:30:00Z"))
    #expect(try due("20261025T025959").due == utc("2026-10-24T22:29:59Z"))
    let name = try due("20261121T100000", rule: "RRULE:FREQ=DAILY\n").repeatChanges.zone?.name
    #expect(name == "<STD>-3:30<DST>-4:30,M3.5.0/2,M10.5.0/3")
  }

  @Test(arguments: [
    ("\"(GMT+10:00) Canberra, Melbourne, Sydney\"", "2026-07-21T00:00:00Z"),
    ("\"(UTC-05:00) Eastern Time (US & Canada)\"", "2026-07-21T14:00:00Z"),
    ("\"(UTC-05:00) Eastern Time (US and Canada)\"", "2026-07-21T14:00:00Z"),
    ("W. Europe Standard Time", "2026-07-21T08:00:00Z"), ("UTC+01", "2026-07-21T09:00:00Z"),
    ("\"UTC-09:30\"", "2026-07-21T19:30:00Z"), ("UTC-11", "2026-07-21T21:00:00Z"),
  ]) func namesOfWindowsAreZones(_ name: String, _ instant: String) throws {
    let found = try task("DUE;TZID=\(name):20260721T100000")
    #expect(try found.first?.reminder.due == utc(instant))
  }

  /// Of iOS 26: a semicolon within a parameter is escaped as in a text.
  @Test func anEscapedSemicolonInAParameterIsNoEnd() throws {
    let found = try task(
      "BEGIN:VALARM\nX-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION;VALUE=URI;"
        + "X-TITLE=Hauptstraße 1-5\\; 4041 Linz;X-APPLE-RADIUS=70.5:geo:48.3,14.29\nEND:VALARM")
    #expect(found.first?.reminder.place?.name == "Hauptstraße 1-5; 4041 Linz")
    #expect(found.first?.reminder.place?.radius == 70.5)
  }

  @Test func anEventWithoutAnAlarmMayRepeatInAnyWay() throws {
    let birthday = "BEGIN:VEVENT\nUID:b\nDTSTART;VALUE=DATE:20141210\nRDATE:20131210Z\n"
    let good = "BEGIN:VTODO\nUID:u\nDUE:20261121T100000Z\nEND:VTODO"
    let found = try read(CalendarFixtures.calendar(birthday + "END:VEVENT\n" + good))
    #expect(found.map(\.reminder.id) == ["u"])
    let text = CalendarFixtures.calendar(birthday + "END:VEVENT\n" + good)
    #expect(try CalendarReading(Array(text.utf8), file: "f").leftOut == [])
  }

  @Test func aRepeatingPlaceCountsOnceItIsDue() throws {
    let found = try one(
      """
      DUE:20261121T100000Z
      RRULE:FREQ=WEEKLY
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      PROXIMITY:ARRIVE
      X-APPLE-STRUCTURED-LOCATION:geo:1,2
      END:VALARM
      """)
    #expect(found.reminder.kind == .location && found.reminder.repeats)
    #expect(try found.reminder.due == utc("2026-11-21T10:00:00Z"))
  }

  /// As vobject 0.9.6 gives back what it does not know.
  @Test func aDamagedPlaceIsPassedOverWhereAnotherSaysTheSame() throws {
    let found = try one(
      """
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      PROXIMITY:ARRIVE
      X-APPLE-STRUCTURED-LOCATION:geo:53.5549
      BEGIN:VLOCATION
      URL:geo:53.5549,9.9126;u=60
      END:VLOCATION
      END:VALARM
      """)
    #expect(try found.reminder.place?.position == point(53.5549, 9.9126))
  }

  @Test func anAlarmByPlaceWithoutOneIsLeftOut() throws {
    let text = CalendarFixtures.calendar(
      """
      BEGIN:VTODO
      UID:u
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      PROXIMITY:ARRIVE
      END:VALARM
      END:VTODO
      """)
    let reading = try CalendarReading(Array(text.utf8), file: "f")
    #expect(reading.reminders.isEmpty)
    #expect(reading.leftOut == [Refusal(line: 7, reason: "an alarm by place without a position")])
  }

  @Test func oldDatesAreSettled() throws {
    let now = try Instant(rfc3339: "2026-11-21T12:00:00Z")
    func state(_ lines: String) throws -> Reminder.State {
      try one(lines).settled(at: now, zone: .utc).reminder.state
    }
    #expect(try state("DUE:20261119T100000Z") == .fired)
    #expect(try state("DUE:20261121T100000Z") == .armed)
    #expect(try state("DUE:20261119T100000Z\nRRULE:FREQ=DAILY") == .armed)
    // Of a repeating one, what was due within a day may still fire.
    func next(_ lines: String) throws -> String? {
      let reminder = try one(lines)
      var schedule = Schedule(reminder.reminder, in: .utc)
      return schedule.next(after: reminder.history(at: now, in: .utc).usedUpTo)?.name.description
    }
    #expect(try next("DUE:20261101T100000Z\nRRULE:FREQ=DAILY") == "2026-11-21T10:00:00")
    #expect(try next("DUE:20261121T100000Z\nRRULE:FREQ=DAILY") == "2026-11-21T10:00:00")
    #expect(try next("DUE:20261001T100000Z\nRRULE:FREQ=DAILY;COUNT=3") == nil)
    #expect(try next("DUE:20261119T100000Z") == "2026-11-19T10:00:00")
  }

  @Test(arguments: [
    ("PT15M", 0, 900), ("-PT15M", 0, -900), ("P1DT12H", 1, 43_200), ("P2W", 14, 0),
    ("+PT1H30M5S", 0, 5_405), ("PT0S", 0, 0), ("-P1D", -1, 0), ("-PT24H", 0, -86_400),
    ("PT36H0M5S", 0, 129_605),
    ("P", 0, 0), ("PT", 0, 0), ("-PT1D", -1, 0), ("-PT1D12H", -1, -43_200),
  ]) func spans(_ text: String, _ days: Int, _ seconds: Int64) throws {
    let line = ContentLine.make("TRIGGER", [], text, lineEnd: [0x0A])
    let span = try CalendarValue.span(line)
    #expect(span == CalendarSpan(days: days, microseconds: seconds * 1_000_000))
    let again = ContentLine.make("TRIGGER", [], span.iCalendar, lineEnd: [0x0A])
    #expect(try CalendarValue.span(again) == span)
  }

  @Test(arguments: [
    (-1, 12, 0, -12), (1, -12, 0, 12), (1, -36, 0, -12), (-1, 36, 0, 12), (2, -25, 0, 23),
    (-3, 1, -2, -23), (1, -24, 0, 0), (-1, 24, 0, 0), (2, 1, 2, 1),
  ]) func daysAndHoursHaveOneSign(_ days: Int, _ hours: Int64, _ d: Int, _ h: Int64) {
    let hour: Int64 = 3_600_000_000
    let span = CalendarSpan(days: days, microseconds: hours * hour).withOneSign
    #expect(span == CalendarSpan(days: d, microseconds: h * hour))
  }
}
