import ArgumentParser
import BaseMap
import Companion
import Configuration
import LinuxRuntime
import Phones

/// `georemind-web`: takes positions of phones by HTTP for `georemindd`, which has no network
/// libraries and reads them as a feed.
struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "georemind-web",
    abstract:
      "Takes positions of phones (OwnTracks, Traccar Client, OsmAnd, GPSLogger) by HTTP, and "
      + "serves the map.",
    version: "georemind-web \(GeoremindVersion.text)")

  @Option(help: "The daemon's configuration file, with FILE.d/*.conf beside it.")
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The socket that the daemon reads; without, positions in the runtime folder.",
      valueName: "path"))
  var feedSocket: String?

  @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
  var socket: String?

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
    let isUsual = config == nil
    let settings = try WebSettings(file: file, mayBeMissing: isUsual)
    let first = try token(settings)
    let loop = try EventLoop()
    var stop: () -> Void = {}
    defer { stop() }
    return try CompanionService.run(
      loop: loop,
      reload: { (server: WebServer) in
        do {
          let changed = try WebSettings(file: file, mayBeMissing: isUsual)
          server.change(to: try token(changed))
          if changed.listener != settings.listener || !changed.hasSameMap(as: settings) {
            log.write(.notice, "Restart georemind-web for the new Listen= or map")
          }
        } catch {
          log.write(.error, "The old settings stay in force: \(error)")
        }
      },
      start: {
        let server = try WebServer(
          listener: WebServer.listen(at: settings.listener),
          feedPath: feedSocket ?? folders.positionSocket,
          access: PhoneAccess(
            shared: first, phones: nil, isLocal: settings.isLocal),
          loop: loop,
          phones: try PhoneList(loop: loop, log: log.write) { SocketPath.find(option: socket) },
          map: try map(settings, loop, log), log: log.write)
        stop = server.stop
        for line in settings.greeting { log.write(.info, line) }
        return server
      })
  }

  /// The map; nil where it is not to be served. A file of tiles that cannot be read leaves a grid.
  private func map(
    _ settings: WebSettings, _ loop: EventLoop, _ log: ServiceLog
  ) throws -> MapService? {
    guard settings.hasPage else { return nil }
    let map = try MapService(
      names: settings.names, port: settings.listener.port, loop: loop
    ) { SocketPath.find(option: socket) }
    map.online = settings.onlineTiles.map { ($0, settings.attribution ?? "") }
    do throws(TileFile.Failure) {
      map.tiles = try settings.mapFile.map { path throws(TileFile.Failure) in
        try TileFile(path: path, attribution: settings.attribution)
      }
    } catch {
      log.write(.error, "The map has a grid alone: \(error)")
    }
    return map
  }
}

extension WebSettings {
  /// Where phones send to, and where the map is: what a person needs after the start.
  var greeting: [String] {
    let others = isAny ? ", here and at this machine's other addresses" : ""
    let place = "http://\(address):\(listener.port)/"
    return [
      "Phones send their positions to \(place)\(others); \(token)",
      hasPage
        ? "The map is at \(place)map/; 'georemind web link' makes a link to it"
        : "The map is off; Page=yes in section [Web] serves it",
    ]
  }

  /// The token that a phone must show; `PhoneAccess` decides.
  private var token: String {
    switch (tokenFile, isLocal) {
    case (_?, _): "with the token of TokenFile=, or of 'georemind phone add'"
    case (nil, true): "no token is asked for until 'georemind phone add' has added a phone"
    case (nil, false): "each with its token of 'georemind phone add'"
    }
  }

  private var isAny: Bool { ["0.0.0.0", "::"].contains(listener.host) }

  private var address: String {
    isAny ? "localhost" : listener.host.contains(":") ? "[\(listener.host)]" : listener.host
  }
}
