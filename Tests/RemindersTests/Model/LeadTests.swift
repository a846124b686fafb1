import CivilTime
import JSONText
import Testing

@testable import Reminders

@Suite struct LeadTests {
  private func reminder(_ text: String) throws -> Reminder {
    try Reminder(json: try #require(try JSONParser.parse(text).object), newID: "r")
  }

  private func document(_ leads: String) -> String {
    #"{"title":"t","due":"2026-12-01T09:00:00",\#(leads)}"#
  }

  @Test func daysOfALeadSurviveARoundTrip() throws {
    let typed = try reminder(document(#""lead_s":["1d 2h","24h",600]"#))
    #expect(
      typed.leads == [
        CalendarSpan(days: 1, microseconds: 7_200_000_000), .hours(24), .minutes(10),
      ])
    #expect(typed.json["lead_s"]?.line == "[93600,86400,600]")
    #expect(typed.json["lead_days"]?.line == "[1,0,0]")
    #expect(try Reminder(json: typed.json) == typed)
  }

  @Test func elapsedLeadsNeedNoDays() throws {
    let typed = try reminder(document(#""lead_s":86400"#))
    #expect(typed.leads == [.hours(24)])
    #expect(typed.json["lead_days"] == nil)
  }

  @Test(arguments: [
    #""lead_s":86400,"lead_days":[2]"#, #""lead_s":[86400,60],"lead_days":[1]"#,
    #""lead_s":86400,"lead_days":"x""#, #""lead_days":[1]"#, #""lead_s":"200y""#,
    #""lead_s":"soon""#,
  ])
  func aWrongLeadIsRefused(leads: String) throws {
    #expect(throws: ReminderError.self) { try reminder(document(leads)) }
  }

  @Test func anEditOfTheLeadsDropsTheirDays() throws {
    let old = try reminder(document(#""lead_s":"1d""#)).json
    let edited = Reminder.document(old, with: JSONObject(["lead_s": .int(60)]))
    #expect(try Reminder(json: edited).leads == [.minutes(1)])
    let none = Reminder.document(old, with: JSONObject(["lead_s": .null]))
    #expect(try Reminder(json: none).leads.isEmpty)
  }

  @Test func aSeriesMayStartBeforeItIsDue() throws {
    let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    let task = try reminder(
      #"{"title":"t","due":"2026-12-02T17:00:00","repeat":"FREQ=WEEKLY;COUNT=2","#
        + #""repeat_start":"2026-11-30T09:00:00"}"#)
    #expect(try Reminder(json: task.json) == task)
    let series = try #require(task.series(in: zone))
    let first = try #require(series.next())
    #expect(first.name.description == "2026-11-30T09:00:00")
    #expect(zone.localDateTime(at: first.due).description == "2026-12-02T17:00:00")
    let second = try #require(series.next(after: first.name))
    #expect(zone.localDateTime(at: second.due).description == "2026-12-09T17:00:00")
    #expect(series.next(after: second.name) == nil)
    // Another due time starts anew.
    let edited = Reminder.document(
      task.json, with: JSONObject(["due": .string("2026-12-03T08:00:00")]))
    #expect(try Reminder(json: edited).repeatChanges.start == nil)
  }

  @Test func aWholeDayStartsAtADate() throws {
    let task = try reminder(
      #"{"title":"t","due":"2026-03-22T09:00:00","repeat":"FREQ=WEEKLY","#
        + #""repeat_start":"2026-03-22"}"#)
    #expect(try Reminder(json: task.json) == task)
    let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    let series = try #require(task.series(in: zone))
    let second = try #require(series.next(after: series.first))
    #expect(zone.localDateTime(at: second.due).description == "2026-03-29T09:00:00")
  }

  /// Hours after the start are elapsed time, also where the first ones span a change of the clock.
  @Test func theTimeFromTheStartMayBeGiven() throws {
    let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    let text =
      #"{"title":"t","due":"2027-03-28T03:30:00","repeat":"FREQ=WEEKLY","#
      + #""repeat_start":"2027-03-28T00:30:00","due_after":{"days":0,"s":10800}}"#
    let task = try reminder(text)
    #expect(try Reminder(json: task.json) == task)
    let series = try #require(task.series(in: zone))
    let first = try #require(series.next())
    #expect(zone.localDateTime(at: first.due).description == "2027-03-28T04:30:00")
    let second = try #require(series.next(after: first.name))
    #expect(zone.localDateTime(at: second.due).description == "2027-04-04T03:30:00")
    let edited = Reminder.document(
      task.json, with: JSONObject(["due": .string("2027-04-03T08:00:00")]))
    #expect(try Reminder(json: edited).repeatChanges.dueAfter == nil)
    #expect(throws: ReminderError.self) {
      try reminder(text.replacing(#""repeat_start":"2027-03-28T00:30:00","#, with: ""))
    }
  }
}
