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
  private func firing(
    _ id: String = "f-1", title: String = "Milk", priority: Int? = nil
  ) throws -> FiringNotice {
    try #require(
      FiringNotice([
        "firing_id": .string(id), "reminder_id": "r", "title": .string(title), "event": "arrive",
        "time": "2026-06-12T16:00:00Z", "lat": .double(52.5), "why": "Arrived",
        "strange key": "x", "list": [1], "priority": priority.map { .int($0) } ?? [],
      ]))
  }

  private func call(_ firing: FiringNotice, _ name: String = "hook-a") -> HookCall {
    HookCall(program: "/a", destination: name, firing: firing)
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
      "[Hook]\nExec=/a\nExec=/b c\nTimeoutSec=2min\nMaximumParallel=2\nUser=alice\n"
        + "GiveUpAfter=2h\nEvents=firing, position-lost\n")
    #expect(
      all
        == HookSettings(
          programs: ["/a", "/b c"], timeout: .minutes(2), maximumParallel: 2,
          giveUpAfter: .hours(2), events: [.firing, .positionLost], user: "alice"))
  }

  @Test(arguments: [
    "Exec=blink", "TimeoutSec=0", "TimeoutSec=2h", "MaximumParallel=0", "GiveUpAfter=0",
    "Events=late", "Events=firing,late",
  ])
  func aWrongValueIsLeftOutAndHasItsPlace(line: String) throws {
    var settings = try settings("[Hook]\n\(line)\n")
    #expect(settings.errors.map(\.line) == [2])
    settings.errors = []
    #expect(settings == HookSettings())
  }

  @Test func aWrongLineAboutTheUserOfHooksIsAnError() throws {
    #expect(throws: ConfigurationError.self) { try settings("[Hook]\nUser nobody\n") }
  }

  @Test func eachProgramIsADestinationOfItsOwn() {
    let settings = HookSettings(programs: [
      "/usr/lib/blink", "/home/a/Blink", "/usr/lib/blink", "/x/Über lang und noch länger.sh",
    ])
    let system = settings.destinations(ofUser: nil)
    #expect(system.map(\.name) == ["hook-blink", "hook-blink-2", "hook---ber-lang-un"])
    #expect(system.map(\.program) == ["/usr/lib/blink", "/home/a/Blink", settings.programs[3]])
    let own = settings.destinations(ofUser: .max)
    #expect(own.first?.name == "hook-4294967295-blink")
    #expect(own.allSatisfy { $0.name.utf8.count <= 32 })
    let many = HookSettings(programs: (0..<40).map { "/\($0)/a-hook-of-a-long-name" })
    #expect(many.destinations(ofUser: .max).count == HookSettings.maximumPrograms)
    #expect(Set(many.destinations(ofUser: .max).map(\.name)).count == 16)
    #expect(many.destinations(ofUser: .max).allSatisfy { $0.name.utf8.count <= 32 })
  }

  @Test func theFieldsAreInTheEnvironment() throws {
    let call = try call(firing(title: "Milk & more\nbread"))
    #expect(
      call.environment == [
        "GEOREMIND_FIRING_ID=f-1", "GEOREMIND_REMINDER_ID=r",
        "GEOREMIND_TITLE=Milk & more\nbread", "GEOREMIND_EVENT=arrive",
        "GEOREMIND_TIME=2026-06-12T16:00:00Z", "GEOREMIND_LAT=52.5", "GEOREMIND_WHY=Arrived",
      ])
  }

  /// Ids come from files of strangers, and a unit's name is a path on the bus.
  @Test func theUnitHasAPlainName() throws {
    let call = try call(firing("../a/é$(x)-9"))
    #expect(call.unit == "georemind-hook-a-ax-9.service")
  }

  @Test func theSystemsHooksHaveASandbox() throws {
    let call = try call(firing())
    func names(_ settings: HookSettings, isSystem: Bool) -> Set<String> {
      Set(
        call.properties(settings, isSystem: isSystem).compactMap { $0.elements?.first?.string })
    }
    #expect(names(.init(), isSystem: true).isSuperset(of: ["DynamicUser", "ProtectSystem"]))
    #expect(!names(.init(user: "alice"), isSystem: true).contains("DynamicUser"))
    let ofUser = names(.init(user: "alice"), isSystem: true)
    #expect(ofUser.isSuperset(of: ["User", "ProtectKernelTunables", "ProtectControlGroups"]))
    #expect(names(.init(user: "alice"), isSystem: false).isDisjoint(with: ["DynamicUser", "User"]))
  }

  @Test func theFiringIsOnStandardInput() throws {
    let call = try call(firing())
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
    let calls = try ["x", "y", "z"].map { try call(firing(), $0) }
    for call in calls { queue.add(call) }
    #expect(queue.next(at: 0) == Array(calls[..<2]))
    #expect(queue.next(at: 0).isEmpty)
    #expect(queue.end("somebody-elses.service") == nil)
    #expect(queue.end(calls[0].unit) == calls[0])
    #expect(queue.next(at: 0) == [calls[2]])
    #expect(queue.runningCount == 2)
  }

  @Test func anUrgentFiringWaitsForNoPlace() throws {
    var queue = HookQueue(maximumParallel: 1)
    let calls = try ["x", "y"].map { try call(firing(), $0) }
    for call in calls { queue.add(call) }
    #expect(queue.next(at: 0) == [calls[0]])
    let alarm = try call(firing("alarm", priority: 1))
    queue.add(alarm)
    #expect(queue.next(at: 1) == [alarm])
    #expect(queue.end(alarm.unit) == alarm)
    #expect(queue.next(at: 2).isEmpty)
    #expect(queue.end(calls[0].unit) == calls[0])
    #expect(queue.next(at: 3) == [calls[1]])
  }

  /// The bus may go and come back in between, and the end of a job with it.
  @Test func aHookWithoutAReportedEndIsGivenUp() throws {
    var queue = HookQueue(maximumParallel: 1)
    let first = try call(firing("a"))
    let second = try call(firing("b"), "hook-b")
    queue.add(first)
    queue.add(second)
    #expect(queue.next(at: 1_000) == [first])
    #expect(queue.giveUp(after: 500) == 1_500)
    #expect(queue.giveUp(at: 1_499, after: 500).isEmpty)
    #expect(queue.giveUp(at: 2_000, after: 500) == [first])
    #expect(queue.next(at: 2_000) == [second])
    // Its place runs from when it was taken; an end that comes after all is ignored.
    #expect(queue.giveUp(after: 500) == 2_500)
    #expect(queue.end(first.unit) == nil)
  }

  // MARK: - Units

  @Test func theEndOfAUnitIsAnOutcome() {
    func outcome(_ result: String, _ code: Int32, _ status: Int32) -> Delivery.Outcome {
      HookUnits.outcome(result: result, code: code, status: status)
    }
    #expect(outcome("success", 1, 0) == .delivered)
    #expect(outcome("exit-code", 1, 65) == .refused("it exited with 65"))
    for status: Int32 in [1, 64, 69, 75, 78, 255] {
      #expect(outcome("exit-code", 1, status) == .failed("it exited with \(status)"))
    }
    #expect(outcome("exit-code", 1, 203) == .failed("it cannot be executed"))
    #expect(outcome("timeout", 2, 15) == .failed("it took too long and was ended"))
    // A program may end itself with 0 or 65 because it was stopped.
    #expect(outcome("timeout", 1, 65) == .failed("it took too long and was ended"))
    #expect(outcome("signal", 2, 9) == .failed("it was ended by signal 9"))
    // A unit that systemd does not know.
    #expect(outcome("success", 0, 0) == .failed("systemd does not report how it ended"))
    #expect(outcome("", 0, 0) == .failed("systemd does not report how it ended"))
  }

  /// As sd_bus_path_encode(3) writes it.
  @Test func theUnitHasAnObjectOnTheBus() {
    #expect(
      HookUnits.path(of: "georemind-hook-a.service")
        == "/org/freedesktop/systemd1/unit/georemind_2dhook_2da_2eservice")
  }
}
