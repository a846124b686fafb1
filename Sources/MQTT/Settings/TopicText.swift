/// The rules of MQTT 3.1.1, section 4.7, for texts of topics.
package enum TopicText {
  /// Bytes of a prefix or filter; MQTT allows 65 535 for a whole topic.
  private static let maximumLength = 200

  /// Whether topics may begin with this text and a slash: without wildcards and empty levels.
  package static func isPrefix(_ text: String) -> Bool {
    isWithinLimits(text) && text.first != "$"
      && levels(of: text).allSatisfy { level in
        !level.isEmpty && !level.contains { $0 == "+" || $0 == "#" }
      }
  }

  /// Whether it is a filter: `+` alone is any level, and `#` alone, at the end, any number of them.
  package static func isFilter(_ text: String) -> Bool {
    let levels = levels(of: text)
    return isWithinLimits(text)
      && levels.enumerated().allSatisfy { place, level in
        if level == "#" { return place == levels.count - 1 }
        return level == "+" || !level.contains { $0 == "+" || $0 == "#" }
      }
  }

  package static func levels(of topic: String) -> [Substring] {
    topic.split(separator: "/", omittingEmptySubsequences: false)
  }

  private static func isWithinLimits(_ text: String) -> Bool {
    (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 }
  }
}
