package import CivilTime
package import Reminders

/// The record of every firing, and the outbox of those that the journal has not got yet.
///
/// A firing is recorded and queued in one transaction and leaves the queue with its mark of
/// delivery in another, so that ledger and queue say the same at any moment; `reconcile` sees to
/// files that a hand or a recovery has changed.
package struct Ledger {
  /// The queue of ids that wait for the journal, by time of decision.
  package static let queueName = "journal"

  let database: Database

  private var outbox: PersistentPriorityQueue {
    PersistentPriorityQueue(database: database, name: Self.queueName)
  }

  /// Records firings that have just been decided. One whose id is known already, because the same
  /// decision was taken again after a crash, is left as it is. Answers those that are new.
  /// - Parameters:
  ///   - delivered: ids of those that the journal has already.
  ///   - time: when it got them.
  @discardableResult
  package func record(
    _ firings: [Firing], delivered: [String] = [], at time: Instant = Instant(microseconds: 0)
  ) throws(StoreError) -> [Firing] {
    guard !firings.isEmpty else { return [] }
    return try database.transaction { () throws(StoreError) in
      var new: [Firing] = []
      for firing in firings {
        let isDelivered = delivered.contains(firing.id)
        let added = try database.run(
          """
          INSERT INTO firing (\(FiringRow.written), delivered_us)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO NOTHING
          """, FiringRow.values(firing) + [isDelivered ? SQLValue(time) : .null])
        guard added > 0 else { continue }
        if !isDelivered { try outbox.push(firing.id, priority: firing.time.microseconds) }
        new.append(firing)
      }
      return new
    }
  }

  /// What the journal has not got yet, earliest decision first.
  package func undelivered() throws(StoreError) -> Rows<Firing> {
    let columns = FiringRow.columns.split(separator: ", ").map { "firing.\($0)" }
      .joined(separator: ", ")
    return try database.rows(
      of: "firing",
      """
      SELECT \(columns) FROM queue JOIN firing ON firing.id = queue.payload
      WHERE queue.name = ? ORDER BY queue.priority, queue.seq
      """, [.text(Self.queueName)], read: FiringRow.read)
  }

  func holds(_ id: String) throws(StoreError) -> Bool {
    try database.value("SELECT 1 FROM firing WHERE id = ?", [.text(id)]) != nil
  }

  /// The time of the latest firing; nil where there is none.
  func latest() throws(StoreError) -> Instant? {
    try database.integer("SELECT max(time_us) FROM firing").map(Instant.init(microseconds:))
  }

  /// Notes that the journal has these. Unknown ids and those marked before are left alone.
  ///
  /// The disk is not waited for: a mark that a power failure takes is made good by a look-up in the
  /// journal, and where the power took the entry, too, it is the mark that must not be left.
  package func markDelivered(_ ids: [String], at time: Instant) throws(StoreError) {
    guard !ids.isEmpty else { return }
    try database.relaxedTransaction { () throws(StoreError) in
      for id in ids {
        try database.run(
          "UPDATE firing SET delivered_us = ? WHERE id = ? AND delivered_us IS NULL",
          [SQLValue(time), .text(id)])
        try outbox.remove(payload: id)
      }
    }
  }

  /// The latest `limit` firings not before `since`, earliest first.
  /// - Parameter bytes: of rows to read; `Rows.isCut` says that there are more.
  package func firings(
    limit: Int = .max, since: Instant? = nil, reminder: String? = nil, bytes: Int = .max
  ) throws(StoreError) -> Rows<Firing> {
    var filters = "time_us >= ?"
    var values = [SQLValue.integer(since?.microseconds ?? .min)]
    if let reminder {
      filters += " AND reminder_id = ?"
      values.append(.text(reminder))
    }
    var rows = try database.rows(
      of: "firing",
      """
      SELECT \(FiringRow.columns) FROM firing WHERE \(filters)
      ORDER BY time_us DESC, seq DESC LIMIT ?
      """, values + [SQLValue(max(0, limit))], bytes: bytes, read: FiringRow.read)
    rows.values.reverse()
    return rows
  }

  /// Removes delivered firings decided before `time`; answers how many.
  @discardableResult
  package func prune(olderThan time: Instant) throws(StoreError) -> Int {
    try database.run(
      "DELETE FROM firing WHERE time_us < ? AND delivered_us IS NOT NULL", [SQLValue(time)])
  }

  /// Makes the queue hold just what the ledger says is not delivered.
  func reconcile() throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      try database.run(
        """
        DELETE FROM queue WHERE name = ?1
          AND payload NOT IN (SELECT id FROM firing WHERE delivered_us IS NULL)
        """, [.text(Self.queueName)])
      try database.run(
        """
        INSERT INTO queue (name, priority, payload)
        SELECT ?1, time_us, id FROM firing WHERE delivered_us IS NULL
          AND id NOT IN (SELECT payload FROM queue WHERE name = ?1)
        ORDER BY time_us, seq
        """, [.text(Self.queueName)])
    }
  }
}
