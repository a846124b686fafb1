package import CivilTime

/// How far each destination has come, one row each.
///
/// Rows change without waiting for the disk: a power failure may repeat the firings since the last
/// durable commit.
package struct ConsumerStore {
  let database: Database

  package static let maximumCount = 96

  private static let columns =
    "rowid, name, owner, upto, coalesce(urgent_upto, upto) AS urgent_upto, tries, "
    + "failing_since_us, next_try_us, text"

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
    consumer.urgentUpto = try row.integer("urgent_upto")
    consumer.tries = Int(try row.integer("tries"))
    consumer.failingSince = try row.instantIfAny("failing_since_us")
    consumer.nextTry = try row.instantIfAny("next_try_us")
    consumer.text = try row.textIfAny("text")
    return consumer
  }

  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM consumer") ?? 0)
  }

  package func count(ownedBy owner: UInt32) throws(StoreError) -> Int {
    Int(
      try database.integer(
        "SELECT count(*) FROM consumer WHERE owner = ?", [.integer(Int64(owner))]) ?? 0)
  }

  /// Firings that the ledger has and a destination has yet to receive. Complexity: O(their number).
  package func waiting(for consumer: Consumer) throws(StoreError) -> Int {
    let marks = [SQLValue.integer(consumer.upto), .integer(consumer.urgentUpto)]
    return Int(
      try database.integer(
        """
        SELECT (SELECT count(*) FROM firing WHERE seq > ?1 AND NOT \(Ledger.isUrgent))
          + (SELECT count(*) FROM firing WHERE seq > ?2 AND \(Ledger.isUrgent))
        """, marks) ?? 0)
  }

  /// Adds or replaces a destination. Each mark moves on to the last firing before the next one of
  /// its queue, so that a queue without firings holds no old ones in the ledger.
  package func set(_ consumer: Consumer) throws(StoreError) {
    _ = try database.relaxedTransaction { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO consumer
          (name, owner, upto, tries, failing_since_us, next_try_us, text, urgent_upto)
        VALUES (?1, ?2, \(Self.end("?3", "NOT \(Ledger.isUrgent)")), ?4, ?5, ?6, ?7,
          \(Self.end("?8", Ledger.isUrgent)))
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, upto = excluded.upto,
          tries = excluded.tries, failing_since_us = excluded.failing_since_us,
          next_try_us = excluded.next_try_us, text = excluded.text,
          urgent_upto = excluded.urgent_upto
        """,
        [
          .text(consumer.name), .integer(Int64(consumer.owner)), .integer(consumer.upto),
          SQLValue(consumer.tries), SQLValue(consumer.failingSince), SQLValue(consumer.nextTry),
          SQLValue(consumer.text), .integer(consumer.urgentUpto),
        ])
    }
  }

  /// The number before the first firing behind `mark` that meets `condition`, or the head.
  private static func end(_ mark: String, _ condition: String) -> String {
    """
    coalesce((SELECT seq - 1 FROM firing WHERE seq > \(mark) AND \(condition)
      ORDER BY seq LIMIT 1), max(\(mark), (SELECT last_seq FROM ledger)), \(mark))
    """
  }

  /// Removes a destination; returns whether it existed.
  @discardableResult
  package func remove(named name: String) throws(StoreError) -> Bool {
    try database.run("DELETE FROM consumer WHERE name = ?", [.text(name)]) > 0
  }

  /// Puts destinations ahead of the ledger at its head, and returns their names: a recovered
  /// database may have lost its last firings.
  package func restartAhead() throws(StoreError) -> [String] {
    let head = "(SELECT last_seq FROM ledger)"
    let ahead = "max(upto, coalesce(urgent_upto, 0)) > \(head)"
    let names = try database.texts("SELECT name FROM consumer WHERE \(ahead) ORDER BY name")
    guard !names.isEmpty else { return [] }
    try database.run(
      """
      UPDATE consumer SET upto = min(upto, \(head)), tries = 0, next_try_us = NULL,
        urgent_upto = min(urgent_upto, \(head))
      WHERE \(ahead)
      """)
    return names
  }

  /// Moves destinations that had received everything up to `head` on to the present head, past
  /// firings that are not new.
  package func advance(from head: Int64) throws(StoreError) {
    func moved(_ mark: String) -> String {
      "CASE WHEN \(mark) >= ?1 THEN (SELECT last_seq FROM ledger) ELSE \(mark) END"
    }
    try database.run(
      "UPDATE consumer SET upto = \(moved("upto")), urgent_upto = \(moved("urgent_upto"))",
      [.integer(head)])
  }
}
