import CivilTime
import Departure
import Geodesy
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Interchange

@Suite struct CalendarWriterTests {
  private let now = Instant(microseconds: 1_795_000_000_000_000)

  private func berlin() throws -> TimeZoneRules { try TimeZoneRules(named: "Europe/Berlin") }

  private func write(_ reminders: [Reminder]) throws -> [UInt8] {
    var writer = CalendarWriter(now: now, zone: try berlin())
    for reminder in reminders { writer.add(reminder) }
    return writer.bytes
  }

  private func expectRoundTrip(_ reminders: [Reminder]) throws {
    let bytes = try write(reminders)
    let read = try CalendarReading(bytes, file: "f").reminders.map(\.reminder)
    #expect(read == reminders, "\(String(decoding: bytes, as: UTF8.self))")
    #expect(try CalendarDocument(bytes, name: "f").bytes == bytes)
  }

  @Test func nothingIsLost() throws {
    let texts = [
      #"{"id":"a","kind":"date","title":"Call, Mum; now\\n","due":"2026-11-21T10:00:00Z"}"#,
      #"{"id":"b","kind":"date","title":"Floating","due":"2026-11-21T10:00:00","lead_s":[3600,0],"notes":" one\ntwo "}"#,
      #"{"id":"c","kind":"date","title":"Repeat","due":"2026-11-21T10:00:00.250Z","repeat":"FREQ=WEEKLY;BYDAY=SA","repeat_except":["2026-11-28T10:00:00.250Z","2026-12-05"],"repeat_also":["2026-11-22T10:00:00Z"]}"#,
      #"{"id":"d","kind":"date","title":"Zone","due":"2026-11-21T10:00:00Z","repeat":"FREQ=DAILY","zone":"America/New_York"}"#,
      #"{"id":"e","kind":"location","title":"Place","place":{"name":"Home, sweet","lat":53.5,"lon":-10.25,"radius_m":80.5},"on":"depart","every_visit":true,"cooldown_s":60}"#,
      #"{"id":"f","kind":"location","title":"Dwell","place":{"lat":-1e-7,"lon":10,"radius_m":150},"on":"dwell","dwell_s":120,"due":"2026-11-21T10:00:00Z","hours":"08:00-18:00","days":"mon..fri"}"#,
      #"{"id":"g","kind":"location","title":"Shop","near_category":"supermarket","radius_m":50,"state":"done"}"#,
      #"{"id":"h","kind":"location","title":"Lane","region":{"type":"LineString","coordinates":[[10,53],[10.1,53]]},"width_m":300}"#,
      #"{"id":"i","kind":"preemptive","title":"Ferry","place":{"name":"Pier","lat":53.5,"lon":9.9,"radius_m":100},"due":"2026-11-21T10:00:00Z","lead_s":300,"transport":"cycling","category":"travel","priority":1}"#,
      #"{"id":"k","kind":"date","title":"Day","due":"2026-11-27T09:00:00","repeat":"FREQ=WEEKLY;UNTIL=20270101","repeat_start":"2026-11-27","repeat_also":["2026-12-01T00:00:00"],"repeat_except":["2026-12-04"]}"#,
      #"{"id":"l","kind":"date","title":"Days","due":"2026-11-28T19:00:00","lead_s":[97200,86400,600],"lead_days":[1,0,0],"repeat":"FREQ=MONTHLY;COUNT=4","repeat_start":"2026-11-27"}"#,
      #"{"id":"m","kind":"date","title":"Sprint","due":"2026-12-04T16:00:00Z","repeat":"FREQ=WEEKLY;BYDAY=MO;UNTIL=20270101T090000","repeat_start":"2026-11-30T08:00:00Z","zone":"Europe/Berlin","repeat_also":["2026-12-01T09:00:00"],"repeat_except":["2026-12-07T09:00:00"]}"#,
      #"{"id":"n","kind":"date","title":"Gap","due":"2027-03-28T04:30:00Z","repeat":"FREQ=DAILY","repeat_start":"2027-03-28T02:30:00","due_after":{"days":0,"s":10800},"zone":"Europe/Berlin"}"#,
      #"{"id":"o","kind":"date","title":"UTC","due":"2026-12-04T16:00:00Z","lead_s":90000,"lead_days":[1],"repeat":"FREQ=DAILY;UNTIL=20270101T090000","repeat_start":"2026-12-04T08:00:00Z","zone":"UTC","repeat_except":["2026-12-07T08:00:00"]}"#,
      #"{"id":"p","kind":"location","title":"Not at school","who":"ben","place":{"name":"School","lat":53.5,"lon":9.9,"radius_m":100},"on":"absent","due":"2026-11-21T07:00:00Z","repeat":"FREQ=WEEKLY;BYDAY=MO,TU"}"#,
      #"{"id":"q","kind":"location","title":"No word","who":"anna","on":"silent","dwell_s":7200}"#,
      #"{"id":"r","kind":"location","title":"Lock up","who":"all","place":{"lat":53.5,"lon":9.9,"radius_m":100},"on":"depart"}"#,
      #"{"id":"j","kind":"date","title":"Unknown","due":"2026-11-21T10:00:00Z","state":"fired","x_mine":{"a":[1,2.50,null]}}"#,
    ]
    let reminders = try texts.map { text in
      try Reminder(json: #require(JSONParser.parse(Array(text.utf8)).object))
    }
    try expectRoundTrip(reminders)
    for reminder in reminders { try expectRoundTrip([reminder]) }
  }

  /// The description of a zone holds for all times in it: the far reminder is written first.
  @Test func aZoneIsDescribedForAllItsTimes() throws {
    func reminder(_ id: String, _ due: String) throws -> Reminder {
      try Reminder(
        json: JSONObject([
          "id": .string(id), "kind": "date", "title": "T", "due": .string(due),
          "repeat": "FREQ=DAILY", "zone": "Europe/Berlin",
        ]))
    }
    let bytes = try write([
      reminder("far", "2035-07-01T08:00:00Z"), reminder("near", "2026-06-02T06:00:00Z"),
    ])
    let calendar = try #require(CalendarDocument(bytes, name: "f").calendars.first)
    let zones = calendar.components("VTIMEZONE")
    #expect(zones.count == 1)
    let starts = (zones.first?.components("STANDARD") ?? []).compactMap { $0["DTSTART"]?.value }
    #expect(starts.contains { $0.hasPrefix("2025") })
    #expect(starts.contains { $0.hasPrefix("2044") })
  }

  /// Other programs read the standard properties alone.
  @Test func furtherDueTimesAndExceptionsAreStandardProperties() throws {
    let document =
      #"{"id":"a","kind":"date","title":"A","due":"2026-11-21T10:00:00Z","repeat":"daily","#
      + #""zone":"UTC","repeat_also":["2026-11-22T11:00:00Z"],"repeat_except":["2026-11-23T10:00:00Z"]}"#
    let reminder = try Reminder(json: #require(JSONParser.parse(Array(document.utf8)).object))
    let lines = String(decoding: try write([reminder]), as: UTF8.self).split(separator: "\r\n")
    #expect(lines.filter { $0.hasPrefix("RDATE") } == ["RDATE:20261122T110000Z"])
    #expect(lines.filter { $0.hasPrefix("EXDATE") } == ["EXDATE:20261123T100000Z"])
  }

  /// RFC 9074, section 5.1: the alarm of a snooze says which one it stands for.
  @Test func aSnoozeComesBackAndIsRelatedToItsAlarm() throws {
    let document = #"{"id":"a","kind":"date","title":"Call","due":"2026-11-21T10:00:00Z"}"#
    let reminder = try Reminder(json: #require(JSONParser.parse(Array(document.utf8)).object))
    var writer = CalendarWriter(now: now, zone: try berlin())
    writer.add(reminder, snoozedUntil: now + .hours(1))
    let bytes = writer.bytes
    let read = try CalendarReading(bytes, file: "f").reminders
    #expect(read.map(\.snoozedUntil) == [now + .hours(1)])
    #expect(read.first?.reminder.leads == reminder.leads)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.filter { $0 == "RELATED-TO;RELTYPE=SNOOZE:a" }.count == 1)
  }

  @Test func theBundledRemindersComeBack() throws {
    try expectRoundTrip(ReminderFile.read(path: "\(packageRoot)/examples/reminders.json").reminders)
  }

  @Test(arguments: 0..<100) func randomRemindersComeBack(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func text(_ most: Int) -> String {
      let characters = Array("aB ,;:\\\"^'\n\tüß漢🚢=x")
      return String(
        (0..<Int.random(in: 1...most, using: &generator)).map { _ in
          characters.randomElement(using: &generator) ?? "x"
        })
    }
    func some(_ chance: Int) -> Bool { Int.random(in: 0..<chance, using: &generator) == 0 }
    let reminders = try (0..<10).map { number in
      let kind = try #require(Reminder.Kind.allCases.randomElement(using: &generator))
      var reminder = Reminder(
        id: "id-\(number)", kind: kind, title: "T" + text(80),
        notes: some(2) ? text(200) : nil, category: some(2) ? "c" + text(20) : nil,
        priority: Int.random(in: 0...9, using: &generator))
      if kind != .date {
        reminder.place = Reminder.Place(
          name: some(2) ? "p" + text(30) : nil,
          position: try point(
            Double.random(in: -90...90, using: &generator),
            Double.random(in: -180...180, using: &generator)),
          radius: Double.random(in: 1...10_000, using: &generator))
        // The other triggers do without a due time or a place, and are among the texts above.
        reminder.trigger = [.arrive, .depart, .dwell].randomElement(using: &generator) ?? .arrive
      }
      if kind != .location || some(3) {
        let microseconds = Int64.random(in: 0..<4_000_000_000, using: &generator) * 1_000_000
        reminder.due =
          some(2)
          ? .floating(LocalDateTime(microseconds: microseconds))
          : .absolute(Instant(microseconds: microseconds))
        if some(3) { reminder.repeatRule = try RepeatRule(parsing: "FREQ=MONTHLY;BYDAY=2TU") }
        if some(3) { reminder.repeatChanges.exceptions = [.absolute(now)] }
        if some(4) { reminder.repeatChanges.zone = NamedZone.find("Asia/Kathmandu") }
      }
      reminder.leads = some(2) ? [.minutes(30), .seconds(5)] : []
      if kind == .preemptive, some(2) { reminder.transport = .walking }
      reminder.state = some(5) ? .done : .armed
      return try Reminder(json: reminder.json)
    }
    try expectRoundTrip(reminders)
  }

  /// What another program changed counts, though the fields that only we know are its old ones.
  @Test func aChangeByAnotherProgramCounts() throws {
    let reminder = try Reminder(
      json: #require(
        JSONParser.parse(
          Array(
            #"{"id":"f","kind":"location","title":"Dwell","place":{"lat":1,"lon":10,"radius_m":150},"on":"dwell"}"#
              .utf8)
        ).object))
    let text = String(decoding: try write([reminder]), as: UTF8.self)
    let changed = text.replacing("SUMMARY:Dwell", with: "SUMMARY:Stay")
      .replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED")
    let read = try CalendarReading(Array(changed.utf8), file: "f").reminders[0].reminder
    #expect(read.title == "Stay" && read.state == .done && read.trigger == .dwell)
  }

  @Test func otherProgramsFindTheirProperties() throws {
    let reminder = Reminder(
      id: "e", kind: .location, title: "Place",
      place: Reminder.Place(name: "Home", position: try point(53.5, 10), radius: 80))
    let text = String(decoding: try write([reminder]), as: UTF8.self)
      .replacing("\r\n ", with: "")
    for line in [
      "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", "PROXIMITY:ARRIVE", "X-APPLE-PROXIMITY:ARRIVE",
      "URL:geo:53.5,10.0;u=80.0", "GEO:53.5;10.0", "LOCATION:Home",
      "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=80.0;X-APPLE-REFERENCEFRAME=1;X-TITLE=Home:geo:53.5,10.0",
    ] { #expect(text.contains("\r\n\(line)\r\n"), "\(line)") }
  }

  @Test func repeatingRemindersAreWrittenWithTheirZone() throws {
    var reminder = Reminder(id: "d", kind: .date, title: "Daily")
    reminder.due = .absolute(try Instant(rfc3339: "2026-11-21T09:00:00Z"))
    reminder.repeatRule = RepeatRule(.daily)
    let text = String(decoding: try write([reminder]), as: UTF8.self)
    #expect(text.contains("DTSTART;TZID=Europe/Berlin:20261121T100000\r\n"))
    #expect(text.contains("TZID:Europe/Berlin\r\n"))
    #expect(text.contains("DTSTART:20270328T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"))
  }

  private func lines(_ json: String) throws -> [String] {
    let reminder = try Reminder(
      json: #require(JSONParser.parse(Array(json.utf8)).object), newID: "r")
    let text = String(decoding: try write([reminder]), as: UTF8.self)
    let task = text.replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
    return Array(task.drop { $0 != "BEGIN:VTODO" })
  }

  /// Days keep the time of day and hours are elapsed time, for every reader.
  @Test func daysOfALeadAreNoHours() throws {
    let found = try lines(
      #"{"title":"t","due":"2026-11-21T10:00:00Z","lead_s":["1d","24h","1d 2h",0]}"#)
    #expect(
      found.filter { $0.hasPrefix("TRIGGER") } == [
        "TRIGGER;RELATED=END:-P1DT2H", "TRIGGER;RELATED=END:-P1D", "TRIGGER;RELATED=END:-PT24H",
        "TRIGGER;RELATED=END:PT0S",
      ])
    #expect(found.contains("DUE;TZID=Europe/Berlin:20261121T110000"))
    #expect(!found.contains { $0.hasPrefix(CalendarItem.fieldsProperty) && $0.contains("lead") })
  }

  @Test func aSeriesIsWrittenWithItsStart() throws {
    let sprint = try lines(
      #"{"title":"t","due":"2026-12-04T16:00:00Z","repeat":"FREQ=WEEKLY;BYDAY=MO;UNTIL=20270104T090000","#
        + #""repeat_start":"2026-11-30T08:00:00Z","zone":"Europe/Berlin","repeat_except":["2026-12-07T09:00:00"]}"#
    )
    for line in [
      "DTSTART;TZID=Europe/Berlin:20261130T090000", "DUE;TZID=Europe/Berlin:20261204T170000",
      "RRULE:FREQ=WEEKLY;UNTIL=20270104T080000Z;BYDAY=MO",
      "EXDATE;TZID=Europe/Berlin:20261207T090000",
    ] { #expect(sprint.contains(line), "\(sprint)") }
    let bins = try lines(
      #"{"title":"t","due":"2026-11-28T09:00:00","lead_s":"1d","repeat":"FREQ=WEEKLY;UNTIL=20270104T090000","#
        + #""repeat_start":"2026-11-27","repeat_except":["2026-12-04"]}"#)
    for line in [
      "DTSTART;VALUE=DATE:20261127", "DUE;VALUE=DATE:20261128", "EXDATE;VALUE=DATE:20261204",
      "RRULE:FREQ=WEEKLY;UNTIL=20270104", "TRIGGER;RELATED=END:-PT15H",
    ] { #expect(bins.contains(line), "\(bins)") }
  }
}
