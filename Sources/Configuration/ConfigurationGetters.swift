extension Configuration {
  /// The text of a scalar; nil when it is neither set nor has a default. Never empty.
  package func string(_ key: ConfigurationKey) -> String? { value(of: key)?.text }

  /// A scalar; nil when it is neither set nor has a default.
  package func value<Value>(
    _ key: ConfigurationKey, _ form: SettingForm<Value>
  ) throws(ConfigurationError) -> Value? {
    guard let value = value(of: key) else { return nil }
    return try read(value, of: key, form)
  }

  /// A list, in the order of the files.
  package func list<Value>(
    _ key: ConfigurationKey, _ form: SettingForm<Value>
  ) throws(ConfigurationError) -> [Value] {
    var result: [Value] = []
    for value in values(of: key) { result.append(try read(value, of: key, form)) }
    return result
  }

  /// The error to throw when a value turns out wrong only later, with the place that set it.
  package func error(_ key: ConfigurationKey, _ message: String) -> ConfigurationError {
    fault(value(of: key), "[\(key.section)] \(key.name)=: \(message)")
  }

  /// The error of a value that turns out wrong only later.
  package func error(
    _ key: ConfigurationKey, _ value: ConfigurationValue, _ message: String
  ) -> ConfigurationError {
    fault(value, "[\(key.section)] \(key.name)=: \(message)")
  }

  /// Leaves out the values that the form refuses, and adds their errors to ``errors``.
  package mutating func leaveOutWrong<Value>(
    _ key: ConfigurationKey, _ form: SettingForm<Value>
  ) {
    let configuration = self
    leaveOut(key) { value in
      do throws(ConfigurationError) {
        _ = try configuration.read(value, of: key, form)
        return nil
      } catch {
        return error
      }
    }
  }

  private func read<Value>(
    _ value: ConfigurationValue, of key: ConfigurationKey, _ form: SettingForm<Value>
  ) throws(ConfigurationError) -> Value {
    let reason: String
    do {
      if let result = try form.read(value.text) { return result }
      reason = ""
    } catch {
      reason = " (\(error))"
    }
    throw fault(
      value,
      "[\(key.section)] \(key.name)=\(shown(value.text)) is not \(form.expected)\(reason);"
        + " correct the value or remove the line to have the default",
      concernsAccess: key.concernsAccess)
  }

  private func fault(
    _ value: ConfigurationValue?, _ message: String, concernsAccess: Bool = false
  ) -> ConfigurationError {
    ConfigurationError(
      file: value?.source?.file ?? "default", line: value?.source?.line, message: message,
      concernsAccess: concernsAccess)
  }
}
