import Bytes
package import CivilTime
import Geodesy
import Geofencing
import JSONText

/// Reads a time that a person typed, and what a day without a time of day means; nil is
/// `DefaultTime=`.
package typealias TimeReader = (String, DayAlone?) throws -> TimeStamp

/// The JSON and command-line forms of a field's values.
///
/// Errors of `read` name no field, or only a part such as `.lat`; the table adds the name.
struct FieldFormat<Value: Sendable>: Sendable {
  var read: @Sendable (JSONValue) throws(ReminderError) -> Value
  var json: @Sendable (Value) -> JSONValue?
  /// Parses command-line text; the second argument reads times. nil where the text of the option
  /// alone is not the value.
  var parse: (@Sendable ([String], TimeReader) throws -> Value)?
  /// Inverse of `parse`: one text for each time that the option is given.
  var texts: @Sendable (Value) -> [String] = { _ in [] }
  /// The permitted words of an enumeration; otherwise empty.
  var words: [String] = []
  /// Whether the option may be given several times.
  var isList = false
  /// Whether a text is well formed; an option without it is a usage error.
  var hasForm: (@Sendable (String) -> Bool)?
}

extension ReminderError {
  static func wrong(_ wanted: String, _ value: JSONValue) -> ReminderError {
    ReminderError(field: "", reason: "must be \(wanted), not \(value.kind)")
  }

  /// Prefixes the field of an error that has none, or a part such as `.lat`.
  func inside(_ outer: String) -> ReminderError {
    guard field.isEmpty || field.hasPrefix(".") else { return self }
    return ReminderError(field: outer + field, reason: reason)
  }
}

extension JSONObject {
  /// Reads a member; null counts as absent.
  /// - Parameter prefix: before the name in an error; empty for a member of the reminder itself.
  func member<Value>(
    _ key: String, _ format: FieldFormat<Value>, prefix: String = "."
  ) throws(ReminderError) -> Value? {
    guard let value = self[key], value != .null else { return nil }
    do throws(ReminderError) {
      return try format.read(value)
    } catch {
      throw error.inside(prefix + key)
    }
  }
}

// MARK: - Texts

/// A text of at most 16 KiB.
private func plainText(_ value: JSONValue) throws(ReminderError) -> String {
  guard let text = value.string else { throw .wrong("a text", value) }
  guard text.utf8.count <= 16_384 else {
    throw ReminderError(field: "", reason: "is longer than 16 KiB")
  }
  return text
}

extension FieldFormat {
  /// A JSON string with the same form as on the command line.
  static func written(
    _ print: @escaping @Sendable (Value) -> String,
    as parse: @escaping @Sendable (String) throws -> Value
  ) -> FieldFormat {
    FieldFormat(
      read: { value throws(ReminderError) in
        let text = try plainText(value)
        do {
          return try parse(text)
        } catch {
          throw ReminderError(field: "", reason: "\(error)")
        }
      },
      json: { .string(print($0)) }, parse: { texts, _ in try parse(texts.last ?? "") },
      texts: { [print($0)] })
  }

  /// A JSON value with a form of its own.
  static func document(
    _ json: @escaping @Sendable (Value) -> JSONValue?,
    as read: @escaping @Sendable (JSONValue) throws(ReminderError) -> Value
  ) -> FieldFormat { FieldFormat(read: read, json: json) }
}

extension FieldFormat where Value == JSONValue {
  static let raw = document({ $0 }, as: { $0 })
}

extension FieldFormat where Value == Reminder.Place {
  static let place: FieldFormat = {
    var format = document({ .object($0.json) }) { json throws(ReminderError) in
      try Reminder.Place(json: json)
    }
    format.texts = { [$0.name ?? $0.position.formatted(.decimalDegrees)] }
    return format
  }()
}

extension FieldFormat where Value == String {
  static let text = written({ $0 }, as: { $0 })
  /// A title or name, on one line.
  static let line = written({ $0 }, as: { $0.onOneLine })
  /// The option carries more than this name.
  static let name: FieldFormat = {
    var format = line
    format.parse = nil
    return format
  }()
}

extension FieldFormat where Value == String {
  /// The name of a person, in small letters.
  static let person = written({ $0 }) { text in
    guard let name = (try? Who(parsing: text))?.name else {
      throw ReminderError(field: "", reason: "must be a name: \(Who.nameRule)")
    }
    return name
  }
}

extension FieldFormat where Value: CustomStringConvertible {
  static func parsed(_ parse: @escaping @Sendable (String) throws -> Value) -> FieldFormat {
    written({ $0.description }, as: parse)
  }
}

extension FieldFormat where Value == TimeStamp {
  /// - Parameter dayAlone: what a day without a time of day means; nil is `DefaultTime=`.
  static func stamp(_ dayAlone: DayAlone? = nil) -> FieldFormat {
    var format = parsed { try TimeStamp(parsing: $0) }
    format.parse = { texts, stamp in try stamp(texts.last ?? "", dayAlone) }
    return format
  }
}

extension FieldFormat where Value == RepeatRule {
  /// An RRULE; on the command line also English, `every 2 weeks`.
  static let repeatRule: FieldFormat = {
    var format = parsed { try RepeatRule(parsing: $0) }
    format.parse = { texts, _ in try RepeatRule(typed: texts.last ?? "") }
    return format
  }()
}

extension FieldFormat
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// An enumeration of words.
  static var choice: FieldFormat {
    let words = Value.allCases.map(\.rawValue)
    var format = written({ $0.rawValue }) { text in
      if let value = Value(rawValue: text) { return value }
      let all = words.map { "\"\($0)\"" }.joined(separator: ", ")
      throw ReminderError(field: "", reason: "must be one of \(all), not \"\(text)\"")
    }
    format.words = words
    format.hasForm = { words.contains($0) }
    return format
  }
}

extension FieldFormat where Value == Bool {
  static let flag = FieldFormat(
    read: { value throws(ReminderError) in
      guard let flag = value.bool else { throw .wrong("true or false", value) }
      return flag
    },
    json: { .bool($0) }, parse: { texts, _ in texts == ["yes"] }, texts: { [$0 ? "yes" : "no"] },
    words: ["yes", "no"], hasForm: { _ in true })
}

// MARK: - Numbers

extension FieldFormat where Value == Int {
  static func whole(_ range: ClosedRange<Int>) -> FieldFormat {
    @Sendable func check(_ number: Int?) throws(ReminderError) -> Int {
      if let number, range.contains(number) { return number }
      throw ReminderError(
        field: "", reason: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return FieldFormat(
      read: { value throws(ReminderError) in try check(value.int) }, json: { .int($0) },
      parse: { texts, _ in try check(Int(texts.last ?? "")) }, texts: { ["\($0)"] },
      hasForm: { Int($0) != nil })
  }
}

extension FieldFormat where Value == Int {
  /// A count, or `none` for no limit, which is 0.
  static let limit: FieldFormat = {
    let count = whole(0...100_000)
    var format = count
    format.read = { value throws(ReminderError) in
      value.string == "none" ? 0 : try count.read(value)
    }
    format.parse = { texts, stamp in
      texts.last == "none" ? 0 : try count.parse?(texts, stamp) ?? 0
    }
    format.texts = { [$0 == 0 ? "none" : "\($0)"] }
    format.hasForm = { $0.isEmpty || $0 == "none" || Int($0) != nil }
    return format
  }()
}

extension FieldFormat where Value == Double {
  static func number(_ range: ClosedRange<Double>) -> FieldFormat {
    @Sendable func plain(_ number: Double) -> String { JSONNumber(number)?.text ?? "\(number)" }
    return FieldFormat(
      read: { value throws(ReminderError) in
        guard let number = value.double else { throw .wrong("a number", value) }
        if range.contains(number) { return number }
        throw ReminderError(
          field: "",
          reason: "must be \(plain(range.lowerBound)) to \(plain(range.upperBound)), "
            + "not \(plain(number))")
      }, json: { .double($0) })
  }

  static func metres(_ range: ClosedRange<Double>) -> FieldFormat {
    var format = number(range)
    format.texts = { JSONNumber($0).map { ["\($0.text)m"] } ?? [] }
    return format
  }

  /// Metres a second.
  static let speed: FieldFormat = {
    var format = number(0...10_000)
    format.parse = { texts, _ in try Speed.parse(texts.last ?? "") }
    format.texts = { JSONNumber($0).map { ["\($0.text)m/s"] } ?? [] }
    return format
  }()
}

extension FieldFormat where Value == TimeSpan {
  static let span = span(in: .zero ... .seconds(100 * 366 * 86_400))

  static func span(in range: ClosedRange<TimeSpan>) -> FieldFormat {
    let seconds = FieldFormat<Double>.number(range.lowerBound.seconds...range.upperBound.seconds)
    return FieldFormat(
      read: { value throws(ReminderError) in TimeSpan(seconds: try seconds.read(value)) },
      json: { .double($0.seconds) },
      parse: { texts, _ in try TimeSpan(typedWithUnit: texts.last ?? "") }, texts: { ["\($0)"] })
  }
}
