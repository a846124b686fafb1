import CivilTime
import Companion
import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Daemon
@testable import Storage

/// The daemon as systemd and shells see it: exit codes, signals, standard streams.
@Suite(.serialized) struct ProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ arguments: [String], variables: [String] = []
  ) throws -> (code: Int32, out: String, error: String) {
    let process = try ChildProcess(arguments, in: folder, variables: variables)
    let code = try process.wait()
    return (code, try process.output(), try contents("\(folder.path)/stderr"))
  }

  private var usual: [String] {
    ["--state-directory", folder.path, "--socket", "\(folder.path)/socket"]
  }

  @Test func printsItsVersion() throws {
    let result = try run(["--version"])
    #expect(result.code == 0)
    #expect(result.out == "georemindd \(DaemonCommand.version)\n")
  }

  @Test(arguments: [["--bogus"], ["--feed", "nonsense"], ["--log-level", "loud"], ["--feed"]])
  func aWrongArgumentIs64(_ arguments: [String]) throws {
    let result = try run(usual + arguments)
    #expect(result.code == 64)
    #expect(!result.error.isEmpty)
  }

  @Test func aWrongLineIsReportedAndTheRestIsInForce() throws {
    let file = try folder.file(
      "bad.conf", "[Fence]\nMaximumSpeed=9000\n[Feed]\nFeed=\nnonsense\n")
    let process = try ChildProcess(
      usual + ["--config", file, "--foreground-journal"], in: folder)
    #expect(try process.waits(for: "Left out: \(file):5: 'nonsense' has no '='"))
    #expect(try process.waits(for: "Left out: \(file):2: [Fence] MaximumSpeed=9000 is not"))
    #expect(try process.waits(for: "started: 0 reminders, no feed"))
    kill(process.id, SIGTERM)
    #expect(try process.wait() == 0)
  }

  @Test func aWrongLineAboutAccessIs78WithItsPlace() throws {
    let file = try folder.file("bad.conf", "[Control]\nSharedChanges=9\n")
    let result = try run(usual + ["--config", file])
    #expect(result.code == 78)
    #expect(result.error.hasPrefix("georemindd: \(file):2: "))
    #expect(result.error.split(separator: "\n").count == 1)
    #expect(try run(usual + ["--config", "/nonexistent.conf"]).code == 78)
  }

  @Test func anUnusableStateDirectoryIs73Or74() throws {
    let file = try folder.file("plain", "")
    for (path, code) in [("/nonexistent/folder/of/ours", Int32(73)), (file, 74)] {
      let result = try run(["--state-directory", path, "--socket", "\(folder.path)/socket"])
      #expect(result.code == code)
      #expect(result.error.hasPrefix("georemindd: "))
      #expect(result.error.split(separator: "\n").count == 1)
    }
  }

  /// Starting again would not help: the unit does not try (RestartPreventExitStatus=).
  @Test func aDatabaseThatIsNotOursIs65() throws {
    try Store(path: "\(folder.path)/georemind.db", now: Instant(microseconds: 0)).close()
    let database = try Database(path: "\(folder.path)/georemind.db")
    try database.execute("PRAGMA user_version = 1000")
    database.close()
    let result = try run(usual)
    #expect(result.code == 65)
    #expect(result.error.contains("schema version 1000"))
    #expect(result.error.split(separator: "\n").count == 1)
    for folder in ["systemd", "systemd/user"] {
      let unit = try contents("\(packageRoot)/\(folder)/georemindd.service")
      #expect(unit.contains("\nRestartPreventExitStatus=64 65 78\n"))
    }
  }

  /// GeoClue has no agent for the system service, which systemd gives a folder for its state.
  @Test func theLocationOfADesktopIsNotForTheSystemService() throws {
    let system = ["STATE_DIRECTORY=\(folder.path)"]
    let file = try folder.file("test.conf", "[Feed]\nFeed=geoclue:?max-age=5min\n")
    let check = usual + ["--config", file, "--check-config"]
    let refused = try run(check, variables: system)
    #expect(refused.code == 78)
    #expect(refused.error.hasPrefix("georemindd: \(file):2: [Feed] Feed=: GeoClue serves users"))
    #expect(refused.error.contains("is for a user service"))
    #expect(try run(usual + ["--feed", "geoclue:"], variables: system).code == 78)
    #expect(try run(check).code == 0)
  }

  /// root may write everywhere, so the errors themselves are mapped.
  @Test(
    arguments: [
      (EACCES, 77), (EPERM, 77), (ENOENT, 74), (EROFS, 74), (ENOSPC, 74),
    ] as [(Int32, Int32)])
  func missingPermissionExitsWith77(_ code: Int32, _ exit: Int32) throws {
    let file = StoreError.file(FileFailure(operation: "create", path: "/x", code: code))
    #expect(DaemonCommand.exitStatus(of: file).rawValue == exit)
    #expect(DaemonCommand.exitStatus(of: SystemError("listen", code: code)).rawValue == exit)
  }

  @Test func checksItsConfiguration() throws {
    let file = try folder.file("test.conf", "[Feed]\nFeed=tcp://host:1\nFed=x\n")
    let result = try run(usual + ["--config", file, "--check-config"])
    #expect(result.code == 0)
    #expect(result.out.contains("# \(file):2\nFeed=tcp://host:1\n"))
    #expect(result.out.contains("# default\nCertainty=99.99%\n"))
    #expect(result.out.contains("# state directory \(folder.path)\n"))
    #expect(result.error.hasPrefix("georemindd: \(file):3: "))
    #expect(access("\(folder.path)/georemind.db", F_OK) != 0)
    let bad = try folder.file("bad.conf", "[Display]\nUnits=furlongs\n")
    let wrong = try run(usual + ["--config", bad, "--check-config"])
    #expect(wrong.code == 78)
    #expect(wrong.out.contains("# default\nUnits=metric\n"))
    #expect(wrong.error.hasPrefix("georemindd: \(bad):2: [Display] Units=furlongs is not one of"))
  }

  /// Two daemons with one state would each undo what the other keeps.
  @Test func aSecondDaemonWithTheSameStateIsRefused() throws {
    let elsewhere = try TemporaryFolder()
    let first = try ChildProcess(usual + ["--foreground-journal"], in: elsewhere)
    #expect(try first.waits(for: "started: 0 reminders"))
    let others = ["--state-directory", folder.path, "--socket", "\(folder.path)/other"]
    let second = try run(others)
    #expect(second.code == 74)
    #expect(second.error.contains("another daemon uses this state directory"))
    #expect(second.error.split(separator: "\n").count == 1)
    kill(first.id, SIGTERM)
    #expect(try first.wait() == 0)
    let third = try ChildProcess(others + ["--foreground-journal"], in: elsewhere)
    #expect(try third.waits(for: "started: 0 reminders"))
  }

  @Test func reloadsOnHangUpAndEndsOnTerminate() throws {
    let file = try folder.file("test.conf", "[Feed]\nFeed=\n")
    let process = try ChildProcess(
      usual + ["--config", file, "--foreground-journal"], in: folder)
    #expect(try process.waits(for: "started: 0 reminders"))
    kill(process.id, SIGHUP)
    #expect(try process.waits(for: "Configuration reloaded"))
    try folder.file("test.conf", "[Display]\nUnits=furlongs\n")
    kill(process.id, SIGHUP)
    #expect(try process.waits(for: "Reload failed"))
    kill(process.id, SIGTERM)
    #expect(try process.wait() == 0)
    #expect(access("\(folder.path)/socket", F_OK) != 0)
    #expect(access("\(folder.path)/georemind.db-wal", F_OK) != 0)
  }

  /// systemd passes sockets from descriptor 3 on, which a process that runs tests uses for its own
  /// event loop (libdispatch): so it takes another process.
  @Test func socketsOfTheServiceManagerAreTakenByName() throws {
    let path = "\(folder.path)/passed"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let unwanted = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { for socket in [listener, unwanted] { close(socket) } }
    try withUnixAddress(path) { try #require(bind(listener, $0, $1) == 0) }
    try #require(listen(listener, 8) == 0)
    let file = try folder.file("test.conf", "[Feed]\nFeed=\n")
    let daemon = try ChildProcess(
      usual + ["--config", file, "--foreground-journal"], in: folder,
      passing: [("feed-of-old", unwanted), ("control", listener)])
    #expect(try daemon.waits(for: "started: 0 reminders"))
    #expect(access("\(folder.path)/socket", F_OK) != 0)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    try withUnixAddress(path) { try #require(connect(client, $0, $1) == 0) }
    let call = Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8) + [0]
    #expect(write(client, call, call.count) == call.count)
    var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 60_000) == 1)
    var answer = [UInt8](repeating: 0, count: 4096)
    let count = read(client, &answer, answer.count)
    #expect(String(decoding: answer.prefix(max(0, count)), as: UTF8.self).contains("org.georemind"))
    kill(daemon.id, SIGTERM)
    #expect(try daemon.wait() == 0)
  }

  private func withUnixAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
  ) rethrows {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try withUnsafePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// A second daemon neither takes the socket away nor disturbs the first.
  @Test func theSecondOneIsRefused() throws {
    let file = try folder.file("test.conf", "[Feed]\nFeed=\n")
    let first = try ChildProcess(usual + ["--config", file, "--foreground-journal"], in: folder)
    #expect(try first.waits(for: "started: 0 reminders"))
    let elsewhere = try TemporaryFolder()
    let second = try run(
      usual + ["--state-directory", elsewhere.path, "--config", file, "--foreground-journal"])
    #expect(second.code == 74)
    #expect(second.error.contains("another instance"))
    kill(first.id, SIGINT)
    #expect(try first.wait() == 0)
  }
}
