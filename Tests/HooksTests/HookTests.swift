import CivilTime
import Companion
import Configuration
import Glibc
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Hooks

@Suite struct HookTests {
  private func firing(_ id: String = "f-1", title: String = "Milk") throws -> FiringNotice {
    try #require(
      FiringNotice([
        "firing_id": .string(id), "reminder_id": "r", "title": .string(title), "event": "arrive",
        "time": "2026-06-12T16:00:00Z", "lat": .double(52.5), "why": "Arrived",
        "strange key": "x", "list": [1],
      ]))
  }

  private func settings(_ text: String) throws -> HookSettings {
    try HookSettings(
      Configuration(
        [try ConfigurationFile.parse(text, path: "test.conf")],
        declared: HookSettings.table.map(\.key)))
  }

  @Test func settingsHaveDefaults() throws {
    #expect(try settings("[Feed]\nFeed=x\n") == HookSettings())
    let all = try settings(
      "[Hook]\nExec=/a\nExec=/b c\nTimeoutSec=2min\nMaximumParallel=2\nUser=alice\n")
    #expect(
      all
        == HookSettings(
          programs: ["/a", "/b c"], timeout: .minutes(2), maximumParallel: 2, user: "alice"))
  }

  @Test(arguments: ["Exec=blink", "TimeoutSec=0", "TimeoutSec=2h", "MaximumParallel=0"])
  func aWrongValueIsLeftOutAndHasItsPlace(line: String) throws {
    var settings = try settings("[Hook]\n\(line)\n")
    #expect(settings.errors.map(\.line) == [2])
    settings.errors = []
    #expect(settings == HookSettings())
  }

  @Test func aWrongLineAboutTheUserOfHooksIsAnError() throws {
    #expect(throws: ConfigurationError.self) { try settings("[Hook]\nUser nobody\n") }
  }

  @Test func theFieldsAreInTheEnvironment() throws {
    let call = HookCall(program: "/a", firing: try firing(title: "Milk\0 & more\nbread"))
    #expect(
      call.environment == [
        "GEOREMIND_FIRING_ID=f-1", "GEOREMIND_REMINDER_ID=r",
        "GEOREMIND_TITLE=Milk & more\nbread", "GEOREMIND_EVENT=arrive",
        "GEOREMIND_TIME=2026-06-12T16:00:00Z", "GEOREMIND_LAT=52.5", "GEOREMIND_WHY=Arrived",
      ])
  }

  /// Ids come from files of strangers, and a unit's name is a path on the bus.
  @Test func theUnitHasAPlainName() throws {
    let call = HookCall(program: "/a", firing: try firing("../a/é$(x)-9"))
    #expect(call.unitName(number: 2) == "georemind-hook-ax-9-2.service")
  }

  @Test func theSystemsHooksHaveASandbox() throws {
    let call = HookCall(program: "/a", firing: try firing())
    func names(_ settings: HookSettings, isSystem: Bool) -> Set<String> {
      Set(
        call.properties(settings, isSystem: isSystem).compactMap { $0.elements?.first?.string })
    }
    #expect(names(.init(), isSystem: true).isSuperset(of: ["DynamicUser", "ProtectSystem"]))
    #expect(!names(.init(user: "alice"), isSystem: true).contains("DynamicUser"))
    #expect(names(.init(user: "alice"), isSystem: true).contains("User"))
    #expect(names(.init(user: "alice"), isSystem: false).isDisjoint(with: ["DynamicUser", "User"]))
  }

  @Test func theFiringIsOnStandardInput() throws {
    let call = HookCall(program: "/a", firing: try firing())
    let input = call.properties(.init(), isSystem: false).first {
      $0.elements?.first == .string("StandardInputData")
    }
    guard case .variant(.array(_, let values))? = input?.elements?.last else {
      Issue.record("no standard input")
      return
    }
    let bytes = values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
    #expect(bytes.last == 0x0A)
    #expect(try JSONParser.parse(bytes)["title"]?.string == "Milk")
  }

  @Test func onlyProgramsThatOthersCannotChangeRunAsTheSystems() throws {
    func objection(_ path: String, needsRoot: Bool) -> String? {
      HookSettings.objection(to: path, needsRoot: needsRoot)
    }
    #expect(objection("/nonexistent", needsRoot: false)?.contains("No such file") == true)
    #expect(objection("/etc/passwd", needsRoot: false)?.contains("chmod +x") == true)
    #expect(objection("/bin/true", needsRoot: true) == nil)
    let folder = try TemporaryFolder()
    let path = try folder.file("hook", "#!/bin/sh\n")
    chmod(path, 0o777)
    #expect(objection(path, needsRoot: false) == nil)
    #expect(objection(path, needsRoot: true)?.contains("go-w") == true)
  }

  /// Who may write to the folder may put another program in its place.
  @Test(.enabled(if: geteuid() == 0, "files of root's are needed"))
  func aProgramInAFolderThatOthersCanWriteIsRefused() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/bin", 0o755)
    let path = try folder.file("bin/hook", "#!/bin/sh\n")
    chmod(path, 0o755)
    symlink("\(folder.path)/bin/hook", "\(folder.path)/link")
    func objection(_ path: String) -> String? {
      HookSettings.objection(to: path, needsRoot: true)
    }
    #expect(objection(path) == nil)
    #expect(objection("\(folder.path)/link") == nil)
    chmod("\(folder.path)/bin", 0o777)
    for path in [path, "\(folder.path)/link"] {
      #expect(objection(path)?.contains("for \(folder.path)/bin is not root's") == true)
    }
    chmod("\(folder.path)/bin", 0o1777)
    #expect(objection(path) == nil, "sticky, as /tmp is")
    chmod("\(folder.path)/bin", 0o755)
    chmod(folder.path, 0o770)
    #expect(objection(path)?.contains("for \(folder.path) is not root's") == true)
    chmod(folder.path, 0o755)
    // A link on the way that belongs to somebody else may lead elsewhere at any time.
    symlink("bin/../link", "\(folder.path)/chain")
    #expect(objection("\(folder.path)/chain") == nil)
    lchown("\(folder.path)/link", 65_534, 65_534)
    #expect(objection("\(folder.path)/chain")?.contains("for \(folder.path)/link is") == true)
    symlink("loop", "\(folder.path)/loop")
    #expect(objection("\(folder.path)/loop/x") != nil)
  }

  // MARK: - The queue

  @Test func theNumberOfParallelHooksIsLimited() throws {
    var queue = HookQueue(maximumParallel: 2)
    let first = queue.add(try firing("a"), programs: ["/x", "/y", "/z"], at: 0)
    #expect(first.starts.map(\.call.program) == ["/x", "/y"])
    #expect(queue.add(try firing("b"), programs: ["/x"], at: 0).starts.isEmpty)
    let next = queue.ended("georemind-hook-a-1.service", result: "done", at: 0)
    #expect(next.starts.map(\.call.program) == ["/z"])
    #expect(next.words.isEmpty)
    #expect(queue.runningCount == 2)
    #expect(queue.ended("somebody-elses.service", result: "failed", at: 0).words.isEmpty)
  }

  /// The bus may go and come back in between, and the end of a job with it.
  @Test func aHookWithoutAReportedEndIsGivenUp() throws {
    var queue = HookQueue(maximumParallel: 1)
    let first = try #require(queue.add(try firing("a"), programs: ["/x"], at: 1_000).starts.first)
    #expect(queue.add(try firing("b"), programs: ["/y"], at: 2_000).starts.isEmpty)
    #expect(queue.giveUp(after: 500) == 1_500)
    let early = queue.giveUp(at: 1_499, after: 500)
    #expect(early.starts.isEmpty && early.words.isEmpty)
    let late = queue.giveUp(at: 2_000, after: 500)
    #expect(late.words == [.failed(first.call, unit: first.unit, result: HookQueue.lost)])
    #expect(late.starts.map(\.call.program) == ["/y"])
    // Its place runs from when it was taken; a word that comes after all is passed over.
    #expect(queue.giveUp(after: 500) == 2_500)
    #expect(queue.ended(first.unit, result: "done", at: 2_100).words.isEmpty)
    #expect(queue.runningCount == 1)
  }

  @Test(arguments: ["failed", "timeout", "Access denied"])
  func failuresAreLogged(result: String) throws {
    var queue = HookQueue(maximumParallel: 1)
    let start = try #require(queue.add(try firing(), programs: ["/x"], at: 0).starts.first)
    #expect(
      queue.ended(start.unit, result: result, at: 0).words == [
        .failed(start.call, unit: start.unit, result: result)
      ])
  }

  @Test func hooksThatHangFillNoMemory() throws {
    var queue = HookQueue(maximumParallel: 1)
    for number in 0...HookQueue.maximumWaiting {
      #expect(queue.add(try firing("\(number)"), programs: ["/x"], at: 0).words.isEmpty)
    }
    #expect(
      queue.add(try firing("last"), programs: ["/x"], at: 0).words == [.dropped(title: "Milk")])
  }
}
