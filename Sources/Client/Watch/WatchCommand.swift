import ArgumentParser
import CivilTime
import Companion
import JSONText
import LinuxRuntime

/// Firings as they happen, and on a terminal what leads to them.
struct WatchCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what is going on until interrupted.",
    discussion: """
      On a terminal a page that is drawn anew as things change: fix and feed, what is due next, \
      the \
      nearest fences and the last firings; 'q' quits. Into a pipe or a file, and with --json or \
      --lines, each firing as it happens, one a line.
      """)

  @Flag(help: "One line a firing, on a terminal, too.")
  var lines = false

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    let daemon = try DaemonConnection(options, context)
    guard lines || options.json || !context.isInteractive else {
      return try show(in: context, zone)
    }
    let printer = FiringPrinter(context: context, zone: zone, json: options.json)
    try daemon.watch("WatchFirings") { answer in
      guard let firing = answer["firing"]?.object else { return }
      try printer.print(firing)
      try context.output.flush()
    }
  }

  private func show(in context: Context, _ zone: TimeZoneRules) throws {
    let loop = try EventLoop()
    let follower = try FiringFollower(
      loop: loop, maximumMissed: 0, now: context.now.json
    ) { [options] in SocketPath.find(option: options.socket, environment: context.environment) }
    try WatchScreen(
      loop: loop, terminal: Terminal(), follower: follower, zone: zone,
      hasColor: context.output.hasColor
    ).run()
  }
}
