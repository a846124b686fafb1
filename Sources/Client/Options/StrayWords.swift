import CivilTime
import Geodesy
import Reminders

/// Words of `add` that stand behind an option's value without belonging to it.
///
/// `add Call Mum --due tomorrow 18:00` would have the title "Call Mum 18:00". A title stands in one
/// piece, before the options or behind them; behind `--` everything is title.
struct StrayWords {
  private struct Run {
    /// The option before the words, with its value.
    let option: (name: String, value: String?)?
    var words: [String]
  }

  private var runs: [Run] = []

  /// - Parameter arguments: what stands behind the verb.
  init(_ arguments: some Sequence<String>) {
    var option: (name: String, value: String?)?
    var awaitsValue = false
    var isOpen = false
    for argument in arguments {
      if argument == "--" { break }
      if awaitsValue {
        option?.value = argument
        awaitsValue = false
      } else if argument.hasPrefix("-"), argument.count > 1 {
        let parts = argument.split(separator: "=", maxSplits: 1)
        let name = String(parts[0].drop { $0 == "-" })
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

  private static let flags: Set = ["every-visit", "no-every-visit", "dry-run", "json", "help", "h"]

  /// The fault, and the form that was most likely meant; nil where every word has its place.
  var failure: Failure? {
    for (index, run) in runs.enumerated() {
      guard let option = run.option, let value = option.value else { continue }
      let field = ReminderField.all.first { $0.option?.name == option.name }
      let joined = field.flatMap { Self.value(value, with: run.words, of: $0) }
      guard index > 0 || joined != nil else { continue }
      let stray = run.words.joined(separator: " ")
      let remedy =
        joined.map { "did you mean --\(option.name) '\($0)'?" }
        ?? "write the title in one piece, before the options or behind them"
      return Failure(
        .usage, "'\(stray)' stands alone after --\(option.name) \(value); \(remedy)")
    }
    return nil
  }

  /// The value with as many words behind it as read as one value; nil where none does.
  private static func value(
    _ value: String, with words: [String], of field: ReminderField
  ) -> String? {
    func isRead(_ text: String) -> Bool {
      if field.option?.valueName == "length" { return (try? Length.metres(parsing: text)) != nil }
      return field.hasForm(text)
        && (try? field.json(typed: [text]) { text, _ in
          try TimeStamp(typed: text, now: Instant(seconds: 1.8e9), zone: .utc)
        }) != nil
    }
    // A text takes any words.
    guard !isRead("\(value) \u{FFFD}") else { return nil }
    for count in stride(from: words.count, to: 0, by: -1) {
      let text = ([value] + words.prefix(count)).joined(separator: " ")
      if isRead(text) { return text }
    }
    return nil
  }
}
