import Bytes
package import CivilTime
package import JSONText

/// A field of a reminder: one row of the table (`ReminderField.all`) behind JSON, the options of
/// `add` and `edit`, the editor form, the sentence of `add`, and `why`.
///
/// A class, since a walk over the table would copy the closures of each row.
package final class ReminderField: Sendable {
  /// The option of `add` and `edit` that sets a field.
  package struct Option: Sendable {
    /// Without the dashes.
    package let name: String
    package let help: String
    /// Placeholder of its value in the help.
    package let valueName: String?
    /// Remark in the form while it is not set; may be empty.
    package let example: String
    /// Kinds that it applies to; only their form offers it. A field that is set is always shown.
    package let kinds: Set<Reminder.Kind>
    /// Why the other kinds refuse the field; nil where they may have it.
    let refusal: String?
    /// The letter of the short form, `-d`.
    package let short: Character?
    /// Other words for values, in lower case, each with the word that it stands for.
    package let synonyms: [String: String]
    /// Words in lower case that one might expect, each with the reason why it is refused.
    package let refused: [String: String]

    init(
      _ name: String, _ help: String, _ valueName: String? = nil, example: String = "",
      for kinds: Reminder.Kind..., because refusal: String? = nil, short: Character? = nil,
      synonyms: [String: String] = [:], refused: [String: String] = [:]
    ) {
      self.name = name
      self.help = help
      self.valueName = valueName
      self.example = example
      self.kinds = kinds.isEmpty ? Set(Reminder.Kind.allCases) : Set(kinds)
      self.refusal = refusal
      self.short = short
      self.synonyms = synonyms
      self.refused = refused
    }
  }

  package let key: String
  /// nil where no option sets the field.
  package let option: Option?
  /// The permitted words of an enumeration; otherwise empty.
  package let words: [String]
  /// Whether the option may be given several times.
  package let isList: Bool
  /// Whether a text is well formed; an option without it is a usage error.
  package let hasForm: @Sendable (String) -> Bool
  /// Argument of the option when its line is removed from a form. An empty text removes the field.
  package let removal: String
  /// The value of the member as JSON; nil where the default needs none.
  package let print: @Sendable (Reminder) -> JSONValue?
  /// Command-line texts of the value; empty where it is not set.
  package let texts: @Sendable (Reminder) -> [String]
  /// Parses command-line text to JSON; the second argument reads times. nil where the text of an
  /// option alone is not the value.
  package let parse: (@Sendable ([String], TimeReader) throws -> JSONValue?)?
  /// Part of the sentence that describes the reminder.
  package let clause: @Sendable (Reminder, TimeZoneRules) -> String?
  /// Whether the field differs from its default.
  let isSet: @Sendable (Reminder) -> Bool
  /// Condition at the moment of firing; nil where the field is not set.
  let condition: FieldCondition<Reminder>?
  /// Reads a value other than null from a document.
  let read: @Sendable (inout Reminder, JSONValue, JSONObject) throws(ReminderError) -> Void

  /// A field stored in a property of its own.
  /// - Parameters:
  ///   - value: reads the property: a key path copies all of the reminder for that.
  ///   - path: the same property.
  ///   - isShown: replaces the test for a difference from the default.
  convenience init<Value: Equatable>(
    _ key: String, _ value: @escaping @Sendable (Reminder) -> Value,
    set path: any WritableKeyPath<Reminder, Value> & Sendable,
    _ format: FieldFormat<Value>, _ option: Option? = nil,
    where isShown: (@Sendable (Reminder) -> Bool)? = nil,
    clause: @escaping @Sendable (Value, TimeZoneRules) -> String? = { _, _ in nil },
    sentence: (@Sendable (Reminder, TimeZoneRules) -> String?)? = nil
  ) {
    let standard = value(Reminder(id: "", kind: .date, title: ""))
    self.init(
      key, format, option, standard: standard, clause: clause, sentence: sentence, condition: nil,
      get: { reminder in
        let value = value(reminder)
        return isShown?(reminder) ?? (value != standard) ? value : nil
      },
      isSet: { value($0) != standard },
      read: { reminder, value, _ throws(ReminderError) in
        reminder[keyPath: path] = try format.read(value)
      })
  }

  /// A field that is nil unless set.
  convenience init<Value>(
    _ key: String, _ value: @escaping @Sendable (Reminder) -> Value?,
    set path: any WritableKeyPath<Reminder, Value?> & Sendable,
    _ format: FieldFormat<Value>, _ option: Option? = nil,
    where isShown: @escaping @Sendable (Reminder) -> Bool = { _ in true },
    clause: @escaping @Sendable (Value, TimeZoneRules) -> String? = { _, _ in nil },
    sentence: (@Sendable (Reminder, TimeZoneRules) -> String?)? = nil,
    condition: FieldCondition<Value>? = nil
  ) {
    self.init(
      key, format, option, standard: nil, clause: clause, sentence: sentence, condition: condition,
      get: { isShown($0) ? value($0) : nil },
      isSet: { value($0) != nil },
      read: { reminder, value, _ throws(ReminderError) in
        reminder[keyPath: path] = try format.read(value)
      })
  }

  /// - Parameters:
  ///   - standard: The value of a new reminder.
  ///   - get: It answers nil where not set.
  ///   - typed: The form's value, where it differs.
  ///   - sentence: replaces `clause` where it needs more fields.
  ///   - print: the member as JSON, where it is another one than of typed texts.
  ///   - read: gets the whole document as well.
  init<Value>(
    _ key: String, _ format: FieldFormat<Value>, _ option: Option? = nil, standard: Value? = nil,
    clause: @escaping @Sendable (Value, TimeZoneRules) -> String? = { _, _ in nil },
    sentence: (@Sendable (Reminder, TimeZoneRules) -> String?)? = nil,
    condition: FieldCondition<Value>? = nil, get: @escaping @Sendable (Reminder) -> Value?,
    typed: (@Sendable (Reminder) -> Value?)? = nil,
    isSet: (@Sendable (Reminder) -> Bool)? = nil,
    print: (@Sendable (Reminder) -> JSONValue?)? = nil,
    read: @escaping @Sendable (inout Reminder, JSONValue, JSONObject) throws(ReminderError) -> Void
  ) {
    self.key = key
    self.option = option
    words = format.words
    isList = format.isList
    hasForm = format.hasForm ?? { _ in true }
    removal = format.hasForm == nil ? "" : standard.flatMap { format.texts($0).first } ?? ""
    self.read = read
    self.isSet = isSet ?? { get($0) != nil }
    self.print = print ?? { get($0).flatMap(format.json) }
    texts = { (typed ?? get)($0).map(format.texts) ?? [] }
    if let parse = format.parse {
      self.parse = { texts, stamp in format.json(try parse(texts, stamp)) }
    } else {
      parse = nil
    }
    self.clause = { reminder, zone in
      if let option, option.refusal != nil, !option.kinds.contains(reminder.kind) { return nil }
      return get(reminder).flatMap { value in
        sentence.map { $0(reminder, zone) } ?? clause(value, zone)
      }
    }
    self.condition = condition.map { condition in
      FieldCondition(
        name: condition.name ?? key, asks: condition.asks, remedy: condition.remedy,
        words: { reminder, situation in
          get(reminder).flatMap { value in
            condition.words?(value, situation)
              ?? clause(value, situation.zone).map { "It may fire \($0)" }
          }
        },
        check: { reminder, situation in
          guard let value = get(reminder) else { return .holds }
          let lacksClock = condition.asks == .clock && !situation.isClockTrusted
          return lacksClock ? .failsUntil(nil) : condition.check(value, situation)
        })
    }
  }

  /// The text with a synonym replaced by the word that it stands for.
  package func canonical(_ text: String) -> String { option?.synonyms[text.lowercased()] ?? text }

  /// The word that a mistyped one is nearest to, synonyms included.
  package func nearestWord(_ text: String) -> String? {
    NearestWord.find(text, in: words + (option?.synonyms.keys.sorted() ?? []))
  }

  /// Why a reminder of this kind may not have the field; nil where it may.
  func refusal(of kind: Reminder.Kind) -> String? {
    option.flatMap { $0.kinds.contains(kind) ? nil : $0.refusal }
  }

  /// The JSON value of command-line texts; null where an empty text removes the field.
  package func json(
    typed texts: [String], stamp: TimeReader
  ) throws -> JSONValue? {
    let texts = texts.filter { !$0.isEmpty }
    return texts.isEmpty ? .null : try parse?(texts, stamp)
  }
}
