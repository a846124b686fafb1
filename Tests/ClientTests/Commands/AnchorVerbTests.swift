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
  /// A daemon with one fix and room for one anchor watch beside other reminders.
  private final class Boat: Sendable {
    struct State {
      var watch: JSONObject?
      var others: [JSONObject] = []
      var age = 1.0
      var error = 4.0
      var hasFix = true
      var speed = 0.0
      var latitude = 54.0
      /// The member `anchor` of the watch.
      var says: JSONObject?
    }
    let state = Mutex(State())
    /// The methods that were called.
    let calls = Mutex<[String]>([])

    func answer(_ call: VarlinkCall) -> [VarlinkReply] {
      if call.methodName != "Status" { calls.withLock { $0.append(call.methodName) } }
      return state.withLock { state in
        switch call.methodName {
        case "Where":
          let fix: JSONValue = [
            "lat": .double(state.latitude), "lon": .double(10), "eph": .double(state.error),
            "speed": .double(state.speed),
          ]
          return [
            VarlinkReply(
              parameters: state.hasFix
                ? ["fix": fix, "age_s": .double(state.age), "nearest": []] : ["nearest": []])
          ]
        case "Add":
          var added = call.parameters["reminder"]?.object ?? JSONObject()
          let id = added["id"]?.string ?? "0123456789abcdef"
          guard !state.others.contains(where: { $0["id"]?.string == id }) else {
            return [VarlinkReply(GeoremindError.alreadyExists(name: id).varlink)]
          }
          added["id"] = .string(id)
          added["state"] = "armed"
          state.watch = added
          return [VarlinkReply(parameters: ["id": .string(id), "reminder": .object(added)])]
        case "PageReminders":
          let all = state.others + (state.watch.map { [$0] } ?? [])
          return [VarlinkReply(parameters: ["reminders": .array(all.map { .object($0) })])]
        case "Show":
          let id = call.parameters["id"]?.string
          if let other = state.others.first(where: { $0["id"]?.string == id }) {
            return [VarlinkReply(parameters: ["reminder": .object(other)])]
          }
          let ids = state.others.compactMap { $0["id"]?.string }
          if state.watch == nil, ids.count > 1 {
            return [VarlinkReply(GeoremindError.ambiguous(id: "anchor", candidates: ids).varlink)]
          }
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
        watch["anchor"] = state.says.map { .object($0) }
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

  /// Adds a reminder of the user's own.
  private func addOther(id: String, _ members: JSONObject = JSONObject()) {
    var other = members
    other["id"] = .string(id)
    other["kind"] = "location"
    other["title"] = "Anchor drags"
    other["place"] = ["name": "here", "lat": 54, "lon": 10, "radius_m": 70]
    other["on"] = "depart"
    boat.state.withLock { $0.others.append(other) }
  }

  private func watch() throws -> Reminder {
    var object = try #require(boat.state.withLock { $0.watch })
    for member in ["swing", "anchor"] { object[member] = nil }
    return try Reminder(json: object)
  }

  @Test func setSetsItHere() throws {
    let run = try run("set")
    #expect(
      run.output == "Will ring each time you have been away from the 40 m around the anchor "
        + "(54.000000, 10.000000) for 30s, with priority 1, and when the position is lost, "
        + "again every 1min until it is done\n")
    let watch = try watch()
    #expect(watch.id == "anchor" && watch.isAnchorWatch)
    #expect(watch.nag == .minutes(1) && watch.nagLimit == 0)
  }

  @Test func theAnswerNeedsNoFurtherCall() throws {
    _ = try run("set")
    #expect(boat.calls.withLock { $0 } == ["Show", "PageReminders", "Where", "Add"])
    boat.calls.withLock { $0 = [] }
    let change = try run("set", "--radius", "50m")
    #expect(change.output.contains("away from the 50 m around the anchor"))
    #expect(boat.calls.withLock { $0 } == ["Show", "Where", "Edit"])
  }

  @Test func withoutAnArgumentItIsShownAndNeverSet() throws {
    let none = try run()
    #expect(none.status == 1 && none.notes.contains("'georemind anchor set' sets one here"))
    #expect(try run("--json").status == 1)
    #expect(boat.state.withLock { $0.watch } == nil)
    #expect(try run("--radius", "50m").notes.contains("go with 'anchor set'"))
    _ = try run("set")
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
    _ = try run("set", "--bearing", "90", "--distance", "30m", "--radius", "60m", "--hold", "1min")
    let place = try #require(try watch().place)
    #expect(place.radius == 60)
    #expect(abs(place.position.longitude - 10) * 65_400 > 29)
    #expect(abs(place.position.latitude - 54) < 1e-6)
    #expect(try watch().dwell == .minutes(1))
    #expect(try run().output.contains("It bears 90° at 30 m"))
    // Another radius moves nothing.
    _ = try run("set", "--radius", "50m")
    #expect(try watch().place?.position == place.position)
    #expect(try watch().place?.radius == 50 && watch().dwell == .minutes(1))
  }

  @Test func raiseEndsIt() throws {
    #expect(try run("raise").status == 1)
    _ = try run("set")
    #expect(try run("raise").output == "The anchor watch has ended\n")
    #expect(boat.state.withLock { $0.watch } == nil)
  }

  @Test(arguments: ["up", "off"]) func otherWordsEndItAsWell(word: String) throws {
    _ = try run("set")
    #expect(try run(word).output == "The anchor watch has ended\n")
  }

  @Test func aLongHoldIsNoted() throws {
    #expect(try run("set", "--hold", "5min").notes.isEmpty)
    let run = try run("set", "--hold", "6min")
    #expect(
      run.notes.contains("note: an alarm comes only after 6min outside the circle\n"),
      "\(run.notes)")
  }

  @Test func aWatchThatGetsNoPositionsSaysSo() throws {
    _ = try run("set")
    boat.state.withLock { $0.age = 61 }
    #expect(
      try run().output.contains("No position has come since: the watch cannot see the boat"))
    boat.state.withLock { $0.hasFix = false }
    #expect(try run().output.contains("There is no position: the watch cannot see the boat\n"))
  }

  @Test func doneSaysThatADriftGoesOnInSilence() throws {
    for (place, wait) in [
      ("outside", "is silent until the boat is back in the circle"),
      ("inside", "waits for the next time"),
    ] {
      let daemon = try FakeDaemon { _ in
        let watch: JSONObject = [
          "id": "anchor", "title": "Anchor watch", "state": "armed",
          "anchor": ["place": .string(place)],
        ]
        return [VarlinkReply(parameters: ["reminder": .object(watch)])]
      }
      defer { daemon.stop() }
      let run = Run(["done", "anchor"], environment: ["GEOREMIND_SOCKET": daemon.path])
      #expect(run.output == "Completed Anchor watch; it \(wait)\n", "\(run.notes)")
    }
  }

  /// A reminder of one's own may have the id that the watch usually has.
  @Test func anotherReminderMayHaveItsID() throws {
    addOther(id: "anchor")
    #expect(try run("raise").status == 1)
    let first = try run("set")
    #expect(first.status == 0)
    #expect(first.output.hasPrefix("Will ring each time you have been away from the 40 m"))
    #expect(
      first.notes.contains(
        "the id 'anchor' belongs to another reminder; 'georemind done anchor-watch' ends an alarm"))
    #expect(try watch().id == "anchor-watch" && watch().isAnchorWatch)
    #expect(try run().output.hasPrefix("The anchor is at 54.000000, 10.000000, in a circle of 40"))
    #expect(try run("set", "--radius", "50m", "--json").output == #"{"id":"anchor-watch"}"# + "\n")
    #expect(try watch().place?.radius == 50)
    boat.state.withLock {
      $0.watch?["last_fired"] = "2026-06-12T15:00:00Z"
      $0.watch?["unacknowledged"] = true
    }
    #expect(try run().output.contains("; 'georemind done anchor-watch' ends it\n"))
    #expect(try run("raise").output == "The anchor watch has ended\n")
    #expect(boat.state.withLock { $0.watch == nil && $0.others.count == 1 })
  }

  @Test func bothIDsMayBeTaken() throws {
    addOther(id: "anchor")
    addOther(id: "anchor-watch")
    #expect(try run("set").notes.contains("'georemind done 0123456789abcdef' ends an alarm"))
    #expect(try run().output.hasPrefix("The anchor is at"))
  }

  @Test func othersMayHaveTheWordInTheirTitles() throws {
    addOther(id: "1")
    addOther(id: "2")
    #expect(try run("raise").notes.contains("no anchor watch is set"))
    #expect(try run("set").output.hasPrefix("Will ring"))
    #expect(try watch().id == "anchor")
  }

  /// It is known by what it does, whoever added it.
  @Test func aWatchThatWasImportedIsFound() throws {
    addOther(id: "old", ["anchor_watch": true, "state": "done"])
    addOther(id: "bow", ["anchor_watch": true, "state": "armed"])
    #expect(try run().output.hasPrefix("The anchor is at 54.000000, 10.000000, in a circle of 70"))
  }

  /// It is set all the same: it is compared, not refused.
  @Test func aCircleSmallerThanTheErrorNamesOneThatWorks() throws {
    boat.state.withLock { $0.error = 44 }
    let run = try run("set")
    #expect(run.status == 0)
    #expect(
      run.notes.contains(
        "the position is good to ±44 m only, so a circle of 40 m gives false alarms; "
          + "--radius 90m would not"))
    #expect(try watch().place?.radius == 40)
    // Also where it is changed.
    #expect(try self.run("set", "--radius", "43m").notes.contains("so a circle of 43 m gives"))
    #expect(try self.run("set", "--radius", "90m").notes == "")
  }

  @Test func itSaysThatTheBoatIsOutsideAndTheAlarmSilenced() throws {
    _ = try run("set", "--bearing", "90", "--distance", "55m", "--radius", "60m")
    #expect(try !run().output.contains("outside"))
    _ = try run("set", "--radius", "50m")
    boat.state.withLock { $0.watch?["snoozed_until"] = "2026-06-12T16:10:00Z" }
    let shown = try run().output
    #expect(shown.contains("at 55 m from the last position, 1 second old, good to ±4 m: outside"))
    #expect(shown.contains("It is silenced until 2026-06-12T18:10:00+02:00\n"))
  }

  /// The words are the daemon's: an alarm comes first, and `done` is not advised twice.
  @Test func whatTheDaemonSaysOfTheWatchComesFirst() throws {
    _ = try run("set")
    boat.state.withLock {
      $0.watch?["last_fired"] = "2026-06-12T15:00:00Z"
      $0.says = [
        "says": "No position since 16:58: the receiver repeats the same position; silent",
        "lost": ["since": "2026-06-12T14:58:00Z", "cause": "frozen"],
      ]
    }
    let shown = try run().output
    #expect(shown.hasPrefix("No position since 16:58: the receiver repeats the same position; "))
    #expect(shown.contains("at 0 m from the last position, the same since 2026-06-12T16:58:00"))
    #expect(!shown.contains("second old") && !shown.contains("ends it"))
  }

  // MARK: - Another place

  @Test func aCommandWithoutOptionsMovesAWatchThatTheBoatHasLeft() throws {
    _ = try run("set")
    let stays = try run("set")
    #expect(stays.notes == "" && stays.status == 0)
    boat.state.withLock { $0.latitude = 54.005 }
    let moved = try run("set")
    #expect(moved.notes.contains("note: the anchor has moved by 556 m, from 54.000000, 10.000000"))
    #expect(try watch().place?.position.latitude == 54.005)
  }

  @Test func anotherRadiusMovesNothingAndSaysHowFarTheBoatIs() throws {
    _ = try run("set")
    boat.state.withLock { $0.latitude = 54.005 }
    let stays = try run("set", "--radius", "60m")
    #expect(
      stays.notes.contains(
        "the boat is 556 m from the anchor of this watch, outside its circle; "
          + "'georemind anchor set --here' moves it here"))
    #expect(try watch().place?.position.latitude == 54)
    _ = try run("set", "--here")
    #expect(try watch().place?.position.latitude == 54.005 && watch().place?.radius == 60)
    #expect(try run("set", "--here", "--bearing", "4", "--distance", "5m").status == 64)
  }

  @Test func aCircleThatCannotBeMeantIsNoted() throws {
    boat.state.withLock { $0.speed = 20.6 }
    let underWay = try run("set", "--radius", "5nmi")
    #expect(underWay.status == 0)
    #expect(underWay.notes.contains("the boat makes 74 km/h"), "\(underWay.notes)")
    #expect(underWay.notes.contains("finds a drag late"))
    boat.state.withLock { ($0.speed, $0.age) = (0, 400) }
    #expect(try run("set", "--radius", "50m").notes.contains("last position is 7 minutes old"))
    boat.state.withLock { $0.hasFix = false }
    #expect(try run("set", "--radius", "60m").notes.contains("there is no position to watch"))
  }

  @Test func withoutAGoodPositionNothingIsSet() throws {
    func expect(_ status: Int32, _ words: String, _ arguments: [String] = []) throws {
      let daemon = try FakeDaemon { [boat] in boat.answer($0) }
      defer { daemon.stop() }
      let run = Run(["anchor", "set"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
      #expect(run.status == status && run.notes.contains(words), "\(run.notes)")
      #expect(boat.state.withLock { $0.watch } == nil)
    }
    try expect(64, "--bearing and --distance go together", ["--bearing", "4"])
    try expect(65, "outside the circle of 40 m", ["--bearing", "4", "--distance", "50m"])
    try expect(65, "no number of degrees", ["--bearing", "north", "--distance", "5m"])
    boat.state.withLock { $0.age = 400 }
    try expect(1, "the last position is 7 minutes old")
    boat.state.withLock { $0.hasFix = false }
    try expect(1, "there is no position")
  }
}
