import Control
import JSONText
import TestSupport
import Testing

@testable import Client

@Suite struct PhoneVerbTests {
  private static let token = String(repeating: "a", count: 42) + "A"

  private func run(
    _ arguments: [String], _ configuration: String = "", columns: Int? = nil,
    feed: String = "unix:///run/georemind-web/positions?max-age=5min"
  ) throws -> Run {
    let folder = try TemporaryFolder()
    let file = try folder.file("georemind.conf", "[Web]\n\(configuration)\n")
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "AddPhone" where call.parameters["name"] == "anna":
        [
          VarlinkReply(parameters: [
            "token": .string(Self.token),
            "phone": ["name": "anna", "user": 0, "made": "2026-06-12T15:00:00Z"],
          ])
        ]
      case "Status":
        [VarlinkReply(parameters: ["status": ["feeds": [["url": .string(feed)]]]])]
      case "ListPhones":
        [
          VarlinkReply(parameters: [
            "phones": [["name": "anna", "user": 0, "made": "2026-06-12T15:00:00Z"]]
          ])
        ]
      case "RevokePhone" where call.parameters["name"] == "anna":
        [VarlinkReply(parameters: ["phone": [:]])]
      default: []
      }
    }
    defer { daemon.stop() }
    return Run(
      arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: columns,
      configurationFiles: [file])
  }

  @Test func theSettingsOfAllAppsAreShown() throws {
    let run = try run(["phone", "add", "anna"], "Listen=192.168.1.5:8088")
    let base = "http://192.168.1.5:8088"
    #expect(run.status == 0 && run.notes == "")
    #expect(run.output.contains("\n  owntracks:///config?inline="))
    #expect(run.output.contains("\n  \(base)/phone/#\(Self.token)\n"))
    #expect(run.output.contains("\n  Server URL         \(base)/\(Self.token)/\n"))
    #expect(run.output.contains("\n  HTTP body    %ALL\n"))
    #expect(!run.output.contains("█"))
  }

  /// The code fits into a usual terminal.
  @Test func aTerminalGetsTheCode() throws {
    let run = try run(
      ["phone", "add", "anna"], "Address=https://boat.example.org", columns: 80)
    let code = run.lines.filter { $0.contains("\u{1B}[30;107m") }
    #expect((25...40).contains(code.count))
    #expect(code.allSatisfy { $0.count - "\u{1B}[30;107m\u{1B}[0m".count <= 80 })
    #expect(run.output.contains("https://boat.example.org/phone/#"))
  }

  @Test func whatKeepsPositionsFromArrivingIsSaid() throws {
    let run = try run(["phone", "add", "anna"], feed: "gpsd://localhost")
    #expect(run.status == 0)
    #expect(run.notes.contains("set Listen= or Address= in section [Web]"))
    #expect(run.notes.contains("georemind-web/positions?max-age=5min in section [Feed]"))
  }

  @Test func programsGetADocument() throws {
    let run = try run(["phone", "add", "anna", "--json"], "Listen=192.168.1.5:8088")
    let document = try #require(try JSONParser.parse(Array(run.output.utf8)).object)
    #expect(document["token"]?.string == Self.token)
    #expect(document["page"]?.string == "http://192.168.1.5:8088/phone/#\(Self.token)")
    #expect(document["setups"]?.array?.count == 4)
  }

  @Test func listsAndRevokes() throws {
    let listed = try run(["phone", "list"])
    #expect(listed.output == "anna  root  added 2026-06-12T17:00:00+02:00\n")
    let revoked = try run(["phone", "revoke", "anna"])
    #expect(revoked.status == 0 && revoked.notes.contains("revoked anna"))
    #expect(try run(["phone", "revoke", "ben"]).status != 0)
  }
}
