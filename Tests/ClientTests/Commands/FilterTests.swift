import Control
import JSONText
import Synchronization
import Testing

@testable import Client

/// Filters of `list`, and changes of all reminders of a filter, on Friday, 12 June 2026, 18:00 in
/// Berlin.
@Suite struct FilterTests {
  private static let reminders: [JSONValue] = [
    [
      "id": "late", "kind": "date", "title": "Late", "due": "2026-06-12T08:00:00Z",
      "state": "fired",
    ],
    [
      "id": "rung", "kind": "date", "title": "Rung", "due": "2026-06-12T08:00:00Z",
      "repeat": "FREQ=DAILY", "next_due": "2026-06-13T08:00:00Z", "state": "armed",
      "unacknowledged": true,
    ],
    [
      "id": "soon", "kind": "date", "title": "Soon", "due": "2026-06-12T20:00:00Z",
      "category": "Home", "state": "armed",
    ],
    // Midnight in Berlin is still Friday in UTC.
    [
      "id": "next", "kind": "date", "title": "Next", "due": "2026-06-12T22:00:00Z",
      "state": "armed",
    ],
    [
      "id": "week", "kind": "date", "title": "Week", "due": "2026-06-18T21:00:00Z",
      "state": "armed",
    ],
    [
      "id": "then", "kind": "date", "title": "Then", "due": "2026-06-18T22:00:00Z",
      "state": "armed",
    ],
    [
      "id": "milk", "kind": "location", "title": "Milk", "state": "armed", "on": "arrive",
      "place": ["name": "Rewe", "lat": .double(52.5), "lon": .double(13.4), "radius_m": 150],
    ],
    [
      "id": "over", "kind": "date", "title": "Over", "due": "2026-06-12T08:00:00Z",
      "category": "Home", "state": "done",
    ],
  ]

  /// Runs a command line, and answers the changes that it asked for.
  private func run(
    _ arguments: [String], answer: String? = nil
  ) throws -> (run: Run, calls: [JSONObject]) {
    let calls = Mutex<[JSONObject]>([])
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "Next", "Status": return [VarlinkReply(parameters: [:])]
      case "PageReminders":
        return [VarlinkReply(parameters: ["reminders": .array(Self.reminders)])]
      default:
        calls.withLock {
          $0.append(["method": .string(call.methodName), "given": .object(call.parameters)])
        }
        let also = (call.parameters["also"]?.array ?? []).map { also -> JSONValue in
          ["id": also["id"] ?? also, "title": also["id"] ?? also]
        }
        let id = call.parameters["id"] ?? "?"
        return [
          VarlinkReply(parameters: ["reminder": ["id": id, "title": id], "also": .array(also)])
        ]
      }
    }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path], answer: answer)
    return (run, calls.withLock { $0 })
  }

  @Test(arguments: [
    (["--due", "overdue"], ["late", "rung"]), (["--due", "today"], ["late", "soon"]),
    (["--due", "week"], ["late", "soon", "next", "rung", "week"]),
    (["--ringing"], ["late", "rung"]), (["--place", "rewe"], ["milk"]), (["--place", "Aldi"], []),
    (["--at", "Rewe"], ["milk"]),
    (["--before", "tomorrow"], ["late", "soon"]), (["--after", "2026-06-19"], ["then"]),
    (["--after", "today 20:00", "--before", "tomorrow 8:00"], ["soon", "next"]),
    (["--category", "home"], ["soon"]), (["--category", "home", "--all"], ["soon", "over"]),
    (["so", "--due", "week"], ["soon"]),
  ])
  func aListHasWhatTheFilterSays(arguments: [String], ids: [String]) throws {
    let (run, _) = try run(["list", "--json"] + arguments)
    #expect(
      try Set(run.lines.map { try JSONParser.parse($0)["id"]?.string ?? "" }) == Set(ids),
      "\(run.notes)")
  }

  @Test func allOfAFilterIsOneChangeAfterAQuestion() throws {
    let (run, calls) = try run(["rm", "--ringing"], answer: "y")
    #expect(run.notes == "Remove 2 reminders (Rung, Late)? [y/N] ")
    #expect(calls == [["method": "Remove", "given": ["id": "rung", "also": ["late"]]]])
    #expect(run.output == "Removed rung\nRemoved late\n")
  }

  @Test(arguments: ["n", "", "all"]) func withoutAYesNothingIsChanged(answer: String) throws {
    let (run, calls) = try run(["done", "--due", "today"], answer: answer)
    #expect(run.status == 1 && calls.isEmpty)
    #expect(run.notes.hasSuffix("georemind: nothing was changed\n"))
  }

  @Test func whereNobodyAnswersYesIsAnOption() throws {
    let (refused, none) = try run(["done", "--category", "Home"])
    #expect(refused.status == 64 && none.isEmpty)
    #expect(
      refused.notes
        == "georemind: this would complete 1 reminder; give --yes to do it without a question\n")
    let (_, calls) = try run(["done", "--category", "Home", "--yes"])
    #expect(calls == [["method": "Done", "given": ["id": "soon"]]])
    let (_, all) = try run(["rm", "--category", "Home", "--all", "-y"])
    #expect(all == [["method": "Remove", "given": ["id": "soon", "also": ["over"]]]])
    let (nothing, _) = try run(["rm", "--category", "Boat", "-y"])
    #expect(nothing.status == 1)
    #expect(nothing.notes == "georemind: no reminder is like that; 'georemind list' shows all\n")
  }

  @Test func allOfAFilterAreSnoozedTogether() throws {
    let (_, calls) = try run(["snooze", "--ringing", "half", "an", "hour", "-y"])
    #expect(
      calls == [
        ["method": "Snooze", "given": ["until": "30min", "id": "rung", "also": ["late"]]]
      ])
    let (_, named) = try run(["snooze", "late", "20min", "--ringing", "-y"])
    #expect(named == [["method": "Snooze", "given": ["until": "20min", "id": "late"]]])
  }

  /// A span with a sign counts from the time that each has.
  @Test func allOfAFilterAreEditedTogether() throws {
    let (run, calls) = try run(["edit", "--after", "2026-06-18", "--due", "+1h", "-y"])
    let given = try #require(calls.first?["given"])
    #expect(calls.count == 1 && calls[0]["method"] == "Edit")
    #expect(given["id"] == "week")
    #expect(given["changes"] == ["due": "2026-06-18T22:00:00Z"])
    #expect(given["also"] == [["id": "then", "changes": ["due": "2026-06-18T23:00:00Z"]]])
    #expect(run.output == "Changed week\nChanged then\n")
    let (empty, none) = try self.run(["edit", "--of-category", "Home", "-y"])
    #expect(empty.status == 64 && none.isEmpty)
  }
}
