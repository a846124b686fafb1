import CivilTime
import Reminders
import Testing

@testable import Interchange

/// When the reminders of repeating items fire: by the names of their occurrences.
@Suite struct CalendarSeriesTests {
  private func text(_ lines: String) -> String { CalendarFixtures.calendar(lines) }

  /// An event, its lines and the triggers of its alarms.
  private func event(_ lines: String, _ triggers: String..., uid: String = "u") -> String {
    item("VEVENT", uid, lines, triggers)
  }

  private func task(_ lines: String, _ triggers: String..., uid: String = "u") -> String {
    item("VTODO", uid, lines, triggers)
  }

  private func item(
    _ kind: String, _ uid: String, _ lines: String, _ triggers: [String]
  ) -> String {
    let alarms = triggers.map { "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER\($0)\nEND:VALARM\n" }
    return "BEGIN:\(kind)\nUID:\(uid)\n\(lines)\n\(alarms.joined())END:\(kind)"
  }

  /// The firings of all reminders before a limit, by the clock of a zone.
  private func firings(
    _ items: String..., in name: String = "Europe/Berlin",
    until limit: String = "2100-01-01T00:00:00"
  ) throws -> [String] {
    let zone = try TimeZoneRules(named: name)
    let limit = try TimeStamp(parsing: limit).instant(in: zone)
    let calendar = text(items.joined(separator: "\n"))
    var found: [Instant] = []
    for entry in try CalendarReading(Array(calendar.utf8), file: "f").reminders {
      // What a store and the socket carry is the JSON.
      let reminder = try Reminder(json: entry.reminder.json)
      #expect(reminder == entry.reminder)
      let series = try #require(reminder.series(in: zone))
      let leads = reminder.leads.isEmpty ? [.zero] : reminder.leads
      var last: LocalDateTime?
      while let next = series.next(after: last), next.due < limit {
        last = next.name
        found += leads.map { $0.before(next.due, in: reminder.calendarZone(zone)) }
      }
    }
    return found.sorted().map {
      String(zone.localDateTime(at: $0).description.dropLast(3)).replacing("T", with: " ")
    }
  }

  // MARK: - The start, and what is due later

  @Test func anAlarmAfterTheStartKeepsTheRuleOfTheStart() throws {
    let shift = event(
      "DTSTART;TZID=Europe/Berlin:20261202T220000\nDTEND;TZID=Europe/Berlin:20261203T060000\n"
        + "RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20261216T210000Z", ";RELATED=END:PT0S")
    #expect(
      try firings(shift) == ["2026-12-03 06:00", "2026-12-10 06:00", "2026-12-17 06:00"])
    let both = event(
      "DTSTART;TZID=Europe/Berlin:20261202T100000\nRRULE:FREQ=WEEKLY;UNTIL=20261209T090000Z",
      ":-PT30M", ":PT30M")
    #expect(
      try firings(both) == [
        "2026-12-02 09:30", "2026-12-02 10:30", "2026-12-09 09:30", "2026-12-09 10:30",
      ])
  }

  @Test func aTaskIsDueAfterItsStart() throws {
    let sprint = task(
      "DTSTART;TZID=Europe/Berlin:20261130T090000\nDUE;TZID=Europe/Berlin:20261204T170000\n"
        + "RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261214T080000Z")
    #expect(
      try firings(sprint) == ["2026-12-04 17:00", "2026-12-11 17:00", "2026-12-18 17:00"])
    let tax = task(
      "DTSTART;TZID=Europe/Berlin:20261201T080000\nDUE;TZID=Europe/Berlin:20261205T120000\n"
        + "RRULE:FREQ=MONTHLY;BYMONTHDAY=1;COUNT=3")
    #expect(
      try firings(tax) == ["2026-12-05 12:00", "2027-01-05 12:00", "2027-02-05 12:00"])
  }

  /// RDATE, EXDATE and RECURRENCE-ID name starts.
  @Test func singleDatesOfATaskAreStarts() throws {
    let times =
      "DTSTART;TZID=Europe/Berlin:20261130T090000\nDUE;TZID=Europe/Berlin:20261202T170000\n"
    #expect(
      try firings(task(times + "RDATE;TZID=Europe/Berlin:20261207T090000"))
        == ["2026-12-02 17:00", "2026-12-09 17:00"])
    #expect(
      try firings(
        task(times + "RRULE:FREQ=WEEKLY;COUNT=3\nEXDATE;TZID=Europe/Berlin:20261207T090000"))
        == ["2026-12-02 17:00", "2026-12-16 17:00"])
    let moved = task(
      "RECURRENCE-ID;TZID=Europe/Berlin:20261207T090000\nDUE;TZID=Europe/Berlin:20261211T080000")
    #expect(
      try firings(task(times + "RRULE:FREQ=WEEKLY;COUNT=3"), moved)
        == ["2026-12-02 17:00", "2026-12-11 08:00", "2026-12-16 17:00"])
  }

  @Test func alarmsOfATaskAreRelativeToItsStartOrItsDueTime() throws {
    let both = task(
      "DTSTART;TZID=Europe/Berlin:20270327T200000\nDUE;TZID=Europe/Berlin:20270328T060000\n"
        + "RRULE:FREQ=WEEKLY;COUNT=2", ":-PT15M", ";RELATED=END:-PT15M", ":PT1H")
    // Ten hours in elapsed time, of which the first night has nine.
    #expect(
      try firings(both) == [
        "2027-03-27 19:45", "2027-03-27 21:00", "2027-03-28 05:45",
        "2027-04-03 19:45", "2027-04-03 21:00", "2027-04-04 04:45",
      ])
  }

  @Test func aWholeDayOfSeveralDaysKeepsItsWeekday() throws {
    let fast = event(
      "DTSTART;VALUE=DATE:20261204\nDTEND;VALUE=DATE:20261206\nRRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3",
      ":P1DT9H")
    for zone in ["Europe/Berlin", "Pacific/Auckland", "Pacific/Honolulu"] {
      #expect(
        try firings(fast, in: zone) == ["2026-12-05 09:00", "2026-12-12 09:00", "2026-12-19 09:00"])
    }
  }

  // MARK: - Days and hours

  @Test func daysOfAnAlarmGoByTheCalendar() throws {
    func alarm(_ trigger: String) throws -> [String] {
      try firings(event("DTSTART;TZID=Europe/Berlin:20270328T100000", trigger))
    }
    #expect(try alarm(":-P1D") == ["2027-03-27 10:00"])
    #expect(try alarm(":-PT24H") == ["2027-03-27 09:00"])
    #expect(try alarm(":-P1DT1H") == ["2027-03-27 09:00"])
    #expect(
      try firings(
        event("DTSTART;TZID=Europe/Berlin:20270328T100000", ":-P1D"), in: "America/New_York")
        == ["2027-03-27 05:00"])
    #expect(
      try firings(
        event("DTSTART;VALUE=DATE:20270329\nRRULE:FREQ=WEEKLY;COUNT=2", ":-PT23H", ":-PT15H"))
        == ["2027-03-28 01:00", "2027-03-28 09:00", "2027-04-04 01:00", "2027-04-04 09:00"])
    // A whole day has times of day, however they are written.
    for trigger in [":-P1DT15H", ":-PT39H"] {
      #expect(
        try firings(event("DTSTART;VALUE=DATE:20270329", trigger)) == ["2027-03-27 09:00"])
    }
  }

  /// Three hours after the start are three hours, each time.
  @Test(arguments: ["DTSTART;TZID=Europe/Berlin:20270328T003000", "DTSTART:20270328T003000"])
  func anAlarmAfterTheStartIsNotShiftedForGood(start: String) throws {
    #expect(
      try firings(event(start + "\nRRULE:FREQ=WEEKLY;COUNT=2", ":PT3H"))
        == ["2027-03-28 04:30", "2027-04-04 03:30"])
    #expect(
      try firings(event(start + "\nRRULE:FREQ=WEEKLY;COUNT=2", ":PT26H"))
        == ["2027-03-29 03:30", "2027-04-05 02:30"])
    #expect(
      try firings(event(start + "\nRRULE:FREQ=WEEKLY;COUNT=2", ":P1DT2H"))
        == ["2027-03-29 02:30", "2027-04-05 02:30"])
    #expect(
      try firings(
        event(start + "\nDURATION:P2DT3H\nRRULE:FREQ=WEEKLY;COUNT=2", ";RELATED=END:-PT4H"))
        == ["2027-03-29 23:30", "2027-04-05 23:30"])
  }

  /// A reading that the clocks leave out is the name of its occurrence.
  @Test func aStartInTheGapOfSpringKeepsItsReading() throws {
    let daily = task(
      "DUE;TZID=Europe/Berlin:20270328T023000\nRRULE:FREQ=DAILY;COUNT=3\n"
        + "EXDATE;TZID=Europe/Berlin:20270329T023000")
    #expect(try firings(daily) == ["2027-03-28 03:30", "2027-03-30 02:30"])
    let excluded = task(
      "DUE;TZID=Europe/Berlin:20270327T023000\nRRULE:FREQ=DAILY;COUNT=3\n"
        + "EXDATE;TZID=Europe/Berlin:20270328T023000")
    #expect(try firings(excluded) == ["2027-03-27 02:30", "2027-03-29 02:30"])
  }

  // MARK: - Whole days with times

  private static let exchange = """
    BEGIN:VTIMEZONE
    TZID:W. Europe Standard Time
    BEGIN:STANDARD
    DTSTART:16010101T030000
    TZOFFSETFROM:+0200
    TZOFFSETTO:+0100
    END:STANDARD
    END:VTIMEZONE

    """

  /// The machine's zone has no part in which day is meant.
  @Test(arguments: ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland", "Asia/Kolkata"])
  func wholeDaysAreComparedAsDays(zone: String) throws {
    func days(_ lines: String, more: String = "", file: String = "") throws -> [String] {
      let series = event("DTSTART;VALUE=DATE:20261202\n" + lines, ":PT9H")
      let calendar = file + series + (more.isEmpty ? "" : "\n" + more)
      return try firings(calendar, in: zone).map { text in
        #expect(text.hasSuffix(" 09:00"))
        return String(text.dropFirst(8).prefix(2))
      }
    }
    let rule = "RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL="
    #expect(try days(rule + "20261216T000000Z") == ["02", "09", "16"])
    #expect(try days(rule + "20261215T230000Z", file: Self.exchange) == ["02", "09", "16"])
    #expect(try days(rule + "20261215T230000Z") == ["02", "09", "16"])
    #expect(try days(rule + "20261216T050000Z") == ["02", "09", "16"])
    #expect(try days(rule + "20261216T235959Z") == ["02", "09", "16"])
    #expect(try days(rule + "20261216T225959Z", file: Self.exchange) == ["02", "09", "16"])
    #expect(try days(rule + "20261216") == ["02", "09", "16"])
    #expect(try days(rule + "20261215T235959Z") == ["02", "09"])
    #expect(try days(rule + "20261215") == ["02", "09"])
    let three = "RRULE:FREQ=WEEKLY;COUNT=3"
    for exception in [
      ";TZID=W. Europe Standard Time:20261209T000000", ":20261208T230000Z", ":20261209T000000Z",
      ";VALUE=DATE:20261209", ":20261209T000000",
    ] {
      #expect(
        try days(three + "\nEXDATE\(exception)", file: Self.exchange) == ["02", "16"],
        "\(exception)")
      let moved = event(
        "DTSTART;VALUE=DATE:20261210\nRECURRENCE-ID\(exception)", ":PT9H")
      #expect(
        try days(three, more: moved, file: Self.exchange) == ["02", "10", "16"], "\(exception)")
    }
    #expect(try days(three + "\nRDATE;VALUE=DATE:20261203") == ["02", "03", "09", "16"])
    #expect(try days("RRULE:FREQ=DAILY;BYHOUR=8,20;COUNT=2") == ["02", "03"])
  }

  // MARK: - THISANDFUTURE

  private let weekly = "DTSTART;TZID=Europe/Berlin:20261201T100000\nRRULE:FREQ=WEEKLY"

  private func changed(
    _ name: String, _ start: String, _ more: String = "", isLasting: Bool = true
  ) -> String {
    let range = isLasting ? ";RANGE=THISANDFUTURE" : ""
    return event(
      "RECURRENCE-ID\(range);TZID=Europe/Berlin:\(name)\n"
        + "DTSTART;TZID=Europe/Berlin:\(start)\n\(more)", ":PT0S")
  }

  @Test func theRestOfASeriesMoves() throws {
    let found = try firings(
      event(weekly + ";UNTIL=20261222T230000Z", ":PT0S"),
      changed("20261208T100000", "20261208T110000"))
    #expect(
      found == ["2026-12-01 10:00", "2026-12-08 11:00", "2026-12-15 11:00", "2026-12-22 11:00"])
  }

  /// The count is one of the whole series.
  @Test func theRestOfASeriesHasTheRestOfItsCount() throws {
    let series = event(
      weekly + ";BYDAY=TU,TH;COUNT=7\nEXDATE;TZID=Europe/Berlin:20261203T100000", ":PT0S")
    // A day later: the rule stays one of Tuesdays and Thursdays.
    #expect(
      try firings(series, changed("20261210T100000", "20261211T090000")) == [
        "2026-12-01 10:00", "2026-12-08 10:00", "2026-12-11 09:00", "2026-12-16 09:00",
        "2026-12-18 09:00", "2026-12-23 09:00",
      ])
    #expect(
      try firings(series, changed("20261201T100000", "20261201T110000")).first == "2026-12-01 11:00"
    )
  }

  @Test func aSecondRangeEndsTheFirst() throws {
    #expect(
      try firings(
        event(weekly + ";COUNT=6", ":PT0S"), changed("20261222T100000", "20261222T150000"),
        changed("20261208T100000", "20261208T110000")) == [
          "2026-12-01 10:00", "2026-12-08 11:00", "2026-12-15 11:00", "2026-12-22 15:00",
          "2026-12-29 15:00", "2027-01-05 15:00",
        ])
  }

  /// By the name of the rule, or by the reading to which the range has moved it.
  @Test(arguments: ["20261215T100000", "20261215T110000"])
  func aSingleExceptionAfterARangeTakesItsPlace(name: String) throws {
    #expect(
      try firings(
        event(weekly + ";COUNT=4", ":PT0S"), changed("20261208T100000", "20261208T110000"),
        changed(name, "20261215T160000", isLasting: false))
        == ["2026-12-01 10:00", "2026-12-08 11:00", "2026-12-15 16:00", "2026-12-22 11:00"])
  }

  @Test func aRangeOnTheLastDayOfItsSeriesTakesThatDay() throws {
    for until in ["20261215", "20261215T090000Z"] {
      #expect(
        try firings(
          event(weekly + ";UNTIL=\(until)", ":PT0S"), changed("20261215T100000", "20261215T110000"))
          == ["2026-12-01 10:00", "2026-12-08 10:00", "2026-12-15 11:00"])
    }
  }

  @Test func aRangeMayHaveARuleOfItsOwn() throws {
    #expect(
      try firings(
        event(weekly, ":PT0S"),
        changed("20261208T100000", "20261208T110000", "RRULE:FREQ=DAILY;COUNT=2"))
        == ["2026-12-01 10:00", "2026-12-08 11:00", "2026-12-09 11:00"])
  }

  /// Google keeps the old override in a feed.
  @Test func anOccurrenceThatWasRemovedAfterItsMoveIsRemoved() throws {
    func tour(_ master: Int, _ moved: Int) throws -> [String] {
      try firings(
        event(
          weekly + ";COUNT=3\nSEQUENCE:\(master)\nEXDATE;TZID=Europe/Berlin:20261208T100000",
          ":PT0S"),
        changed("20261208T100000", "20261209T100000", "SEQUENCE:\(moved)\n", isLasting: false))
    }
    #expect(try tour(2, 1) == ["2026-12-01 10:00", "2026-12-15 10:00"])
    #expect(try tour(1, 1) == ["2026-12-01 10:00", "2026-12-09 10:00", "2026-12-15 10:00"])
  }

  /// However many changes a file has, reading takes few steps.
  @Test func aHostileSeriesIsReadInBoundedSteps() throws {
    let rule =
      "DTSTART:00010101T000000Z\nRRULE:FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;"
      + "BYSECOND=1;COUNT=1000000"
    let start = try Instant(rfc3339: "2026-11-21T00:00:00Z")
    let changes = (0..<2_000).map { index in
      let range = index < 1_000 ? ";RANGE=THISANDFUTURE" : ""
      let name = (start + .minutes(Double(index))).compact
      return event("RECURRENCE-ID\(range):\(name)\nDTSTART:20270101T000000Z", ":PT0S")
    }
    let calendar = text(([event(rule, ":PT0S")] + changes).joined(separator: "\n"))
    let reading = try CalendarReading(Array(calendar.utf8), file: "f")
    #expect(reading.reminders.count == 1_051)
    #expect(reading.leftOut.count == 950)
  }

  /// Of two changes of one occurrence the one of the higher revision counts, wherever it stands.
  @Test(arguments: [[1, 3], [3, 1], [3, 3]]) func theHigherRevisionOfAChangeCounts(
    _ revisions: [Int]
  ) throws {
    let changes = revisions.enumerated().map { index, revision in
      event(
        "RECURRENCE-ID:20261122T100000Z\nSEQUENCE:\(revision)\nDTSTART:20261122T1\(index + 1)0000Z",
        ":PT0S")
    }
    let all = [event("DTSTART:20261121T100000Z\nRRULE:FREQ=DAILY;COUNT=3", ":PT0S")] + changes
    let reading = try CalendarReading(Array(text(all.joined(separator: "\n")).utf8), file: "f")
    let due = reading.reminders.compactMap { $0.item.recurrence == nil ? nil : $0.reminder.due }
    let hour = revisions == [3, 1] ? 11 : 12
    #expect(due.map(\.description) == ["2026-11-22T\(hour):00:00Z"])
  }

  /// Of an item without a rule.
  @Test func theOnlyOccurrenceIsExcludedOrChanged() throws {
    let excluded = event("DTSTART:20261121T100000Z\nEXDATE:20261121T100000Z", ":PT0S", uid: "x")
    let other = event("DTSTART:20261121T100000Z\nEXDATE:20261122T100000Z", ":PT0S", uid: "y")
    let changed = event("DTSTART:20261121T100000Z", ":PT0S")
    let change = event("RECURRENCE-ID:20261121T100000Z\nDTSTART:20261121T110000Z", ":PT0S")
    let calendar = text([excluded, other, changed, change].joined(separator: "\n"))
    let reading = try CalendarReading(Array(calendar.utf8), file: "f")
    #expect(reading.reminders.map(\.item.uid) == ["y", "u"])
    #expect(reading.reminders.last?.reminder.due?.description == "2026-11-21T11:00:00Z")
    #expect(reading.unalarmed.map(\.line) == [8] && reading.leftOut == [])
  }

  /// A rule in a changed occurrence, with its series or without.
  @Test(arguments: [true, false]) func aChangedOccurrenceDoesNotRepeat(_ hasSeries: Bool) throws {
    let series = event("DTSTART:20261121T100000Z\nRRULE:FREQ=DAILY;COUNT=3", ":PT0S")
    let change = event(
      "RECURRENCE-ID:20261122T100000Z\nDTSTART:20261122T110000Z\nRRULE:FREQ=DAILY", ":PT0S")
    let calendar = text((hasSeries ? [series, change] : [change]).joined(separator: "\n"))
    let reading = try CalendarReading(Array(calendar.utf8), file: "f")
    #expect(
      reading.reminders.filter { $0.item.recurrence != nil }.map(\.reminder.repeats) == [false])
    #expect(reading.leftOut.map(\.line) == [hasSeries ? 18 : 9], "\(reading.leftOut)")
  }
}
