/// Full-text index of names and notes (https://sqlite.org/fts5.html). Every change of a name or a
/// note updates it in the same transaction.
struct PlaceWords {
  let database: Database

  /// Adds the words of new places.
  func add(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (rowid, name, notes) "
        + "SELECT id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Removes the words of places before they change or are removed: FTS5 needs the old text.
  func remove(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (place_words, rowid, name, notes) "
        + "SELECT 'delete', id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Rebuilds the index.
  func rebuild() throws(StoreError) {
    try database.run("INSERT INTO place_words (place_words) VALUES ('rebuild')")
  }

  // MARK: - Search

  /// Maximum number of words in a search, which bounds its cost.
  private static let maximumWords = 16

  /// Maximum number of words that a prefix expands to; above it FTS5 expands. FTS5 first gathers
  /// the places of all words (13 ms for 64 000), while for explicit words it stops at the search's
  /// limit.
  private static let maximumTerms = 64

  /// Length up to which prefixes have an index (`prefix` in the schema).
  private static let indexedBeginning = 3

  /// The places with all words, by rising number. Only the last word may be a prefix; if that finds
  /// fewer than `least`, each word may be one.
  func places(
    with text: String, atLeast least: Int, atMost most: Int
  ) throws(StoreError) -> [Int64] {
    let words = text.split { !$0.isLetter && !$0.isNumber }.prefix(Self.maximumWords)
    guard let last = words.last else { return [] }
    let whole = words.dropLast().map(Self.quoted) + [try beginning(last)]
    let found = try places(matching: whole, atMost: most)
    guard words.count > 1, found.count < least else { return found }
    var beginnings: [String] = []
    for word in words { beginnings.append(try beginning(word)) }
    return try places(matching: beginnings, atMost: most)
  }

  private func places(matching all: [String], atMost most: Int) throws(StoreError) -> [Int64] {
    try database.integers(
      "SELECT rowid FROM place_words WHERE place_words MATCH ? ORDER BY rowid LIMIT ?",
      [.text(all.joined(separator: " AND ")), SQLValue(most)])
  }

  /// Quotes a word, so that FTS5 reads no operator in it.
  private static func quoted(_ word: some StringProtocol) -> String { "\"\(word)\"" }

  /// The expression for all words with this prefix.
  private func beginning(_ word: Substring) throws(StoreError) -> String {
    let any = "\(Self.quoted(word))*"
    // Only FTS5's tokenizer knows how other letters are folded.
    guard word.utf8.count > Self.indexedBeginning, word.utf8.allSatisfy({ $0 < 0x80 })
    else { return any }
    let folded = word.lowercased()
    let terms = try database.texts(
      "SELECT term FROM place_terms WHERE term >= ? AND term < ? LIMIT ?",
      [.text(folded), .text(folded + "\u{10FFFF}"), SQLValue(Self.maximumTerms + 1)])
    guard !terms.isEmpty, terms.count <= Self.maximumTerms else { return any }
    return "(\(terms.map(Self.quoted).joined(separator: " OR ")))"
  }
}
