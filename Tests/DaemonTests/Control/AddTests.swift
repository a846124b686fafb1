import CivilTime
import Control
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// What `Add` answers, and the clocks of its caller. The daemon is in UTC.
@Suite struct AddTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    rig = try Rig()
    client = try rig.client()
  }

  private static let future = #""kind":"date","due":"2100-01-01T18:00:00""#

  @Test(arguments: [
    #""title":"One","notes":"n","x_own":[1],\#(future)"#,
    #""id":"r","title":"Series","repeat":"FREQ=DAILY","lead_s":600,\#(future)"#,
    #""title":"Past","kind":"date","due":"2020-01-01T00:00:00Z""#,
    #""title":"Place","kind":"location","place":{"lat":1,"lon":2},"on":"depart""#,
    #""title":"Done","state":"done",\#(future)"#,
  ])
  func theAnswerHasTheReminderAsShowAnswersIt(members: String) throws {
    let answer = try client.call("Add", "{\"reminder\":{\(members)}}")
    let id = try #require(answer["id"]?.string)
    let shown = try client.call("Show", #"{"id":"\#(id)"}"#)
    #expect(answer["reminder"] != nil && answer["reminder"] == shown["reminder"])
    #expect(answer["fix"] == nil)
  }

  @Test func theAnswerHasTheCurrentFix() throws {
    let file = try rig.folder.file(
      "fixes.json",
      #"{"class":"TPV","mode":3,"time":"2026-06-12T16:00:00Z","lat":52,"lon":13,"eph":5}"# + "\n")
    let rig = try Rig("[Feed]\nFeed=file://\(file)\n")
    try rig.run { rig.daemon.host.engine.lastFix != nil }
    let client = try rig.client()
    for method in ["Add", "Check"] {
      let answer = try client.call(method, "{\"reminder\":{\"title\":\"x\",\(Self.future)}}")
      let fix = try client.call("Where")["fix"]
      #expect(fix?["lat"]?.double == 52 && answer["fix"] == fix)
    }
  }

  /// As Home Assistant and other programs send it.
  @Test(arguments: Weekday.allCases)
  func aTypedTimeOfDayKeepsToTheDays(day: Weekday) throws {
    let short = day.name.prefix(3).lowercased()
    for members in [#""days":"\#(short)""#, #""repeat":"every \#(day.name)""#] {
      let answer = try client.call(
        "Add", #"{"typed":true,"reminder":{"title":"Pills","due":"8:00",\#(members)}}"#)
      let due = try #require(answer["reminder"]?["due"]?.string)
      guard case .floating(let first) = try TimeStamp(parsing: due) else {
        Issue.record("\(due)")
        continue
      }
      #expect(first.date.weekday == day && first.time.description.hasPrefix("08:00"), "\(due)")
    }
  }

  /// The members that count of a reminder whose times are by the caller's clocks.
  private func read(_ method: String, _ members: String, _ clocks: String) throws -> JSONValue {
    let answer = try client.call(
      method, #"{"reminder":{"title":"x","kind":"date",\#(members)},"clocks":{\#(clocks)}}"#)
    return try #require(answer["reminder"])
  }

  @Test(arguments: ["Add", "Check"])
  func aTimeIsMeantByTheClocksOfTheCaller(method: String) throws {
    let times = #""due":"2100-01-01T18:00:00","from":"2099-01-01T00:00:00""#
    let berlin =
      #""zone":"Europe/Berlin","due":"2100-01-01T17:00:00Z","from":"2098-12-31T23:00:00Z""#
    let date = try read(method, times, berlin)
    #expect(date["due"] == "2100-01-01T17:00:00Z" && date["from"] == "2098-12-31T23:00:00Z")
    #expect(date["zone"] == nil)
    // A series goes on by the clocks that it was typed by.
    let series = try read(method, #""repeat":"FREQ=DAILY",\#(times)"#, berlin)
    #expect(series["due"] == "2100-01-01T17:00:00Z" && series["zone"] == "Europe/Berlin")
    let nowhere = #""zone":"Nowhere/City","due":"2100-01-01T17:00:00Z""#
    let unknown = try read(method, #""repeat":"FREQ=DAILY",\#(times)"#, nowhere)
    #expect(unknown["due"] == "2100-01-01T17:00:00Z" && unknown["zone"] != "Nowhere/City")
  }

  /// Where both agree, the time follows the daemon's zone.
  @Test(arguments: [
    #""zone":"Europe/London","due":"2100-01-01T18:00:00Z""#, #""zone":"UTC""#,
    #""zone":"UTC","due":"2100-01-01T17:00:00Z""#, #""zone":"Europe/Berlin""#,
  ])
  func aTimeThatIsTheSameStaysWithoutAZone(clocks: String) throws {
    let date = try read("Add", #""due":"2100-01-01T18:00:00""#, clocks)
    #expect(date["due"] == "2100-01-01T18:00:00")
  }

  @Test func aTimeWithAZoneStays() throws {
    let clocks = #""zone":"Europe/Berlin","due":"2100-01-01T17:00:00Z""#
    let date = try read("Add", #""due":"2100-01-01T18:00:00Z""#, clocks)
    #expect(date["due"] == "2100-01-01T18:00:00Z")
  }

  @Test func anEditIsMeantByTheClocksOfTheCaller() throws {
    _ = try client.call("Add", #"{"reminder":{"id":"r","title":"x",\#(Self.future)}}"#)
    let changed = try client.call(
      "Edit",
      #"{"id":"r","changes":{"due":"2100-01-02T18:00:00"},"#
        + #""clocks":{"zone":"Europe/Berlin","due":"2100-01-02T17:00:00Z"}}"#)["reminder"]
    #expect(changed?["due"] == "2100-01-02T17:00:00Z")
  }

  @Test func aWrongInstantIsRefused() throws {
    let error = try client.error(
      "Add",
      #"{"reminder":{"title":"x",\#(Self.future)},"clocks":{"zone":"Asia/Tokyo","due":"soon"}}"#)
    #expect(
      GeoremindError(error)
        == .invalidReminder(
          field: "due", reason: "the clocks of the caller have no instant for it: \"soon\""))
  }
}
