import CivilTime
import Companion
import Control
import Glibc
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Hooks

/// A hook with its program, under a daemon of a few answers.
@Suite struct HookRunnerTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
  }

  /// The program writes a line for each firing into `out`, beside it, before it does its work.
  private func runner(_ work: String, timeout: TimeSpan = .minutes(1)) throws -> HookRunner {
    let path = try folder.file(
      "say", "#!/bin/sh\necho \"$GEOREMIND_FIRING_ID\" >>\(folder.path)/out\n\(work)\n")
    chmod(path, 0o755)
    let settings = HookSettings(programs: [path], timeout: timeout)
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let runner = try HookRunner(
      Hook("say", settings), destination: "hook-say",
      programs: ChildPrograms(loop: loop, adopts: false), loop: loop, session: session,
      journal: "journalctl", log: { _, _ in })
    try runner.start()
    #expect(try loop.runUntil { daemon.isWatched && daemon.rows["hook-say"] != nil })
    return runner
  }

  private var output: String {
    (try? fileBytes("\(folder.path)/out")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private var upto: Int? { daemon.rows["hook-say"]?.upto }

  @Test func firingsAreDeliveredInOrder() throws {
    let runner = try runner("exit 0")
    defer { runner.stop() }
    for id in ["a", "b", "c"] { daemon.fire(id) }
    #expect(try loop.runUntil { upto == 3 })
    #expect(output == "a\nb\nc\n")
    let read = daemon.calls.last { $0.methodName == "ReadLedger" }
    #expect(read?.parameters["together"] == true)
  }

  @Test func aRefusedFiringIsGivenUpAndTheNextFollows() throws {
    let runner = try runner("test $GEOREMIND_FIRING_ID = b || exit 65")
    defer { runner.stop() }
    for id in ["a", "b"] { daemon.fire(id) }
    #expect(try loop.runUntil { upto == 2 })
    #expect(output == "a\nb\n")
  }

  @Test func aProgramThatHangsIsEndedAfterItsTime() throws {
    let runner = try runner(
      "test -e \(folder.path)/done || { touch \(folder.path)/done; exec sleep 1000; }",
      timeout: .seconds(0.1))
    defer { runner.stop() }
    daemon.fire("a")
    #expect(try loop.runUntil { upto == 1 })
    #expect(output == "a\na\n")
  }

  @Test func aFailedFiringIsTriedAgain() throws {
    let runner = try runner("test -e \(folder.path)/done || { touch \(folder.path)/done; exit 1; }")
    defer { runner.stop() }
    daemon.fire("a")
    #expect(try loop.runUntil { upto == 1 })
    #expect(output == "a\na\n")
  }

  /// Anybody may ask for tests.
  @Test func testsThatHangKeepNoFiringWaiting() throws {
    let runner = try runner("test \"$GEOREMIND_TEST\" != true || sleep 1000")
    defer { runner.stop() }
    for number in 0..<30 { daemon.test("t\(number)") }
    #expect(try loop.runUntil { daemon.calls.count { $0.methodName == "EndTest" } == 29 })
    daemon.fire("a")
    #expect(try loop.runUntil { upto == 1 })
    #expect(output == "t0\na\n")
  }

  @Test func anUrgentFiringStartsBesideAProgramThatHangs() throws {
    let runner = try runner("test $GEOREMIND_FIRING_ID != slow || sleep 1000")
    defer { runner.stop() }
    daemon.fire("slow")
    #expect(try loop.runUntil { output == "slow\n" })
    daemon.fire("urgent", priority: 1)
    #expect(try loop.runUntil { daemon.rows["hook-say"]?.urgentUpto == 2 })
    #expect(output == "slow\nurgent\n")
  }
}
