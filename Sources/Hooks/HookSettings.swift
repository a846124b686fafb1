package import CivilTime
package import Configuration

/// Section `[Hook]` of `georemind.conf`.
package struct HookSettings: Equatable, Sendable {
  /// The program of each hook, by absolute path.
  package var programs: [String] = []
  package var timeout = TimeSpan.seconds(30)
  /// How long a firing is tried; the longest time span has no end.
  package var giveUpAfter = TimeSpan.hours(24)
  /// Events that start the programs.
  package var events: Set<HookEvent> = [.firing]
  /// Names of hooks that receive only the firings for the person of that name.
  package var addressed: [String] = []
  /// Lines that are left out.
  package var errors: [ConfigurationError] = []
}

extension HookSettings {
  /// Other sections are the daemon's to read and to report.
  package init(file: String, mayBeMissing: Bool = false) throws {
    try self.init(
      Configuration(
        try ConfigurationFile.load(main: file, mayBeMissing: mayBeMissing),
        declared: Self.table.map(\.key)))
  }

  /// Leaves out wrong lines.
  package init(_ configuration: Configuration) throws(ConfigurationError) {
    self.init()
    var configuration = configuration
    for setting in Self.table { setting.leaveOutWrong(&configuration) }
    errors = configuration.errors
    for setting in Self.table { try setting.apply(configuration, to: &self) }
  }

  package static let table: [Setting<HookSettings>] = [
    Setting(
      list: "Hook", "Exec", [],
      SettingForm("the absolute path of a program") { $0.hasPrefix("/") ? $0 : nil },
      to: \.programs),
    Setting("Hook", "TimeoutSec", "30", .span(.seconds(1) ... .hours(1)), to: \.timeout),
    Setting(
      "Hook", "GiveUpAfter", "1d",
      .span(
        .minutes(1) ... .hours(24 * 28), infinity: TimeSpan(microseconds: .max), word: "never"),
      to: \.giveUpAfter),
    Setting(
      list: "Hook", "Addressed", [],
      SettingForm("the name of a hook") { $0.contains(" ") ? nil : $0 }, to: \.addressed),
    Setting("Hook", "Events", "firing", HookEvent.form, to: \.events),
  ]
}
