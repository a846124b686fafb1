package import CivilTime
package import Configuration
import Departure
import Geofencing
package import Reminders

/// The keys of `georemind.conf` that an engine decides by, by section, in the order of the file.
extension EngineSettings {
  package static let keys = positionKeys + fenceKeys + travelKeys + missedKeys

  package static let positionKeys: [Setting<EngineSettings>] = [
    Setting(list: "Position", "Exclude", [], .word, to: \.excluded),
    Setting(
      "Position", "MaximumError", "off", .length(1...100_000, off: .infinity),
      to: \.monitor.maximumError),
    Setting(
      "Position", "LostAfterSec", "120",
      .span(.seconds(10) ... .hours(24), infinity: .practicallyNever), to: \.positionLostAfter),
  ]

  package static let fenceKeys: [Setting<EngineSettings>] = [
    Setting("Fence", "Certainty", "99.99%", share("from 90% to 99.9999%", 90...99.9999)) {
      $0.monitor.certainty = $1
    },
    Setting("Fence", "PassGapSec", "5min", .span(.zero ... .hours(1)), to: \.monitor.longestLeg),
    Setting("Fence", "MaximumSpeed", "360", .number(1...1_200)) {
      $0.monitor.plausibleSpeed = $1 / 3.6
    },
  ]

  package static let travelKeys: [Setting<EngineSettings>] = [
    speed("WalkingSpeed", "5", .walking), speed("CyclingSpeed", "15", .cycling),
    speed("BoatSpeed", "6kn", .boat),
    Setting(
      "Travel", "Punctuality", "85%", share("from 50% to 99%", 50...99), to: \.punctuality),
    Setting("Travel", "LearnFromTrips", "yes", .flag, to: \.learnsFromTrips),
  ]

  package static let missedKeys: [Setting<EngineSettings>] = [
    Setting(
      "Reminders", "SkipOlderThanSec", "infinity",
      .span(.zero ... .practicallyNever, infinity: .practicallyNever),
      store: { $0.skipOlderThan = $1 == .practicallyNever ? nil : $1 })
  ]

  private static func speed(
    _ name: String, _ kilometresPerHour: String, _ transport: Transport
  ) -> Setting<EngineSettings> {
    Setting("Travel", name, kilometresPerHour, kilometresPerHourForm) {
      $0.travel[transport].bands[0].speed = $1 / 3.6
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

  /// The settings of a file and of the `*.conf` beside it, as the daemon reads them.
  /// - Returns: `leftOut` has the wrong lines of these keys. Other keys are ignored.
  /// - Throws: where a file cannot be read.
  package static func load(
    _ main: String
  ) throws(ConfigurationError) -> (settings: EngineSettings, leftOut: [ConfigurationError]) {
    var configuration = Configuration(
      try ConfigurationFile.load(main: main), declared: keys.map(\.key))
    var settings = EngineSettings()
    for setting in keys {
      setting.leaveOutWrong(&configuration)
      try setting.apply(configuration, to: &settings)
    }
    return (settings, configuration.errors)
  }
}

extension TimeSpan {
  /// A century: longer than any run, and short enough to be added to any date.
  package static let practicallyNever = TimeSpan.hours(876_000)
}
