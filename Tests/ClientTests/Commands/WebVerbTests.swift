import Control
import JSONText
import TestSupport
import Testing

@testable import Client

@Suite struct WebVerbTests {
  private static let token = String(repeating: "A", count: 43)

  private func run(
    _ arguments: [String], files: [String] = [], columns: Int? = nil,
    _ handler: @escaping FakeDaemon.Handler
  ) throws -> Run {
    let daemon = try FakeDaemon(handler)
    defer { daemon.stop() }
    return Run(
      arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: columns,
      configurationFiles: files)
  }

  private static let made: FakeDaemon.Handler = { call in
    guard call.methodName == "MakeLink", call.parameters["name"] == "phone",
      call.parameters["may_change"] == false, call.parameters["expires"] == "2d"
    else { return [] }
    return [VarlinkReply(parameters: ["token": .string(token), "link": [:]])]
  }

  @Test func aLinkStandsInTheFragment() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("georemind.conf", "[Web]\nListen=127.0.0.2:9000\n")
    let arguments = ["web", "link", "--name", "phone", "--view", "--expires", "2d"]
    let run = try run(arguments, files: [file], Self.made)
    #expect(run.output == "http://127.0.0.2:9000/map/#\(Self.token)\n")
    #expect(run.notes.contains("Page=yes"))
    let shown = try self.run(arguments, files: [file], columns: 80, Self.made)
    #expect(shown.lines.count == 20 && shown.lines[3].contains("█"))
  }

  /// It is for settings of a hook.
  @Test func aLinkForAnswersIsItsToken() throws {
    let run = try run(["web", "link", "--name", "ntfy", "--answers"]) { call in
      guard call.parameters["only_answers"] == true else { return [] }
      return [VarlinkReply(parameters: ["token": .string(Self.token), "link": [:]])]
    }
    #expect(run.output == "\(Self.token)\n")
  }

  @Test func listsAndRevokes() throws {
    let listed = try run(["web", "links"]) { call in
      guard call.methodName == "ListLinks" else { return [] }
      return [
        VarlinkReply(parameters: [
          "links": [
            [
              "name": "phone", "user": 0, "may_change": true, "made": "2026-06-12T15:00:00Z",
              "used": "2026-06-12T16:00:00Z",
            ]
          ]
        ])
      ]
    }
    #expect(listed.output == "phone  root  may change  used 2026-06-12T18:00:00+02:00\n")
    let revoked = try run(["web", "revoke", "phone"]) { call in
      call.methodName == "RevokeLink" && call.parameters["name"] == "phone"
        ? [VarlinkReply(parameters: ["link": [:]])] : []
    }
    #expect(revoked.status == 0 && revoked.notes.contains("revoked phone"))
  }
}
