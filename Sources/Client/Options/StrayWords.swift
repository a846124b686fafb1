import CivilTime
import Companion
import Geodesy
import Reminders

/// Words of `add` and `edit` that stand behind an option's value.
///
/// `add Call Mum --due tomorrow 18:00` would have the title "Call Mum 18:00". Where all of them and
/// the value read as one time or length, they are the value. Others are refused: a title stands in
/// one piece, before the options or behind them; behind `--` everything is title.
struct StrayWords {
  private struct Run {
    /// The option before the words, as it was typed, with its value.
    let option: (typed: String, value: String?)?
    /// Where they stand among the arguments.
    var range: Range<Int>
    var words: [String]
  }

  private let arguments: [String]

  private var runs: [Run] = []
  private let hasTitle: Bool

  /// - Parameters:
  ///   - arguments: the words behind the verb.
  ///   - hasTitle: whether words that belong to no option are the title, as for `add`.
  init(_ arguments: some Sequence<String>, hasTitle: Bool = true) {
    self.arguments = Array(arguments)
    self.hasTitle = hasTitle
    var option: (typed: String, value: String?)?
    var awaitsValue = false
    var isOpen = false
    for (index, argument) in self.arguments.enumerated() {
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
        runs[runs.count - 1].range = runs[runs.count - 1].range.lowerBound..<index + 1
      } else {
        runs.append(Run(option: option, range: index..<index + 1, words: [argument]))
        isOpen = true
      }
    }
  }

  private static let flags: Set = [
    "--every-visit", "--no-every-visit", "--dry-run", "--json", "--help", "-h",
  ]

  /// The arguments, with the words that belong to a value in it.
  /// - Throws: Failure where a word has no place, with the form that was most likely meant.
  func mended() throws(Failure) -> [String] {
    var mended = arguments
    for (index, run) in runs.enumerated().reversed() {
      guard let option = run.option, let value = option.value else { continue }
      let name = String(option.typed.drop { $0 == "-" })
      let field = ReminderField.all.first {
        $0.option?.name == name || $0.option?.short.map(String.init) == name
      }
      let joined = field.flatMap { Self.value(value, with: run.words, of: $0, isTitle: index == 0) }
      let isExtra = index > 0 || !hasTitle
      if isExtra, let field, !Self.isName(field),
        joined == ([value] + run.words).joined(separator: " ")
      {
        mended[run.range.lowerBound - 1] += " " + run.words.joined(separator: " ")
        mended.removeSubrange(run.range)
        continue
      }
      guard index > 0 && hasTitle || joined != nil else { continue }
      let stray = run.words.joined(separator: " ")
      let remedy =
        joined.map { "did you mean \(option.typed) '\($0)'?" }
        ?? "write the title in one piece, before the options or behind them"
      throw Failure(.usage, "'\(stray)' stands alone after \(option.typed); \(remedy)")
    }
    return mended
  }

  /// A name or a text takes any words.
  private static func isName(_ field: ReminderField) -> Bool {
    field.parse == nil && field.option?.valueName != "length"
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
    guard !isName(field), !isRead("\(value) \u{FFFD}") else {
      return isTitle ? nil : ([value] + words).joined(separator: " ")
    }
    for count in stride(from: words.count, to: 0, by: -1) {
      let text = ([value] + words.prefix(count)).joined(separator: " ")
      if isRead(text) { return text }
    }
    return nil
  }
}
