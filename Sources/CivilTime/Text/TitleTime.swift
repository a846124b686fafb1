/// The words at the end of a title that are its time, its repeat, or both: `Call Mum tomorrow at
/// 6pm`, `pills daily tomorrow 8:00`.
package struct TitleTime {
  /// The words before them, at least one.
  package let title: [String]
  package let time: String?
  package let `repeat`: String?

  /// The last words that may be both, since each pair costs two readings.
  private static let longestPair = 10

  /// As many of the last words as read as one or as both; nil where none do.
  /// - Parameter isTime: whether a text reads as a time.
  /// - Complexity: as many readings as there are words, and some hundred.
  package init?(_ words: [String], isTime: (String) -> Bool) {
    func isRepeat(_ text: String) -> Bool { (try? RepeatRule(typed: text)) != nil }
    // `thursday in two weeks` is neither of the two.
    func goes(_ rule: String, _ time: String) -> Bool {
      !isTime(rule) && (!RepeatPhrase.isSpan(time) || RepeatPhrase.saysEvery(rule))
    }
    func text(_ range: Range<Int>) -> String { words[range].joined(separator: " ") }
    func reading(of range: Range<Int>) -> (time: String?, repeat: String?)? {
      let whole = text(range)
      if isTime(whole) { return (whole, nil) }
      if isRepeat(whole) { return (nil, whole) }
      guard range.count <= Self.longestPair else { return nil }
      for middle in range.dropFirst() {
        let (first, second) = (text(range.lowerBound..<middle), text(middle..<range.upperBound))
        if isRepeat(first), isTime(second), goes(first, second) { return (second, first) }
        if isTime(first), isRepeat(second), goes(second, first) { return (first, second) }
      }
      return nil
    }
    for count in 1..<max(1, words.count) {
      let range = count..<words.count
      if range.contains(where: { Self.isNoTime(words[$0], after: words[$0 - 1]) }) { continue }
      guard let (time, rule) = reading(of: range) else { continue }
      (title, self.time, self.repeat) = (Array(words[..<count]), time, rule)
      return
    }
    return nil
  }

  /// Words of a time that are something else in a sentence: the name Tom, and the sun.
  private static func isNoTime(_ word: String, after last: String) -> Bool {
    word == "Tom" || last.lowercased() == "the" && word.lowercased() == "sun"
  }
}
