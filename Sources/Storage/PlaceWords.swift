/// The words of names and notes (https://sqlite.org/fts5.html), kept beside the table of places: whatever
/// changes a name or a note tells here, in the same transaction.
struct PlaceWords {
  let database: Database

  /// Takes in the words of places that have just been added.
  func add(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (rowid, name, notes) "
        + "SELECT id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Takes out the words of places that are about to be changed or removed: FTS5 has to be told what
  /// they were.
  func remove(where condition: String, _ values: [SQLValue]) throws(StoreError) {
    try database.run(
      "INSERT INTO place_words (place_words, rowid, name, notes) "
        + "SELECT 'delete', id, name, notes FROM place WHERE \(condition)", values)
  }

  /// Makes all of it anew.
  func rebuild() throws(StoreError) {
    try database.run("INSERT INTO place_words (place_words) VALUES ('rebuild')")
  }
}
