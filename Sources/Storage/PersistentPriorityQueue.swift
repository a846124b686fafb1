/// A queue on disk: the lowest priority number comes first, and among equals the one pushed first.
///
/// Each operation is durable when it returns, or with the transaction it is part of; a process that
/// is killed loses nothing and sees nothing half done. Several queues live in one database under
/// their names.
///
///     let queue = PersistentPriorityQueue(database: store.database, name: "journal")
///     try queue.push("2f6c…", priority: 1_700_000_000_000_000)
///     while let next = try queue.pop() { send(next.payload) }
package struct PersistentPriorityQueue {
  package struct Item: Hashable, Sendable {
    package let priority: Int64
    package let payload: String
  }

  let database: Database
  package let name: String

  package init(database: Database, name: String) {
    self.database = database
    self.name = name
  }

  /// Complexity: O(log n).
  package func push(_ payload: String, priority: Int64) throws(StoreError) {
    try database.run(
      "INSERT INTO queue (name, priority, payload) VALUES (?, ?, ?)",
      [.text(name), .integer(priority), .text(payload)])
  }

  /// The one that comes next; it stays. Complexity: O(log n).
  package func front() throws(StoreError) -> Item? { try next()?.item }

  /// Takes the one that comes next. Complexity: O(log n).
  package func pop() throws(StoreError) -> Item? {
    try database.transaction { () throws(StoreError) in
      guard let next = try next() else { return nil }
      try database.run("DELETE FROM queue WHERE seq = ?", [.integer(next.number)])
      return next.item
    }
  }

  /// Takes every entry of this payload out; answers how many there were. Complexity: O(log n) each.
  @discardableResult
  package func remove(payload: String) throws(StoreError) -> Int {
    try database.run(
      "DELETE FROM queue WHERE name = ? AND payload = ?", [.text(name), .text(payload)])
  }

  /// Complexity: O(n).
  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM queue WHERE name = ?", [.text(name)]) ?? 0)
  }

  private func next() throws(StoreError) -> (number: Int64, item: Item)? {
    try database.rows(
      of: "queue",
      "SELECT seq, priority, payload FROM queue WHERE name = ? ORDER BY priority, seq",
      [.text(name)], limit: 1
    ) { (row) throws(RowFault) in
      (
        try row.integer("seq"),
        Item(priority: try row.integer("priority"), payload: try row.text("payload"))
      )
    }.values.first
  }
}
