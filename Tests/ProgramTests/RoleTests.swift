import TestSupport
import Testing

@testable import georemind

/// One file under several names: which role a command line asks for, and that each is there.
@Suite struct RoleTests {
  @Test(arguments: Role.allCases)
  func theNameDecides(_ role: Role) {
    for name in [role.rawValue, "/usr/bin/\(role.rawValue)", "./\(role.rawValue)"] {
      let chosen = Role.choose(by: [name, "--socket", "/x"])
      #expect(chosen.role == role)
      #expect(chosen.arguments == ["--socket", "/x"])
    }
  }

  @Test(arguments: ["georemind", "/opt/other-name"])
  func theFirstWordDecidesIfTheNameDoesNot(_ name: String) {
    for role in Role.allCases {
      guard let word = role.word else { continue }
      let chosen = Role.choose(by: [name, word, "--help"])
      #expect(chosen.role == role)
      #expect(chosen.arguments == ["--help"])
    }
    #expect(Role.choose(by: [name, "list", "daemon"]).role == .client)
    #expect(Role.choose(by: [name, "list", "daemon"]).arguments == ["list", "daemon"])
  }

  @Test func theNameOfALinkOverridesTheFirstWord() {
    let chosen = Role.choose(by: ["georemindd", "notify"])
    #expect(chosen.role == .daemon)
    #expect(chosen.arguments == ["notify"])
  }

  @Test func anEmptyNameRunsTheClient() {
    #expect(Role.choose(by: []).role == .client)
    #expect(Role.choose(by: [""]).role == .client)
  }

  @Test func theMakefileLinksTheSameNames() throws {
    let lines = try contents("\(packageRoot)/Makefile").split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("ROLES = ") })
    let names = line.split(separator: " ").dropFirst(2).map(String.init)
    #expect(names == Role.allCases.map(\.rawValue))
  }

  /// As a link, and by the first word.
  @Test(arguments: Role.allCases)
  func eachRoleIsInTheFile(_ role: Role) throws {
    let folder = try TemporaryFolder()
    let help = try ChildProcess(["--help"], in: folder, as: role.rawValue).output()
    #expect(help.contains("USAGE: \(role.rawValue) "))
    guard let word = role.word else {
      // The words are for units and scripts, and no verbs.
      return #expect(!Role.allCases.contains { help.contains("\n  \($0.word ?? "-") ") })
    }
    let program = Role.client.rawValue
    #expect(try ChildProcess([word, "--help"], in: folder, as: program).output() == help)
    let version = try ChildProcess(["--version"], in: folder, as: role.rawValue).output()
    #expect(version.hasPrefix("\(role.rawValue) "))
  }
}
