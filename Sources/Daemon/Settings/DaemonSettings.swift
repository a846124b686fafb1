import CivilTime
import Companion
import Configuration
import Departure
import Feeds
import Glibc
import LinuxRuntime
import Logging
import Reminders
import Routing

/// A wrong argument or environment, with the exit status it deserves.
struct SettingsError: Error {
  let message: String
  let status: ExitStatus
}

/// The checked settings: arguments before configuration files before defaults.
///
/// A wrong line of a file is left out and reported, so that it silences no other reminder. A wrong
/// line about access, a file that cannot be read and a wrong argument are errors.
struct DaemonSettings {
  struct Arguments {
    var feeds: [String] = []
    var configFile: String?
    var stateDirectory: String?
    var socket: String?
    var logLevel: String?

    /// Keys whose values in files do not count.
    fileprivate var keys: [ConfigurationKey] {
      feeds.isEmpty ? [] : [DaemonSettings.feed.key]
    }
  }

  /// The feeds of the machine itself, and after them the feeds of the trackers.
  var feeds: [FeedURL] = []
  /// By name.
  var trackers: [Tracker] = []
  var feedOptions = Feed.Options()
  /// How far the time of a live fix may be from the clock.
  var maximumFixAge = TimeSpan.minutes(1)
  var engine = EngineSettings()
  var clockTrust = ClockTrust.Demand.automatic
  var wakesFromSuspend = true
  var reminderFiles: [String] = []
  /// The time of a day that is typed without one.
  var defaultTime = TimeOfDay.nine
  /// The hours of each day in which firings wait, but the urgent ones.
  var quietHours: HourRange?
  /// Absolute paths without a slash at the end.
  var calendarFolders: [String] = []
  var track = TrackKeeper.Settings()
  /// How long a boat lies still at night before a missing anchor watch is a firing; nil is never.
  var anchorRemindAfter: TimeSpan?
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
  /// Socket of `georemind-route`; nil without a routing engine.
  var routeSocket: String?
  /// The environment's TZ; nil takes /etc/localtime.
  var timeZoneName: String?
  /// Lines of the configuration that are left out.
  var errors: [ConfigurationError] = []

  var storePath: String { "\(stateDirectory)/georemind.db" }

  static func load(
    _ arguments: Arguments
  ) throws -> (
    settings: DaemonSettings, configuration: Configuration
  ) {
    let environment = ServiceFolders()
    let main = arguments.configFile ?? environment.configurationFile
    let files = try ConfigurationFile.load(main: main, mayBeMissing: arguments.configFile == nil)
    var configuration = Configuration(
      files, declared: table.map(\.key) + TrackerSection.keys(of: files))
    let settings = try DaemonSettings(
      &configuration, arguments: arguments, environment: environment)
    return (settings, configuration)
  }

  /// - Parameter configuration: wrong lines are left out of it.
  private init(
    _ configuration: inout Configuration, arguments: Arguments, environment: ServiceFolders
  ) throws {
    guard let state = arguments.stateDirectory ?? environment.stateDirectory else {
      throw SettingsError(
        message: "no place to keep state: give --state-directory, or start it as a service",
        status: .usage)
    }
    stateDirectory = state
    socketPath = environment.socketPath
    let given = Set(arguments.keys)
    let used = Self.table.filter { !given.contains($0.key) }
    for setting in used { setting.leaveOutWrong(&configuration) }
    if arguments.feeds.isEmpty {
      Self.leaveOutWrongFeeds(&configuration, isSystem: environment.isSystemService)
    }
    trackers = TrackerSection.read(&configuration)
    do {
      if try RouteSettings(configuration) != nil {
        routeSocket = environment.routeSocket
        engine.asksRoutes = true
      }
    } catch let error as ConfigurationError {
      configuration.report(error)
      configuration.reset(RouteSettings.engineKey)
    }
    if let error = configuration.errors.first(where: \.concernsAccess) { throw error }
    errors = configuration.errors
    for setting in used { try setting.apply(configuration, to: &self) }
    try takeArguments(arguments)
    for url in trackers.flatMap(\.feeds) where !feeds.contains(url) { feeds.append(url) }
    try checkFeeds(isSystem: environment.isSystemService)
    timeZoneName = getenv("TZ").map { String(cString: $0) }
  }

  /// Applies the command line, which overrides the files.
  private mutating func takeArguments(_ arguments: Arguments) throws {
    if let socket = arguments.socket { socketPath = socket }
    for text in arguments.feeds {
      do {
        feeds.append(try FeedURL(parsing: text))
      } catch {
        throw SettingsError(message: "--feed \(text): \(error)", status: .usage)
      }
    }
    guard let text = arguments.logLevel else { return }
    guard let level = try Self.logLevelForm.read(text) else {
      throw SettingsError(
        message: "--log-level \(text) is not \(Self.logLevelForm.expected)",
        status: .usage)
    }
    logLevel = level
  }

  /// Checks feeds of the command line; the usable ones of the files are left.
  private func checkFeeds(isSystem: Bool) throws {
    if isSystem, feeds.contains(where: \.isOfDesktop) {
      throw SettingsError(message: Self.noDesktop, status: .badConfiguration)
    }
    for recording in feeds.compactMap(\.recording) {
      guard feeds.count == 1 else {
        throw SettingsError(message: Self.onlyFeed, status: .badConfiguration)
      }
      if let reason = Self.objection(to: recording) {
        throw SettingsError(message: reason, status: .noInput)
      }
    }
  }

  private static let onlyFeed =
    "a recording sets the clock, so a feed of file:// or with time=own must be the only one; "
    + "leave out the others"

  private static let noDesktop =
    "GeoClue serves users, so a feed of geoclue: is for a user service; give another feed, such as "
    + "gpsd://localhost:2947"

  private static func objection(to recording: FeedURL.Recording) -> String? {
    guard let path = recording.path, access(path, R_OK) != 0 else { return nil }
    return "\(path): cannot be read: \(String(cString: strerror(errno))); "
      + "give another file:// feed"
  }

  private static func leaveOutWrongFeeds(_ configuration: inout Configuration, isSystem: Bool) {
    let isOnly = configuration.values(of: feed.key).count == 1
    configuration.leaveOut(feed.key) { [configuration] value in
      guard let url = try? FeedURL(parsing: value.text) else { return nil }
      let reason =
        isSystem && url.isOfDesktop
        ? noDesktop : url.recording.flatMap { isOnly ? objection(to: $0) : onlyFeed }
      return reason.map { configuration.error(feed.key, value, $0) }
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
