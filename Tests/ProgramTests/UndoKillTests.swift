import CivilTime
import Glibc
import LinuxRuntime
import Reminders
import TestSupport
import Testing

@testable import Storage

/// `kill -9` among changes and their undos: the store has all of a change or nothing of it.
@Suite(.serialized) struct UndoKillTests {
  private static let calls: [String] = {
    let add = #"{"reminder":{"id":"a","title":"A","due":"2100-01-01T00:00:00Z"}}"#
    let edit = #"{"id":"a","changes":{"title":"B"}}"#
    let round = [
      ("Add", add), ("Edit", edit), ("Undo", "{}"), ("Done", #"{"id":"a"}"#), ("Undo", "{}"),
      ("Remove", #"{"id":"a"}"#), ("Undo", "{}"), ("Undo", "{}"),
    ]
    return (0..<8).flatMap { _ in round }.map {
      #"{"method":"org.georemind.\#($0)","parameters":\#($1)}"#
    }
  }()

  /// The title and state of the reminder, and the commands that can be taken back.
  private static let standings: Set = [
    "[] []", "[A armed] [Add]", "[B armed] [Edit, Add]", "[A done] [Done, Add]", "[] [Remove, Add]",
  ]

  private func standing(_ path: String) throws -> String {
    let store = try Store(path: path, now: Instant(seconds: 1.8e9))
    defer { store.close() }
    var reminders: [String] = []
    _ = try store.reminders.forEach {
      reminders.append("\($0.reminder.title) \($0.standing.state)")
    }
    let commands = try store.undo.commands(of: geteuid()).map(\.method)
    return "[\(reminders.joined(separator: ", "))] [\(commands.joined(separator: ", "))]"
  }

  @Test func aKillLeavesOneOfTheTwoStates() throws {
    var random = SeededGenerator(seed: 35)
    var seen: Set<String> = []
    for _ in 0..<12 {
      let folder = try TemporaryFolder()
      let socket = "\(folder.path)/socket"
      let process = try ChildProcess(
        ["--state-directory", folder.path, "--socket", socket, "--foreground-journal"], in: folder)
      #expect(try process.waits(for: "started: 0 reminders"))
      let client = try UnixClient(path: socket, timeout: 1_000_000)
      defer { client.close() }
      var bytes: [UInt8] = []
      for call in Self.calls { bytes += Array(call.utf8) + [0] }
      try client.send(bytes, timeout: 5_000_000)
      // The kill comes while the daemon works on the calls behind.
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        _ = try client.receive(timeout: 5_000_000)
      }
      kill(process.id, SIGKILL)
      _ = try process.wait()
      let standing = try standing("\(folder.path)/georemind.db")
      #expect(Self.standings.contains(standing), "\(standing)")
      seen.insert(standing)
    }
    #expect(seen.count > 1)
  }
}
