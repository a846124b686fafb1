import CivilTime
import Configuration
import Departure
import Feeds
import Geofencing
import Glibc
import Hooks
import Logging
import MQTT
import Reminders
import Routing

extension DaemonSettings {
  /// Every key of `georemind.conf`, in the order of `etc/georemind.conf`.
  static let table: [Setting<DaemonSettings>] = [
    feeding, position, fences, travel, clock, RouteSettings.keys.map { Setting(declared: $0) },
    storing, track, anchor, control, [.units(to: \.engine.units)],
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

  /// A century: longer than any run, and short enough to be added to any date.
  private static let practicallyNever = TimeSpan.hours(876_000)

  private static let position: [Setting<DaemonSettings>] = [
    Setting(list: "Position", "Exclude", [], .word, to: \.engine.excluded),
    Setting(
      "Position", "MaximumError", "off", .length(1...100_000, off: .infinity),
      to: \.engine.monitor.maximumError),
    Setting(
      "Position", "MaxFixAge", "1min",
      .span(.seconds(1) ... .hours(24 * 28), infinity: practicallyNever), to: \.maximumFixAge),
    Setting(
      "Position", "LostAfterSec", "120",
      .span(.seconds(10) ... .hours(24), infinity: practicallyNever),
      to: \.engine.positionLostAfter),
  ]

  private static let fences: [Setting<DaemonSettings>] = [
    Setting("Fence", "Certainty", "99.99%", share("from 90% to 99.9999%", 90...99.9999)) {
      $0.engine.monitor.certainty = $1
    },
    Setting(
      "Fence", "PassGapSec", "5min", .span(.zero ... .hours(1)), to: \.engine.monitor.longestLeg),
    Setting("Fence", "MaximumSpeed", "360", .number(1...1_200)) {
      $0.engine.monitor.plausibleSpeed = $1 / 3.6
    },
  ]

  private static let travel: [Setting<DaemonSettings>] = [
    speed("WalkingSpeed", "5", .walking), speed("CyclingSpeed", "15", .cycling),
    speed("BoatSpeed", "6kn", .boat),
    Setting(
      "Travel", "Punctuality", "85%", share("from 50% to 99%", 50...99),
      to: \.engine.punctuality),
    Setting("Travel", "LearnFromTrips", "yes", .flag, to: \.engine.learnsFromTrips),
  ]

  private static func speed(
    _ name: String, _ kilometresPerHour: String, _ transport: Transport
  ) -> Setting<DaemonSettings> {
    Setting("Travel", name, kilometresPerHour, kilometresPerHourForm) {
      $0.engine.travel[transport].bands[0].speed = $1 / 3.6
    }
  }

  /// A number is km/h; `kn` and `mph` may stand behind it.
  private static let kilometresPerHourForm: SettingForm<Double> = {
    let form = SettingForm.number(0.5...400)
    return SettingForm(form.expected) { text in
      for (unit, kilometres) in [("kn", 1.852), ("mph", 1.609_344), ("km/h", 1)]
      where text.hasSuffix(unit) {
        let digits = text.dropLast(unit.utf8.count).filter { $0 != " " }
        guard let number = Double(digits) else { return nil }
        return try form.read("\(number * kilometres)")
      }
      return try form.read(text)
    }
  }()

  /// A share as a percentage, with or without the sign.
  private static func share(_ words: String, _ percent: ClosedRange<Double>) -> SettingForm<Double>
  {
    let form = SettingForm.number(percent)
    return SettingForm("a share \(words)") { text in
      let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
      // 99.99 % is 0.9999, not the double beside it.
      return try form.read(String(digits)).map { ($0 * 1e4).rounded() / 1e6 }
    }
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
    Setting(
      "Reminders", "SkipOlderThanSec", "infinity",
      .span(.zero...practicallyNever, infinity: practicallyNever),
      store: { $0.engine.skipOlderThan = $1 == practicallyNever ? nil : $1 }),
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
      .span(.minutes(1) ... .hours(24), infinity: practicallyNever, word: "off")
    ) { $0.anchorRemindAfter = $1 == practicallyNever ? nil : $1 }
  ]

  private static let trail = Setting<DaemonSettings>(
    "Map", "Trail", "12h", .span(.zero ... .hours(48)), to: \.track.trail)

  private static let control: [Setting<DaemonSettings>] = [
    Setting("Control", "Socket", nil, .text, to: \.socketPath),
    Setting(
      list: "Control", "AllowGroup", ["georemind"], .text, concernsAccess: true,
      to: \.allowedGroups),
    Setting("Control", "SharedChanges", "no", .flag, concernsAccess: true, to: \.sharesChanges),
    level,
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

  static let level = Setting<DaemonSettings>("Log", "Level", "info", logLevelForm, to: \.logLevel)

  static let logLevelForm = SettingForm("one of: error, warning, notice, info, debug") {
    Logger.Level(rawValue: $0)
  }
}
