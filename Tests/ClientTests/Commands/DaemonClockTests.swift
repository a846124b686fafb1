import CivilTime
import Control
import JSONText
import Synchronization
import Testing

@testable import Client

/// Times are read and shown by the daemon's clock: a recording of May, played on 12 June 2026.
@Suite struct DaemonClockTests {
  private static let milk: JSONValue = [
    "id": "1", "kind": "date", "title": "Milk", "state": "armed", "due": "2026-05-02T09:00:00Z",
  ]
  private static let firing: JSONValue = [
    "title": "Tea", "event": "due", "time": "2026-05-01T07:00:00Z", "why": "Due now",
  ]

  private func run(
    _ arguments: [String], clock: String = "recording", time: JSONValue? = "2026-05-01T08:00:00Z"
  ) throws -> (run: Run, calls: [VarlinkCall]) {
    let calls = Mutex<[VarlinkCall]>([])
    let daemon = try FakeDaemon { call in
      calls.withLock { $0.append(call) }
      var answer: JSONObject = [
        "id": "1", "reminder": Self.milk,
        "reminders": [Self.milk], "firings": [Self.firing],
        "timers": [["id": "1", "title": "Milk", "time": "2026-05-02T09:00:00Z"]],
        "why": ["title": "Milk", "gates": [], "last_fired": "2026-05-01T07:00:00Z"],
        "consumers": [["name": "desk", "upto": 3, "next_try": "2026-05-01T08:00:20Z"]],
      ]
      answer["status"] = .object(
        JSONObject([
          "clock": .string(clock), "time": time, "position": "none",
          "next_due": "2026-05-02T09:00:00Z",
        ]))
      return [VarlinkReply(parameters: answer)]
    }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: 100)
    #expect(run.status == 0, "\(run.notes)")
    return (run, calls.withLock { $0 })
  }

  @Test(arguments: [
    (["list"], "Tomorrow 11:00"), (["list", "--due", "week"], "Tomorrow 11:00"),
    (["next"], "Tomorrow 11:00"), (["status"], "Tomorrow 11:00"), (["status"], "Today 10:00"),
    (["show", "milk"], "Sat 2 May 2026 11:00, in 1 day 1 hour"), (["log"], "Today 09:00"),
    (["why", "milk"], "Last fired: Today 09:00"), (["delivery"], "next try Today 10:00"),
  ])
  func aRecordingShowsItsOwnDays(arguments: [String], words: String) throws {
    let output = try run(arguments).run.output
    #expect(output.contains(words), "\(output)")
  }

  @Test func typedTimesCountFromTheRecording() throws {
    let (run, calls) = try run(["add", "Tea", "-d", "4min"])
    #expect(calls.last?.parameters["reminder"]?["due"] == "2026-05-01T08:04:00Z")
    #expect(run.output.hasPrefix("Milk: will ring at Sat 2 May 2026 11:00, in 1 day 1 hour"))
    let log = try self.run(["log", "--since", "yesterday"]).calls.last
    #expect(log?.parameters["since"] == "2026-04-29T22:00:00Z")
  }

  @Test(arguments: [("system", "2026-05-01T08:00:00Z"), ("recording", nil)])
  func withoutARecordedTimeTheMachinesClockCounts(clock: String, time: JSONValue?) throws {
    let (_, calls) = try run(["add", "Tea", "-d", "4min"], clock: clock, time: time)
    #expect(calls.last?.parameters["reminder"]?["due"] == "2026-06-12T16:04:00Z")
  }

  @Test func verbsWithoutADaemonAskNone() throws {
    let calls = try run(["when", "tomorrow"]).calls
    #expect(calls.isEmpty)
  }
}
