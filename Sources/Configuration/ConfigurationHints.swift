/// Words for what is not known, with the nearest of what is.
struct ConfigurationHints {
  private let keys: [ConfigurationKey]
  private let sections: [String]

  init(_ declared: [ConfigurationKey]) {
    keys = declared
    var seen: Set<String> = []
    sections = declared.map(\.section).filter { seen.insert($0).inserted }
  }

  func section(_ name: String) -> String {
    let known = sections.map { "[\($0)]" }.joined(separator: ", ")
    let hint = Self.nearest(to: name, in: sections).map { "did you mean [\($0)]?" }
    return "unknown section [\(shown(name))], passed over; \(hint ?? "known are \(known)")"
  }

  func key(_ name: String, in section: String) -> String {
    let problem = "unknown key '\(shown(name))' in [\(section)], passed over"
    let siblings = keys.filter { $0.section == section }.map(\.name)
    if let near = Self.nearest(to: name, in: siblings) {
      return "\(problem); did you mean '\(near)'?"
    }
    if let home = keys.first(where: { $0.name == name }) {
      return "\(problem); it belongs into [\(home.section)]"
    }
    return "\(problem); georemind.conf(5) lists what there is"
  }

  /// The nearest word when it is near enough to be a slip: a third of its letters at most, the case
  /// of letters aside.
  static func nearest(to word: String, in words: [String]) -> String? {
    let typed = Array(word.lowercased().utf8)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let letters = Array(candidate.lowercased().utf8)
      let limit = max(1, letters.count / 3)
      guard typed.count <= letters.count + limit, letters.count <= 64 else { continue }
      let found = distance(typed, letters)
      if found <= limit, found < best?.distance ?? .max { best = (candidate, found) }
    }
    return best?.word
  }

  /// The edit distance with neighbours swapped counting once ("optimal string alignment").
  /// Complexity: O(a·b).
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var row = [i + 1]
      for (j, y) in b.enumerated() {
        var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (x == y ? 0 : 1))
        if i > 0, j > 0, x == b[j - 1], y == a[i - 1] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
