package import CivilTime

/// How far each destination has come, one row each.
///
/// Rows change without waiting for the disk: a power failure may repeat the last seconds' firings.
package struct ConsumerStore {
  let database: Database

  package static let maximumCount = 32

  private static let columns =
    "rowid, name, owner, upto, tries, failing_since_us, next_try_us, text"

  /// All destinations by name.
  package func all() throws(StoreError) -> [Consumer] {
    try database.rows(
      of: "consumer", "SELECT \(Self.columns) FROM consumer ORDER BY name", read: Self.read
    ).values
  }

  package func consumer(named name: String) throws(StoreError) -> Consumer? {
    try database.rows(
      of: "consumer", "SELECT \(Self.columns) FROM consumer WHERE name = ?", [.text(name)],
      read: Self.read
    ).values.first
  }

  /// Those whose failures began before a time, by name.
  package func failing(since time: Instant) throws(StoreError) -> [Consumer] {
    try database.rows(
      of: "consumer",
      "SELECT \(Self.columns) FROM consumer WHERE failing_since_us <= ? ORDER BY name",
      [SQLValue(time)], read: Self.read
    ).values
  }

  private static func read(_ row: Row) throws(RowFault) -> Consumer {
    var consumer = Consumer(
      name: try row.text("name"),
      owner: UInt32(clamping: try row.integer("owner")), upto: try row.integer("upto"))
    consumer.tries = Int(try row.integer("tries"))
    consumer.failingSince = try row.instantIfAny("failing_since_us")
    consumer.nextTry = try row.instantIfAny("next_try_us")
    consumer.text = try row.textIfAny("text")
    return consumer
  }

  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM consumer") ?? 0)
  }

  /// Adds or replaces a destination.
  package func set(_ consumer: Consumer) throws(StoreError) {
    _ = try database.relaxedTransaction { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO consumer (name, owner, upto, tries, failing_since_us, next_try_us, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (name) DO UPDATE SET owner = ?2, upto = ?3, tries = ?4,
          failing_since_us = ?5, next_try_us = ?6, text = ?7
        """,
        [
          .text(consumer.name), .integer(Int64(consumer.owner)), .integer(consumer.upto),
          SQLValue(consumer.tries), SQLValue(consumer.failingSince), SQLValue(consumer.nextTry),
          SQLValue(consumer.text),
        ])
    }
  }

  /// Removes a destination; returns whether it existed.
  @discardableResult
  package func remove(named name: String) throws(StoreError) -> Bool {
    try database.run("DELETE FROM consumer WHERE name = ?", [.text(name)]) > 0
  }

  /// Puts destinations ahead of the ledger at its head, and returns their names: a recovered
  /// database may have lost its last firings.
  package func restartAhead() throws(StoreError) -> [String] {
    let ahead = "upto > (SELECT last_seq FROM ledger)"
    let names = try database.texts("SELECT name FROM consumer WHERE \(ahead) ORDER BY name")
    guard !names.isEmpty else { return [] }
    try database.run(
      """
      UPDATE consumer SET upto = (SELECT last_seq FROM ledger), tries = 0, next_try_us = NULL
      WHERE \(ahead)
      """)
    return names
  }

  /// Moves destinations that had received everything up to `head` on to the present head, past
  /// firings that are not new.
  package func advance(from head: Int64) throws(StoreError) {
    try database.run(
      "UPDATE consumer SET upto = (SELECT last_seq FROM ledger) WHERE upto >= ?", [.integer(head)])
  }
}
