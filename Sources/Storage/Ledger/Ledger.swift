package import CivilTime
package import Reminders

/// A firing with its place in the ledger.
@dynamicMemberLookup
package struct LedgerEntry: Equatable {
  /// 1, 2, 3 … in the order of decisions; never reused, not even after a removal.
  package let seq: Int64
  package let firing: Firing

  package init(seq: Int64, firing: Firing) {
    self.seq = seq
    self.firing = firing
  }

  package subscript<Value>(dynamicMember member: KeyPath<Firing, Value>) -> Value {
    firing[keyPath: member]
  }

  static func read(_ row: Row) throws(RowFault) -> LedgerEntry {
    LedgerEntry(seq: try row.integer("seq"), firing: try FiringRow.firing(row))
  }
}

/// The record of every firing, and the outbox of firings that the journal has not received.
///
/// The outbox is a persistent priority queue in one column: a committed firing is pushed, peek
/// reads the first row without a delivery time, pop sets that time. Rows are in
/// the order of decisions; a partial index holds the undelivered ones.
package struct Ledger {
  let database: Database

  // MARK: - Numbers

  /// The number of the latest firing; 0 before the first.
  package func head() throws(StoreError) -> Int64 {
    try database.integer("SELECT last_seq FROM ledger") ?? 0
  }

  /// The lowest number in the ledger; the next one to come while it is empty.
  package func first() throws(StoreError) -> Int64 {
    if let first = try database.integer("SELECT min(seq) FROM firing") { return first }
    return try head() + 1
  }

  /// The condition of SQL for an urgent firing.
  static let isUrgent =
    "priority BETWEEN \(Firing.urgentPriorities.lowerBound) "
    + "AND \(Firing.urgentPriorities.upperBound)"

  /// At most `limit` firings with higher numbers than `seq`, by number. An empty result means that
  /// there are none: unreadable rows are skipped, not counted.
  /// - Parameters:
  ///   - urgent: the urgent ones, or the others; nil for both.
  ///   - bytes: limit of bytes read; the result is cut there.
  package func entries(
    after seq: Int64, limit: Int, urgent: Bool? = nil, bytes: Int = .max
  ) throws(StoreError) -> [LedgerEntry] {
    let queue = urgent.map { $0 ? " AND \(Self.isUrgent)" : " AND NOT \(Self.isUrgent)" } ?? ""
    return try database.rows(
      of: "firing",
      "SELECT \(FiringRow.read) FROM firing WHERE seq > ?\(queue) ORDER BY seq",
      [.integer(seq)], limit: limit, bytes: bytes, read: LedgerEntry.read
    ).values
  }

  /// The condition of SQL for a firing that a quiet time of all has held, or that fired from ?2 to
  /// before ?3.
  private static let isHeld = "(held = 1 OR coalesce(time_us >= ?2 AND time_us < ?3, 0))"

  /// The next firings behind `seq` that are not urgent, as far as a quiet time has held them.
  /// - Parameters:
  ///   - start: of a quiet time that is not of all; nil for none.
  ///   - end: of the same.
  package func held(
    after seq: Int64, limit: Int, from start: Instant? = nil, to end: Instant? = nil
  ) throws(StoreError) -> [LedgerEntry] {
    try database.rows(
      of: "firing",
      """
      SELECT \(FiringRow.read) FROM firing
      WHERE seq > ?1 AND \(Self.isHeld) AND NOT \(Self.isUrgent) AND seq < coalesce(
        (SELECT seq FROM firing
          WHERE seq > ?1 AND NOT coalesce(\(Self.isHeld), 0) AND NOT \(Self.isUrgent)
          ORDER BY seq LIMIT 1), ?4)
      ORDER BY seq
      """, [.integer(seq), SQLValue(start), SQLValue(end), .integer(.max)], limit: limit,
      read: LedgerEntry.read
    ).values
  }

  /// Held firings that a destination has yet to receive; the times as for `held`.
  package func heldCount(
    from start: Instant? = nil, to end: Instant? = nil
  ) throws(StoreError) -> Int {
    Int(
      try database.integer(
        """
        SELECT count(*) FROM firing
        WHERE seq > (SELECT min(upto) FROM consumer) AND \(Self.isHeld)
          AND NOT \(Self.isUrgent)
        """, [.null, SQLValue(start), SQLValue(end)]) ?? 0)
  }

  // MARK: - Outbox

  /// Records new firings and returns them. A firing with a known id, decided again after a crash,
  /// is ignored.
  /// - Parameter isQuiet: the destinations receive them later, but the urgent ones.
  @discardableResult
  package func record(
    _ firings: [Firing], isQuiet: Bool = false
  ) throws(StoreError) -> [LedgerEntry] {
    guard !firings.isEmpty else { return [] }
    return try database.transaction { () throws(StoreError) in
      let first = try database.integer("SELECT last_seq FROM ledger") ?? 0
      guard first < 1 << 62 else {
        throw .invalid(what: "firing", reason: "the ledger has no number left")
      }
      var last = first
      var new: [LedgerEntry] = []
      for firing in firings {
        let added = try database.run(
          FiringRow.insertion,
          [.integer(last + 1)] + FiringRow.values(firing)
            + [isQuiet && !firing.isUrgent ? .integer(1) : .null])
        guard added > 0 else { continue }
        last += 1
        new.append(LedgerEntry(seq: last, firing: firing))
      }
      if last > first { try database.run("UPDATE ledger SET last_seq = ?", [.integer(last)]) }
      return new
    }
  }

  /// Firings that the journal has not received, in the order of decisions.
  /// - Parameter seq: only later numbers are returned.
  package func undelivered(
    after seq: Int64 = 0, limit: Int = .max
  ) throws(StoreError) -> Rows<LedgerEntry> {
    try database.rows(
      of: "firing",
      """
      SELECT \(FiringRow.read) FROM firing
      WHERE delivered_us IS NULL AND seq > ? ORDER BY seq LIMIT ?
      """, [.integer(seq), SQLValue(limit)], read: LedgerEntry.read)
  }

  /// Ids of the firings that the journal may not have received, in the order of decisions.
  package func undeliveredIDs() throws(StoreError) -> [String] {
    try database.rows(
      of: "firing", "SELECT seq, id FROM firing WHERE delivered_us IS NULL ORDER BY seq", []
    ) { row throws(RowFault) in try row.text("id") }.values
  }

  private static let deliveryUpdate = """
    UPDATE firing SET delivered_us = ?1,
    \(RowChecksum.assignment("firing", changing: "delivered_us", to: "?1"))
    WHERE seq = ?2 AND delivered_us IS NULL
    """

  /// Marks firings as delivered to the journal. Unknown and marked rows are unchanged.
  ///
  /// It does not wait for the disk: after a power failure, a look-up in the journal sets a mark
  /// that was lost again.
  package func markDelivered(_ seqs: [Int64], at time: Instant) throws(StoreError) {
    guard !seqs.isEmpty else { return }
    try database.relaxedTransaction { () throws(StoreError) in
      for seq in seqs {
        try database.run(
          Self.deliveryUpdate,
          [SQLValue(time), .integer(seq)])
      }
    }
  }

  // MARK: - Record

  /// The latest `limit` firings not before `since` and before `until`, earliest first.
  /// - Parameters:
  ///   - seq: of a firing; only those before it. Without such a firing there are none.
  ///   - bytes: limit of bytes read; `Rows.isCut` marks a cut result.
  package func firings(
    limit: Int = .max, since: Instant? = nil, until: Instant? = nil, reminder: String? = nil,
    before seq: Int64? = nil, bytes: Int = .max
  ) throws(StoreError) -> Rows<LedgerEntry> {
    var filters = "time_us >= ?"
    var values = [SQLValue.integer(since?.microseconds ?? .min)]
    if let until {
      filters += " AND time_us < ?"
      values.append(.integer(until.microseconds))
    }
    if let reminder {
      filters += " AND reminder_id = ?"
      values.append(.text(reminder))
    }
    // The rows of one time, and then the rows before it: each is a range of the index.
    var parts: [(filter: String, values: [SQLValue])] = [("", [])]
    if let seq {
      let time = "(SELECT time_us FROM firing WHERE seq = ?)"
      parts = [
        (" AND time_us = \(time) AND seq < ?", [.integer(seq), .integer(seq)]),
        (" AND time_us < \(time)", [.integer(seq)]),
      ]
    }
    var rows = Rows<LedgerEntry>()
    for part in parts where !rows.isCut && rows.values.count < limit {
      let found = try database.rows(
        of: "firing",
        """
        SELECT \(FiringRow.read) FROM firing WHERE \(filters)\(part.filter)
        ORDER BY time_us DESC, seq DESC LIMIT ?
        """, values + part.values + [SQLValue(limit - rows.values.count)], bytes: bytes,
        read: LedgerEntry.read)
      rows.values += found.values
      rows.problems += found.problems
      rows.isCut = found.isCut
    }
    rows.values.reverse()
    return rows
  }

  /// At most `limit` ids of reminders that fired, with this prefix, sorted; an exact match is the
  /// only result. Complexity: O(answers · log n).
  package func reminders(prefix: String, limit: Int = 20) throws(StoreError) -> [String] {
    var ids: [String] = []
    var next: SQLValue? = .text(prefix)
    while let from = next, ids.count < limit {
      next = nil
      let id = try database.text(
        "SELECT min(reminder_id) FROM firing WHERE reminder_id \(ids.isEmpty ? ">=" : ">") ?1",
        [from])
      guard let id, id.utf8.starts(with: prefix.utf8) else { break }
      ids.append(id)
      if id == prefix { break }
      next = .text(id)
    }
    return ids
  }
}
