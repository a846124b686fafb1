package import CivilTime
import Geodesy

/// The conversion and check of a setting's text.
package struct SettingForm<Value>: Sendable {
  /// The accepted form, to end "… is not …", such as "a time span from 1s to 1h".
  package let expected: String
  package let read: @Sendable (String) throws -> Value?

  /// - Parameter read: nil or a thrown, printable reason refuses the text.
  package init(_ expected: String, _ read: @escaping @Sendable (String) throws -> Value?) {
    self.expected = expected
    self.read = read
  }
}

extension SettingForm<String> {
  /// Any text.
  package static var text: Self { Self("text") { $0 } }
}

extension SettingForm<Bool> {
  /// `1 yes y true t on` and `0 no n false f off` in any case, as systemd reads them.
  package static var flag: Self {
    Self("yes or no") { text in
      switch text.lowercased() {
      case "1", "yes", "y", "true", "t", "on": true
      case "0", "no", "n", "false", "f", "off": false
      default: nil
      }
    }
  }
}

extension SettingForm<Int> {
  /// A decimal whole number.
  package static func whole(_ range: ClosedRange<Int>) -> Self {
    Self("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingForm<Double> {
  /// A decimal number, never infinite or not a number.
  package static func number(_ range: ClosedRange<Double>) -> Self {
    Self("a number from \(range.lowerBound) to \(range.upperBound)") { text in
      let digits = "0123456789+-.eE"
      guard text.allSatisfy(digits.contains) else { return nil }
      return Double(text).flatMap { $0.isFinite && range.contains($0) ? $0 : nil }
    }
  }

  /// A length in metres, or the word `off`.
  package static func length(_ range: ClosedRange<Double>, off: Double) -> Self {
    let bounds = [range.lowerBound, range.upperBound].map { Length.formatted(metres: $0) }
    return Self("a length from \(bounds[0]) to \(bounds[1]), or off") { text in
      if text == "off" { return off }
      let metres = try Length.metres(parsing: text)
      return range.contains(metres) ? metres : nil
    }
  }
}

extension SettingForm<TimeSpan> {
  /// A time span.
  /// - Parameters:
  ///   - infinity: the value of the word for no end, if allowed.
  ///   - word: that word.
  package static func span(
    _ range: ClosedRange<TimeSpan>, infinity: TimeSpan? = nil, word: String = "infinity"
  ) -> Self {
    let end = infinity == nil || infinity == range.upperBound ? "" : ", or \(word)"
    return Self("a time span from \(range.lowerBound) to \(range.upperBound)\(end)") { text in
      if text == word, let infinity { return infinity }
      let span = try TimeSpan(parsing: text)
      return range.contains(span) ? span : nil
    }
  }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
  /// One of the words of an enumeration, exactly as written there.
  package static var word: Self {
    Self("one of: \(Value.allCases.map(\.rawValue).joined(separator: ", "))") {
      Value(rawValue: $0)
    }
  }
}
