/// One key of `georemind.conf`: its name, default, accepted texts and destination.
///
///     Setting("Fence", "PassGapSec", "60", .span(.zero ... .hours(1)), to: \.longestLeg)
///
/// A table of these is all that a program needs to read its sections. Tests compare it with
/// `etc/georemind.conf`, the source of the manual page.
package struct Setting<Settings>: Sendable {
  package let key: ConfigurationKey
  /// As in ``SettingForm/expected``.
  package let expected: String
  private let store: @Sendable (Configuration, inout Settings) throws(ConfigurationError) -> Void

  /// A scalar key: the last assignment counts. Without value and default nothing is stored.
  package init<Value>(
    _ section: String, _ name: String, _ fallback: String? = nil, _ form: SettingForm<Value>,
    store: @escaping @Sendable (inout Settings, Value) -> Void
  ) {
    let key = ConfigurationKey.scalar(section, name, default: fallback)
    self.init(key: key, expected: form.expected) {
      (configuration, settings) throws(ConfigurationError) in
      if let value = try configuration.value(key, form) { store(&settings, value) }
    }
  }

  package init<Value>(
    _ section: String, _ name: String, _ fallback: String? = nil, _ form: SettingForm<Value>,
    to path: any WritableKeyPath<Settings, Value> & Sendable
  ) {
    self.init(section, name, fallback, form) { $0[keyPath: path] = $1 }
  }

  /// A key of which each assignment adds an element.
  package init<Value>(
    list section: String, _ name: String, _ fallback: [String] = [], _ form: SettingForm<Value>,
    to path: any WritableKeyPath<Settings, [Value]> & Sendable
  ) {
    let key = ConfigurationKey.list(section, name, default: fallback)
    self.init(key: key, expected: form.expected) {
      (configuration, settings) throws(ConfigurationError) in
      settings[keyPath: path] = try configuration.list(key, form)
    }
  }

  private init(
    key: ConfigurationKey, expected: String,
    store: @escaping @Sendable (Configuration, inout Settings) throws(ConfigurationError) -> Void
  ) {
    self.key = key
    self.expected = expected
    self.store = store
  }

  /// A key of which another program reads the value.
  package init(declared key: ConfigurationKey, _ expected: String = "text") {
    self.init(key: key, expected: expected) { (_, _) in }
  }

  /// Reads the value in force.
  package func apply(
    _ configuration: Configuration, to settings: inout Settings
  ) throws(ConfigurationError) {
    try store(configuration, &settings)
  }
}
