import CivilTime
import Companion
import Geodesy
import Reminders

/// Words of `add` and `edit` that stand behind an option's value without belonging to it.
///
/// `add Call Mum --due tomorrow 18:00` would have the title "Call Mum 18:00". A title stands in one
/// piece, before the options or behind them; behind `--` everything is title.
struct StrayWords {
  private struct Run {
    /// The option before the words, as it was typed, with its value.
    let option: (typed: String, value: String?)?
    var words: [String]
  }

  private var runs: [Run] = []
  private let hasTitle: Bool

  /// - Parameters:
  ///   - arguments: the words behind the verb.
  ///   - hasTitle: whether words that belong to no option are the title, as for `add`.
  init(_ arguments: some Sequence<String>, hasTitle: Bool = true) {
    self.hasTitle = hasTitle
    var option: (typed: String, value: String?)?
    var awaitsValue = false
    var isOpen = false
    for argument in arguments {
      if argument == "--" { break }
      if awaitsValue {
        option?.value = argument
        awaitsValue = false
      } else if argument.hasPrefix("-"), argument.count > 1 {
        let parts = argument.split(separator: "=", maxSplits: 1)
        let name = String(parts[0])
        option = (name, parts.count > 1 ? String(parts[1]) : nil)
        awaitsValue = parts.count == 1 && !Self.flags.contains(name)
        isOpen = false
      } else if isOpen {
        runs[runs.count - 1].words.append(argument)
      } else {
        runs.append(Run(option: option, words: [argument]))
        isOpen = true
      }
    }
  }

  private static let flags: Set = [
    "--every-visit", "--no-every-visit", "--dry-run", "--json", "--help", "-h",
  ]

  /// The fault, and the form that was most likely meant; nil where every word has its place.
  var failure: Failure? {
    for (index, run) in runs.enumerated() {
      guard let option = run.option, let value = option.value else { continue }
      let name = String(option.typed.drop { $0 == "-" })
      let field = ReminderField.all.first {
        $0.option?.name == name || $0.option?.short.map(String.init) == name
      }
      let joined = field.flatMap { Self.value(value, with: run.words, of: $0, isTitle: index == 0) }
      guard index > 0 && hasTitle || joined != nil else { continue }
      let stray = run.words.joined(separator: " ")
      let remedy =
        joined.map { "did you mean \(option.typed) '\($0)'?" }
        ?? "write the title in one piece, before the options or behind them"
      return Failure(.usage, "'\(stray)' stands alone after \(option.typed); \(remedy)")
    }
    return nil
  }

  /// The value with as many words behind it as read as one value; nil where none does.
  /// - Parameter isTitle: whether the words may be the title, where the value is any text.
  private static func value(
    _ value: String, with words: [String], of field: ReminderField, isTitle: Bool
  ) -> String? {
    func isRead(_ text: String) -> Bool {
      if field.option?.valueName == "length" { return (try? Length.metres(parsing: text)) != nil }
      let text = field.canonical(text)
      return field.hasForm(text)
        && (try? field.json(typed: [text]) { text, _ in
          try TypedTime(text, now: Instant(seconds: 1.8e9), zone: .utc).stamp
        }) != nil
    }
    // A name or a text takes any words.
    let isName = field.parse == nil && field.option?.valueName != "length"
    guard !isName, !isRead("\(value) \u{FFFD}") else {
      return isTitle ? nil : ([value] + words).joined(separator: " ")
    }
    for count in stride(from: words.count, to: 0, by: -1) {
      let text = ([value] + words.prefix(count)).joined(separator: " ")
      if isRead(text) { return text }
    }
    return nil
  }
}
