/// The words of names and notes (https://sqlite.org/fts5.html), kept beside the table of places:
/// whatever changes a name or a note tells here, in the same transaction.
struct PlaceWords {
  let database: Database

  /// Takes in the words of places that have just been added.
  func add(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (rowid, name, notes) "
        + "SELECT id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Takes out the words of places that are about to be changed or removed: FTS5 has to be told
  /// what they were.
  func remove(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (place_words, rowid, name, notes) "
        + "SELECT 'delete', id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Makes all of it anew.
  func rebuild() throws(StoreError) {
    try database.run("INSERT INTO place_words (place_words) VALUES ('rebuild')")
  }

  // MARK: - Search

  /// Of a search, so that its cost is bounded.
  private static let maximumWords = 16

  /// So many words may a beginning stand for before FTS5 is left to gather them. It gathers the
  /// places of all of them first (13 ms for 64 000), while of words that are spelt out it takes no
  /// more places than the search wants.
  private static let maximumTerms = 64

  /// Beginnings of up to so many letters have an index of their own, `prefix` in the schema.
  private static let indexedBeginning = 3

  /// The places that have all words, by rising number. Whole words are looked for first, only the
  /// last of which may be a beginning. Where that gives fewer than `least`, each may be a
  /// beginning.
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
    var ids: [Int64] = []
    try database.forEachUntil(
      "SELECT rowid FROM place_words WHERE place_words MATCH ? ORDER BY rowid",
      [.text(all.joined(separator: " AND "))]
    ) { row in
      if case .integer(let id) = row.value(at: 0) { ids.append(id) }
      return ids.count < most
    }
    return ids
  }

  /// Quotes keep FTS5 from reading its own words in it.
  private static func quoted(_ word: some StringProtocol) -> String { "\"\(word)\"" }

  /// What stands for all words that begin so.
  private func beginning(_ word: Substring) throws(StoreError) -> String {
    let any = "\(Self.quoted(word))*"
    // Of other letters only FTS5's tokenizer knows what they are folded to.
    guard word.utf8.count > Self.indexedBeginning, word.utf8.allSatisfy({ $0 < 0x80 })
    else { return any }
    let folded = word.lowercased()
    var terms: [String] = []
    try database.forEachUntil(
      "SELECT term FROM place_terms WHERE term >= ? AND term < ?",
      [.text(folded), .text(folded + "\u{10FFFF}")]
    ) { row in
      if case .text(let term) = row.value(at: 0) { terms.append(term) }
      return terms.count <= Self.maximumTerms
    }
    guard !terms.isEmpty, terms.count <= Self.maximumTerms else { return any }
    return "(\(terms.map(Self.quoted).joined(separator: " OR ")))"
  }
}
