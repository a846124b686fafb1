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
  private let sift: @Sendable (inout Configuration) -> Void
  private let store: @Sendable (Configuration, inout Settings) throws(ConfigurationError) -> Void

  /// A scalar key: the last assignment counts. Without value and default nothing is stored.
  /// - Parameter concernsAccess: as in ``ConfigurationKey/concernsAccess``.
  package init<Value>(
    _ section: String, _ name: String, _ fallback: String? = nil, _ form: SettingForm<Value>,
    concernsAccess: Bool = false, store: @escaping @Sendable (inout Settings, Value) -> Void
  ) {
    var key = ConfigurationKey.scalar(section, name, default: fallback)
    key.concernsAccess = concernsAccess
    self.init(key: key, form) { [key] (configuration, settings) throws(ConfigurationError) in
      if let value = try configuration.value(key, form) { store(&settings, value) }
    }
  }

  package init<Value>(
    _ section: String, _ name: String, _ fallback: String? = nil, _ form: SettingForm<Value>,
    concernsAccess: Bool = false, to path: any WritableKeyPath<Settings, Value> & Sendable
  ) {
    self.init(section, name, fallback, form, concernsAccess: concernsAccess) {
      $0[keyPath: path] = $1
    }
  }

  /// A key of which each assignment adds an element.
  package init<Value>(
    list section: String, _ name: String, _ fallback: [String] = [], _ form: SettingForm<Value>,
    concernsAccess: Bool = false, to path: any WritableKeyPath<Settings, [Value]> & Sendable
  ) {
    var key = ConfigurationKey.list(section, name, default: fallback)
    key.concernsAccess = concernsAccess
    self.init(key: key, form) { [key] (configuration, settings) throws(ConfigurationError) in
      settings[keyPath: path] = try configuration.list(key, form)
    }
  }

  private init<Value>(
    key: ConfigurationKey, _ form: SettingForm<Value>,
    store: @escaping @Sendable (Configuration, inout Settings) throws(ConfigurationError) -> Void
  ) {
    self.key = key
    expected = form.expected
    sift = { $0.leaveOutWrong(key, form) }
    self.store = store
  }

  /// A key of which another program reads the value.
  package init(declared key: ConfigurationKey) {
    self.init(key: key, SettingForm.text) { (_, _) in }
  }

  /// A key of which another program uses the value; it is checked here as well.
  package init<Other>(of other: Setting<Other>) {
    key = other.key
    expected = other.expected
    sift = other.sift
    store = { (_, _) in }
  }

  /// A key of a part of the settings.
  package init<Part>(
    _ other: Setting<Part>, in path: any WritableKeyPath<Settings, Part> & Sendable
  ) {
    key = other.key
    expected = other.expected
    sift = other.sift
    store = { (configuration, settings) throws(ConfigurationError) in
      try other.store(configuration, &settings[keyPath: path])
    }
  }

  /// Leaves out wrong values, and adds their errors to the configuration.
  package func leaveOutWrong(_ configuration: inout Configuration) { sift(&configuration) }

  /// Reads the value in force.
  package func apply(
    _ configuration: Configuration, to settings: inout Settings
  ) throws(ConfigurationError) {
    try store(configuration, &settings)
  }
}
