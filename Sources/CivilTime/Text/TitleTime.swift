/// The words at the end of a title that are its time or its repeat: `Call Mum tomorrow at 6pm`.
package struct TitleTime {
  /// The words before them, at least one.
  package let title: [String]
  package let text: String
  package let isRepeat: Bool

  /// As many of the last words as read as one; nil where none do.
  /// - Parameter isTime: whether a text reads as a time.
  /// - Complexity: as many readings as there are words.
  package init?(_ words: [String], isTime: (String) -> Bool) {
    for count in 1..<max(1, words.count) {
      let text = words[count...].joined(separator: " ")
      let isTime = isTime(text)
      guard isTime || (try? RepeatRule(typed: text)) != nil else { continue }
      (title, self.text, isRepeat) = (Array(words[..<count]), text, !isTime)
      return
    }
    return nil
  }
}
