import CivilTime
import Companion
import Configuration
import Departure
import Feeds
import Geodesy
import Geofencing
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

/// Everything that the daemon is told from outside: arguments over configuration files over
/// defaults, already read and checked.
struct DaemonSettings {
  struct Arguments {
    var feeds: [String] = []
    var configFile: String?
    var stateDirectory: String?
    var socket: String?
    var logLevel: String?
  }

  var feeds: [FeedURL]
  var feedOptions: Feed.Options
  var engine: EngineSettings
  var clockTrust: ClockTrust.Demand
  var wakesFromSuspend: Bool
  var reminderFiles: [String]
  /// Absolute paths without a slash at the end.
  var calendarFolders: [String]
  var stateDirectory: String
  var socketPath: String
  var allowedGroups: [String]
  /// Every member of the groups may change every reminder, whoever added it.
  var sharesChanges: Bool
  /// nil keeps the ledger for ever.
  var ledgerKeepDays: Int?
  var logLevel: Logger.Level
  /// Where `georemind-route` listens; nil where no routing engine is to be asked.
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
      try ConfigurationFile.load(main: main), declared: SettingKeys.all)
    let settings = try DaemonSettings(
      configuration, arguments: arguments, environment: environment)
    return (settings, configuration)
  }

  private init(
    _ configuration: Configuration, arguments: Arguments, environment: ServiceFolders
  ) throws {
    let feedKey = SettingKeys.feed
    if arguments.feeds.isEmpty {
      feeds = try configuration.list(feedKey, expected: "a feed") { try FeedURL(parsing: $0) }
    } else {
      feeds = try arguments.feeds.map { text in
        do {
          return try FeedURL(parsing: text)
        } catch {
          throw SettingsError(message: "--feed \(text): \(error)", exitCode: ExitStatus.usage)
        }
      }
    }
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
    feedOptions = Feed.Options(
      silenceTimeout: try configuration.limit(
        SettingKeys.silenceTimeout, in: .seconds(1) ... .hours(24), infinity: .zero
      ).map(\.microseconds))
    engine = try Self.engine(configuration)
    clockTrust =
      try configuration.value(
        SettingKeys.clockTrust, expected: "one of: auto, synchronized, always",
        ClockTrust.Demand.init(rawValue:)) ?? .automatic
    wakesFromSuspend = try configuration.bool(SettingKeys.wakeFromSuspend) != false
    reminderFiles = configuration.list(SettingKeys.reminderFile).map(\.text)
    calendarFolders = try configuration.list(
      SettingKeys.calendarFolder, expected: "an absolute path, or one that begins with ~/"
    ) { Self.folder($0) }
    guard let state = arguments.stateDirectory ?? environment.stateDirectory else {
      throw SettingsError(
        message: "no place to keep state: give --state-directory, or start it as a service",
        exitCode: ExitStatus.usage)
    }
    stateDirectory = state
    socketPath =
      arguments.socket ?? configuration.string(SettingKeys.socket) ?? environment.socketPath
    allowedGroups = configuration.list(SettingKeys.allowGroup).map(\.text)
    sharesChanges = try configuration.bool(SettingKeys.sharedChanges) ?? false
    let days = try configuration.int(SettingKeys.ledgerKeepDays, in: 0...36_500) ?? 365
    ledgerKeepDays = days == 0 ? nil : days
    logLevel = try Self.logLevel(arguments, configuration)
    if let route = try RouteSettings(configuration) {
      routeSocket = route.socket ?? environment.routeSocket
      engine.asksRoutes = true
    }
    timeZoneName = getenv("TZ").map { String(cString: $0) }
  }

  private static func logLevel(
    _ arguments: Arguments, _ configuration: Configuration
  ) throws
    -> Logger.Level
  {
    let expected = "one of: error, warning, notice, info, debug"
    if let text = arguments.logLevel {
      guard let level = Logger.Level(rawValue: text) else {
        throw SettingsError(
          message: "--log-level \(text) is not \(expected)", exitCode: ExitStatus.usage)
      }
      return level
    }
    return try configuration.value(SettingKeys.logLevel, expected: expected) {
      Logger.Level(rawValue: $0)
    } ?? .info
  }

  /// nil for a relative path: nobody knows where the service manager starts the daemon.
  private static func folder(_ text: String) -> String? {
    var path = text[...]
    if path.hasPrefix("~/"), let home = getenv("HOME") {
      path = (String(cString: home) + path.dropFirst())[...]
    }
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return path.hasPrefix("/") ? String(path) : nil
  }

  /// A century: longer than any run, and short enough to be added to any date.
  private static let practicallyNever = TimeSpan.hours(876_000)

  private static func engine(_ configuration: Configuration) throws -> EngineSettings {
    var engine = EngineSettings()
    let keys = SettingKeys.self
    engine.acceptsDeadReckoning = try configuration.bool(keys.excludeDeadReckoning) != true
    engine.acceptsManual = try configuration.bool(keys.excludeManual) != true
    engine.acceptsSimulated = try configuration.bool(keys.excludeSimulated) != true
    engine.positionLostAfter =
      try configuration.limit(
        keys.lostAfter, in: .seconds(10) ... .hours(24), infinity: Self.practicallyNever)
      ?? engine.positionLostAfter
    let skip = try configuration.limit(
      keys.skipOlderThan, in: .zero...Self.practicallyNever, infinity: Self.practicallyNever)
    engine.skipOlderThan = skip == Self.practicallyNever ? nil : skip

    engine.monitor.exitMargin =
      try configuration.length(keys.exitMargin, upTo: 1_000) ?? engine.monitor.exitMargin
    engine.monitor.exitMarginOfRadius =
      try configuration.double(keys.exitFraction, in: 0...1) ?? engine.monitor.exitMarginOfRadius
    engine.monitor.exitMarginOfError =
      try configuration.double(keys.exitAccuracy, in: 0...10) ?? engine.monitor.exitMarginOfError
    engine.monitor.confirms = try configuration.int(keys.confirmFixes, in: 1...2) != 1
    engine.monitor.longestLeg =
      try configuration.span(keys.passGap, in: .zero ... .hours(1)) ?? engine.monitor.longestLeg
    if let speed = try configuration.double(keys.maximumSpeed, in: 1...1_200) {
      engine.monitor.plausibleSpeed = speed / 3.6
    }
    engine.travel = try travel(configuration)
    engine.learnsFromTrips = try configuration.bool(keys.learnFromTrips) != false
    return engine
  }

  private static func travel(_ configuration: Configuration) throws -> TravelEstimator {
    var travel = TravelEstimator()
    let keys = SettingKeys.self
    func speed(_ key: ConfigurationKey) throws -> Double {
      try configuration.double(key, in: 0.5...400) ?? 1
    }
    func finish(
      _ profile: inout TravelProfile, detour: ConfigurationKey, overhead: ConfigurationKey
    ) throws {
      profile.detour = try configuration.double(detour, in: 1...5) ?? profile.detour
      profile.overhead =
        try configuration.span(overhead, in: .zero ... .hours(2)) ?? profile.overhead
    }
    travel.walking.bands = [
      .init(below: .infinity, kilometresPerHour: try speed(keys.walkingSpeed))
    ]
    try finish(&travel.walking, detour: keys.walkingDetour, overhead: keys.walkingOverhead)
    travel.cycling.bands = [
      .init(below: .infinity, kilometresPerHour: try speed(keys.cyclingSpeed))
    ]
    try finish(&travel.cycling, detour: keys.cyclingDetour, overhead: keys.cyclingOverhead)
    let medium = try configuration.length(keys.drivingMediumFrom, upTo: 1e7) ?? 5_000
    let long = try configuration.length(keys.drivingLongFrom, upTo: 1e7) ?? 30_000
    guard medium <= long else {
      throw configuration.error(keys.drivingLongFrom, "must not be less than DrivingMediumFrom=")
    }
    travel.driving.bands = [
      .init(below: medium, kilometresPerHour: try speed(keys.drivingShort)),
      .init(below: long, kilometresPerHour: try speed(keys.drivingMedium)),
      .init(below: .infinity, kilometresPerHour: try speed(keys.drivingLong)),
    ]
    try finish(&travel.driving, detour: keys.drivingDetour, overhead: keys.drivingOverhead)
    return travel
  }

  /// Makes the state folder where it is missing: its last component, and all of it below the user's
  /// own home.
  func makeStateDirectory() throws {
    var path = stateDirectory[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    var missing: [String] = []
    while !path.isEmpty, access(String(path), F_OK) != 0 {
      missing.append(String(path))
      guard let slash = path.lastIndex(of: "/") else { break }
      path = path[..<slash]
    }
    let home = getenv("HOME").map { String(cString: $0) } ?? "/"
    guard missing.count <= 1 || (home.count > 1 && stateDirectory.hasPrefix("\(home)/")) else {
      throw SettingsError(
        message:
          "the state directory \(stateDirectory) and the folder it should be in are missing; "
          + "make them, or give another --state-directory", exitCode: ExitStatus.cannotCreate)
    }
    for folder in missing.reversed() where mkdir(folder, 0o700) != 0 {
      throw SettingsError(
        message: "cannot make the state directory \(folder): \(String(cString: strerror(errno))); "
          + "give another --state-directory",
        exitCode: errno == EACCES ? ExitStatus.noPermission : ExitStatus.cannotCreate)
    }
  }

  /// What `--check-config` prints: the files' values with their places, then what comes from
  /// elsewhere.
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

extension Configuration {
  /// A time span; nil where nothing is set.
  fileprivate func span(
    _ key: ConfigurationKey, in range: ClosedRange<TimeSpan>
  ) throws -> TimeSpan? {
    let expected = "a time span from \(range.lowerBound) to \(range.upperBound)"
    return try value(key, expected: expected) { text in
      let span = try TimeSpan(parsing: text)
      return range.contains(span) ? span : nil
    }
  }

  /// A time span that may be `infinity`, which is answered as the span given for it.
  fileprivate func limit(
    _ key: ConfigurationKey, in range: ClosedRange<TimeSpan>, infinity: TimeSpan
  ) throws -> TimeSpan? {
    string(key) == "infinity" ? infinity : try span(key, in: range)
  }

  /// A length in metres; nil where nothing is set.
  fileprivate func length(_ key: ConfigurationKey, upTo limit: Double) throws -> Double? {
    let expected = "a length up to \(Length.formatted(metres: limit))"
    return try value(key, expected: expected) { text in
      let metres = try Length.metres(parsing: text)
      return metres <= limit ? metres : nil
    }
  }
}
