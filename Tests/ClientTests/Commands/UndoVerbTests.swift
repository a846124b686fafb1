import CivilTime
import Control
import JSONText
import TestSupport
import Testing

@testable import Client

/// `undo`, `reopen`, and the line that answers end with.
@Suite struct UndoVerbTests {
  private static let milk: JSONValue = [
    "id": "2222aaaa", "kind": "date", "title": "Milk", "due": "2026-06-14T08:00:00Z",
    "state": "armed",
  ]

  private static let handler: FakeDaemon.Handler = { call in
    let changes: [JSONValue] = [
      [
        "method": "Remove", "time": "2026-06-12T15:58:00Z", "count": 1, "id": "2222aaaa",
        "title": "Milk",
      ],
      [
        "method": "Import", "time": "2026-06-11T16:00:00Z", "count": 12, "id": "1", "title": "One",
      ],
    ]
    let answer: JSONObject =
      switch call.methodName {
      case "Undo":
        changes.indices.contains((call.parameters["number"]?.int ?? 1) - 1)
          ? ["change": changes[(call.parameters["number"]?.int ?? 1) - 1]] : [:]
      case "ListUndo": ["changes": .array(changes)]
      case "Add": ["id": "2222aaaa", "reminder": milk]
      default: ["reminder": milk]
      }
    return [VarlinkReply(parameters: answer)]
  }

  private func run(_ arguments: [String], columns: Int? = nil) throws -> Run {
    let daemon = try FakeDaemon(Self.handler)
    defer { daemon.stop() }
    return Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: columns)
  }

  @Test func saysWhatWasTakenBack() throws {
    #expect(try run(["undo"]).output == "Took back: rm Milk\n")
    #expect(try run(["undo", "2"]).output == "Took back: import of 12 reminders\n")
    #expect(try run(["undo", "--json"]).output.hasPrefix(#"{"method":"Remove""#))
    let nothing = try run(["undo", "3"])
    #expect(nothing.status == 1)
    #expect(
      nothing.notes == "georemind: there is no change to take back; see 'georemind undo --list'\n")
    #expect(try run(["undo", "0"]).status == 64)
  }

  @Test func listsWhatCanBeTakenBack() throws {
    #expect(
      try run(["undo", "--list"], columns: 60).output == """
        1  Today 17:58      rm Milk
        2  Yesterday 18:00  import of 12 reminders

        """)
  }

  @Test(arguments: [
    ["add", "Milk", "--due", "2026-06-14 10:00"], ["edit", "2222", "--title", "Milk"],
    ["rm", "2222"], ["done", "2222"], ["snooze", "2222", "1h"], ["pop", "--kind", "date"],
    ["reopen", "2222"],
  ])
  func anAnswerOnATerminalEndsWithTheWayBack(_ arguments: [String]) throws {
    #expect(try run(arguments, columns: 80).lines.last == "(undo: georemind undo)")
    #expect(try !run(arguments).output.contains("undo"))
    #expect(try !run(arguments + ["--json"], columns: 80).output.contains("undo"))
  }

  @Test func severalRemindersAreOneChange() throws {
    #expect(
      try run(["rm", "2222", "3333"], columns: 80).lines.last == "(undo: georemind undo)")
    #expect(try !run(["show", "2222"], columns: 80).output.contains("undo"))
  }

  @Test func aRefusalNamesTheReminder() throws {
    let daemon = try FakeDaemon { _ in
      [
        VarlinkReply(
          GeoremindError.changedSince(id: "2222", title: "Milk", how: "has fired").varlink)
      ]
    }
    defer { daemon.stop() }
    let run = Run(["undo"], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65)
    #expect(
      run.notes
        == "georemind: nothing was taken back: 'Milk' (2222) has fired since; "
        + "'georemind undo --list' shows earlier changes\n")
  }
}
