package import Geodesy

/// Section `[Display]` of `georemind.conf`: how values are shown to people.
package struct DisplaySettings: Equatable, Sendable {
  package var units = LengthUnits.metric

  /// Reads files, of which later ones override earlier ones. An unreadable file or value counts as
  /// absent: the daemon reports it, and a display falls back to the default.
  package init(files: [String]) {
    let setting = Setting<DisplaySettings>.units(to: \.units)
    let read = files.flatMap { (try? ConfigurationFile.load(main: $0)) ?? [] }
    try? setting.apply(Configuration(read, declared: [setting.key]), to: &self)
  }
}

extension Setting {
  /// The units of lengths and speeds.
  package static func units(
    to path: any WritableKeyPath<Settings, LengthUnits> & Sendable
  ) -> Setting { Setting("Display", "Units", "metric", .word, to: path) }
}
