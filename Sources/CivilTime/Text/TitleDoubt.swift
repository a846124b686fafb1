import Bytes

/// Words of a title that were probably meant for its time, and were not read.
extension TitleTime {
  /// A sentence about such a word; nil where there is none.
  package var doubt: String? {
    if let slip = Self.slip(in: title) { return slip }
    let read = [self.repeat, time].compactMap(\.self).joined(separator: " ")
    let left = title.dropFirst().last { Self.isOfTime($0) || $0 == title.last && Self.joins($0) }
    return left.map { "the title keeps '\($0)'; only '\(read)' was read as the time" }
  }

  /// The mistyped word of a day, with what it may mean; nil where there is none.
  package static func slip(in title: [String]) -> String? {
    for word in title.dropFirst() where word.utf8.count > 4 {
      let lower = word.lowercased()
      // Saturdays are no slip.
      if days.contains(where: { lower == $0 + "s" || lower == $0 + "'s" }) { continue }
      guard !TimeWords.contains(lower), let day = NearestWord.find(lower, in: days) else {
        continue
      }
      // Sunny is no sunday.
      let limit = day.utf8.count > 7 ? 2 : 1
      guard NearestWord.distance(Array(lower), Array(day)) <= limit else { continue }
      return "'\(word)' stays in the title; did you mean '\(day)'?"
    }
    return nil
  }

  private static let days = Weekday.allCases.map(\.name) + ["tomorrow"]

  /// A day or a time of day: `friday`, `7:30`, `3am`.
  private static func isOfTime(_ word: String) -> Bool {
    let lower = word.lowercased()
    if days.contains(lower) { return true }
    var scanner = ByteScanner(lower)
    guard scanner.number(digits: 1...2) != nil else { return false }
    return ["am", "pm"].contains(scanner.rest)
      || scanner.consume(UInt8(ascii: ":")) && scanner.number(digits: 2...2) != nil
  }

  /// Words that stand before something: at the end of a title it was the time.
  private static func joins(_ word: String) -> Bool {
    [
      "and", "or", "by", "from", "until", "till", "before", "after", "within", "minus", "plus",
      "lead", "every", "next", "on", "at", "of", "in", "for", "twice", "times",
    ].contains(word.lowercased())
  }
}
