package import ArgumentParser
import Companion
import Configuration
import Feeds
import Glibc
import LinuxRuntime
import Logging
import Storage

/// `georemindd`: arguments to settings, settings to a daemon, errors to exit codes of sysexits(3).
package struct DaemonCommand: ParsableCommand {
  static let version = GeoremindVersion.text

  package static let configuration = CommandConfiguration(
    commandName: "georemindd",
    abstract: "Watches a GPS and fires reminders at places and times, into the systemd journal.",
    discussion: """
      Feeds: \(FeedScheme.forms).
      A file:// feed sets the clock: reminders are due by the time of the recording.
      """,
    version: "georemindd \(version)")

  package init() {}

  @Option(name: .long, help: "A source of fixes.")
  var feed: [String] = []

  @Option(name: .long, help: "The configuration file; FILE.d/*.conf beside it override it.")
  var config: String?

  @Option(name: .long, help: "The folder of the database.")
  var stateDirectory: String?

  @Option(name: .long, help: "The control socket.")
  var socket: String?

  @Flag(name: .long, help: "Print the settings in force and where they come from, and exit.")
  var checkConfig = false

  @Option(name: .long, help: "The lowest level to log: error, warning, notice, info or debug.")
  var logLevel: String?

  @Flag(name: .long, help: "Write entries to the terminal in journalctl's form.")
  var foregroundJournal = false

  /// Runs one command line and answers the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    let command: DaemonCommand
    do {
      command = try parse(arguments)
    } catch {
      let code = exitCode(for: error).rawValue
      if code == 0 {
        print(fullMessage(for: error))
      } else {
        let words = message(for: error)
        complain("\(words.prefix(1).lowercased() + words.dropFirst()); see 'georemindd --help'")
      }
      return code
    }
    return guarded { try command.start() }
  }

  private var arguments: DaemonSettings.Arguments {
    DaemonSettings.Arguments(
      feeds: feed, configFile: config, stateDirectory: stateDirectory, socket: socket,
      logLevel: logLevel)
  }

  private func start() throws -> Int32 {
    // A terminal or pipe that goes away is no reason to end; systemd ignores it for services too.
    signal(SIGPIPE, SIG_IGN)
    // Keeps firings prompt on a busy machine; if refused, they are some milliseconds late.
    TimeSlice.requestShortest()
    ResidentMemory.separateLargeBlocks()
    let (settings, configuration) = try DaemonSettings.load(arguments)
    if checkConfig {
      print(settings.report(configuration), terminator: "")
      for warning in configuration.warnings { Self.complain("\(warning)") }
      for error in settings.errors { Self.complain("\(error)") }
      return settings.errors.isEmpty ? 0 : ExitStatus.badConfiguration.rawValue
    }
    try settings.makeStateDirectory()
    let identifier = "georemindd"
    let isForeground = foregroundJournal || !SystemJournal.isAvailable()
    let sink: any JournalSink =
      isForeground
      ? TerminalJournal(descriptor: 1, identifier: identifier)
      : SystemJournal(identifier: identifier)
    let log = Logger(label: identifier) { _ in
      JournalLogHandler(sink: sink, logLevel: settings.logLevel)
    }
    for warning in configuration.warnings { log.warning("\(warning)") }
    let arguments = arguments
    let daemon = try Daemon(
      settings: settings, sink: sink, services: ServiceManager(), log: log,
      lookUp: isForeground ? nil : JournalLookUp(journal: sink, log: log).known,
      restoredFirings: isForeground ? nil : { try JournalLookUp.firings(since: $0) },
      reload: { try DaemonSettings.load(arguments).settings })
    return try daemon.run()
  }

  /// Whether the daemon does not start because of a line of a configuration file, or of the files
  /// beside it.
  package static func refuses(configuration file: String) -> Bool {
    let arguments = DaemonSettings.Arguments(
      configFile: access(file, R_OK) == 0 ? file : nil, stateDirectory: "/")
    do {
      _ = try DaemonSettings.load(arguments)
      return false
    } catch {
      return (error as? ConfigurationError)?.line != nil
    }
  }

  // MARK: - Errors

  /// Runs `body`; an error becomes one line on standard error and its exit code.
  private static func guarded(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      complain((error as? SettingsError)?.message ?? "\(error)")
      return exitStatus(of: error).rawValue
    }
  }

  static func exitStatus(of error: any Error) -> ExitStatus {
    switch error {
    case is ConfigurationError: .badConfiguration
    case let error as SettingsError: error.status
    case let error as StoreError: exitStatus(of: error)
    case let error as SystemError:
      error.code == EACCES || error.code == EPERM ? .noPermission : .ioError
    default: .software
    }
  }

  private static func exitStatus(of error: StoreError) -> ExitStatus {
    switch error {
    case .newer, .unreleased, .foreign: .badData
    default: error.isPermission ? .noPermission : .ioError
    }
  }

  private static func complain(_ message: String) {
    var line = "georemindd: \(message)\n"[...]
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}

extension StoreError {
  /// The file may not be read or written by this user.
  fileprivate var isPermission: Bool {
    switch self {
    case .file(let failure): failure.code == EACCES || failure.code == EPERM
    default: false
    }
  }
}
