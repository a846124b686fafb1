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
    // Without a daemon, or the right to ask it, this ends at once.
    _ = try DaemonConnection(options, context).call("Status")
    let loop = try EventLoop()
    let session = try DaemonSession(loop: loop) { [options] in
      SocketPath.find(option: options.socket, environment: context.environment)
    }
    guard lines || options.json || !context.isInteractive else {
      return try WatchScreen(
        loop: loop, terminal: Terminal(), session: session, display: display,
        hasColor: context.output.hasColor
      ).run()
    }
    try printLines(of: session, loop, in: context, display)
  }

  /// Prints each firing from now on. After a lost connection the missed ones follow. Ends with the
  /// first line that cannot be written.
  private func printLines(
    of session: DaemonSession, _ loop: EventLoop, in context: Context, _ display: Display
  ) throws {
    let printer = FiringPrinter(context: context, display: display, json: options.json)
    let follower = try FiringFollower(
      session: session, loop: loop, name: nil, beginsAtHead: true)
    var failure: (any Error)?
    follower.onFiring = { firing, _, done in
      do {
        try printer.print(firing.json)
        try context.output.flush()
        done(.delivered)
      } catch {
        failure = error
        loop.exit(0)
      }
    }
    session.onLoss = { reason in
      try? context.note("no connection to the daemon, trying again: \(reason)")
    }
    follower.start()
    session.start()
    _ = try loop.run()
    follower.stop()
    session.stop()
    if let failure { throw failure }
  }
}
