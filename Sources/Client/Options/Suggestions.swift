import Bytes
import Configuration
import JSONText

/// Suggestions for an unknown name.
enum Suggestions {
  /// Places are searched by the beginnings of words, which is quick for a million of them.
  private static let maximumPlaces = 200

  /// A known place; nil where none is near enough, or the daemon cannot say.
  static func place(like name: String, _ daemon: DaemonConnection) -> String? {
    var names: [String] = []
    func search(_ words: String?) {
      let answer = try? daemon.call(
        "FindPlaces",
        ["words": words.map { .string($0) }, "limit": .int(maximumPlaces)])
      names += answer?["places"]?.array?.compactMap { $0["name"]?.string } ?? []
    }
    let stem = name.split { !$0.isLetter && !$0.isNumber }.first?.prefix(2)
    if let stem { search(String(stem)) }
    // The slip may be in the first letters.
    search(nil)
    // A word of it is as good as a slip.
    let word = name.lowercased()
    let whole = names.first { known in
      known.split { !$0.isLetter && !$0.isNumber }.contains { $0.lowercased() == word }
    }
    return NearestWord.find(name, in: names) ?? whole
  }

  /// A title, or a word of one, that is much like words of a reminder.
  static func reminder(like name: String, _ daemon: DaemonConnection) -> String? {
    let titles = (try? daemon.reminders())?.compactMap { $0["title"]?.string } ?? []
    let words = titles.flatMap { $0.split { !$0.isLetter && !$0.isNumber } }
      .filter { $0.count > 2 }.map { $0.lowercased() }
    return NearestWord.find(name, in: titles) ?? NearestWord.find(name.lowercased(), in: words)
  }

  /// A known category with a similar name, other than the name itself.
  static func category(like name: String, among known: [String]) -> String? {
    let isKnown = known.contains { $0.nameKey == name.nameKey }
    return isKnown ? nil : NearestWord.find(name, in: known)
  }

  static func categories(_ daemon: DaemonConnection) throws -> [String] {
    let known = try daemon.call("ListCategories")["categories"]?.array ?? []
    return known.compactMap { $0["name"]?.string }
  }
}
