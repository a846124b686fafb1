package import ArgumentParser
import Companion
import Configuration
import Glibc
import LinuxRuntime

/// `georemind-hook`: arguments to parts, parts to a running service.
package struct HookCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "georemind-hook",
    abstract: "Starts the programs of section [Hook] of georemind.conf for each firing.",
    version: "georemind-hook \(GeoremindVersion.text)")

  package init() {}

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket; without, the user's own or the system's.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("The configuration file, with FILE.d/*.conf beside it."))
  var config: String?

  /// Runs one command line and answers the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-hook")
    return run(arguments, log, status: { $0 is ConfigurationError ? .badConfiguration : nil }) {
      try $0.start(log)
    }
  }

  private func start(_ log: ServiceLog) throws -> Int32 {
    let folders = ServiceFolders()
    let file = config ?? folders.configurationFile
    // Root starts the machine's hooks, everybody else their own.
    let isSystem = geteuid() == 0
    guard let address = isSystem ? Bus.systemAddress : Bus.userAddress(Environment.value) else {
      log.write(
        .error,
        "there is no user's bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set; "
          + "start it with 'systemctl --user start georemind-hook'")
      return ExitStatus.badConfiguration.rawValue
    }
    let settings = try HookSettings(file: file)
    let loop = try EventLoop()
    return try CompanionService.run(
      loop: loop,
      reload: { (runner: HookRunner) in
        do {
          try runner.change(to: try HookSettings(file: file))
        } catch {
          log.write(.error, "The old hooks stay in force: \(error)")
        }
      },
      start: {
        let session = try DaemonSession(loop: loop) { [socket] in
          SocketPath.find(option: socket)
        }
        let runner = try HookRunner(
          loop: loop, bus: try Bus(address: address, loop: loop), session: session,
          settings: settings, isSystem: isSystem, user: geteuid(), log: log.write)
        try runner.start()
        return runner
      })
  }
}
