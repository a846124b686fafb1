import CivilTime

/// The words at the end of a title that are its time or its repeat: `Call Mum tomorrow at 6pm`.
struct TitleTime {
  /// The words before them, at least one.
  let title: [String]
  private let text: String
  private let isRepeat: Bool

  /// As many of the last words as read as one; nil where none do.
  init?(_ words: [String], in context: Context) {
    guard let zone = try? context.zone() else { return nil }
    for count in 1..<max(1, words.count) {
      let text = words[count...].joined(separator: " ")
      let isTime = (try? context.typedTime(text, in: zone)) != nil
      guard isTime || (try? RepeatRule(typed: text)) != nil else { continue }
      (title, self.text, isRepeat) = (Array(words[..<count]), text, !isTime)
      return
    }
    return nil
  }

  /// Sets `--due` or `--repeat`.
  func set(in options: inout ReminderOptions) throws {
    if isRepeat {
      options.repeat = try TypedField(text, .named("repeat"))
    } else {
      options.due = try TypedField(text, .named("due"))
    }
  }
}
