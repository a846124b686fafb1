import ArgumentParser
import Companion
import Configuration
import Departure
import Glibc
import LinuxRuntime
import Logging
import Routing

/// `georemind-route`: asks a routing engine for `georemindd`, which has no network libraries. Its
/// socket starts it; the daemon's configuration names the engine.
struct RouteCommand: ParsableCommand {
  static let version = GeoremindVersion.text

  static let configuration = CommandConfiguration(
    commandName: "georemind-route",
    abstract: "Asks an OSRM or Valhalla server for travel times on behalf of georemindd.",
    version: "georemind-route \(version)")

  @Option(name: .long, help: "The daemon's configuration file, with FILE.d/*.conf beside it.")
  var config: String?

  @Option(name: .long, help: "Listen here; without it systemd passes the socket.")
  var socket: String?

  static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-route")
    return run(arguments, log, status: exitStatus) { try $0.serve(log) }
  }

  private static func exitStatus(of error: any Error) -> ExitStatus? {
    switch error {
    case is ConfigurationError: .badConfiguration
    case is RouteFailure: .software
    default: nil
    }
  }

  private func serve(_ output: ServiceLog) throws -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let configuration = Configuration(
      try ConfigurationFile.load(
        main: config ?? ServiceFolders().configurationFile, mayBeMissing: config == nil),
      declared: RouteSettings.keys)
    guard let settings = try RouteSettings(configuration) else {
      throw configuration.error(
        RouteSettings.engineKey, "is none: there is nothing to ask; set it to osrm or valhalla")
    }
    let services = ServiceManager()
    let passed = try services.passedSockets()
    let path = socket
    guard path != nil || !passed.isEmpty else {
      output.write(.error, "no socket: start georemind-route.socket, or give --socket PATH")
      return ExitStatus.usage.rawValue
    }
    let log = Logger(label: "georemind-route") { _ in PlainLog(output: output) }
    let loop = try EventLoop()
    let server = try RouteServer(settings, loop: loop, passed: passed, path: path, log: log)
    let signals = try [SIGTERM, SIGINT].map { try loop.addSignal($0) { _ in loop.exit(0) } }
    services.ready()
    let code = try loop.run()
    for signal in signals { signal.close() }
    server.stop()
    return code
  }
}

/// Messages of the server on standard error.
private struct PlainLog: LogHandler {
  let output: ServiceLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let level: ServiceLog.Level =
      switch event.level {
      case .critical, .error: .error
      case .warning: .warning
      case .notice: .notice
      case .info, .debug, .trace: .info
      }
    output.write(level, "\(event.message)")
  }
}
