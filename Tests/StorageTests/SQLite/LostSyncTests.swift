import TestSupport
import Testing

@testable import Storage

/// After a sync that fails, the kernel counts the pages as written, and no later sync writes them.
@Suite struct LostSyncTests {
  let folder: TemporaryFolder
  let database: Database

  init() throws {
    folder = try TemporaryFolder()
    try FileSystem.createPrivate(folder.database)
    database = try Database(path: folder.database)
    #expect(try database.configure())
    try database.execute("CREATE TABLE t (n INTEGER) STRICT")
  }

  private func insert(_ number: Int64) throws(StoreError) {
    _ = try database.transaction { () throws(StoreError) in
      try database.run("INSERT INTO t (n) VALUES (?)", [.integer(number)])
    }
  }

  @Test(arguments: Database.syncFailures)
  func theLogIsWrittenAnewBeforeTheNextTransaction(code: Int32) throws {
    var secured: [String] = []
    database.secure = { (path) throws(StoreError) in
      secured.append(path)
      if secured.count == 1 { throw .unknownCategory("the disk fails again") }
    }
    try insert(1)
    #expect(secured.isEmpty)
    _ = database.failure(code, sql: "COMMIT")
    #expect(throws: StoreError.unknownCategory("the disk fails again")) { try insert(2) }
    try database.bulk { () throws(StoreError) in
      _ = try database.run("INSERT INTO t (n) VALUES (3)")
    }
    try database.endBulk()
    try insert(4)
    let log = folder.database + "-wal"
    #expect(secured == [log, log])
    #expect(try database.integer("SELECT sum(n) FROM t") == 8)
  }

  @Test func otherErrorsWriteNothingAnew() throws {
    database.secure = { (_) throws(StoreError) in throw .unknownCategory("not asked for") }
    #expect(throws: StoreError.self) { try database.execute("nonsense") }
    try insert(1)
  }

  /// A checkpoint has the sync that SQLite reports to nobody; the log does not grow without it.
  @Test func theLogIsMovedIntoTheDatabaseAsItGrows() throws {
    for number in 0..<3 {
      _ = try database.transaction { () throws(StoreError) in
        try database.run(
          """
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 500000)
          INSERT INTO t SELECT n FROM c
          """)
      }
      // Each round would add 5 MB.
      #expect(try FileSystem.size(of: folder.database + "-wal") ?? 0 < 9_000_000, "\(number)")
    }
  }

  @Test(arguments: [0, 1, 600_000]) func eachByteIsWrittenAgain(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let path = try folder.file("file", bytes)
    try FileSystem.setModification(of: path, 1_000_000_000)
    try FileSystem.secure(path)
    #expect(try FileSystem.size(of: path) == Int64(count))
    #expect(try (FileSystem.modification(of: path) > 1_000_000_000) == (count > 0))
    #expect(try fileBytes(path) == bytes)
  }
}
