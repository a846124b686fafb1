package import CivilTime

/// The removal of old firings.
extension Ledger {
  /// The result of one piece of pruning.
  package struct Pruned: Equatable {
    package fileprivate(set) var removed = 0
    /// How many of them a consumer had not received.
    package fileprivate(set) var givenUp = 0
    /// Where the next piece begins; nil after the last one.
    package fileprivate(set) var next: Instant?
  }

  /// Removes delivered firings decided before `time`, a piece of about `limit` of them, the
  /// earliest first. It does not wait for the disk: firings that come back are removed once more.
  ///
  /// Firings that a consumer has yet to receive stay until they are older than `holdEnd`.
  /// - Parameter start: the `next` of the piece before.
  @discardableResult
  package func prune(
    olderThan time: Instant, heldUntil holdEnd: Instant, from start: Instant? = nil,
    limit: Int = 1_000
  ) throws(StoreError) -> Pruned {
    try database.relaxedTransaction { () throws(StoreError) in
      var pruned = Pruned()
      let start = SQLValue(start ?? Instant(microseconds: .min))
      pruned.next = try database.integer(
        """
        SELECT time_us + 1 FROM firing WHERE time_us >= ? AND time_us < ?
        ORDER BY time_us LIMIT 1 OFFSET ?
        """, [start, SQLValue(time), SQLValue(limit - 1)]
      ).map(Instant.init(microseconds:))
      let end = min(time, pruned.next ?? time)
      let received =
        try database.integer(
          "SELECT min(min(upto, coalesce(urgent_upto, upto))) FROM consumer") ?? Int64.max
      let delete = """
        DELETE FROM firing WHERE time_us >= ? AND time_us < ? AND delivered_us IS NOT NULL AND seq
        """
      let old = try database.run("\(delete) <= ?", [start, SQLValue(end), .integer(received)])
      pruned.givenUp = try database.run(
        "\(delete) > ?", [start, SQLValue(min(end, holdEnd)), .integer(received)])
      pruned.removed = old + pruned.givenUp
      if pruned.removed > 0 { try pruneReceipts() }
      return pruned
    }
  }
}
