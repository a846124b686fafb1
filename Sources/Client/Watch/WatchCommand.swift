import ArgumentParser
import CivilTime
import Companion
import JSONText
import LinuxRuntime

/// Firings as they happen, and on a terminal what leads to them.
struct WatchCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show fixes, next reminders and firings live.",
    discussion: """
      Draws a page on a terminal, with the fix, the feeds, the next due times, the nearest fences \
      and the last firings; 'q' quits. In a pipe or a file, and with --json or --lines, prints \
      each firing as it happens, one a line.
      """)

  @Flag(help: "Print one line a firing, even on a terminal.")
  var lines = false

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let display = try context.display()
    let daemon = try DaemonConnection(options, context)
    guard lines || options.json || !context.isInteractive else {
      return try show(in: context, display)
    }
    let printer = FiringPrinter(context: context, display: display, json: options.json)
    try daemon.watch("WatchFirings") { answer in
      guard let firing = answer["firing"]?.object else { return }
      try printer.print(firing)
      try context.output.flush()
    }
  }

  private func show(in context: Context, _ display: Display) throws {
    let loop = try EventLoop()
    let session = try DaemonSession(loop: loop) { [options] in
      SocketPath.find(option: options.socket, environment: context.environment)
    }
    try WatchScreen(
      loop: loop, terminal: Terminal(), session: session, display: display,
      hasColor: context.output.hasColor
    ).run()
  }
}
