package import CivilTime

/// The check of a database in use: SQLite's `integrity_check` of each table that a recovery would
/// copy. The check at the start leaves out whether indexes match their tables.
package struct IntegrityCheck {
  let store: Store
  private static let key = "integrity_checked_us"

  package init(_ store: Store) { self.store = store }

  package static var tables: [String] { Schema.tables }

  /// A larger file takes more than about a second; it is checked after an unclean end alone.
  private static let maximumSize: Int64 = 64 << 20

  /// Whether the last check is a week old.
  package func isDue(at now: Instant) throws(StoreError) -> Bool {
    guard try FileSystem.size(of: store.report.path) ?? 0 <= Self.maximumSize else { return false }
    let last = try store.state.number(Self.key).map { Instant(microseconds: $0) }
    return last.map { now - $0 >= .hours(7 * 24) || $0 > now } ?? true
  }

  package func note(at now: Instant) throws(StoreError) {
    try store.state.keep(now.microseconds, as: Self.key)
  }

  /// The first fault of a table's structure; nil for none.
  ///
  /// An index that does not match its table is rebuilt from it; `isRepaired` answers whether that
  /// has ended all faults. Rows whose checksum does not match are a fault, too.
  /// - Complexity: O(bytes of the table); about 14 ms a megabyte.
  package func check(
    _ table: String
  ) throws(StoreError) -> (text: String, isRepaired: Bool)? {
    guard let fault = try fault(of: table) else {
      return try changedRows(of: table).map { ($0, false) }
    }
    store.database.isDoubtful = true
    do throws(StoreError) {
      try store.database.execute("REINDEX \(table)")
      return (fault, try self.fault(of: table) == nil)
    } catch {
      return (fault, false)
    }
  }

  /// The rows that the file has changed, as a sentence.
  private func changedRows(of table: String) throws(StoreError) -> String? {
    guard let isWhole = RowChecksum.isWhole(table) else { return nil }
    let rows = try store.database.integers(
      "SELECT rowid FROM \(table) WHERE NOT (\(isWhole)) LIMIT \(Self.maximumNamed + 1)")
    guard !rows.isEmpty else { return nil }
    let names = rows.prefix(Self.maximumNamed).map { "\($0)" }.joined(separator: ", ")
    let more = rows.count > Self.maximumNamed ? " and others" : ""
    return "the checksum of table \(table), row \(names)\(more), does not match"
  }

  private static let maximumNamed = 10

  private func fault(of table: String) throws(StoreError) -> String? {
    try store.database.texts("PRAGMA integrity_check(\(table))").first(where: Database.isFault)
  }
}
