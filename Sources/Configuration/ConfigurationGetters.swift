extension Configuration {
  /// The text of a scalar; nil when it is neither set nor has a default. Never empty.
  package func string(_ key: ConfigurationKey) -> String? { value(of: key)?.text }

  /// `1 yes y true t on` and `0 no n false f off` in any case, as systemd reads them.
  package func bool(_ key: ConfigurationKey) throws(ConfigurationError) -> Bool? {
    try value(key, expected: "yes or no") { text in
      switch text.lowercased() {
      case "1", "yes", "y", "true", "t", "on": true
      case "0", "no", "n", "false", "f", "off": false
      default: nil
      }
    }
  }

  /// A decimal whole number within `range`.
  package func int(
    _ key: ConfigurationKey, in range: ClosedRange<Int>
  )
    throws(ConfigurationError) -> Int?
  {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return try value(key, expected: expected) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A decimal number within `range`, never infinite or not a number.
  package func double(
    _ key: ConfigurationKey, in range: ClosedRange<Double>
  )
    throws(ConfigurationError) -> Double?
  {
    let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
    return try value(key, expected: expected) { text in
      let digits = "0123456789+-.eE"
      guard text.allSatisfy(digits.contains) else { return nil }
      return Double(text).flatMap { $0.isFinite && range.contains($0) ? $0 : nil }
    }
  }

  /// One of the words of an enumeration, exactly as written there.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: ConfigurationKey, of type: Choice.Type = Choice.self
  ) throws(ConfigurationError) -> Choice? {
    let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try value(key, expected: "one of: \(words)") { Choice(rawValue: $0) }
  }

  /// The elements of a list, in the order of the files.
  package func list(_ key: ConfigurationKey) -> [ConfigurationValue] { values(of: key) }

  /// A scalar read by `parse`, for spans, lengths and other subjects this target knows nothing of.
  /// - Parameters:
  ///   - expected: what should have been written, to end "… is not …", such as
  ///     "a time span such as 5min".
  ///   - parse: answers nil, or throws with a reason that prints well, when the text is refused.
  package func value<Value>(
    _ key: ConfigurationKey, expected: String, _ parse: (String) throws -> Value?
  ) throws(ConfigurationError) -> Value? {
    guard let value = value(of: key) else { return nil }
    return try read(value, of: key, expected: expected, parse)
  }

  /// A list, each element read by `parse` as in ``value(_:expected:_:)``.
  package func list<Value>(
    _ key: ConfigurationKey, expected: String, _ parse: (String) throws -> Value?
  ) throws(ConfigurationError) -> [Value] {
    var result: [Value] = []
    for value in values(of: key) {
      result.append(try read(value, of: key, expected: expected, parse))
    }
    return result
  }

  /// The error to throw when a value turns out wrong only later, with the place that set it.
  package func error(_ key: ConfigurationKey, _ message: String) -> ConfigurationError {
    fault(value(of: key), "[\(key.section)] \(key.name)=: \(message)")
  }

  private func read<Value>(
    _ value: ConfigurationValue, of key: ConfigurationKey, expected: String,
    _ parse: (String) throws -> Value?
  ) throws(ConfigurationError) -> Value {
    let reason: String
    do {
      if let result = try parse(value.text) { return result }
      reason = ""
    } catch {
      reason = " (\(error))"
    }
    throw fault(
      value,
      "[\(key.section)] \(key.name)=\(shown(value.text)) is not \(expected)\(reason);"
        + " correct the value or remove the line to have the default")
  }

  private func fault(_ value: ConfigurationValue?, _ message: String) -> ConfigurationError {
    ConfigurationError(
      file: value?.source?.file ?? "default", line: value?.source?.line, message: message)
  }
}
