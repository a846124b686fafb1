import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Interchange

/// One bad detail costs that detail: it is named with its line, and the rest counts.
@Suite struct CalendarDamageTests {
  /// A sound task before and after the lines, which begin at line 10.
  private func reading(_ lines: String) throws -> CalendarReading {
    let sound = "SUMMARY:S\nDUE:20261121T100000Z\nEND:VTODO"
    let text = CalendarFixtures.calendar(
      "BEGIN:VTODO\nUID:a\n\(sound)\n\(lines)\nBEGIN:VTODO\nUID:z\n\(sound)")
    return CalendarReading(try CalendarDocument(Array(text.utf8), name: "f"))
  }

  private func task(_ lines: String) -> String {
    "BEGIN:VTODO\nUID:u\nSUMMARY:S\n\(lines)\nEND:VTODO"
  }

  /// When it rings in UTC, and every day or once.
  @Test(arguments: [
    (
      "DUE:20261121T100000Z\nRRULE:FREQ=SOMETIMES", 14, "FREQ=SOMETIMES",
      "2026-11-21T10:00:00Z once"
    ),
    ("DUE:20261121T100000Z\nRRULE:", 14, "it is empty", "2026-11-21T10:00:00Z once"),
    (
      "DUE:20261121T100000Z\nRRULE:RSCALE=HEBREW;FREQ=DAILY", 14, "'HEBREW'",
      "2026-11-21T10:00:00Z once"
    ),
    ("DUE:20261121T100000Z\nRRULE:FREQ=DAILY;COUNT=0", 14, "COUNT=0", "2026-11-21T10:00:00Z daily"),
    (
      "DUE:20261121T100000Z\nRRULE:FREQ=DAILY;COUNT=-1", 14, "COUNT=-1",
      "2026-11-21T10:00:00Z daily"
    ),
    (
      "DUE:20261121T100000Z\nRRULE:X-A=1; freq = daily;;", 14, "X-A=1",
      "2026-11-21T10:00:00Z daily"
    ),
    (
      "DUE:20261121T100000Z\nRRULE:FREQ=DAILY\\;COUNT=3;ANYTHING", 14, "ANYTHING",
      "2026-11-21T10:00:00Z daily"
    ),
    (
      "DUE:20261121T100000Z\nRRULE:FREQ=DAILY;COUNT=3;UNTIL=20270101", 14, "UNTIL is its end",
      "2026-11-21T10:00:00Z daily"
    ),
    ("DTSTART:None\nDUE:20261121T100000Z", 13, "DTSTART 'None'", "2026-11-21T10:00:00Z once"),
    ("DTSTART:20261121T100000Z\nDUE:None", 14, "DUE 'None'", "2026-11-21T10:00:00Z once"),
    ("DTSTART:20261121T100000Z\nDURATION:x", 14, "DURATION 'x'", "2026-11-21T10:00:00Z once"),
    (
      "DUE;TZID=Moon/Base:20261121T100000", 13, "'Moon/Base' is not known",
      "2026-11-21T10:00:00 once"
    ),
    (
      "DUE:20261121T100000Z\nRDATE:x,20261122T100000Z", 14, "RDATE 'x'",
      "2026-11-21T10:00:00Z daily"
    ),
    ("DUE:20261121T100000Z\nEXDATE:x", 14, "EXDATE 'x'", "2026-11-21T10:00:00Z once"),
    (
      "DUE:20261121T100000Z\nSUMMARY;X=\"a:b", 14, "quote of parameter X",
      "2026-11-21T10:00:00Z once"
    ),
    ("DUE:20261121T100000Z\nand more", 14, "'AND' has no ':'", "2026-11-21T10:00:00Z once"),
    (
      "DUE:20261121T100000Z\nBEGIN:VALARM\nTRIGGER:soon\nEND:VALARM", 15, "TRIGGER 'soon'",
      "2026-11-21T10:00:00Z once"
    ),
    (
      "DUE:20261121T100000Z\nBEGIN:VALARM\nACTION:DISPLAY\nEND:VALARM", 14, "has no TRIGGER",
      "2026-11-21T10:00:00Z once"
    ),
    (
      "DUE:20261121T100000Z\nBEGIN:VALARM\nTRIGGER:P999999999W\nEND:VALARM", 15, "a century",
      "2026-11-21T10:00:00Z once"
    ),
    (
      "DUE:20261121T100000Z\nBEGIN:VALARM\nTRIGGER:x\nEND:VALARM\nBEGIN:VALARM\nTRIGGER:-PT1H\n"
        + "END:VALARM", 15, "TRIGGER 'x'", "2026-11-21T10:00:00Z once 1 lead"
    ),
    (
      "DUE:20261121T100000Z\nBEGIN:VALARM\nTRIGGER:-PT1H\nREPEAT:2\nDURATION:x\nEND:VALARM", 17,
      "DURATION 'x'", "2026-11-21T10:00:00Z once 1 lead"
    ),
  ]) func costsTheDetail(
    _ lines: String, _ line: Int, _ reason: String, _ expected: String
  ) throws {
    let reading = try reading(task(lines))
    #expect(reading.reminders.map(\.reminder.id) == ["a", "u", "z"])
    let reminder = reading.reminders[1].reminder
    let leads = reminder.leads.isEmpty ? "" : " \(reminder.leads.count) lead"
    #expect(
      "\(try #require(reminder.due)) \(reminder.repeats ? "daily" : "once")\(leads)" == expected)
    try #require(reading.leftOut.count == 1, "\(reading.leftOut)")
    #expect(reading.leftOut[0].line == line, "\(reading.leftOut)")
    #expect(reading.leftOut[0].reason.contains(reason), "\(reading.leftOut)")
  }

  @Test(arguments: [
    ("DUE:tomorrow", 13, "the task 'S': DUE 'tomorrow' is no date"),
    ("DUE:20261321", 13, "is no date"),
    ("DUE:20261121T250000", 13, "is no date"),
    ("DUE:20261121T240001", 13, "is no date"),
    ("DUE:20261121T1000", 13, "is no date"),
    ("DTSTART:x\nDUE:y", 13, "DTSTART 'x'"),
    ("X-GEOREMIND-FIELDS:{", 13, "X-GEOREMIND-FIELDS"),
    ("X-GEOREMIND-FIELDS:{\"priority\":77}", 13, "priority"),
  ]) func costsTheTask(_ lines: String, _ line: Int, _ reason: String) throws {
    let reading = try reading(task(lines))
    #expect(reading.reminders.map(\.reminder.id) == ["a", "z"])
    #expect(reading.leftOut.map(\.line) == [line])
    #expect(reading.leftOut[0].reason.contains(reason), "\(reading.leftOut)")
    #expect(reading.mayHold("u#12345678") && !reading.mayHold("a"))
  }

  /// A place that cannot be read is no reason to ring at a time.
  @Test(arguments: [
    ("PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION:geo:91,0", 15),
    ("PROXIMITY:ARRIVE\nBEGIN:VLOCATION\nGEO:x\nEND:VLOCATION", 16),
  ]) func anAlarmByPlaceWithoutOneIsLeftOut(_ lines: String, _ line: Int) throws {
    let reading = try reading(task("BEGIN:VALARM\n\(lines)\nEND:VALARM"))
    #expect(reading.reminders.map(\.reminder.id) == ["a", "z"])
    #expect(reading.leftOut.map(\.line) == [line])
    #expect(reading.mayHold("u#1"))
  }

  @Test func midnightAt24IsThatOfTheNextDay() throws {
    let reading = try reading(task("DUE:20261231T240000"))
    #expect(reading.reminders[1].reminder.due?.description == "2027-01-01T00:00:00")
    #expect(reading.leftOut == [])
  }

  @Test(arguments: [
    ("UTC-03:00:20261202T141000", "2026-12-02T17:10:00Z"),
    ("UTC+05:30:20261202T141000", "2026-12-02T08:40:00Z"),
    ("Local:20261202T141000", "2026-12-02T14:10:00"),
  ]) func zonesThatAreNoNames(_ text: String, _ expected: String) throws {
    let reading = try reading(task("DUE;TZID=\(text)"))
    #expect(reading.reminders[1].reminder.due?.description == expected)
    #expect(reading.leftOut == [])
  }

  @Test func blanksBeforeTheFirstLineAreKept() throws {
    let text =
      "\u{FEFF}  BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:u\nDUE:20261121T100000Z\nEND:VTODO\n"
      + "END:VCALENDAR\n"
    let document = try CalendarDocument(Array(text.utf8), name: "f")
    #expect(CalendarReading(document).reminders.count == 1 && document.damage == [])
    #expect(document.bytes == Array(text.utf8))
  }

  @Test func anItemOutsideOfACalendarIsReadAndNamed() throws {
    let text = "BEGIN:VTODO\nUID:u\nDUE:20261121T100000Z\nEND:VTODO\n"
    let content = try ReminderFile.parse(Array(text.utf8), file: "f")
    #expect(content.reminders.map(\.id) == ["u"])
    #expect(content.leftOut.map(\.line) == [1])
    #expect(content.leftOut[0].reason.contains("outside of BEGIN:VCALENDAR"))
  }

  @Test func namesHaveNoLineBreaks() throws {
    let text = task("SUMMARY:x\nCATEGORIES:A\\nB\u{7}C\nDUE:20261121T100000Z")
      .replacing("SUMMARY:S\n", with: "").replacing(
        "SUMMARY:x", with: "SUMMARY:One\\ntwo\u{1}three\u{85}4")
    let reminder = try reading(text).reminders[1].reminder
    #expect(reminder.title == "One two three 4" && reminder.category == "A B C")
  }

  @Test(arguments: [
    (
      "DTSTART;VALUE=DATE:20240229", "RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD",
      "20250301 20260301"
    ),
    (
      "DTSTART;VALUE=DATE:20240229", "RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=BACKWARD",
      "20250228 20260228"
    ),
    ("DTSTART;VALUE=DATE:20240229", "RSCALE=GREGORIAN;FREQ=YEARLY", "20280229 20320229"),
    (
      "DTSTART;VALUE=DATE:20250131", "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD",
      "20250301 20250331"
    ),
    (
      "DTSTART;VALUE=DATE:20250131", "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD",
      "20250228 20250331"
    ),
    (
      "DTSTART;VALUE=DATE:20250131",
      "RSCALE=GREGORIAN;FREQ=MONTHLY;INTERVAL=3;SKIP=FORWARD;COUNT=3",
      "20250501 20250731"
    ),
    (
      "DTSTART;VALUE=DATE:20250130", "RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=30,31;SKIP=BACKWARD",
      "20250131 20250228"
    ),
  ]) func skipsDaysThatAMonthDoesNotHave(
    _ start: String, _ rule: String, _ expected: String
  ) throws {
    let found = try reading(task("\(start)\nRRULE:\(rule)")).reminders[1].reminder
    let series = try #require(found.series(in: .utc))
    var names: [LocalDateTime] = []
    for _ in 0..<3 { if let next = series.next(after: names.last) { names.append(next.name) } }
    #expect(names.dropFirst().map(\.date.compact).joined(separator: " ") == expected)
    let written = try RepeatRule(parsing: #require(found.repeatRule).description)
    #expect(written == found.repeatRule)
  }
}
