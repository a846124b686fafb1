import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Client

/// The page as a terminal shows it: the built program in tmux, its screen compared with the one in
/// `Screens`. Nothing is tested where there is no tmux; the test says so.
@Suite(.serialized) struct WatchInTerminalTests {
  private static let tmux = "/usr/bin/tmux"

  /// A terminal of a given size with one program in it.
  private final class Terminal {
    private let socket: String
    private let folder: TemporaryFolder

    init(columns: Int, rows: Int, environment: [String: String]) throws {
      folder = try TemporaryFolder()
      socket = "\(folder.path)/tmux"
      let variables = environment.flatMap { ["-e", "\($0.key)=\($0.value)"] }
      let configuration = try folder.file("conf", "set -g status off\nset -g escape-time 0\n")
      let shell = ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + variables
      try #require(
        run(["-f", configuration] + shell + ["PS1='$ ' exec sh"]).code == 0, "tmux does not start")
      // What is typed before the shell reads is shown twice.
      _ = screen { $0.hasPrefix("$") }
    }

    deinit { _ = run(["kill-server"]) }

    func type(_ keys: String...) { _ = run(["send-keys"] + keys) }

    func resize(columns: Int, rows: Int) {
      _ = run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// What is on the screen, without blanks at the ends of lines.
    var screen: String {
      run(["capture-pane", "-p"]).output.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in
          var line = line
          while line.last == " " { line.removeLast() }
          return String(line)
        }.joined(separator: "\n")
    }

    /// The screen as soon as it is as wanted, else the one that stands there after half a minute.
    func screen(when isRight: (String) -> Bool) -> String {
      var screen = screen
      let limit = SystemClock.monotonic.microseconds + 30_000_000
      while !isRight(screen), SystemClock.monotonic.microseconds < limit {
        _ = poll(nil, 0, 20)
        screen = self.screen
      }
      return screen
    }

    private func run(_ arguments: [String]) -> (code: Int32, output: String) {
      var ends: [Int32] = [-1, -1]
      // The server that tmux leaves behind must not hold the pipe open.
      guard pipe(&ends) == 0 else { return (-1, "") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addclose(&actions, ends[0])
      // Threads of the tests block signals; the server that tmux leaves behind has to hear them.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      let words = ([WatchInTerminalTests.tmux, "-S", socket] + arguments).map { strdup($0) }
      let variables: [String] = ["HOME=\(folder.path)", "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"]
      let environment = variables.map { strdup($0) }
      defer { for word in words + environment { free(word) } }
      var id: pid_t = 0
      let code = posix_spawn(
        &id, WatchInTerminalTests.tmux, &actions, &attributes, words + [nil], environment + [nil])
      close(ends[1])
      defer { close(ends[0]) }
      guard code == 0 else { return (-1, "") }
      var text: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(ends[0], &chunk, chunk.count)
        guard count > 0 else { break }
        text += chunk[..<count]
      }
      var status: Int32 = 0
      waitpid(id, &status, 0)
      return (status, String(decoding: text, as: UTF8.self))
    }
  }

  /// The built program lies beside the tests.
  private static let program: String = {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let own = String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/georemind"
  }()

  /// Compares the screen with the one that is kept, as soon as it shows these words; with
  /// GEOREMIND_RECORD_SCREENS set it is kept instead.
  private func expect(
    _ terminal: Terminal, _ columns: Int, _ rows: Int, showing words: [String],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    if getenv("GEOREMIND_RECORD_SCREENS") != nil {
      let screen = terminal.screen { screen in words.allSatisfy { screen.contains($0) } }
      return try writeFile(WatchScene.path(columns, rows), Array(screen.utf8))
    }
    let kept = try WatchScene.screen(columns, rows)
    #expect(terminal.screen { $0 == kept } == kept, sourceLocation: location)
  }

  private func daemon() throws -> FakeDaemon {
    try FakeDaemon { call in
      switch call.methodName {
      case "Status": [VarlinkReply(parameters: ["status": .object(WatchScene.status)])]
      case "Where": [VarlinkReply(parameters: WatchScene.position)]
      case "Next": [VarlinkReply(parameters: WatchScene.next)]
      case "ReadLedger":
        [VarlinkReply(parameters: WatchScene.ledger(after: call.parameters["after"]?.int ?? 0))]
      // It stays open.
      case "WatchFirings": []
      default: [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.method).varlink)]
      }
    }
  }

  @Test func thePageIsOnTheScreenFollowsItsSizeAndLeavesNothingBehind() throws {
    guard access(Self.tmux, X_OK) == 0 else {
      print("not tested: there is no \(Self.tmux)")
      return
    }
    let daemon = try daemon()
    defer { daemon.stop() }
    let terminal = try Terminal(
      columns: 80, rows: 24,
      environment: [
        "GEOREMIND_SOCKET": daemon.path, "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8",
      ])
    terminal.type("echo before", "Enter")
    let before = terminal.screen { $0.contains("\nbefore") }
    #expect(before.contains("\nbefore"))
    terminal.type("clear; \(Self.program) watch; echo over $?", "Enter")
    let words = ["Ferry", "Lock up", "Return the bottles"]
    try expect(terminal, 80, 24, showing: words)

    terminal.resize(columns: 200, rows: 60)
    try expect(terminal, 200, 60, showing: words + ["Nearest places"])
    terminal.resize(columns: 80, rows: 24)
    #expect(!terminal.screen { !$0.contains("Nearest places") }.contains("Nearest places"))
    try expect(terminal, 80, 24, showing: words)

    // Stopped and brought back, it draws anew; the shell's screen is there in between.
    terminal.type("C-z")
    #expect(terminal.screen { !$0.contains("Next times") && $0.contains("$") }.contains("$"))
    terminal.type("fg; echo over $?", "Enter")
    try expect(terminal, 80, 24, showing: words)

    terminal.type("q")
    let after = terminal.screen { $0.contains("over 0") }
    #expect(after.contains("over 0"))
    #expect(!after.contains("Next times"))
    // Keys are echoed again, and lines edited.
    terminal.type("echo agaim", "BSpace", "n", "Enter")
    #expect(terminal.screen { $0.contains("\nagain\n") }.contains("\nagain\n"))
  }

  @Test func interruptedItEndsInOrder() throws {
    guard access(Self.tmux, X_OK) == 0 else { return }
    let daemon = try daemon()
    defer { daemon.stop() }
    let terminal = try Terminal(
      columns: 80, rows: 24,
      environment: ["GEOREMIND_SOCKET": daemon.path, "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8"])
    terminal.type("\(Self.program) watch; echo over $?", "Enter")
    #expect(terminal.screen { $0.contains("Next times") }.contains("Next times"))
    terminal.type("C-c")
    #expect(terminal.screen { $0.contains("over 0") }.contains("over 0"))
  }
}
