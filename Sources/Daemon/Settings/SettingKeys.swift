import Configuration
import Hooks
import Routing

/// Every key of `georemind.conf`, in the order of `etc/georemind.conf`, with its default.
enum SettingKeys {
  static let feed = ConfigurationKey.list(
    "Feed", "Feed", default: ["gpsd://localhost:2947"])
  /// Its default depends on the kind of feed.
  static let silenceTimeout = ConfigurationKey.scalar("Feed", "SilenceTimeoutSec")

  static let excludeDeadReckoning = ConfigurationKey.scalar(
    "Position", "ExcludeDeadReckoning", default: "no")
  static let excludeManual = ConfigurationKey.scalar("Position", "ExcludeManual", default: "no")
  static let excludeSimulated = ConfigurationKey.scalar(
    "Position", "ExcludeSimulated", default: "no")
  static let lostAfter = ConfigurationKey.scalar("Position", "LostAfterSec", default: "120")

  static let exitMargin = ConfigurationKey.scalar("Fence", "ExitMarginMinimum", default: "20m")
  static let exitFraction = ConfigurationKey.scalar("Fence", "ExitMarginFraction", default: "0.1")
  static let exitAccuracy = ConfigurationKey.scalar(
    "Fence", "ExitMarginAccuracyFactor", default: "1.5")
  static let confirmFixes = ConfigurationKey.scalar("Fence", "ConfirmFixes", default: "2")
  static let passGap = ConfigurationKey.scalar("Fence", "PassGapSec", default: "60")
  static let maximumSpeed = ConfigurationKey.scalar("Fence", "MaximumSpeed", default: "360")

  static let walkingSpeed = ConfigurationKey.scalar("Travel", "WalkingSpeed", default: "5")
  static let walkingDetour = ConfigurationKey.scalar("Travel", "WalkingDetour", default: "1.3")
  static let walkingOverhead = ConfigurationKey.scalar("Travel", "WalkingOverheadSec", default: "0")
  static let cyclingSpeed = ConfigurationKey.scalar("Travel", "CyclingSpeed", default: "15")
  static let cyclingDetour = ConfigurationKey.scalar("Travel", "CyclingDetour", default: "1.3")
  static let cyclingOverhead = ConfigurationKey.scalar(
    "Travel", "CyclingOverheadSec", default: "2min")
  static let drivingShort = ConfigurationKey.scalar("Travel", "DrivingSpeedShort", default: "30")
  static let drivingMedium = ConfigurationKey.scalar("Travel", "DrivingSpeedMedium", default: "50")
  static let drivingLong = ConfigurationKey.scalar("Travel", "DrivingSpeedLong", default: "80")
  static let drivingMediumFrom = ConfigurationKey.scalar(
    "Travel", "DrivingMediumFrom", default: "5km")
  static let drivingLongFrom = ConfigurationKey.scalar("Travel", "DrivingLongFrom", default: "30km")
  static let drivingDetour = ConfigurationKey.scalar("Travel", "DrivingDetour", default: "1.35")
  static let drivingOverhead = ConfigurationKey.scalar(
    "Travel", "DrivingOverheadSec", default: "5min")

  static let learnFromTrips = ConfigurationKey.scalar(
    "Travel", "LearnFromTrips", default: "yes")

  static let clockTrust = ConfigurationKey.scalar("Clock", "Trust", default: "auto")
  static let wakeFromSuspend = ConfigurationKey.scalar(
    "Clock", "WakeFromSuspend", default: "yes")

  static let reminderFile = ConfigurationKey.list("Reminders", "File")
  static let skipOlderThan = ConfigurationKey.scalar(
    "Reminders", "SkipOlderThanSec", default: "infinity")

  static let calendarFolder = ConfigurationKey.list("Calendar", "Folder")

  static let ledgerKeepDays = ConfigurationKey.scalar("Store", "LedgerKeepDays", default: "365")

  static let socket = ConfigurationKey.scalar("Control", "Socket")
  static let allowGroup = ConfigurationKey.list("Control", "AllowGroup", default: ["georemind"])

  static let sharedChanges = ConfigurationKey.scalar("Control", "SharedChanges", default: "no")

  static let logLevel = ConfigurationKey.scalar("Log", "Level", default: "info")

  static let all =
    travelAndBefore + RouteSettings.keys
    + [
      reminderFile, skipOlderThan, calendarFolder, ledgerKeepDays, socket, allowGroup,
      sharedChanges, logLevel,
    ] + HookKeys.all

  private static let travelAndBefore = [
    feed, silenceTimeout, excludeDeadReckoning, excludeManual, excludeSimulated, lostAfter,
    exitMargin, exitFraction, exitAccuracy, confirmFixes, passGap, maximumSpeed, walkingSpeed,
    walkingDetour, walkingOverhead, cyclingSpeed, cyclingDetour, cyclingOverhead, drivingShort,
    drivingMedium, drivingLong, drivingMediumFrom, drivingLongFrom, drivingDetour,
    drivingOverhead, learnFromTrips, clockTrust, wakeFromSuspend,
  ]
}
