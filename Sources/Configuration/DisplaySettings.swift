package import CivilTime
package import Geodesy

/// The settings of `georemind` in `georemind.conf`: how people see values, and how they type them.
package struct DisplaySettings: Equatable, Sendable {
  package var units = LengthUnits.metric
  /// The time of a day that is typed without one.
  package var defaultTime = TimeOfDay.nine

  /// Reads files, of which later ones override earlier ones. An unreadable file or value counts as
  /// absent: the daemon reports it, and a display falls back to the default.
  package init(files: [String]) {
    let settings: [Setting<DisplaySettings>] = [
      .units(to: \.units), .defaultTime(to: \.defaultTime),
    ]
    let read = files.flatMap { (try? ConfigurationFile.load(main: $0, mayBeMissing: true)) ?? [] }
    var configuration = Configuration(read, declared: settings.map(\.key))
    for setting in settings {
      setting.leaveOutWrong(&configuration)
      try? setting.apply(configuration, to: &self)
    }
  }
}

extension Setting {
  /// The units of lengths and speeds.
  package static func units(
    to path: any WritableKeyPath<Settings, LengthUnits> & Sendable
  ) -> Setting { Setting("Display", "Units", "metric", .word, to: path) }

  /// The time of a day that is typed without one.
  package static func defaultTime(
    to path: any WritableKeyPath<Settings, TimeOfDay> & Sendable
  ) -> Setting {
    Setting(
      "Reminders", "DefaultTime", "09:00",
      SettingForm("a time of day such as 09:00") { TimeOfDay(parsing: $0) }, to: path)
  }
}
