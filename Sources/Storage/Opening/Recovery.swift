/// Copies the readable rows of a damaged database into a new one.
///
/// A b-tree with a broken page is read up to the break. Then the row number advances in doubling
/// steps until rows appear again. That loses the rows of the broken page and some after it, and
/// needs no knowledge of the file format. It ends: row numbers only grow, and breaks are limited.
struct Recovery {
  let source: Database
  let target: Database

  /// Breaks in one table after which the rest of it is abandoned.
  private static let maximumBreaks = 400

  /// Copies all tables. Call it within a transaction of `target` with its tables empty.
  func copyAll() throws(StoreError) -> [RecoveredTable] {
    var result: [RecoveredTable] = []
    for table in Schema.tables {
      let recovered = try copy(table)
      if recovered.kept + recovered.refused > 0 || recovered.hasGaps { result.append(recovered) }
    }
    try PlaceWords(database: target).rebuild()
    return result
  }

  private func copy(_ table: String) throws(StoreError) -> RecoveredTable {
    var result = RecoveredTable(table: table)
    let columns = try sharedColumns(of: table)
    guard !columns.isEmpty else {
      // A table in another version's form is reported as lost.
      result.refused = Int((try? source.integer("SELECT count(*) FROM \(table)")) ?? 0)
      return result
    }
    let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let select = "SELECT rowid, \(list) FROM \(table) WHERE rowid > ? ORDER BY rowid"
    let places = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
    let insert = "INSERT INTO \(table) (rowid, \(list)) VALUES (\(places))"
    var last = Int64.min
    var leap: Int64 = 1
    for _ in 0..<Self.maximumBreaks {
      var isComplete = true
      var targetError: StoreError?
      do throws(StoreError) {
        try source.forEachUntil(select, [.integer(last)]) { row in
          guard case .integer(let number) = row.value(at: 0), number > last else {
            isComplete = false
            return false
          }
          last = number
          leap = 1
          do throws(StoreError) {
            try keep(row, of: table, columns: columns, insert: insert, result: &result)
          } catch {
            targetError = error
          }
          return targetError == nil
        }
      } catch {
        isComplete = false
      }
      if let targetError { throw targetError }
      if isComplete { break }
      result.hasGaps = true
      last = max(0, last).addingReportingOverflow(leap).partialValue
      leap = leap.multipliedReportingOverflow(by: 2).partialValue
      if last < 0 || leap <= 0 { break }
    }
    try RowChecksum.seal(table, of: target, whichHad: columns + ["seq"])
    return result
  }

  private func keep(
    _ row: Row, of table: String, columns: [String], insert: String, result: inout RecoveredTable
  ) throws(StoreError) {
    let values = (0...columns.count).map { row.value(at: Int32($0)) }
    do throws(StoreError) {
      if table == "place", let index = columns.firstIndex(of: "category"),
        case .text(let name) = values[index + 1]
      {
        // Its category may be lost.
        try target.run(
          "INSERT OR IGNORE INTO category (name, color) VALUES (?, ?)",
          [.text(name), .text(Category.neutralColor)])
      }
      try target.run(insert, values)
      result.kept += 1
    } catch {
      guard error.isConstraint else { throw error }
      result.refused += 1
    }
  }

  /// Columns present in both files, without generated ones.
  private func sharedColumns(of table: String) throws(StoreError) -> [String] {
    func columns(of database: Database) throws(StoreError) -> [String] {
      // A whole-number primary key is the row number itself.
      try database.texts(
        """
        SELECT name FROM pragma_table_xinfo(?)
        WHERE hidden = 0 AND NOT (pk = 1 AND type = 'INTEGER')
        """, [.text(table)])
    }
    let ours = try columns(of: target)
    do throws(StoreError) {
      let theirs = try columns(of: source)
      return ours.filter(theirs.contains)
    } catch {
      return []
    }
  }
}

extension Recovery {
  /// SQLite's default since 3.12; every store has it.
  static let pageSize = 4096

  /// The first 100 bytes of a sound store of this size, without free pages or a write-ahead log
  /// (https://sqlite.org/fileformat.html#the_database_header).
  static func header(fileSize: Int64) -> [UInt8] {
    var header = Array("SQLite format 3\0".utf8)
    func append(_ number: UInt32) {
      for shift in [24, 16, 8, 0] { header.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    header += [UInt8(pageSize >> 8), UInt8(pageSize & 0xFF), 1, 1, 0, 64, 32, 32]
    append(1)  // change counter
    append(UInt32(clamping: fileSize / Int64(pageSize)))
    append(0)  // first free page
    append(0)  // free pages
    append(1)  // schema cookie
    append(4)  // schema format
    append(0)  // cache size
    append(0)  // auto-vacuum
    append(1)  // UTF-8
    append(0)  // user version
    append(0)  // incremental vacuum
    append(UInt32(truncatingIfNeeded: Schema.applicationID))
    header += [UInt8](repeating: 0, count: 20)
    append(1)  // the change counter for which the version is valid
    append(3_037_000)
    return header
  }
}
