import ArgumentParser
import Companion
import Configuration
import Glibc
import LinuxRuntime
import MQTT

/// `georemind-mqtt`: arguments to parts, parts to a running service.
struct MQTTCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "georemind-mqtt",
    abstract: "Sends firings to an MQTT broker, and announces entities to Home Assistant.",
    version: "georemind-mqtt \(GeoremindVersion.text)")

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket; without, the user's own or the system's.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("The configuration file, with FILE.d/*.conf beside it."))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The socket for positions of phones; without, owntracks in RUNTIME_DIRECTORY.",
      valueName: "path"))
  var positions: String?

  @Flag(help: "Remove the entities and all retained messages from the broker, and end.")
  var withdraw = false

  static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-mqtt")
    return run(arguments, log, status: { $0 is ConfigurationError ? .badConfiguration : nil }) {
      try $0.start(log)
    }
  }

  private func start(_ log: ServiceLog) throws -> Int32 {
    let file = config ?? ServiceFolders().configurationFile
    let isUsual = config == nil
    let settings = try MQTTSettings(file: file, mayBeMissing: isUsual)
    // A user's own service, and not the system's under its dynamic user.
    let user = geteuid() != 0 && Environment.value("XDG_RUNTIME_DIR") != nil ? geteuid() : nil
    let suffix = user.map { "-\($0)" } ?? ""
    let machine = MachineID.current.map { String($0.prefix(8)) } ?? systemHostName()
    let identity = Identity(
      id: machine + suffix, name: systemHostName(), version: GeoremindVersion.text)
    let loop = try EventLoop()
    if withdraw { return try remove(settings, identity, loop, log) }
    let folder = Environment.value("RUNTIME_DIRECTORY")?.split(separator: ":").first
    let path = positions ?? folder.map { "\($0)/owntracks" }
    return try CompanionService.run(
      loop: loop,
      reload: { (service: MQTTService) in
        do {
          try service.change(to: try MQTTSettings(file: file, mayBeMissing: isUsual))
        } catch {
          log.write(.error, "The old settings stay in force: \(error)")
        }
      },
      start: {
        let session = try DaemonSession(loop: loop) { [socket] in
          SocketPath.find(option: socket)
        }
        let service = try MQTTService(
          settings, identity, consumer: DestinationName.own("mqtt", nil), session: session,
          positions: try path.map { try PositionFeed(path: $0, loop: loop) }, loop: loop,
          log: log.write)
        try service.start()
        return service
      })
  }

  private func remove(
    _ settings: MQTTSettings, _ identity: Identity, _ loop: EventLoop, _ log: ServiceLog
  ) throws -> Int32 {
    do {
      let withdrawal = try Withdrawal(settings, identity, loop: loop)
      _ = try loop.run()
      guard let reason = withdrawal.failure else { return 0 }
      throw MosquittoClient.Failure(reason: reason)
    } catch let failure as MosquittoClient.Failure {
      log.write(.error, "Nothing is removed from \(settings.broker): \(failure.reason)")
      return ExitStatus.unavailable.rawValue
    }
  }
}
