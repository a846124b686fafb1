package import CivilTime

/// The outcome of a firing at a destination.
package struct Receipt: Equatable {
  package let consumer: String
  package let time: Instant
  /// Why it was given up; nil where it was received.
  package let text: String?
}

/// A command that ended the alarm of a firing.
package struct Acknowledgement: Equatable {
  /// The user's id (uid).
  package let user: UInt32
  package let method: String
  package let time: Instant
}

/// The outcome of each firing, as far as its destinations and the commands of users say.
///
/// The rows of a firing go with it.
extension Ledger {
  /// Records an outcome; the first one of a firing and a destination counts.
  /// - Parameter known: the number reached before, from which on held firings were summed up; nil
  ///   for a firing that stands for itself.
  package func receive(
    _ seq: Int64, after known: Int64? = nil, by consumer: String, at time: Instant, text: String?
  ) throws(StoreError) {
    _ = try database.relaxedTransaction { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO receipt (seq, consumer, time_us, text) VALUES (?, ?, ?, ?)
        ON CONFLICT (seq, consumer) DO NOTHING
        """, [.integer(seq), .text(consumer), SQLValue(time), SQLValue(text)])
      guard let known else { return }
      try database.run(
        """
        INSERT INTO receipt (seq, consumer, time_us, text)
        SELECT seq, ?1, ?2, ?3 FROM firing WHERE seq > ?4 AND seq < ?5 AND held = 1
        ON CONFLICT (seq, consumer) DO NOTHING
        """,
        [.text(consumer), SQLValue(time), SQLValue(text), .integer(known), .integer(seq)])
    }
  }

  /// The outcomes of a firing, by destination.
  package func receipts(of seq: Int64) throws(StoreError) -> [Receipt] {
    try database.rows(
      of: "receipt",
      "SELECT rowid, consumer, time_us, text FROM receipt WHERE seq = ? ORDER BY consumer",
      [.integer(seq)]
    ) { (row) throws(RowFault) in
      Receipt(
        consumer: try row.text("consumer"),
        time: Instant(microseconds: try row.integer("time_us")), text: try row.textIfAny("text"))
    }.values
  }

  /// Records that a command acknowledges all earlier firings of its reminders.
  /// - Complexity: O(firings of the reminders).
  func acknowledge(by command: UserCommand) throws(StoreError) {
    for reminder in command.reminders {
      try database.run(
        """
        INSERT INTO acknowledgement (seq, user, method, time_us)
        SELECT seq, ?, ?, ? FROM firing WHERE reminder_id = ? AND time_us <= ?
        ON CONFLICT (seq) DO UPDATE
        SET user = excluded.user, method = excluded.method, time_us = excluded.time_us
        WHERE acknowledgement.method = 'Snooze' AND excluded.method <> 'Snooze'
        """,
        [
          .integer(Int64(command.user)), .text(command.method), SQLValue(command.time),
          .text(reminder), SQLValue(command.time),
        ])
    }
  }

  /// The first acknowledgement of a firing; the first that is no snooze, if there is one.
  package func acknowledgement(of seq: Int64) throws(StoreError) -> Acknowledgement? {
    try database.rows(
      of: "acknowledgement",
      "SELECT seq AS rowid, user, method, time_us FROM acknowledgement WHERE seq = ?",
      [.integer(seq)]
    ) { (row) throws(RowFault) in
      Acknowledgement(
        user: UInt32(clamping: try row.integer("user")), method: try row.text("method"),
        time: Instant(microseconds: try row.integer("time_us")))
    }.values.first
  }

  /// Removes the acknowledgements of a command that is taken back.
  package func withdrawAcknowledgements(by user: UInt32, at time: Instant) throws(StoreError) {
    try database.run(
      "DELETE FROM acknowledgement WHERE user = ? AND time_us = ?",
      [.integer(Int64(user)), SQLValue(time)])
  }

  /// Removes the rows of firings that were removed as too old.
  func pruneReceipts() throws(StoreError) {
    for table in ["receipt", "acknowledgement"] {
      try database.run(
        "DELETE FROM \(table) WHERE seq < (SELECT coalesce(min(seq), 0) FROM firing)")
    }
  }
}
