import Glibc
import LinuxRuntime
import TestSupport
import Testing

@Suite struct ChildProgramsTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let programs: ChildPrograms

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    programs = try ChildPrograms(loop: loop, adopts: false)
  }

  private func program(_ text: String) throws -> String {
    let path = try folder.file("program", "#!/bin/sh\n\(text)\n")
    chmod(path, 0o755)
    return path
  }

  private func run(
    _ text: String, environment: [String] = [], input: String = "", limit: Int64 = 60_000_000
  ) throws -> ChildPrograms.Ending? {
    var ending: ChildPrograms.Ending?
    try programs.start(
      try program(text),
      environment: ["PATH=/usr/bin:/bin", "OUT=\(folder.path)/out"] + environment,
      input: Array(input.utf8), limit: limit
    ) { ending = $0 }
    #expect(try loop.runUntil { ending != nil })
    return ending
  }

  private func output() throws -> String {
    String(decoding: try fileBytes("\(folder.path)/out"), as: UTF8.self)
  }

  @Test func aProgramHasItsVariablesAndItsInputAndNoShell() throws {
    let title = "Tea $(id) %n \u{2013}\nmore"
    #expect(
      try run(
        "cat >\"$OUT\"; printf %s \"$T\" >>\"$OUT\"; exit 65", environment: ["T=\(title)"],
        input: "{}\n") == .ended(.exited(65)))
    #expect(try output() == "{}\n\(title)")
  }

  @Test func signalsAreNotBlockedInAProgram() throws {
    #expect(try run("kill -TERM $$; sleep 100") == .ended(.signalled(SIGTERM)))
    #expect(
      try run("exec grep -c '^SigBlk:.0*$' /proc/self/status >\"$OUT\"") == .ended(.exited(0)))
    #expect(try output() == "1\n")
  }

  @Test func aProgramThatTakesTooLongIsEndedWithAllThatItStarted() throws {
    let text = #"sleep 1000 & echo $! >"$OUT"; wait"#
    #expect(try run(text, limit: 300_000) == .tookTooLong)
    try expectEnd(of: output())
  }

  @Test func whatAProgramLeavesBehindIsEnded() throws {
    #expect(
      try run(#"sleep 1000 & echo $! >"$OUT""#)
        == .ended(.exited(0)))
    try expectEnd(of: output())
  }

  private func expectEnd(of processes: String) throws {
    for process in processes.split(separator: "\n").compactMap({ pid_t($0) }) {
      #expect(try loop.runUntil { kill(process, 0) != 0 })
    }
  }

  @Test func aProgramThatCannotRunIsAnErrorWithTheRemedy() throws {
    func reason(_ path: String) -> String {
      do throws(SystemError) {
        try programs.start(path, environment: [], input: [], limit: 1) { _ in }
        return "started"
      } catch {
        return "\(error)"
      }
    }
    #expect(reason("/nonexistent").contains("No such file"))
    #expect(reason(try folder.file("plain", "#!/bin/sh\n")).contains("chmod +x"))
    #expect(programs.count == 0)
  }
}
