import ArgumentParser
import Companion
import Configuration
import LinuxRuntime
import Phones

/// `georemind-web`: takes positions of phones by HTTP for `georemindd`, which has no network
/// libraries and reads them as a feed.
struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "georemind-web",
    abstract: "Takes positions of phones (OwnTracks, Traccar Client, OsmAnd, GPSLogger) by HTTP.",
    version: "georemind-web \(GeoremindVersion.text)")

  @Option(help: "The daemon's configuration file, with FILE.d/*.conf beside it.")
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The socket that the daemon reads; without, positions in the runtime folder.",
      valueName: "path"))
  var feedSocket: String?

  static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-web")
    return run(
      arguments, log,
      status: {
        $0 is ConfigurationError || $0 is TokenFile.Failure ? .badConfiguration : nil
      }
    ) { try $0.serve(log) }
  }

  private func serve(_ log: ServiceLog) throws -> Int32 {
    let folders = ServiceFolders()
    let file = config ?? folders.configurationFile
    let credentials = Environment.value("CREDENTIALS_DIRECTORY")
    func token(_ settings: WebSettings) throws -> AccessToken? {
      try settings.tokenFile.map { try TokenFile.read($0, credentials: credentials) }
    }
    let settings = try WebSettings(file: file)
    let first = try token(settings)
    let loop = try EventLoop()
    var stop: () -> Void = {}
    defer { stop() }
    return try CompanionService.run(
      loop: loop,
      reload: { (server: WebServer) in
        do {
          let changed = try WebSettings(file: file)
          server.change(to: try token(changed))
          if changed.listener != settings.listener {
            log.write(.notice, "Listen= has changed: restart georemind-web for it")
          }
        } catch {
          log.write(.error, "The old settings stay in force: \(error)")
        }
      },
      start: {
        let server = try WebServer(
          listener: WebServer.listen(at: settings.listener),
          feedPath: feedSocket ?? folders.positionSocket, token: first, loop: loop, log: log.write)
        stop = server.stop
        return server
      })
  }
}
