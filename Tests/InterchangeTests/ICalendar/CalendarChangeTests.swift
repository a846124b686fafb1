import CivilTime
import JSONText
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
    let found = CalendarReading(document).reminders[number]
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

  /// Thunderbird knows its own properties only, of its items and in its files.
  @Test(arguments: [
    ("-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN", "", true),
    ("-//Other//EN", "X-MOZ-GENERATION:2\n", true), ("-//Other//EN", "", false),
  ]) func thunderbirdGetsItsOwnProperties(
    _ product: String, _ more: String, _ isOfThunderbird: Bool
  ) throws {
    let text = CalendarFixtures.calendar(
      product: product,
      """
      BEGIN:VEVENT
      UID:e
      DTSTART:20261121T121500Z
      \(more)BEGIN:VALARM
      TRIGGER:-PT15M
      END:VALARM
      END:VEVENT
      """)
    let snoozed = try change(text, .snoozed(until: now + .minutes(20)))
    let own = ["X-MOZ-LASTACK:20261121T120000Z", "X-MOZ-SNOOZE-TIME:20261121T122000Z"]
    #expect(lines(snoozed).filter(own.contains) == (isOfThunderbird ? own : []))
    #expect(try reminders(snoozed)[0].snoozedUntil == now + .minutes(20))
    // As Thunderbird reads it: without RFC 9074.
    if isOfThunderbird {
      let plain = lines(snoozed).filter { !$0.hasPrefix("ACKNOWLEDGED") }.joined(separator: "\r\n")
        .replacing("RELATED-TO;RELTYPE=SNOOZE", with: "X-OTHER")
      #expect(try reminders(plain).contains { $0.snoozedUntil == now + .minutes(20) })
    }
    let done = try change(snoozed, .done(through: nil))
    #expect(!done.contains("X-MOZ-SNOOZE-TIME"))
    #expect(done.contains("X-MOZ-LASTACK:20261121T121500Z") == isOfThunderbird)
    #expect(try reminders(done).map(\.standing) == ["fired"])
    #expect(!(try change(done, .reopened)).contains("X-MOZ-LASTACK"))
  }

  /// Of a series the snooze of an occurrence has a number behind its name.
  @Test func theSnoozeOfAnOccurrenceIsReadAndRemoved() throws {
    let text = CalendarFixtures.calendar(
      """
      BEGIN:VEVENT
      UID:e
      DTSTART:20261120T121500Z
      RRULE:FREQ=DAILY
      X-MOZ-LASTACK:20261121T120000Z
      X-MOZ-SNOOZE-TIME-1795263300000000:20261121T130000Z
      BEGIN:VALARM
      TRIGGER:-PT15M
      END:VALARM
      END:VEVENT
      """)
    #expect(try reminders(text)[0].snoozedUntil == now + .minutes(60))
    let done = try change(text, .done(through: name("2026-11-21T12:15:00")))
    #expect(!done.contains("X-MOZ-SNOOZE-TIME") && done.contains("X-MOZ-LASTACK:20261121T120000Z"))
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

  // MARK: - Completing by names

  private static let zones = [
    "Pacific/Auckland", "Asia/Tokyo", "Asia/Kolkata", "Europe/Berlin", "Europe/London", "UTC",
    "America/St_Johns", "America/New_York", "America/Los_Angeles", "Pacific/Honolulu",
  ]

  private func task(_ lines: String) -> String {
    CalendarFixtures.calendar("BEGIN:VTODO\nUID:u\n\(lines)\nEND:VTODO")
  }

  /// The lines with times after each of some completions.
  private func completed(
    _ text: String, through names: [String], in zone: String
  ) throws -> [[String]] {
    var text = text
    return try names.map { name in
      text = try change(text, .done(through: self.name(name)), in: TimeZoneRules(named: zone))
      return lines(text).filter {
        $0.hasPrefix("DTSTART") || $0.hasPrefix("DUE") || $0.hasPrefix("RRULE")
          || $0.hasPrefix("EXDATE") || $0.hasPrefix("STATUS")
      }
    }
  }

  @Test(arguments: zones) func aWholeDayStaysTheSameWeekday(zone: String) throws {
    #expect(
      try completed(
        task("DUE;VALUE=DATE:20261127\nRRULE:FREQ=WEEKLY"),
        through: ["2026-11-27T00:00:00", "2026-12-04T00:00:00"], in: zone)
        == [
          ["DUE;VALUE=DATE:20261204", "RRULE:FREQ=WEEKLY"],
          ["DUE;VALUE=DATE:20261211", "RRULE:FREQ=WEEKLY"],
        ])
    #expect(
      try completed(
        task("DTSTART;VALUE=DATE:20261130\nDUE;VALUE=DATE:20261202\nRRULE:FREQ=MONTHLY;COUNT=3"),
        through: ["2026-11-30T00:00:00", "2027-01-29T00:00:00"], in: zone)
        == [
          [
            "DTSTART;VALUE=DATE:20261230", "DUE;VALUE=DATE:20270101", "RRULE:FREQ=MONTHLY;COUNT=2",
          ],
          [
            "DTSTART;VALUE=DATE:20270130", "DUE;VALUE=DATE:20270201", "RRULE:FREQ=MONTHLY;COUNT=1",
          ],
        ])
  }

  @Test(arguments: zones) func aFloatingTimeDoesNotDrift(zone: String) throws {
    let days = (0..<6).map { "2027-03-\(26 + $0)T17:00:00" }
    let found = try completed(
      task("DUE:20270326T170000\nRRULE:FREQ=DAILY"), through: days, in: zone)
    #expect(
      found.map { $0[0] } == [
        "DUE:20270327T170000", "DUE:20270328T170000", "DUE:20270329T170000", "DUE:20270330T170000",
        "DUE:20270331T170000", "DUE:20270401T170000",
      ])
  }

  /// The start and the due time move together, over a night that has an hour less.
  @Test func theDueTimeFollowsTheStart() throws {
    let overnight = task(
      "DTSTART;TZID=Europe/Berlin:20270320T220000\nDUE;TZID=Europe/Berlin:20270321T060000\n"
        + "RRULE:FREQ=WEEKLY;UNTIL=20270403T200000Z")
    let found = try completed(
      overnight,
      through: ["2027-03-20T22:00:00", "2027-03-27T22:00:00", "2027-04-03T22:00:00"],
      in: "America/New_York")
    let rule = "RRULE:FREQ=WEEKLY;UNTIL=20270403T200000Z"
    #expect(
      found == [
        [
          "DTSTART;TZID=Europe/Berlin:20270327T220000", "DUE;TZID=Europe/Berlin:20270328T070000",
          rule,
        ],
        [
          "DTSTART;TZID=Europe/Berlin:20270403T220000", "DUE;TZID=Europe/Berlin:20270404T060000",
          rule,
        ],
        [
          "DTSTART;TZID=Europe/Berlin:20270403T220000", "DUE;TZID=Europe/Berlin:20270404T060000",
          rule, "STATUS:COMPLETED",
        ],
      ])
  }

  /// A completion may be written again after a failure, or when the phone has written it.
  @Test func aCompletionThatIsWrittenTwiceCountsOnce() throws {
    let once = try change(
      task("DUE:20261201T090000Z\nRRULE:FREQ=DAILY;COUNT=3"),
      .done(through: name("2026-12-01T09:00:00")))
    #expect(once.contains("DUE:20261202T090000Z") && once.contains("COUNT=2"))
    #expect(try change(once, .done(through: name("2026-12-01T09:00:00"))) == once)
    let last = try change(once, .done(through: name("2026-12-03T09:00:00")))
    #expect(last.contains("STATUS:COMPLETED") && last.contains("COUNT=2"))
  }

  /// The count goes down by excluded occurrences, too; exceptions keep their lines.
  @Test func exceptionsArePassed() throws {
    let text = task(
      "DTSTART:20261201T090000Z\nDUE:20261202T120000Z\nRRULE:FREQ=DAILY;COUNT=6\n"
        + "EXDATE:20261202T090000Z,20261203T090000Z\nRDATE:20261210T090000Z")
    #expect(
      try completed(
        text, through: ["2026-12-01T09:00:00", "2026-12-05T09:00:00", "2026-12-06T09:00:00"],
        in: "Asia/Tokyo"
      ).map { $0.prefix(3) } == [
        ["DTSTART:20261204T090000Z", "DUE:20261205T120000Z", "RRULE:FREQ=DAILY;COUNT=3"],
        ["DTSTART:20261206T090000Z", "DUE:20261207T120000Z", "RRULE:FREQ=DAILY;COUNT=1"],
        // No start of the rule is left for the single date: the start stays, and is excluded.
        ["DTSTART:20261206T090000Z", "DUE:20261207T120000Z", "RRULE:FREQ=DAILY;COUNT=1"],
      ])
  }

  @Test func singleDatesAreCompletedOneByOne() throws {
    let text = task(
      "DTSTART:20261130T090000\nDUE:20261202T170000\nRDATE:20261207T090000,20261209T100000")
    let found = try completed(
      text, through: ["2026-11-30T09:00:00", "2026-12-07T09:00:00", "2026-12-09T10:00:00"],
      in: "Europe/Berlin")
    #expect(
      found == [
        ["DTSTART:20261207T090000", "DUE:20261209T170000"],
        ["DTSTART:20261209T100000", "DUE:20261211T180000"],
        ["DTSTART:20261209T100000", "DUE:20261211T180000", "STATUS:COMPLETED"],
      ])
  }

  /// Where the next occurrence is a single date off the rule, the rule keeps its start.
  @Test func aSingleDateOffTheRuleDoesNotMoveTheRule() throws {
    let text = task(
      "DUE:20261130T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3\nRDATE:20261202T150000")
    let done = try change(text, .done(through: name("2026-11-30T09:00:00")))
    #expect(difference(text, done) == ["+EXDATE:20261130T090000", "+SEQUENCE:1"])
    let zone = TimeZoneRules.utc
    let series = try #require(try reminders(done)[0].reminder.series(in: zone))
    #expect(series.next()?.name == (try name("2026-12-02T15:00:00")))
    let again = try change(done, .done(through: name("2026-12-02T15:00:00")))
    #expect(again.contains("DUE:20261214T090000\r\n") && again.contains("COUNT=2\r\n"))
    #expect(again.contains("RDATE:20261202T150000\r\n"))
    // A single date that changes nothing for the rule is a start like the others.
    let daily = task("DUE:20261130T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO\nRDATE:20261202T090000")
    #expect(
      try completed(daily, through: ["2026-11-30T09:00:00"], in: "UTC")[0][0]
        == "DUE:20261202T090000")
  }

  /// The other component has the rule, so its start does not move.
  @Test func theRestOfASeriesIsCompletedByExceptions() throws {
    let text = CalendarFixtures.calendar(
      """
      BEGIN:VTODO
      UID:u
      DUE;TZID=Europe/Berlin:20261201T100000
      RRULE:FREQ=WEEKLY;COUNT=4
      END:VTODO
      BEGIN:VTODO
      UID:u
      RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261208T100000
      DUE;TZID=Europe/Berlin:20261208T110000
      END:VTODO
      """)
    let done = try change(text, .done(through: name("2026-12-08T10:00:00")), number: 1)
    #expect(
      difference(text, done) == [
        "+EXDATE;TZID=Europe/Berlin:20261208T100000", "+SEQUENCE:1",
      ])
    let found = try reminders(done).map(\.reminder)
    #expect(found.map(\.id) == (try reminders(text).map(\.reminder.id)))
    #expect(found[1].series(in: .utc)?.next()?.name == (try name("2026-12-15T10:00:00")))
    let first = try change(done, .done(through: name("2026-12-01T10:00:00")))
    #expect(try reminders(first).map(\.reminder.state) == [.done, .armed])
    #expect(first.contains("RRULE:FREQ=WEEKLY;COUNT=4\r\n"))
  }

  /// Our own fields have the due time that the standard properties cannot say.
  @Test func theFieldsOfAnExportedTaskFollow() throws {
    var writer = CalendarWriter(now: now, zone: .utc)
    let json =
      #"{"id":"r","title":"t","due":"2026-11-28T09:00:00","lead_s":["1d",0],"repeat":"FREQ=WEEKLY","#
      + #""repeat_start":"2026-11-27"}"#
    writer.add(try Reminder(json: #require(JSONParser.parse(Array(json.utf8)).object)))
    let text = String(decoding: writer.bytes, as: UTF8.self)
    let done = try change(text, .done(through: name("2026-11-27T00:00:00")))
    let found = try reminders(done)[0].reminder
    #expect(found.due == .floating(try name("2026-12-05T09:00:00")))
    #expect(found.repeatChanges.start == .floating(try name("2026-12-04T00:00:00")))
    #expect(found.leads.count == 2)
  }
}
