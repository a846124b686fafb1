import Control
import JSONText
import Synchronization
import Testing

@testable import Client

/// How many calls a verb makes, and the clocks that it names, on Friday, 12 June 2026, 18:00 in
/// Berlin.
@Suite struct CallCountTests {
  private func calls(_ arguments: [String]) throws -> [VarlinkCall] {
    let calls = Mutex<[VarlinkCall]>([])
    let daemon = try FakeDaemon { call in
      // The question for the daemon's clock is on a connection of its own.
      if call.methodName != "Status" { calls.withLock { $0.append(call) } }
      var reminder = call.parameters["reminder"]?.object ?? ["title": "x"]
      reminder["id"] = "r"
      reminder["kind"] = reminder["kind"] ?? "date"
      if reminder["kind"] == "date" { reminder["due"] = reminder["due"] ?? "2026-06-20T09:00:00" }
      let fix: JSONValue = ["lat": .double(52.52), "lon": .double(13.405), "eph": .double(4)]
      return [
        VarlinkReply(parameters: [
          "id": "r", "reminder": .object(reminder), "fix": fix, "categories": [],
        ])
      ]
    }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 0, "\(run.notes)")
    return calls.withLock { $0 }
  }

  @Test(arguments: [
    (["add", "x", "--due", "19:00"], ["Add"]), (["add", "x", "--due", "in 1 hour"], ["Add"]),
    (["add", "x", "--at", "52.6,13.4", "--from", "tomorrow"], ["Add"]),
    (["add", "x", "--due", "19:00", "--json"], ["Add"]),
    (["add", "x", "--due", "19:00", "--dry-run"], ["Check"]),
    (["add", "x", "--due", "19:00", "--calendar", "Tasks"], ["Add"]),
    (["add", "x", "--due", "19:00", "--category", "Errands"], ["Add", "ListCategories"]),
    (["edit", "r", "--due", "19:00"], ["Show", "Edit"]),
  ])
  func aReminderIsOneCall(arguments: [String], methods: [String]) throws {
    #expect(try calls(arguments).map(\.methodName) == methods)
  }

  @Test func theDistanceIsInTheAnswer() throws {
    let fix: JSONValue = ["lat": .double(52.52), "lon": .double(13.405), "eph": .double(4)]
    let daemon = try FakeDaemon { call in
      var reminder = call.parameters["reminder"]?.object ?? JSONObject()
      reminder["id"] = "r"
      return [VarlinkReply(parameters: ["id": "r", "reminder": .object(reminder), "fix": fix])]
    }
    defer { daemon.stop() }
    let run = Run(
      ["add", "x", "--at", "52.54,13.405"], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.lines.first?.hasSuffix("52.540000, 13.405000, 2.2 km from here") == true)
  }

  /// A time without a zone goes with the instant that it is by the clocks of here.
  @Test func timesWithoutAZoneNameTheClocks() throws {
    func clocks(_ arguments: [String]) throws -> JSONValue? {
      try calls(arguments).last?.parameters["clocks"]
    }
    #expect(
      try clocks(["add", "x", "--due", "19:00", "--until", "2026-07-01"])
        == [
          "zone": "Europe/Berlin", "due": "2026-06-12T17:00:00Z", "until": "2026-07-01T21:59:59Z",
        ])
    #expect(
      try clocks(["edit", "r", "--due", "19:00"])
        == ["zone": "Europe/Berlin", "due": "2026-06-12T17:00:00Z"])
    #expect(try clocks(["add", "x", "--due", "19:00", "--dry-run"])?["zone"] == "Europe/Berlin")
    #expect(try clocks(["add", "x", "--due", "in 1 hour"]) == nil)
  }
}
