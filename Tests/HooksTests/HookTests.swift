import CivilTime
import Companion
import Configuration
import JSONText
import LinuxRuntime
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

  private func settings(_ text: String) throws -> HookSettings {
    try HookSettings(
      Configuration(
        [try ConfigurationFile.parse(text, path: "test.conf")],
        declared: HookSettings.table.map(\.key)))
  }

  @Test func settingsHaveDefaults() throws {
    #expect(try settings("[Feed]\nFeed=x\n") == HookSettings())
    let all = try settings(
      "[Hook]\nExec=/a\nExec=/b c\nTimeoutSec=2min\nGiveUpAfter=2h\nAddressed=a\n"
        + "Events=firing, position-lost\n")
    #expect(
      all
        == HookSettings(
          programs: ["/a", "/b c"], timeout: .minutes(2), giveUpAfter: .hours(2),
          events: [.firing, .positionLost], addressed: ["a"]))
  }

  @Test func aFiringCanBeTriedForEver() throws {
    #expect(
      try settings("[Hook]\nGiveUpAfter=never\n").giveUpAfter == TimeSpan(microseconds: .max))
  }

  @Test(arguments: [
    "Exec=blink", "TimeoutSec=0", "TimeoutSec=2h", "GiveUpAfter=0", "Events=late",
    "Events=firing,late",
  ])
  func aWrongValueIsLeftOutAndHasItsPlace(line: String) throws {
    var settings = try settings("[Hook]\n\(line)\n")
    #expect(settings.errors.map(\.line) == [2])
    settings.errors = []
    #expect(settings == HookSettings())
  }

  @Test func eachProgramIsAHookByItsFileName() throws {
    let programs = [
      "/usr/lib/blink", "/home/a/Blink", "/usr/lib/blink", "/x/Über lang und noch länger.sh",
      "/etc/10-say", "/etc/1000",
    ]
    let settings = HookSettings(programs: programs)
    #expect(
      settings.names.map(\.name) == [
        "blink", "blink-2", "--ber-lang-un", "n10-say", "n1000",
      ])
    #expect(try Hook("blink-2", settings).program == "/home/a/Blink")
    let many = HookSettings(programs: (0..<40).map { "/\($0)/a-hook-of-a-long-name" })
    #expect(Set(many.names.map(\.name)).count == 40)
    #expect(many.names.allSatisfy { "hook-4294967295-\($0.name)".utf8.count <= 32 })
  }

  @Test func anUnknownHookIsAnErrorWithTheKnownNames() throws {
    let error = #expect(throws: Hook.Unknown.self) {
      try Hook("blnk", HookSettings(programs: ["/a/blink", "/a/say"]))
    }
    #expect("\(try #require(error))".hasSuffix("names blink, say"))
    let named = #expect(throws: Hook.Unknown.self) {
      try Hook("blink", file: "/nowhere/georemind.conf", mayBeMissing: true)
    }
    #expect("\(try #require(named))".contains("of /nowhere/georemind.conf names no program"))
  }

  @Test func theFieldsAreInTheEnvironment() throws {
    let call = HookCall(try firing(title: "Milk & more\nbread"))
    #expect(
      call.environment == [
        "GEOREMIND_FIRING_ID=f-1", "GEOREMIND_REMINDER_ID=r",
        "GEOREMIND_TITLE=Milk & more\nbread", "GEOREMIND_EVENT=arrive",
        "GEOREMIND_TIME=2026-06-12T16:00:00Z", "GEOREMIND_LAT=52.5", "GEOREMIND_WHY=Arrived",
      ])
    #expect(
      call.environment(of: ["PATH=/bin", "NOTIFY_SOCKET=/x", "GEOREMIND_TEST=true"]).prefix(2)
        == ["PATH=/bin", "GEOREMIND_FIRING_ID=f-1"])
  }

  @Test func severalRemindersAreOneVariable() throws {
    let visit = try #require(
      FiringNotice(["firing_id": "f", "reminder_id": "", "reminder_ids": ["a", "b"]]))
    #expect(HookCall(visit).environment.contains("GEOREMIND_REMINDER_IDS=a b"))
  }

  @Test func theFiringIsOnStandardInput() throws {
    let input = HookCall(try firing()).input
    #expect(input.last == 0x0A)
    #expect(try JSONParser.parse(input)["title"]?.string == "Milk")
  }

  @Test func theEndOfAProgramIsAnOutcome() {
    #expect(HookRunner.outcome(of: .ended(.exited(0))) == .delivered)
    #expect(HookRunner.outcome(of: .ended(.exited(65))) == .refused("it exited with 65"))
    for code: Int32 in [1, 64, 69, 75, 78, 255] {
      #expect(HookRunner.outcome(of: .ended(.exited(code))) == .failed("it exited with \(code)"))
    }
    #expect(HookRunner.outcome(of: .ended(.signalled(9))) == .failed("it was ended by signal 9"))
    #expect(HookRunner.outcome(of: .tookTooLong) == .failed("it took too long and was ended"))
  }
}
