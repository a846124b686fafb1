import CivilTime
import Configuration
import Feeds
import Glibc
import Hooks
import Logging
import MQTT
import Reminders
import Routing
import Rules

extension DaemonSettings {
  /// Every key of `georemind.conf`, in the order of `etc/georemind.conf`.
  static let table: [Setting<DaemonSettings>] = [
    feeding, position, deciding(EngineSettings.fenceKeys), deciding(EngineSettings.travelKeys),
    clock, RouteSettings.keys.map { Setting(declared: $0) }, storing,
    deciding(EngineSettings.missedKeys), keeping, track, anchor, control,
    [.units(to: \.engine.units)],
    HookSettings.table.map { Setting(of: $0) }, WebSettings.table.map { Setting(of: $0) }, [trail],
    MQTTSettings.table.map { Setting(of: $0) },
  ].flatMap { (part: [Setting<DaemonSettings>]) in part }

  static let feed = Setting<DaemonSettings>(
    list: "Feed", "Feed", ["gpsd://localhost:2947"],
    SettingForm("a feed") { try FeedURL(parsing: $0) }, to: \.feeds)

  private static let feeding: [Setting<DaemonSettings>] = [
    feed,
    // The default depends on the kind of feed.
    Setting(
      "Feed", "SilenceTimeoutSec", nil, .span(.seconds(1) ... .hours(24), infinity: .zero),
      store: { $0.feedOptions.silenceTimeout = $1.microseconds }),
  ]

  private static let position =
    [
      Setting(
        "Position", "MaxFixAge", "1min",
        .span(.seconds(1) ... .hours(24 * 28), infinity: .practicallyNever), to: \.maximumFixAge)
    ] + deciding(EngineSettings.positionKeys)

  private static func deciding(_ keys: [Setting<EngineSettings>]) -> [Setting<DaemonSettings>] {
    keys.map { Setting($0, in: \.engine) }
  }

  private static let clock: [Setting<DaemonSettings>] = [
    Setting("Clock", "Trust", "auto", .word, to: \.clockTrust),
    Setting("Clock", "WakeFromSuspend", "yes", .flag, to: \.wakesFromSuspend),
  ]

  private static let storing: [Setting<DaemonSettings>] = [
    Setting(list: "Reminders", "File", [], .text, to: \.reminderFiles),
    .defaultTime(to: \.defaultTime),
    Setting(
      "Reminders", "QuietHours", nil,
      SettingForm("a range of hours, such as 22:00-07:00") { try HourRange(parsing: $0) },
      store: { $0.quietHours = $1 }),
  ]

  private static let keeping: [Setting<DaemonSettings>] = [
    Setting(
      list: "Calendar", "Folder", [],
      SettingForm("an absolute path, or a path that begins with ~/", folder),
      to: \.calendarFolders),
    Setting("Store", "LedgerKeepDays", "365", .whole(0...36_500)) {
      $0.ledgerKeepDays = $1 == 0 ? nil : $1
    },
    Setting("Store", "LedgerHoldDays", "30", .whole(0...36_500), to: \.ledgerHoldDays),
  ]

  private static let track: [Setting<DaemonSettings>] = [
    Setting(
      "Track", "Keep", "off",
      SettingForm<TimeSpan?>("a time span from 1h to 3650d, or off") { text in
        if text == "off" { return .some(nil) }
        let span = try TimeSpan(parsing: text)
        return (TimeSpan.hours(1) ... .hours(24 * 3650)).contains(span) ? span : .none
      }, to: \.track.keep)
  ]

  private static let anchor = [
    Setting<DaemonSettings>(
      "Anchor", "RemindAfter", "off",
      .span(.minutes(1) ... .hours(24), infinity: .practicallyNever, word: "off")
    ) { $0.anchorRemindAfter = $1 == .practicallyNever ? nil : $1 }
  ]

  private static let trail = Setting<DaemonSettings>(
    "Map", "Trail", "12h", .span(.zero ... .hours(48)), to: \.track.trail)

  private static let control: [Setting<DaemonSettings>] = [
    Setting(
      list: "Control", "AllowGroup", ["georemind"], .text, concernsAccess: true,
      to: \.allowedGroups),
    Setting("Control", "SharedChanges", "no", .flag, concernsAccess: true, to: \.sharesChanges),
  ]

  /// nil for a relative path: the daemon's working folder is the service manager's choice.
  @Sendable
  private static func folder(_ text: String) -> String? {
    var path = text[...]
    if path.hasPrefix("~/"), let home = getenv("HOME") {
      path = (String(cString: home) + path.dropFirst())[...]
    }
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return path.hasPrefix("/") ? String(path) : nil
  }

  static let logLevelForm = SettingForm("one of: error, warning, notice, info, debug") {
    Logger.Level(rawValue: $0)
  }
}
