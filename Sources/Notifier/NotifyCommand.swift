package import ArgumentParser
import CivilTime
import Companion
import LinuxRuntime

/// `georemind-notify`: arguments to parts, parts to a running service.
package struct NotifyCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "georemind-notify",
    abstract: "Shows firings as desktop notifications, with the buttons Done and Snooze.",
    version: "georemind-notify \(GeoremindVersion.text)")

  package init() {}

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket, if not the user's own or the system's.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("The span of the button Snooze.", valueName: "span"))
  var snooze = "10min"

  /// Runs one command line and answers the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    let log = ServiceLog(program: "georemind-notify")
    return run(arguments, log) { try $0.start(log) }
  }

  package func validate() throws {
    guard let span = try? TimeSpan(parsing: snooze), span > .zero else {
      throw ValidationError("--snooze '\(snooze)' is no span of time; write it like 10min")
    }
  }

  private func start(_ log: ServiceLog) throws -> Int32 {
    guard let address = Bus.userAddress(Environment.value) else {
      log.write(
        .error,
        "there is no user's bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set; "
          + "start it with 'systemctl --user start georemind-notify'")
      return ExitStatus.badConfiguration.rawValue
    }
    let span = try TimeSpan(parsing: snooze)
    let loop = try EventLoop()
    return try CompanionService.run(loop: loop) {
      let session = try DaemonSession(loop: loop) { [socket] in
        SocketPath.find(option: socket)
      }
      let server = NotificationServer(bus: try Bus(address: address, loop: loop)) {
        log.write(.info, $0)
      }
      let notifier = try Notifier(
        session: session, server: server, loop: loop, snooze: span.description,
        snoozeLabel: "Snooze \(span)", log: log.write)
      try notifier.start()
      return notifier
    }
  }
}
