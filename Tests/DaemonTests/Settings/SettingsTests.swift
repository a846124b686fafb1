import CivilTime
import Companion
import Configuration
import Departure
import Feeds
import Geofencing
import LinuxRuntime
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// Configuration files and arguments to settings.
@Suite struct SettingsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func load(
    _ config: String, feeds: [String] = []
  ) throws -> (settings: DaemonSettings, configuration: Configuration) {
    try DaemonSettings.load(
      .init(
        feeds: feeds, configFile: folder.file("test.conf", config), stateDirectory: folder.path))
  }

  // MARK: - etc/georemind.conf

  private struct Shown: Equatable {
    let section: String
    let name: String
    let value: String
  }

  /// Keys of the file as it is installed, with the defaults it shows.
  private func shown() throws -> [Shown] {
    var section = ""
    var keys: [Shown] = []
    for line in try contents("\(packageRoot)/etc/georemind.conf").split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if line.hasPrefix("#"), parts.count == 2, !parts[0].contains(" ") {
        keys.append(
          Shown(section: section, name: String(parts[0].dropFirst()), value: String(parts[1])))
      }
    }
    return keys
  }

  /// What they hold when nothing is set depends on the feed, and on who runs the daemon.
  private static let variable = ["SilenceTimeoutSec", "Socket"]

  @Test func theInstalledFileShowsEveryKeyWithItsDefault() throws {
    let shown = try shown()
    let keys = DaemonSettings.table.map(\.key)
    try #require(shown.map { [$0.section, $0.name] } == keys.map { [$0.section, $0.name] })
    for (key, line) in zip(keys, shown) where !Self.variable.contains(key.name) {
      #expect(line.value == key.defaults.first ?? "", "\(line)")
    }
  }

  @Test func theDefaultsOfTheFileAreThoseOfTheEngine() throws {
    var text = ""
    for line in try shown() where line.name != "Socket" {
      text += "[\(line.section)]\n\(line.name)=\(line.value)\n"
    }
    let written = try load(text)
    #expect(written.configuration.warnings.isEmpty)
    let unwritten = try load("").settings
    #expect("\(written.settings.engine)" == "\(unwritten.engine)")
    #expect("\(unwritten.engine)" == "\(EngineSettings())")
    #expect(written.settings.feeds == unwritten.feeds)
    #expect(written.settings.ledgerKeepDays == unwritten.ledgerKeepDays)
    #expect(written.settings.feedOptions.silenceTimeout == 30_000_000)
    #expect(unwritten.feedOptions.silenceTimeout == nil)
  }

  @Test func theInstalledFileHasNoUnknownKey() throws {
    let loaded = try load(contents("\(packageRoot)/etc/georemind.conf"))
    #expect(loaded.configuration.warnings.isEmpty)
  }

  /// The comment above a key, or the one that begins its section, says what may be written.
  @Test func theInstalledFileSaysWhichValuesAKeyTakes() throws {
    var (section, opening, comment) = ("", "", "")
    var isOpening = false
    var said: [String: String] = [:]
    for line in try contents("\(packageRoot)/etc/georemind.conf")
      .split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().dropLast())
        (opening, comment, isOpening) = ("", "", true)
      } else if line.isEmpty {
        (comment, isOpening) = ("", false)
      } else if let equals = line.firstIndex(of: "="), !line[..<equals].contains(" ") {
        said["\(section)/\(line[..<equals].dropFirst())"] = opening + comment
      } else {
        comment += line.dropFirst()
        if isOpening { opening += line.dropFirst() }
      }
    }
    for setting in DaemonSettings.table {
      let text = said["\(setting.key.section)/\(setting.key.name)"]?.lowercased() ?? ""
      for words in Self.documented(setting.expected) {
        #expect(text.contains(words), "\(setting.key.name)=: \(setting.expected)")
      }
    }
  }

  /// What the documents say for the words of an error: "0 to 1" for "a number from 0.0 to 1.0".
  private static func documented(_ expected: String) -> [String] {
    if expected == "yes or no" { return [expected] }
    if let words = expected.split(separator: "one of: ").last, words != expected {
      return words.split(separator: ", ").map(String.init)
    }
    if let limit = expected.split(separator: " up to ").last, limit != expected {
      return ["0 to \(limit)".replacing(".0 ", with: " ")]
    }
    guard let range = expected.split(separator: " from ").last, range != expected else { return [] }
    return [
      "\(range) ".replacing(".0 ", with: " ").dropLast()
        .replacing(TimeSpan.hours(876_000).description, with: "infinity")
    ].map { String($0) }
  }

  // MARK: - Wrong values

  @Test(
    arguments: [
      "Feed/Feed=gpsd", "Feed/Feed=ftp://host", "Feed/SilenceTimeoutSec=soon",
      "Feed/SilenceTimeoutSec=0", "Feed/SilenceTimeoutSec=25h",
      "Position/Exclude=guesses", "Position/LostAfterSec=9", "Position/LostAfterSec=-1min",
      "Position/LostAfterSec=25h", "Position/MaximumError=0",
      "Position/MaximumError=101km", "Position/MaximumError=never",
      "Position/MaximumError=5 parsecs",
      "Fence/Certainty=calm", "Fence/Certainty=89%", "Fence/Certainty=100%",
      "Fence/PassGapSec=61min", "Fence/PassGapSec=infinity", "Fence/MaximumSpeed=0",
      "Fence/MaximumSpeed=1201", "Travel/WalkingSpeed=0.4", "Travel/BoatSpeed=fast kn",
      "Travel/BoatSpeed=300kn", "Travel/CyclingSpeed=fast", "Travel/CyclingSpeed=inf",
      "Anchor/RemindAfter=59s", "Anchor/RemindAfter=25h", "Anchor/RemindAfter=never",
      "Reminders/SkipOlderThanSec=-1s",
      "Reminders/SkipOlderThanSec=never", "Store/LedgerKeepDays=-1",
      "Store/LedgerKeepDays=36501", "Store/LedgerKeepDays=1y",
      "Display/Units=furlongs", "Hook/Exec=relative", "Hook/TimeoutSec=0",
    ])
  func aWrongValueIsLeftOutAndReportedWithItsPlace(_ setting: String) throws {
    let parts = setting.split(separator: "/", maxSplits: 1)
    let loaded = try load("# nothing\n[\(parts[0])]\n\(parts[1])\n")
    try #require(loaded.settings.errors.count == 1)
    let error = loaded.settings.errors[0]
    #expect(error.file == "\(folder.path)/test.conf")
    #expect(error.line == 3)
    #expect(error.message.contains(parts[1].split(separator: "=")[0]))
    #expect("\(loaded.settings.engine)" == "\(EngineSettings())")
  }

  @Test func theRestIsInForceBesideWrongLines() throws {
    let settings = try load(
      """
      [Feed]
      Feed=192.168.1.5:10110
      Feed=tcp://plotter:10110
      nonsense
      [Fence]
      Certainty=99.9999%
      MaximumSpeed=fast
      [Hook]
      TimeoutSec=soon
      """
    ).settings
    #expect(settings.feeds.map { "\($0)" } == ["tcp://plotter:10110"])
    #expect(settings.engine.monitor.certainty == 0.999999)
    #expect(settings.errors.map(\.line) == [4, 2, 7, 9])
    #expect(
      settings.errors[1].message.contains(
        "feed '192.168.1.5:10110' has no scheme: did you mean 'tcp://192.168.1.5:10110'?"))
  }

  /// Else others might do more than they should.
  @Test(arguments: [
    "[Control]\nSharedChanges=maybe\n", "[Control]\nSharedChanges no\n",
    "[Control]\nAllowGroup staff\n", "[Control\nAllowGroup=staff\n", "SharedChanges=no\n",
  ])
  func aWrongLineAboutAccessIsAnError(_ text: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try load(text + "[Fence]\nx\n") }
    #expect(error?.concernsAccess == true)
  }

  @Test(arguments: [
    ("8kn", 8 * 1.852), ("8 kn", 8 * 1.852), ("10mph", 16.093_44), ("15", 15.0), ("15km/h", 15.0),
  ])
  func aSpeedMayHaveAUnit(text: String, kilometresPerHour: Double) throws {
    let boat = try load("[Travel]\nBoatSpeed=\(text)\n").settings.engine.travel[.boat]
    #expect(abs(boat.bands[0].speed - kilometresPerHour / 3.6) < 1e-9)
  }

  @Test(arguments: [
    ("Position", "ExcludeManual", "use Exclude=manual"),
    ("Travel", "DrivingSpeedLong", "--travel gives a reminder its own time"),
    ("Travel", "BoatDetour", "--travel gives a reminder its own time"),
  ])
  func aKeyOfAnEarlierVersionNamesItsSuccessor(section: String, key: String, words: String) throws {
    let loaded = try load("[\(section)]\n\(key)=1\n")
    #expect(loaded.settings.errors.isEmpty)
    #expect(loaded.configuration.warnings.count == 1)
    #expect("\(try #require(loaded.configuration.warnings.first))".contains(words))
  }

  @Test func aWrongRoutingEngineIsLeftOut() throws {
    let loaded = try load("[Route]\nEngine=osrm\nDrivingURL=ftp://x\n")
    #expect(loaded.settings.errors.map(\.line) == [3])
    #expect(loaded.settings.routeSocket == nil)
    #expect(loaded.configuration.dump().contains("# default\nEngine=none\n"))
  }

  @Test func recordingsThatCannotBePlayedAreLeftOut() throws {
    let mixed = try load("[Feed]\nFeed=file:///a.nmea\nFeed=tcp://b:1\n").settings
    #expect(mixed.feeds.map { "\($0)" } == ["tcp://b:1"])
    #expect(mixed.errors.map(\.line) == [2])
    let missing = try load("[Feed]\nFeed=file:///nonexistent.nmea\n").settings
    #expect(missing.feeds.isEmpty)
    #expect(missing.errors.first?.message.contains("cannot be read") == true)
  }

  @Test func theCertaintyAndTheMaximumErrorReachTheMonitor() throws {
    let text = "[Fence]\nCertainty=99.9999%\n[Position]\nMaximumError=50m\n"
    let monitor = try load(text).settings.engine.monitor
    #expect(monitor.certainty == 0.999999)
    #expect(monitor.maximumError == 50)
    #expect(try load("[Position]\nMaximumError=off\n").settings.engine.monitor == .init())
  }

  @Test func infinityIsNoLimit() throws {
    let settings = try load(
      """
      [Feed]
      SilenceTimeoutSec=infinity
      [Position]
      LostAfterSec=infinity
      [Reminders]
      SkipOlderThanSec=infinity
      [Store]
      LedgerKeepDays=0
      """
    ).settings
    #expect(settings.feedOptions.silenceTimeout == 0)
    #expect(settings.engine.positionLostAfter > .hours(24 * 365 * 50))
    #expect(settings.engine.skipOlderThan == nil)
    #expect(settings.ledgerKeepDays == nil)
  }

  @Test func unknownKeysAndSectionsAreWarnings() throws {
    let loaded = try load("[Fence]\nCertainy=99%\n[Fences]\nA=1\n[Fence]\nX-Mine=1\n")
    #expect(loaded.configuration.warnings.map(\.line) == [2, 3])
    #expect(loaded.configuration.warnings.first?.message.contains("Certainty") == true)
  }

  @Test func aMissingFileThatWasNamedIsAnError() throws {
    #expect(throws: ConfigurationError.self) {
      try DaemonSettings.load(.init(configFile: "/nonexistent", stateDirectory: "/tmp"))
    }
  }

  // MARK: - Arguments

  @Test func feedsOfTheCommandLineReplaceConfiguredOnes() throws {
    let config = "[Feed]\nFeed=tcp://one:1\nFeed=tcp://two:2\n"
    #expect(try load(config).settings.feeds.map { "\($0)" } == ["tcp://one:1", "tcp://two:2"])
    #expect(
      try load(config, feeds: ["tcp://three:3"]).settings.feeds.map { "\($0)" }
        == ["tcp://three:3"])
    #expect(try load("[Feed]\nFeed=\n").settings.feeds.isEmpty)
  }

  @Test func aRecordingIsTheOnlyFeed() throws {
    let error = #expect(throws: SettingsError.self) {
      try load("", feeds: ["file:///a.nmea", "tcp://b:1"])
    }
    #expect(error?.status == .badConfiguration)
  }
}
