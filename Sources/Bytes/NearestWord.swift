/// "Did you mean": the known word that a mistyped one is nearest to.
package enum NearestWord {
  /// Longer words are never suggested: the work grows with the product of the lengths.
  private static let longest = 64

  /// Fewer letters begin too many words.
  private static let shortestBeginning = 3

  /// The first word that begins with the typed letters, or else the first nearest one within a
  /// third of its letters, ignoring case; nil if there is neither.
  package static func find(_ typed: String, in words: some Sequence<String>) -> String? {
    let typed = Array(typed.lowercased())
    guard typed.count <= 2 * longest else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in words {
      let letters = Array(candidate.lowercased())
      if typed.count >= shortestBeginning, letters.starts(with: typed) { return candidate }
      let limit = max(1, letters.count / 3)
      guard letters.count <= longest, abs(typed.count - letters.count) <= limit else { continue }
      let found = distance(typed, letters)
      if found <= limit, found < best?.distance ?? .max { best = (candidate, found) }
    }
    return best?.word
  }

  /// Edit distance in which a swap of neighbours counts once ("optimal string alignment").
  /// - Complexity: O(a·b).
  package static func distance<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
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
