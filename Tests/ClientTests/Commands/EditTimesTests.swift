import Control
import JSONText
import Synchronization
import Testing

@testable import Client

/// Times that `edit` reads, on Friday, 12 June 2026, 18:00 in Berlin.
@Suite struct EditTimesTests {
  /// The changes that an edit of a reminder sends.
  private func changes(of members: JSONObject, _ arguments: [String]) throws -> JSONObject {
    try parameters(of: members, arguments)["changes"]?.object ?? JSONObject()
  }

  private func parameters(
    of members: JSONObject, _ arguments: [String], zone: String = "Europe/Berlin"
  ) throws -> JSONObject {
    var old = members
    for (key, value) in ["id": "r", "kind": "date", "title": "x", "state": "armed"]
      as KeyValuePairs<String, JSONValue>
    { old[key] = old[key] ?? value }
    let sent = Mutex(JSONObject())
    let daemon = try FakeDaemon { [old] call in
      switch call.methodName {
      case "Status":
        return [VarlinkReply(parameters: ["status": ["time_zone": .string(zone)]])]
      case "Edit":
        sent.withLock { $0 = call.parameters }
      default: break
      }
      return [VarlinkReply(parameters: ["reminder": .object(old)])]
    }
    defer { daemon.stop() }
    let run = Run(["edit", "r"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 0, "\(run.notes)")
    return sent.withLock { $0 }
  }

  /// A time of day alone is on the days that the reminder has.
  @Test(arguments: [
    ("repeat", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "08:10", "2026-06-15T08:10:00"),
    ("days", "mon..fri", "08:10", "2026-06-15T08:10:00"),
    ("days", "mon..fri", "tomorrow 08:10", "2026-06-13T08:10:00"),
    ("repeat", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "19:00", "2026-06-12T19:00:00"),
  ])
  func aTimeOfDayKeepsToTheDays(key: String, value: String, typed: String, due: String) throws {
    var old: JSONObject = ["due": "2026-06-10T09:00:00"]
    old[key] = .string(value)
    #expect(try changes(of: old, ["--due", typed])["due"]?.string == due)
  }

  /// A time with a sign counts from the reminder's own, any other span from now.
  @Test(arguments: [
    ("2026-06-20T09:30:00", "+1h", "2026-06-20T10:30:00"),
    ("2026-06-20T09:30:00", "-30min", "2026-06-20T09:00:00"),
    ("2026-06-20T09:30:00", "+1d", "2026-06-21T09:30:00"),
    ("2026-06-20T09:30:00", " + 1h 15min ", "2026-06-20T10:45:00"),
    ("2026-08-31T12:00:00", "+1 month", "2026-09-30T12:00:00"),
    ("2026-06-20T09:30:00", "-1 year", "2025-06-20T09:30:00"),
    ("2026-10-24T07:30:00Z", "+1d", "2026-10-25T08:30:00Z"),
    ("2026-10-24T07:30:00Z", "+24h", "2026-10-25T07:30:00Z"),
    // The reading stays, through the night of the change to winter time.
    ("2026-10-24T09:30:00", "+1d", "2026-10-25T09:30:00"),
    ("2026-06-20T09:30:00Z", "+1h", "2026-06-20T10:30:00Z"),
    ("2026-06-20T09:30:00", "in 1 hour", "2026-06-12T17:00:00Z"),
    ("2026-06-20T09:30:00", "1h", "2026-06-12T17:00:00Z"),
  ])
  func aSignCountsFromTheDueTime(due: String, typed: String, expected: String) throws {
    let changes = try changes(of: ["due": .string(due)], ["--due", typed])
    #expect(changes["due"]?.string == expected)
  }

  @Test func withoutADueTimeASignCountsFromNow() throws {
    let old: JSONObject = [
      "kind": "location", "place": ["name": "Home", "lat": 1, "lon": 1, "radius_m": 100],
    ]
    #expect(try changes(of: old, ["--due", "+1h"])["due"] == "2026-06-12T17:00:00Z")
  }

  @Test func aSignCountsFromEachTimeOfItsOwn() throws {
    let old: JSONObject = [
      "due": "2026-06-20T09:30:00", "from": "2026-06-19T00:00:00", "until": "2026-06-30T23:59:59",
    ]
    let changes = try changes(of: old, ["--from=-1d", "--until", "+2d"])
    #expect(changes == ["from": "2026-06-18T00:00:00", "until": "2026-07-02T23:59:59"])
  }

  /// The due time of a series is its next one.
  @Test func aSignCountsFromTheNextTimeOfASeries() throws {
    var old: JSONObject = [
      "due": "2026-01-05T09:30:00", "repeat": "FREQ=WEEKLY", "next_due": "2026-06-15T07:30:00Z",
    ]
    #expect(try changes(of: old, ["--due", "+1h"])["due"] == "2026-06-15T10:30:00")
    old["due"] = "2026-01-05T07:30:00Z"
    #expect(try changes(of: old, ["--due", "+1h"])["due"] == "2026-06-15T08:30:00Z")
  }

  /// 09:30 of a daemon in Tokyo is 02:30 in Berlin.
  @Test func aSignCountsFromTheInstantOfADaemonElsewhere() throws {
    let sent = try parameters(
      of: ["due": "2026-06-20T09:30:00"], ["--due", "+1h"], zone: "Asia/Tokyo")
    #expect(sent["changes"]?["due"] == "2026-06-20T03:30:00")
    #expect(sent["clocks"] == ["zone": "Europe/Berlin", "due": "2026-06-20T01:30:00Z"])
  }

  @Test func aWrongSpanIsRefused() {
    let daemon = try? FakeDaemon { _ in
      [VarlinkReply(parameters: ["reminder": ["id": "r", "kind": "date", "title": "x"]])]
    }
    defer { daemon?.stop() }
    let run = Run(
      ["edit", "r", "--due", "+1parsec"], environment: ["GEOREMIND_SOCKET": daemon?.path ?? ""])
    #expect(run.status == 65 && run.notes.contains("'parsec' is not a unit"), "\(run.notes)")
  }
}
