import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Interchange

/// The table of properties says the truth: what is honoured changes a reading, what is kept does
/// not, and what is named stands among the parts left out.
@Suite struct CalendarPropertyTests {
  private struct Row: CustomStringConvertible {
    let name: String
    let treatment: String
    var description: String { name }
    /// Without its value or parameter.
    var property: String { String(name.prefix { $0 != ":" && $0 != ";" }) }
    var isComponent: Bool {
      name.hasPrefix("V") && name != "VERSION"
        || ["STANDARD", "DAYLIGHT", "PARTICIPANT"].contains(name)
    }
  }

  private static func rows(_ treatment: String) -> [Row] {
    CalendarProperties.table.split(separator: "\n").flatMap { line in
      let columns = line.split(separator: "|").map(String.init)
      return columns[2].split(separator: " ").map { Row(name: String($0), treatment: columns[1]) }
    }.filter { $0.treatment == treatment }
  }

  /// Has every honoured property, each where it counts.
  private static let whole = """
    BEGIN:VCALENDAR
    METHOD:CANCEL
    BEGIN:VEVENT
    UID:m
    DTSTART:20270301T100000Z
    BEGIN:VALARM
    TRIGGER:PT0S
    END:VALARM
    END:VEVENT
    END:VCALENDAR
    BEGIN:VCALENDAR
    VERSION:2.0
    CALSCALE:GREGORIAN
    BEGIN:VTIMEZONE
    TZID:Own
    BEGIN:DAYLIGHT
    DTSTART:20260329T020000
    TZOFFSETFROM:+0500
    TZOFFSETTO:+0600
    TZNAME:OWNS
    RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
    END:DAYLIGHT
    BEGIN:STANDARD
    DTSTART:20251026T030000
    TZOFFSETFROM:+0600
    TZOFFSETTO:+0500
    TZNAME:OWNT
    RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
    END:STANDARD
    END:VTIMEZONE
    BEGIN:VEVENT
    UID:e
    LOCATION:Town hall
    GEO:53.5;10
    X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
    DTSTART;TZID=Own:20270131T090000
    DURATION:PT1H
    RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD
    RDATE;TZID=Own:20270210T090000
    EXDATE;TZID=Own:20270531T090000
    EXRULE:FREQ=YEARLY;BYMONTH=7
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;RELATED=END:-PT15M
    REPEAT:1
    DURATION:PT5M
    END:VALARM
    BEGIN:VALARM
    ACTION:EMAIL
    TRIGGER:-PT2H
    END:VALARM
    END:VEVENT
    BEGIN:VEVENT
    UID:e
    RECURRENCE-ID;TZID=Own:20270228T090000
    DTSTART;TZID=Own:20270228T100000
    DTEND;TZID=Own:20270228T113000
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;RELATED=END:PT0S
    END:VALARM
    END:VEVENT
    BEGIN:VTODO
    UID:t
    SEQUENCE:2
    SUMMARY:Task
    DESCRIPTION:Notes
    CATEGORIES:Home
    PRIORITY:3
    URL:https://example.org
    DUE:20270301T100000Z
    BEGIN:VALARM
    UID:al
    ACTION:DISPLAY
    TRIGGER;RELATED=END:-PT1H
    END:VALARM
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:20270301T110000Z
    RELATED-TO;RELTYPE=SNOOZE:al
    END:VALARM
    END:VTODO
    BEGIN:VTODO
    UID:t
    SEQUENCE:1
    DUE:20270401T100000Z
    END:VTODO
    BEGIN:VTODO
    UID:c1
    DUE:20270301T100000Z
    COMPLETED:20260301T100000Z
    END:VTODO
    BEGIN:VTODO
    UID:c2
    DUE:20270301T100000Z
    PERCENT-COMPLETE:100
    END:VTODO
    BEGIN:VTODO
    UID:c3
    DUE:20270301T100000Z
    STATUS:CANCELLED
    END:VTODO
    BEGIN:VTODO
    UID:a
    DUE:20270301T100000Z
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER:PT0S
    ACKNOWLEDGED:20270301T100100Z
    END:VALARM
    END:VTODO
    BEGIN:VTODO
    UID:p
    BEGIN:VALARM
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    PROXIMITY:DEPART
    BEGIN:VLOCATION
    URL:geo:53.5,10;u=80
    END:VLOCATION
    END:VALARM
    END:VTODO
    END:VCALENDAR
    """

  private func reading(_ lines: [String]) throws -> CalendarReading {
    var reading = CalendarReading(
      try CalendarDocument(Array(lines.joined(separator: "\n").utf8), name: "f"))
    for index in reading.reminders.indices { reading.reminders[index].line = 0 }
    return reading
  }

  private static let lines = whole.split(whereSeparator: \.isNewline).map(String.init)

  @Test func theWholeCalendarIsRead() throws {
    #expect(try reading(Self.lines).leftOut == [])
  }

  @Test(arguments: rows("honoured")) private func honouredOnesChangeAReading(_ row: Row) throws {
    var isIn = false
    let others = Self.lines.compactMap { line -> String? in
      if row.isComponent {
        defer { if line == "END:\(row.name)" { isIn = false } }
        if line == "BEGIN:\(row.name)" { isIn = true }
        return isIn ? nil : line
      }
      guard line.hasPrefix("\(row.property):") || line.hasPrefix("\(row.property);") else {
        return line
      }
      guard let part = row.name.split(separator: ";").dropFirst().first else { return nil }
      let rest = line.split(separator: ";").filter { !$0.hasPrefix(part) }.joined(separator: ";")
      // The value stands behind the parameter.
      return rest.contains(":") ? rest : "\(rest):\(line.split(separator: ":").last ?? "")"
    }
    // These say what holds without them.
    let isDefault = row.name.hasSuffix("GREGORIAN")
    #expect((try reading(others).reminders == reading(Self.lines).reminders) == isDefault)
  }

  @Test(arguments: rows("kept")) private func keptOnesChangeNothing(_ row: Row) throws {
    let part =
      row.isComponent
      ? ["BEGIN:\(row.name)", "UID:kept", "DTSTART:20270101T100000Z", "END:\(row.name)"]
      : ["\(row.name):20270101T100000Z"]
    var more: [String] = []
    for line in Self.lines {
      let isItem = line == "END:VTODO" || line == "END:VEVENT"
      if line == "END:VCALENDAR" || isItem && !["VJOURNAL", "VFREEBUSY"].contains(row.name) {
        more += part
      }
      more.append(line)
    }
    #expect(try reading(more) == reading(Self.lines))
    var document = try CalendarDocument(Array(more.joined(separator: "\n").utf8), name: "f")
    let task = try #require(CalendarReading(document).reminders.first { $0.reminder.id == "t" })
    _ = try document.apply(
      .done(through: nil), to: task, at: Instant(seconds: 1_800_000_000), in: .utc)
    // Of a change the time of the last revision is new.
    let written = String(decoding: document.bytes, as: UTF8.self).split(separator: "\n")
    let isStamp = ["DTSTAMP", "LAST-MODIFIED"].contains(row.name)
    let lost = more.count { $0 == part[0] } - written.count { $0 == part[0] }
    #expect(lost == (isStamp ? 1 : 0))
  }

  @Test(arguments: rows("named")) private func namedOnesAreNamedWithTheirLine(_ row: Row) throws {
    let values = [
      "CALSCALE": "CALSCALE:HIJRI", "RRULE;RSCALE": "RRULE:RSCALE=HEBREW;FREQ=YEARLY",
      "RECURRENCE-ID;RANGE=THISANDPRIOR":
        "RECURRENCE-ID;RANGE=THISANDPRIOR:20270228T090000",
    ]
    let line = values[row.name] ?? (row.name.contains(":") ? row.name : "\(row.name):x")
    let item = ["BEGIN:VTODO", "UID:n", "DUE:20270228T090000", "END:VTODO"]
    let alarm = ["BEGIN:VALARM", line, "TRIGGER:PT0S", "END:VALARM"]
    let lines: [String] =
      switch row.property {
      case "CALSCALE": ["BEGIN:VCALENDAR", line] + item
      case "PROXIMITY": ["BEGIN:VCALENDAR"] + item.dropLast() + alarm + ["END:VTODO"]
      case "RECURRENCE-ID":
        ["BEGIN:VCALENDAR"] + item + ["BEGIN:VTODO", "UID:n", line, "DUE:20270228T110000"]
          + ["END:VTODO"]
      default: ["BEGIN:VCALENDAR", "BEGIN:VTODO", line] + item.dropFirst()
      }
    let number = try #require(lines.firstIndex(of: line)) + 1
    let leftOut = try reading(lines + ["END:VCALENDAR"]).leftOut
    #expect(leftOut.map(\.line) == [number], "\(leftOut)")
    #expect(
      leftOut.first?.reason.contains(row.name.split(separator: "=").last ?? "") == true
        || leftOut.first?.reason.contains("HEBREW") == true, "\(leftOut)")
  }

  @Test(arguments: [
    ("TRIGER:-PT15M", "TRIGGER"), ("RRLUE:FREQ=DAILY", "RRULE"), ("DTSATRT:20270101", "DTSTART"),
    ("BEGIN:VALRM\nTRIGGER:-PT15M\nEND:VALRM", "VALARM"), ("PROXMITY:ARRIVE", "PROXIMITY"),
  ]) func aNameThatNobodyKnowsIsNamedWithTheNearestOne(_ line: String, _ name: String) throws {
    let text = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:n\nDUE:20270228T090000\n\(line)\nEND:VTODO"
    let leftOut = try reading([text, "END:VCALENDAR"]).leftOut
    #expect(leftOut.map(\.line) == [5])
    #expect(leftOut.first?.reason.hasSuffix("write \(name)") == true, "\(leftOut)")
  }
}
