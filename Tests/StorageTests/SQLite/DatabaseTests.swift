import CSQLite
import TestSupport
import Testing

@testable import Storage

@Suite struct DatabaseTests {
  let folder: TemporaryFolder
  let database: Database

  init() throws {
    folder = try TemporaryFolder()
    try FileSystem.createPrivate(folder.database)
    database = try Database(path: folder.database)
    #expect(try database.configure())
    try database.execute("CREATE TABLE t (n INTEGER, x REAL, s TEXT) STRICT")
  }

  private func count() throws -> Int64? { try database.integer("SELECT count(*) FROM t") }

  @Test func isDurableAndDefensive() throws {
    #expect(try database.text("PRAGMA journal_mode") == "wal")
    #expect(try database.integer("PRAGMA synchronous") == 2)
    #expect(try database.integer("PRAGMA foreign_keys") == 1)
    #expect(try database.integer("PRAGMA trusted_schema") == 0)
    #expect(try database.integer("PRAGMA cell_size_check") == 1)
    #expect(try database.integer("PRAGMA busy_timeout") == 5000)
    // Only a defensive connection refuses this.
    #expect(throws: StoreError.self) {
      try database.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
    }
    #expect(throws: StoreError.self) { try database.run("SELECT \"no such column\"") }
  }

  /// The texts of one statement lie side by side, those of the next one in the same place.
  @Test func textsOfAllLengthsStayApart() throws {
    try database.execute("CREATE TABLE texts (n INTEGER, a TEXT, b TEXT, c TEXT) STRICT")
    let lengths = [0, 1, 300, 40_000, 2, 0, 16_384, 7]
    for (number, length) in lengths.enumerated() {
      try database.run(
        "INSERT INTO texts VALUES (?, ?, ?, ?)",
        [
          .integer(Int64(number)), .text(String(repeating: "ä", count: length)), .null,
          .text(String(repeating: "z", count: length)),
        ])
    }
    for (number, length) in lengths.enumerated() {
      let number = SQLValue.integer(Int64(number))
      #expect(
        try database.text("SELECT a FROM texts WHERE n = ?", [number])
          == String(repeating: "ä", count: length))
      #expect(try database.value("SELECT b FROM texts WHERE n = ?", [number]) == .null)
      #expect(
        try database.text("SELECT c FROM texts WHERE n = ?", [number])
          == String(repeating: "z", count: length))
    }
  }

  /// They are looked up by their length first.
  @Test func statementsOfEqualLengthAreDistinguished() throws {
    for _ in 0..<2 {
      #expect(try database.integer("SELECT 1") == 1)
      #expect(try database.integer("SELECT 2") == 2)
    }
  }

  @Test(arguments: [
    SQLValue.null, .integer(.min), .integer(.max), .text(""), .text("ü\u{0}z\u{1F600}"),
    .text("'; DROP TABLE t --"),
  ]) func valuesReadBackUnchanged(value: SQLValue) throws {
    let column = if case .text = value { "s" } else { "n" }
    try database.run("INSERT INTO t (\(column)) VALUES (?)", [value])
    #expect(try database.value("SELECT \(column) FROM t") == value)
  }

  @Test(arguments: [0.1, -0.0, 1e300, .leastNonzeroMagnitude, .pi]) func numbersKeepEveryBit(
    value: Double
  ) throws {
    try database.run("INSERT INTO t (x) VALUES (?)", [SQLValue(value)])
    #expect(try database.value("SELECT x FROM t") == .real(value))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity]) func nonFiniteNumbersAreStoredAsNull(
    value: Double
  ) throws {
    try database.run("INSERT INTO t (x) VALUES (?)", [SQLValue(value)])
    #expect(try database.value("SELECT x FROM t") == .null)
  }

  @Test(arguments: [[], [.integer(1)], [.integer(1), .null, .null]] as [[SQLValue]])
  func wrongNumberOfValuesIsAnError(values: [SQLValue]) throws {
    let error = #expect(throws: StoreError.self) {
      try database.run("INSERT INTO t (n, s) VALUES (?, ?)", values)
    }
    guard case .sqlite(let failure) = error else { throw error ?? .unknownCategory("") }
    #expect(failure.code == SQLITE_RANGE)
    #expect(failure.sql == "INSERT INTO t (n, s) VALUES (?, ?)")
    #expect(failure.path == folder.database)
    #expect(try count() == 0)
  }

  @Test func aColumnThatIsMissingOrOfAnotherTypeIsAFault() throws {
    try database.run("INSERT INTO t (n, s) VALUES (1, 'one')")
    try database.forEach("SELECT n, s FROM t") { row in
      #expect(throws: RowFault.self) { try row.integer("absent") }
      #expect(throws: RowFault.self) { try row.integer("s") }
      #expect(throws: RowFault.self) { try row.text("n") }
      #expect(row.value(at: 2) == .null)
      #expect(row.value(at: -1) == .null)
    }
  }

  @Test func statementsArePreparedOnce() throws {
    try database.run("INSERT INTO t (n) VALUES (?)", [.integer(0)])
    let before = database.preparedCount
    for number in 1..<50 { try database.run("INSERT INTO t (n) VALUES (?)", [SQLValue(number)]) }
    #expect(database.preparedCount == before)
  }

  @Test func oneStatementMayRunWithinItself() throws {
    for number in 0..<3 { try database.run("INSERT INTO t (n) VALUES (?)", [SQLValue(number)]) }
    var pairs = 0
    try database.forEachUntil("SELECT n FROM t") { (_) throws(StoreError) in
      try database.forEach("SELECT n FROM t") { _ in pairs += 1 }
      return true
    }
    #expect(pairs == 9)
  }

  @Test func aTransactionThatThrowsLeavesNothing() throws {
    #expect(throws: StoreError.unknownCategory("stop")) {
      try database.transaction { () throws(StoreError) in
        try database.run("INSERT INTO t (n) VALUES (1)")
        throw .unknownCategory("stop")
      }
    }
    #expect(try count() == 0)
    try database.transaction { () throws(StoreError) in
      _ = try database.run("INSERT INTO t (n) VALUES (2)")
    }
    #expect(try count() == 1)
  }

  @Test func onlyARelaxedTransactionDoesNotWaitForTheDisk() throws {
    let database = database
    func waits() throws(StoreError) -> Int64? { try database.integer("PRAGMA synchronous") }
    #expect(try database.transaction(waits) == 2)
    #expect(try database.relaxedTransaction(waits) == 1)
    #expect(try waits() == 2)
    #expect(throws: StoreError.self) {
      try database.relaxedTransaction { () throws(StoreError) in try database.execute("nonsense") }
    }
    #expect(try waits() == 2)
    // Within another one it is a part of that.
    let inner = try database.transaction { () throws(StoreError) in
      try database.relaxedTransaction(waits)
    }
    #expect(inner == 2)
  }

  @Test func anInnerTransactionThatThrowsLeavesTheOuterOne() throws {
    try database.transaction { () throws(StoreError) in
      try database.run("INSERT INTO t (n) VALUES (1)")
      try? database.transaction { () throws(StoreError) in
        try database.run("INSERT INTO t (n) VALUES (2)")
        throw .unknownCategory("stop")
      }
      try database.run("INSERT INTO t (n) VALUES (3)")
    }
    #expect(try database.integer("SELECT sum(n) FROM t") == 4)
  }

  @Test func aFullDiskUndoesTheTransactionAndSaysSo() throws {
    _ = try database.integer("PRAGMA max_page_count = 3")
    let error = #expect(throws: StoreError.self) {
      try database.transaction { () throws(StoreError) in
        for _ in 0..<10 {
          try database.run(
            "INSERT INTO t (s) VALUES (?)", [.text(String(repeating: "x", count: 3000))])
        }
      }
    }
    #expect(error?.description.contains("free some space") == true)
    #expect(try count() == 0)
    // The connection is as good as before.
    try database.transaction { () throws(StoreError) in
      _ = try database.run("INSERT INTO t (n) VALUES (1)")
    }
    #expect(try count() == 1)
  }

  @Test func aClosedDatabaseAnswersWithErrors() throws {
    database.close()
    database.close()
    #expect(throws: StoreError.self) { try database.run("SELECT 1") }
    #expect(throws: StoreError.self) { try database.execute("SELECT 1") }
    #expect(throws: StoreError.self) {
      try database.transaction { () throws(StoreError) in }
    }
  }
}
