import Control
import JSONText
import Testing

@testable import Client

/// The exit code of `status`, and its metrics.
@Suite struct StatusHealthTests {
  private func run(_ arguments: [String], _ status: JSONValue) throws -> Run {
    let daemon = try FakeDaemon { call in
      [
        VarlinkReply(
          parameters: call.methodName == "Status"
            ? ["status": status]
            : [
              "ledger": "l", "head": 12,
              "consumers": [["name": "ntfy", "upto": 9, "waiting": 3, "tries": 2]],
            ])
      ]
    }
    defer { daemon.stop() }
    return Run(["status"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  @Test(arguments: [
    (#"{"feeds":[{"url":"gpsd://h","lost":true}],"position":"lost"}"#, "the feed gpsd://h is lost"),
    (#"{"position":"lost"}"#, "the position is lost"),
    (#"{"store_trouble":"disk full"}"#, "the store fails"),
    (#"{"delivery":[{"name":"ntfy"}]}"#, "the delivery to ntfy fails"),
    (#"{"clock_trusted":false}"#, "the clock is not trusted"),
    (#"{"configuration_errors":["x"]}"#, "a line of the configuration is wrong"),
    (
      #"{"unreadable":["x"],"clock_trusted":false}"#,
      "a reminder cannot be read; the clock is not trusted"
    ),
  ])
  func somethingWrongIsAnExitCode(status: String, problem: String) throws {
    let status = try JSONParser.parse(status)
    let run = try run([], status)
    #expect(run.status == 1 && run.output.hasPrefix("daemon"))
    #expect(run.notes == "georemind: \(problem)\n")
    let quiet = try self.run(["--quiet"], status)
    #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.notes.isEmpty)
    #expect(try self.run(["--json"], status).status == 0)
    #expect(try self.run(["--metrics"], status).status == 0)
  }

  @Test func withoutADaemonQuietIsQuiet() {
    let run = Run(["status", "--quiet"], environment: ["GEOREMIND_SOCKET": "/nonexistent/control"])
    #expect(run.status == 69 && run.output.isEmpty && run.notes.isEmpty, "\(run.notes)")
  }

  @Test(arguments: [[], ["--quiet"], ["--json"], ["--metrics"]])
  func allIsWell(arguments: [String]) throws {
    let status: JSONValue = [
      "clock_trusted": true, "position": "known", "feeds": [["url": "gpsd://h", "fixes": 7]],
    ]
    let run = try run(arguments, status)
    #expect(run.status == 0 && run.notes.isEmpty)
    #expect(run.output.isEmpty == arguments.contains("--quiet"))
  }

  @Test func theAnchorIsALine() throws {
    let status: JSONValue = [
      "position": "known",
      "anchor": [
        "id": "anchor", "place": "outside", "alarm": true, "says": "ALARM: dragging since 02:14",
        "radius_m": 40,
        "distance_m": .double(47.2), "bearing_deg": 271, "silenced_until": "2026-06-12T16:10:00Z",
      ],
    ]
    let run = try run([], status)
    #expect(
      run.output.contains(
        "47 m at 271°, outside the circle of 40 m; ALARM: dragging since 02:14; "
          + "silenced until 2026-06-12T18:10:00+02:00\n"), "\(run.output)")
  }

  /// A receiver that hangs sends its old position anew: its age says nothing.
  @Test func aLostPositionHasItsReason() throws {
    let status: JSONValue = [
      "position": "lost", "fix": ["mode": 3, "age_s": .double(0.2)],
      "position_lost": [
        "since": "2026-06-12T16:10:00Z", "cause": "frozen",
        "says": "the receiver repeats the same position",
      ],
    ]
    let run = try run([], status)
    #expect(run.status == 1)
    #expect(
      run.output.contains(
        "lost since 2026-06-12T18:10:00+02:00: the receiver repeats the same position, 3D\n"),
      "\(run.output)")
  }

  @Test func metricsAreOpenMetrics() throws {
    let status: JSONValue = [
      "clock_trusted": true, "reminders": 5, "armed": 4, "memory_bytes": 12_345_678,
      "late_firings": 2, "late_s": .double(90.5),
      "fix": ["age_s": .double(1.5), "eph_m": .double(4)],
      "feeds": [["url": "file:///a\"b\\c", "fixes": 7], ["url": "gpsd://h", "lost": true]],
    ]
    let run = try run(["--metrics"], status)
    #expect(
      run.output == #"""
        # TYPE georemind_up gauge
        # HELP georemind_up 1 while the daemon answers.
        georemind_up 1
        # TYPE georemind_fixes counter
        # HELP georemind_fixes Fixes of a feed.
        georemind_fixes_total{feed="file:///a\"b\\c"} 7
        # TYPE georemind_feed_lost gauge
        # HELP georemind_feed_lost 1 while a feed is lost.
        georemind_feed_lost{feed="file:///a\"b\\c"} 0
        georemind_feed_lost{feed="gpsd://h"} 1
        # TYPE georemind_fix_age_seconds gauge
        # HELP georemind_fix_age_seconds Age of the last fix.
        georemind_fix_age_seconds 1.5
        # TYPE georemind_fix_error_meters gauge
        # HELP georemind_fix_error_meters Error of the last fix.
        georemind_fix_error_meters 4
        # TYPE georemind_reminders gauge
        # HELP georemind_reminders Reminders in the store.
        georemind_reminders 5
        # TYPE georemind_reminders_armed gauge
        # HELP georemind_reminders_armed Reminders that wait.
        georemind_reminders_armed 4
        # TYPE georemind_firings counter
        # HELP georemind_firings Firings in the ledger.
        georemind_firings_total 12
        # TYPE georemind_firings_late counter
        # HELP georemind_firings_late Late firings since the start.
        georemind_firings_late_total 2
        # TYPE georemind_lateness_seconds counter
        # HELP georemind_lateness_seconds By how much firings were late since the start, together.
        georemind_lateness_seconds_total 90.5
        # TYPE georemind_deliveries_waiting gauge
        # HELP georemind_deliveries_waiting Firings that wait for a destination.
        georemind_deliveries_waiting{destination="ntfy"} 3
        # TYPE georemind_delivery_failures gauge
        # HELP georemind_delivery_failures Failed tries of the next firing of a destination.
        georemind_delivery_failures{destination="ntfy"} 2
        # TYPE georemind_store_failing gauge
        # HELP georemind_store_failing 1 while the store fails.
        georemind_store_failing 0
        # TYPE georemind_clock_trusted gauge
        # HELP georemind_clock_trusted 1 while the clock is trusted.
        georemind_clock_trusted 1
        # TYPE georemind_resident_memory_bytes gauge
        # HELP georemind_resident_memory_bytes Resident memory of the daemon.
        georemind_resident_memory_bytes 12345678
        # EOF

        """#)
  }
}
