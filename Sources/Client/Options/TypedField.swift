import ArgumentParser
import CivilTime
import Companion
import Geodesy
import JSONText
import Reminders

/// A typed value for a field of a reminder.
struct TypedField {
  let field: ReminderField
  let text: String
  /// As errors name it: `--max-speed`.
  let option: String

  /// - Parameter name: where it was typed by another name than the field's option.
  @Sendable init(_ text: String, _ field: ReminderField, as name: String? = nil) throws {
    self.field = field
    option = name ?? field.dashedOption
    self.text = field.canonical(text)
    if let reason = field.option?.refused[text.lowercased()] { throw ValidationError(reason) }
    guard field.hasForm(self.text) else {
      let near = field.nearestWord(text).map { "; did you mean '\($0)'?" } ?? ""
      let names = (field.option?.synonyms.keys.sorted() ?? []).map { ", \($0)" }.joined()
      throw ValidationError(
        field.words.isEmpty
          ? "it must be a whole number\(names)\(near)"
          : "it must be one of \(field.words.joined(separator: ", "))\(near)")
    }
  }

  /// The same with the coordinate of the current fix in place of `here`.
  func located(_ options: CommonOptions, _ context: Context) throws -> TypedField {
    try TypedField(Here.resolve(text, option: option, options, context), field, as: option)
  }

  /// The same with the time of the next `sunrise` or `sunset` here in place of the word.
  func timed(_ options: CommonOptions, _ context: Context) throws -> TypedField {
    guard let event = Sun.Event(rawValue: text.lowercased()) else { return self }
    guard let here = CurrentPosition(try DaemonConnection(options, context).call("Where")) else {
      throw Failure(.badData, "\(option) '\(text)': no position is known; give a time of day")
    }
    guard let seconds = Sun.next(event, after: context.now.seconds, at: here.position) else {
      throw Failure(
        .badData, "\(option) '\(text)': there is none here in these days; give a time of day")
    }
    let time = Instant(seconds: seconds.rounded())
    return try TypedField(time.rfc3339(zone: try context.zone()), field, as: option)
  }

  /// The fields that were given, in the order of their options, with all their texts.
  static func given(
    in options: ReminderOptions
  ) -> [(field: ReminderField, option: String, texts: [String])] {
    Mirror(reflecting: options).children.compactMap { child in
      switch child.value {
      case let option as Option<TypedField?>:
        option.wrappedValue.map { ($0.field, $0.option, [$0.text]) }
      case let list as Option<[TypedField]>:
        list.wrappedValue.first.map { ($0.field, $0.option, list.wrappedValue.map(\.text)) }
      case let flag as Flag<Bool?>:
        flag.wrappedValue.map { isOn in
          let field = ReminderField.named(name(ofProperty: child.label ?? ""))
          return (field, field.dashedOption, [isOn ? "yes" : "no"])
        }
      default: nil
      }
    }
  }

  /// `every-visit` of `_everyVisit`.
  static func name(ofProperty label: String) -> String {
    label.drop { $0 == "_" }.reduce("") {
      $0 + ($1.isUppercase ? "-\($1.lowercased())" : "\($1)")
    }
  }

  /// - Parameter stamp: reads a time of the field.
  static func json(
    _ field: ReminderField, _ option: String, _ texts: [String],
    stamp: (_ text: String, DayAlone?) throws -> TimeStamp
  ) throws -> JSONValue? {
    do {
      return try field.json(typed: texts, stamp: stamp)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.badData, "\(option): \(error)")
    }
  }
}

extension ReminderField {
  /// The field that an option sets.
  static func named(_ option: String) -> ReminderField {
    guard let field = all.first(where: { $0.option?.name == option }) else {
      preconditionFailure("the table of fields has no option --\(option)")
    }
    return field
  }

  /// `--max-speed`; the key where no option sets the field.
  var dashedOption: String { "--\(option?.name ?? key)" }

  fileprivate var help: ArgumentHelp {
    let words = words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
    return ArgumentHelp((option?.help ?? "") + words, valueName: option?.valueName)
  }

  fileprivate var completion: CompletionKind? { words.isEmpty ? nil : .list(words) }

  fileprivate var names: NameSpecification {
    let name = option?.name ?? key
    guard let short = option?.short else { return .customLong(name) }
    return [.customLong(name), .customShort(short)]
  }
}

extension Option where Value == TypedField? {
  init(_ name: String, completion: CompletionKind? = nil) {
    let field = ReminderField.named(name)
    self.init(
      name: field.names, parsing: .unconditional, help: field.help,
      completion: completion ?? field.completion, transform: { try TypedField($0, field) })
  }
}

extension Option where Value == [TypedField] {
  init(_ name: String) {
    let field = ReminderField.named(name)
    self.init(
      wrappedValue: [], name: .customLong(name), parsing: .unconditionalSingleValue,
      help: field.help, transform: { try TypedField($0, field) })
  }
}

extension Flag where Value == Bool? {
  init(_ name: String) {
    self.init(
      name: .customLong(name), inversion: .prefixedNo,
      help: ArgumentHelp(stringLiteral: ReminderField.named(name).option?.help ?? ""))
  }
}
