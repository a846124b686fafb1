package import ArgumentParser
import Companion
import Configuration
import LinuxRuntime

/// `georemind-hook`: arguments to parts, parts to a running service.
package struct HookCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "georemind-hook",
    abstract: "Starts one program of section [Hook] of georemind.conf for each firing.",
    version: "georemind-hook \(GeoremindVersion.text)")

  package init() {}

  @Argument(help: "The name of the hook: the file name of its program.")
  var name: String?

  @Flag(help: "Prints the names of the hooks, one a line, and ends.")
  var list = false

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket; without, the user's own or the system's.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("The configuration file, with FILE.d/*.conf beside it."))
  var config: String?

  package func validate() throws {
    guard list == (name == nil) else {
      throw ValidationError("give the name of a hook, or --list to see the names")
    }
  }

  /// Runs one command line and answers the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-hook")
    return run(
      arguments, log,
      status: { $0 is ConfigurationError || $0 is Hook.Unknown ? .badConfiguration : nil }
    ) { try $0.start(log) }
  }

  private func start(_ log: ServiceLog) throws -> Int32 {
    let file = config ?? ServiceFolders().configurationFile
    let isUsual = config == nil
    guard let name else {
      for hook in try HookSettings(file: file, mayBeMissing: isUsual).names { print(hook.name) }
      return 0
    }
    let hook = try Hook(name, file: file, mayBeMissing: isUsual)
    let loop = try EventLoop()
    let option = Environment.value("XDG_RUNTIME_DIR") == nil ? "" : "--user "
    return try CompanionService.run(
      loop: loop,
      reload: { (runner: HookRunner) in
        do {
          try runner.change(to: Hook(name, file: file, mayBeMissing: isUsual))
        } catch {
          log.write(.error, "The old settings stay in force: \(error)")
        }
      },
      start: {
        let session = try DaemonSession(loop: loop) { [socket] in
          SocketPath.find(option: socket)
        }
        let runner = try HookRunner(
          hook, destination: DestinationName.own("hook", name),
          programs: try ChildPrograms(loop: loop, adopts: true), loop: loop, session: session,
          journal: "journalctl \(option)-u georemind-hook@\(name)", log: log.write)
        try runner.start()
        return runner
      })
  }
}
