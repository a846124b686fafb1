import JSONText

extension Store {
  /// The file beside the database with the text of its unreadable rows.
  package var salvagePath: String { report.path + ".unreadable" }

  /// Writes what unreadable rows hold to `salvagePath`, one line of JSON a row, so that people can
  /// add it anew. The rows stay in the database.
  /// - Complexity: O(bytes of the rows).
  package func salvage(_ problems: [RowProblem]) throws(StoreError) {
    let draft = salvagePath + ".new"
    try FileSystem.remove(draft)
    try FileSystem.createPrivate(draft)
    for problem in problems {
      var line: [UInt8] = []
      try database.forEach(
        "SELECT * FROM \(problem.table) WHERE rowid = ?", [.integer(problem.row)]
      ) { row in
        line = Array(
          JSONValue.object([
            "table": .string(problem.table), "reason": .string(problem.reason),
            "row": .object(row.content),
          ]).line.utf8)
      }
      try FileSystem.append(line + [UInt8(ascii: "\n")], to: draft)
    }
    try FileSystem.sync(draft)
    try FileSystem.rename(draft, to: salvagePath)
  }
}
