import CivilTime
import Companion
import Storage
import TestSupport
import Testing

@testable import Client

@Suite struct BackupTests {
  let folder: TemporaryFolder
  private var copy: String { "\(folder.path)/copy.db" }

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) -> Run {
    Run(["backup", copy, "--state-directory", folder.path] + arguments)
  }

  /// The daemon has its database open meanwhile.
  @Test func copiesTheDatabaseOfARunningDaemon() throws {
    let store = try Store(path: "\(folder.path)/georemind.db", now: Run.now)
    try store.categories.add(Storage.Category(name: "Boats", color: "#123456"))
    let result = run("--json")
    #expect(result.status == 0)
    #expect(
      result.lines == [
        #"{"database":"\#(folder.path)/georemind.db","copy":"\#(copy)"}"#
      ])
    let other = try Store(path: copy, now: Run.now)
    #expect(try other.categories.category(named: "Boats") != nil)
    #expect(try other.ledger.copyTime() == Run.now)
    // What is there already stays.
    let again = run()
    #expect(again.status == ExitStatus.cannotCreate.rawValue)
    #expect(again.notes.contains("cannot create \(copy)"))
  }

  /// Another daemon's database is no copy of this one's.
  @Test func aNamedSocketNeedsItsFolder() {
    for run in [
      Run(["backup", copy], environment: ["GEOREMIND_SOCKET": "/tmp/control"]),
      Run(["backup", copy, "--socket", "/tmp/control"]),
    ] {
      #expect(run.status == ExitStatus.usage.rawValue)
      #expect(run.notes.contains("name its folder with --state-directory"))
    }
    #expect(folder.names == [])
  }

  @Test func withoutADatabaseItSaysWhere() {
    let result = run()
    #expect(result.status == ExitStatus.noInput.rawValue)
    #expect(result.notes.contains("\(folder.path)/georemind.db"))
    #expect(folder.names == [])
  }
}
