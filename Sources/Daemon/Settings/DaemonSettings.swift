import CivilTime
import Companion
import Configuration
import Departure
import Feeds
import Geodesy
import Glibc
import LinuxRuntime
import Logging
import Reminders
import Routing

/// A wrong argument or environment, with the exit code it deserves.
struct SettingsError: Error {
  let message: String
  let exitCode: Int32
}

/// The checked settings: arguments before configuration files before defaults.
struct DaemonSettings {
  struct Arguments {
    var feeds: [String] = []
    var configFile: String?
    var stateDirectory: String?
    var socket: String?
    var logLevel: String?

    /// Keys whose values in files do not count.
    fileprivate var keys: [ConfigurationKey] {
      (feeds.isEmpty ? [] : [DaemonSettings.feed.key])
        + (logLevel == nil ? [] : [DaemonSettings.level.key])
    }
  }

  var feeds: [FeedURL] = []
  var feedOptions = Feed.Options()
  var engine = EngineSettings()
  var clockTrust = ClockTrust.Demand.automatic
  var wakesFromSuspend = true
  var reminderFiles: [String] = []
  /// The time of a day that is typed without one.
  var defaultTime = TimeOfDay.nine
  /// Absolute paths without a slash at the end.
  var calendarFolders: [String] = []
  var stateDirectory: String
  var socketPath: String
  var allowedGroups: [String] = []
  /// Every member of the groups may change every reminder, whoever added it.
  var sharesChanges = false
  /// nil keeps all firings in the ledger.
  var ledgerKeepDays: Int?
  /// How much longer the ledger holds firings that a destination has yet to receive.
  var ledgerHoldDays = 30
  /// The machine of the ledger; nil is unknown.
  var machine = MachineID.current
  var logLevel = Logger.Level.info
  var units = LengthUnits.metric
  /// Socket of `georemind-route`; nil without a routing engine.
  var routeSocket: String?
  /// The environment's TZ; nil takes /etc/localtime.
  var timeZoneName: String?

  var storePath: String { "\(stateDirectory)/georemind.db" }

  static func load(
    _ arguments: Arguments
  ) throws -> (
    settings: DaemonSettings, configuration: Configuration
  ) {
    let environment = ServiceFolders()
    let main = arguments.configFile ?? environment.configurationFile
    if let given = arguments.configFile, access(given, R_OK) != 0 {
      throw ConfigurationError(
        file: given, line: nil,
        message: "cannot be read: \(String(cString: strerror(errno))); name another with --config")
    }
    let configuration = Configuration(
      try ConfigurationFile.load(main: main), declared: table.map(\.key))
    let settings = try DaemonSettings(
      configuration, arguments: arguments, environment: environment)
    return (settings, configuration)
  }

  private init(
    _ configuration: Configuration, arguments: Arguments, environment: ServiceFolders
  ) throws {
    guard let state = arguments.stateDirectory ?? environment.stateDirectory else {
      throw SettingsError(
        message: "no place to keep state: give --state-directory, or start it as a service",
        exitCode: ExitStatus.usage)
    }
    stateDirectory = state
    socketPath = environment.socketPath
    let given = Set(arguments.keys)
    for setting in Self.table where !given.contains(setting.key) {
      try setting.apply(configuration, to: &self)
    }
    try takeArguments(arguments)
    try checkFeeds()
    let bands = engine.travel.driving.bands
    guard bands[0].below <= bands[1].below else {
      throw configuration.error(
        Self.drivingLongFrom.key, "must not be less than DrivingMediumFrom=")
    }
    if let route = try RouteSettings(configuration) {
      routeSocket = route.socket ?? environment.routeSocket
      engine.asksRoutes = true
    }
    timeZoneName = getenv("TZ").map { String(cString: $0) }
  }

  /// Applies the command line, which overrides the files.
  private mutating func takeArguments(_ arguments: Arguments) throws {
    if let socket = arguments.socket { socketPath = socket }
    for text in arguments.feeds {
      do {
        feeds.append(try FeedURL(parsing: text))
      } catch {
        throw SettingsError(message: "--feed \(text): \(error)", exitCode: ExitStatus.usage)
      }
    }
    guard let text = arguments.logLevel else { return }
    guard let level = try Self.logLevelForm.read(text) else {
      throw SettingsError(
        message: "--log-level \(text) is not \(Self.logLevelForm.expected)",
        exitCode: ExitStatus.usage)
    }
    logLevel = level
  }

  private func checkFeeds() throws {
    let recordings = feeds.compactMap(\.recording)
    guard recordings.isEmpty || feeds.count == 1 else {
      throw SettingsError(
        message: "a recording sets the clock, so a file:// feed must be the only one; "
          + "leave out the others", exitCode: ExitStatus.configuration)
    }
    for recording in recordings where access(recording.path, R_OK) != 0 {
      throw SettingsError(
        message: "\(recording.path): cannot be read: \(String(cString: strerror(errno))); "
          + "give another file:// feed", exitCode: ExitStatus.noInput)
    }
  }

  /// Output of `--check-config`: the files' values with their lines, then values from elsewhere.
  func report(_ configuration: Configuration) -> String {
    var text = configuration.dump()
    text += "\n# From the command line, the environment and defaults:\n"
    for feed in feeds { text += "# feed \(feed)\n" }
    text += "# state directory \(stateDirectory)\n"
    text += "# control socket \(socketPath)\n"
    text += "# log level \(logLevel)\n"
    return text
  }

  /// The system's time zone; UTC, said once, where it cannot be read.
  func systemZone(log: Logger) -> TimeZoneRules {
    do {
      return try readZone()
    } catch {
      log.warning("Local times are read as UTC: \(error)")
      return .utc
    }
  }
}
