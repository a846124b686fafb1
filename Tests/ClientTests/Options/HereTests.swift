import Control
import JSONText
import Testing

@testable import Client

/// The word `here`.
@Suite struct HereTests {
  /// A daemon whose last fix has this age, or that has none.
  private func run(
    _ arguments: [String], age: Double? = 3, status: JSONValue = ["position": "known"]
  ) throws -> Run {
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "Where":
        let fix: JSONValue = ["lat": .double(52.52), "lon": .double(13.405), "eph": .double(35)]
        let known: JSONObject = ["fix": fix, "age_s": .double(age ?? 0), "nearest": []]
        return [VarlinkReply(parameters: age == nil ? ["nearest": []] : known)]
      case "Status": return [VarlinkReply(parameters: ["status": status])]
      case "AddPlace":
        return [
          VarlinkReply(parameters: [
            "place": [
              "name": "Home", "latitude": call.parameters["latitude"],
              "longitude": call.parameters["longitude"], "radius_m": 150,
            ]
          ])
        ]
      case "Check": return [VarlinkReply(parameters: ["reminder": call.parameters["reminder"]])]
      case "FindPlaces": return [VarlinkReply(parameters: ["places": []])]
      default:
        return [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.method).varlink)]
      }
    }
    defer { daemon.stop() }
    return Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  private static let note = "georemind: note: here is 52.520000, 13.405000, 3s old, ±35 m\n"

  @Test(arguments: [
    (["convert", "here"], "52.520000"), (["convert", "here", "--to", "52.52,13.405"], "0 m"),
    (["place", "add", "Home", "Here"], "52.520000, 13.405000"),
    (
      ["add", "Tea", "--at", "here", "--dry-run", "--id", "t"], "Tea: will ring once when you come"
    ),
    (
      ["add", "x", "--leave-for", "here", "--due", "18:30", "--dry-run", "--id", "t"],
      "to leave for 52.520000, 13.405000"
    ),
  ])
  func isTheCurrentFixWithItsAgeAndAccuracy(arguments: [String], words: String) throws {
    let run = try run(arguments)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.output.contains(words), "\(run.output)")
    #expect(run.notes.hasPrefix(Self.note), "\(run.notes)")
  }

  @Test func withoutAFixTheReasonIsSaid() throws {
    let status: JSONValue = [
      "position": "none", "feeds": [["url": "tcp://plotter:10110", "condition": "open, silent"]],
    ]
    let run = try run(["convert", "here"], age: nil, status: status)
    #expect(run.status == 65)
    #expect(
      run.notes == "georemind: the text 'here': there is no fix yet (tcp://plotter:10110: open, "
        + "silent); see 'georemind status'\n")
    let none = try self.run(["convert", "here"], age: nil, status: ["feeds": []])
    #expect(
      none.notes == "georemind: the text 'here': there is no fix yet, for there is no feed; "
        + "see 'georemind status'\n")
  }

  @Test func aLostPositionIsRefusedWithItsAge() throws {
    let run = try run(["add", "x", "--at", "here"], age: 720, status: ["position": "lost"])
    #expect(run.status == 65)
    #expect(
      run.notes == "georemind: --at 'here': the position is lost, and the last fix is 12min old, "
        + "±35 m; give a coordinate, or see 'georemind status'\n")
  }
}
