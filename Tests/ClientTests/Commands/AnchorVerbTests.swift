import CivilTime
import Control
import Geodesy
import JSONText
import Reminders
import Synchronization
import TestSupport
import Testing

@testable import Client

/// `anchor`: what it asks of the daemon, and what it shows.
@Suite struct AnchorVerbTests {
  /// A daemon with one fix and room for one anchor watch.
  private final class Boat: Sendable {
    struct State {
      var watch: JSONObject?
      var age = 1.0
      var error = 4.0
      var hasFix = true
    }
    let state = Mutex(State())

    func answer(_ call: VarlinkCall) -> [VarlinkReply] {
      state.withLock { state in
        switch call.methodName {
        case "Where":
          let fix: JSONValue = [
            "lat": .double(54), "lon": .double(10), "eph": .double(state.error),
          ]
          return [
            VarlinkReply(
              parameters: state.hasFix
                ? ["fix": fix, "age_s": .double(state.age), "nearest": []] : ["nearest": []])
          ]
        case "Add":
          state.watch = call.parameters["reminder"]?.object
          state.watch?["state"] = "armed"
          return [VarlinkReply(parameters: ["id": "anchor"])]
        case "Edit":
          for (key, value) in call.parameters["changes"]?.object?.members ?? [] {
            state.watch?[key] = value
          }
        case "Remove":
          let removed = state.watch ?? JSONObject()
          state.watch = nil
          return [VarlinkReply(parameters: ["reminder": .object(removed)])]
        default: break
        }
        guard var watch = state.watch else {
          return [VarlinkReply(GeoremindError.notFound(id: "anchor").varlink)]
        }
        watch["swing"] = ["largest_m": .double(27), "since": "2026-06-12T14:00:00Z"]
        return [VarlinkReply(parameters: ["reminder": .object(watch)])]
      }
    }
  }

  private let boat = Boat()

  private func run(_ arguments: String...) throws -> Run {
    let daemon = try FakeDaemon { [boat] in boat.answer($0) }
    defer { daemon.stop() }
    return Run(["anchor"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  private func watch() throws -> Reminder {
    var object = try #require(boat.state.withLock { $0.watch })
    object["swing"] = nil
    return try Reminder(json: object)
  }

  @Test func theFirstCallSetsItHere() throws {
    let run = try run()
    #expect(
      run.output == "Will ring each time you have been away from the 40 m around the anchor "
        + "(54.000000, 10.000000) for 30s, with priority 1, and when the position is lost, "
        + "again every 1min until it is done\n")
    let watch = try watch()
    #expect(watch.id == "anchor" && watch.isAnchorWatch)
    #expect(watch.nag == .minutes(1) && watch.nagLimit == 0)
  }

  @Test func theNextCallShowsIt() throws {
    _ = try run()
    let run = try run()
    #expect(
      run.output == """
        The anchor is at 54.000000, 10.000000, in a circle of 40 m
        It bears 0° at 0 m from the last position, 1 second old, good to ±4 m
        The largest swing was 27 m, since 2026-06-12T16:00:00+02:00

        """)
    let json = try self.run("--json")
    #expect(json.output.contains(#""radius_m":40"#) && json.output.contains(#""distance_m":0"#))
  }

  @Test func theAnchorMayLieElsewhere() throws {
    _ = try run("--bearing", "90", "--distance", "30m", "--radius", "60m", "--hold", "1min")
    let place = try #require(try watch().place)
    #expect(place.radius == 60)
    #expect(abs(place.position.longitude - 10) * 65_400 > 29)
    #expect(abs(place.position.latitude - 54) < 1e-6)
    #expect(try watch().dwell == .minutes(1))
    #expect(try run().output.contains("It bears 90° at 30 m"))
    // Another radius moves nothing.
    _ = try run("--radius", "50m")
    #expect(try watch().place?.position == place.position)
    #expect(try watch().place?.radius == 50 && watch().dwell == .minutes(1))
  }

  @Test func raiseEndsIt() throws {
    #expect(try run("raise").status == 1)
    _ = try run()
    #expect(try run("raise").output == "The anchor watch has ended\n")
    #expect(boat.state.withLock { $0.watch } == nil)
  }

  @Test func withoutAGoodPositionNothingIsSet() throws {
    func expect(_ status: Int32, _ words: String, _ arguments: [String] = []) throws {
      let daemon = try FakeDaemon { [boat] in boat.answer($0) }
      defer { daemon.stop() }
      let run = Run(["anchor"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
      #expect(run.status == status && run.notes.contains(words), "\(run.notes)")
      #expect(boat.state.withLock { $0.watch } == nil)
    }
    try expect(64, "--bearing and --distance go together", ["--bearing", "4"])
    try expect(65, "outside the circle of 40 m", ["--bearing", "4", "--distance", "50m"])
    try expect(65, "no number of degrees", ["--bearing", "north", "--distance", "5m"])
    boat.state.withLock { $0.error = 50 }
    try expect(65, "the position is good to ±50 m only")
    boat.state.withLock { $0.age = 400 }
    try expect(1, "the last position is 7 minutes old")
    boat.state.withLock { $0.hasFix = false }
    try expect(1, "there is no position")
  }
}
