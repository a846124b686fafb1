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
  var config = ServiceFolders.systemConfiguration

  @Option(name: .long, help: "Listen here; without it systemd passes the socket.")
  var socket: String?

  static func run(_ arguments: [String]) -> Int32 {
    do {
      return try parse(arguments).serve()
    } catch let error as ConfigurationError {
      return complain("\(error)", 78)
    } catch let error as SystemError {
      return complain("\(error)", 74)
    } catch let error as RouteFailure {
      return complain("\(error)", 70)
    } catch {
      let code = exitCode(for: error).rawValue
      if code == 0 {
        print(fullMessage(for: error))
      } else {
        _ = complain(message(for: error), code)
      }
      return code
    }
  }

  private func serve() throws -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let configuration = Configuration(
      try ConfigurationFile.load(main: config), declared: RouteSettings.keys)
    guard let settings = try RouteSettings(configuration) else {
      throw configuration.error(
        RouteSettings.engineKey, "is none: there is nothing to ask; set it to osrm or valhalla")
    }
    let services = ServiceManager()
    let passed = try services.passedSockets()
    let path = socket
    guard path != nil || !passed.isEmpty else {
      return Self.complain("no socket: start georemind-route.socket, or give --socket PATH", 64)
    }
    let log = Logger(label: "georemind-route") { _ in PlainLog() }
    let loop = try EventLoop()
    let server = try RouteServer(settings, loop: loop, passed: passed, path: path, log: log)
    let signals = try [SIGTERM, SIGINT].map { try loop.addSignal($0) { _ in loop.exit(0) } }
    services.ready()
    let code = try loop.run()
    for signal in signals { signal.close() }
    server.stop()
    return code
  }

  private static func complain(_ message: String, _ code: Int32) -> Int32 {
    var line = "georemind-route: \(message)\n"[...]
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    return code
  }
}

/// Lines on standard error with the priority that journald reads (sd-daemon(3)).
private struct PlainLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let priority =
      switch event.level {
      case .critical, .error: 3
      case .warning: 4
      case .notice: 5
      case .info: 6
      case .debug, .trace: 7
      }
    var line = "<\(priority)>\(event.message)\n"[...]
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}
