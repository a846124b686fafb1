import Control
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Client

@Suite struct HookVerbTests {
  private static let recipes = "\(packageRoot)/examples/hooks"
  private let root: TemporaryFolder

  init() throws { root = try TemporaryFolder() }

  private func run(_ arguments: String...) -> Run {
    Run(
      ["hook"] + arguments + ["--root", root.path]
        + (arguments[0] == "add" ? ["--recipes", Self.recipes] : []))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private var script: String { "\(root.path)/usr/local/lib/georemind/ntfy" }

  private var setting: String {
    "\(root.path)/etc/georemind/georemind.conf.d/hook-ntfy.conf"
  }

  @Test func aRecipeIsInstalledWithItsSettings() throws {
    let added = run("add", "ntfy", "url=https://ntfy.sh/a'b$c")
    #expect(added.status == 0, "\(added.notes)")
    #expect(added.notes.contains("georemind-hook@ntfy"))
    let lines = try contents(script).split(separator: "\n")
    #expect(lines.contains(#"url='https://ntfy.sh/a'\''b$c'"#))
    #expect(lines.contains("web=${NTFY_WEB:-}"))
    // A script may have a password.
    #expect(mode(script) & 0o007 == 0 && mode(script) & 0o500 == 0o500)
    #expect(try contents(setting) == "[Hook]\nExec=/usr/local/lib/georemind/ntfy\n")
    #expect(run("list").output == "ntfy\n")
    let again = run("add", "ntfy", "url=https://ntfy.sh/other")
    #expect(again.status == 65 && again.notes.contains("hook remove ntfy"))
    #expect(run("remove", "ntfy").status == 0)
    #expect(mode(script) == 0 && mode(setting) == 0)
    #expect(run("list").output == "" && run("remove", "ntfy").status == 65)
  }

  @Test func whatIsMissingOrUnknownIsNamed() {
    let missing = run("add", "ntfy")
    #expect(missing.status == 64)
    #expect(missing.notes.contains("needs url=, in the form of https://ntfy.sh/CHANGE-ME"))
    let unknown = run("add", "ntfy", "topic=x")
    #expect(unknown.notes.contains("its settings are url, web, link"))
    #expect(run("add", "ntfy", "url").notes.contains("NAME=VALUE"))
    #expect(run("add", "ntfy", "url=a\nb").notes.contains("control character"))
    for recipe in ["none", "../ntfy", "/bin/sh", ""] { #expect(run("add", recipe).status == 64) }
    for name in ["../x", "A", "1x", "a b", "a-name-that-is-too-long"] {
      #expect(run("add", "ntfy", "url=x", "--name", name).status == 64, "\(name)")
    }
    #expect(mode(script) == 0)
  }

  /// The words in capitals of a recipe are its settings that must be given.
  @Test(arguments: [
    ("ntfy", ["url", "web", "link"], ["url"]), ("apprise", ["url"], ["url"]),
    ("home-assistant", ["url", "phone", "token"], ["phone", "token"]), ("speak", [], []),
    ("relay", ["chip", "line", "seconds"], []),
  ])
  func theSettingsStandInTheRecipe(name: String, all: [String], needed: [String]) throws {
    let recipe = try HookRecipe(name, in: Self.recipes)
    #expect(recipe.settings.map(\.name) == all)
    #expect(recipe.settings.filter { !$0.isOptional }.map(\.name) == needed)
  }

  /// The shell reads each value as it was given.
  @Test func theShellReadsEachValueAsItWasGiven() throws {
    let values = ["a b", "$(reboot)", "`x`", "'", "''\\'", "\"", "a;b&c|d", "é", ""]
    for value in values {
      let recipe = HookRecipe(name: "x", text: "#!/bin/sh\nurl=${X_URL:-}\nprintf %s \"$url\"\n")
      let file = try root.file("recipe", recipe.filled(["url": value]))
      let pipe = try #require(popen("sh \(file)", "r"))
      defer { pclose(pipe) }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = fread(&bytes, 1, bytes.count, pipe)
      #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == value)
    }
  }

  // MARK: - The way back to a phone

  private func add(_ arguments: String...) throws -> (run: Run, calls: [String]) {
    final class Calls: @unchecked Sendable { var names: [String] = [] }
    let calls = Calls()
    let token = String(repeating: "a", count: 42) + "A"
    let daemon = try FakeDaemon { call in
      calls.names.append(call.methodName)
      return [
        VarlinkReply(parameters: ["token": .string(token), "phone": [:], "status": ["feeds": []]])
      ]
    }
    defer { daemon.stop() }
    let run = Run(
      ["phone", "add"] + arguments + ["--root", root.path, "--recipes", Self.recipes],
      environment: ["GEOREMIND_SOCKET": daemon.path])
    return (run, calls.names)
  }

  @Test func aPhoneWithPushGetsATopicAndAHook() throws {
    let (run, calls) = try add("Anna", "--push", "--server", "http://ntfy.lan:81")
    #expect(run.status == 0, "\(run.notes)")
    #expect(calls == ["AddPhone", "MakeLink", "Status"])
    let line = try #require(run.lines.first { $0.contains("ntfy://ntfy.lan:81/georemind-") })
    #expect(line.hasSuffix("?secure=false"))
    #expect(run.output.contains("&ntfy=http://ntfy.lan:81/georemind-"))
    let script = try contents("\(root.path)/usr/local/lib/georemind/anna")
    #expect(script.contains("\nlink='aaaa") && script.contains("\nweb='http://127.0.0.1:8088'"))
    #expect(run.notes.contains("Page=yes"))
    let other = try add("ben", "--push").run
    #expect(other.output.contains("ntfy://ntfy.sh/georemind-") && !other.output.contains("secure"))
  }

  @Test func aPhoneMayReceiveItsOwnFiringsAlone() throws {
    let (run, _) = try add("Anna", "--push", "--addressed")
    #expect(run.status == 0, "\(run.notes)")
    #expect(
      try contents("\(root.path)/etc/georemind/georemind.conf.d/hook-anna.conf")
        == "[Hook]\nExec=/usr/local/lib/georemind/anna\nAddressed=anna\n")
    #expect(try add("ben", "--addressed").run.status == 64)
  }

  @Test func whatCannotBeSetUpTakesNoToken() throws {
    let named = try add("a_b", "--push")
    #expect(named.run.status == 64 && named.calls.isEmpty)
    let served = try add("anna", "--push", "--server", "ntfy.sh")
    #expect(served.run.status == 64 && served.calls.isEmpty)
  }
}
