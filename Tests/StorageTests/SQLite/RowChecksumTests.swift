import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Storage

/// A value that the file has changed is no fact: its row is left out and named.
@Suite struct RowChecksumTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A store with some reminders and firings, complete in the file.
  private func fill() throws {
    let store = try Store(in: folder)
    let category = try #require(try store.categories.all().values.first)
    for id in ["a", "b", "c"] {
      try store.reminders.replace(try Sample.placed(id, category: category.name))
      try store.reminders.replace(try Sample.dated("\(id)-date", minutes: 5))
      try store.ledger.record([Sample.firing(id)], isQuiet: true)
    }
    try store.ledger.markDelivered([1, 2], at: .start)
    store.close()
  }

  /// The columns whose values a row may lose: all but the number and the generated ones.
  private static let columns: [(table: String, column: String)] = {
    guard let model = try? Database(path: ":memory:") else { return [] }
    for migration in Schema.migrations { try? model.execute(migration.script) }
    return ["reminder", "firing"].flatMap { table in
      ((try? model.texts(
        "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 AND name <> 'seq'",
        [.text(table)])) ?? []).map { (table, $0) }
    }
  }()

  /// Another value of the same type, or any where there is none.
  private static func changed(_ column: String) -> String {
    """
    CASE typeof(\(column))
      WHEN 'integer' THEN \(column) - 1
      WHEN 'real' THEN \(column) * 0.5
      WHEN 'text' THEN substr(\(column), 2) || 'x'
      ELSE 1 END
    """
  }

  /// Values that have the same bits, or none, and mean something else.
  @Test(arguments: [
    ("NULL, 5", "5, NULL"), ("'ab'", "x'6162'"), ("4607182418800017408", "1.0"),
    ("'', 1", "x'', 1"), ("'a', 'bc'", "'ab', 'c'"),
  ])
  func theTypesAndBoundsOfValuesAreCovered(values: String, others: String) throws {
    let store = try Store(in: folder)
    let same = "SELECT row_checksum(\(values)) = row_checksum"
    #expect(try store.database.integer("\(same)(\(others))") == 0)
    #expect(try store.database.integer("\(same)(\(values))") == 1)
  }

  @Test(arguments: columns)
  func eachColumnIsCovered(table: String, column: String) throws {
    try fill()
    try withRawConnection(
      folder.database,
      """
      PRAGMA ignore_check_constraints = ON;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = '\(table)';
      """)
    try withRawConnection(
      folder.database,
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE \(table) SET \(column) = \(Self.changed(column)) WHERE seq = 1;
      """)
    let store = try Store(in: folder)
    let reminders = try store.reminders.all()
    let firings = try store.ledger.firings()
    let problems = reminders.problems + firings.problems
    #expect(problems.map(\.table) == [table] && problems.map(\.row) == [1], "\(problems)")
    #expect(reminders.values.count == (table == "reminder" ? 5 : 6))
    #expect(firings.values.count == (table == "firing" ? 2 : 3))
    let fault = try IntegrityCheck(store).check(table)
    #expect(
      fault?.text == "the checksum of table \(table), row 1, does not match", "\(fault as Any)")
    // No other change makes the row whole.
    for category in try store.categories.all().values {
      try store.categories.replace(
        category.name, with: Category(name: "\(category.name) 2", color: category.color))
    }
    try store.ledger.markDelivered([1, 3], at: .start)
    #expect(try IntegrityCheck(store).check(table) != nil)
  }

  @Test func allThatTheStoreWritesIsWhole() throws {
    try fill()
    let store = try Store(in: folder)
    try store.reminders.update("b", History(), Standing(state: .done))
    try store.ledger.markDelivered([3], at: .start)
    let category = try #require(try store.categories.all().values.first)
    try store.reminders.replace(try Sample.placed("d", category: category.name))
    try store.categories.replace(
      category.name, with: Category(name: "Another", color: category.color))
    #expect(try store.reminders.reminder(id: "d")?.reminder.category == "Another")
    for table in IntegrityCheck.tables { #expect(try IntegrityCheck(store).check(table) == nil) }
    #expect(try store.reminders.all().problems.isEmpty)
    #expect(try store.ledger.firings().problems.isEmpty)
  }

  /// One bit anywhere in the file: a row is as it was, or it is left out.
  @Test(arguments: 0..<40) func noFlippedBitChangesARow(part: Int) throws {
    try fill()
    let before = try Store(in: folder)
    let reminders = try before.reminders.all().values.map(\.reminder.json)
    let firings = try before.ledger.firings().values.map(\.firing)
    before.close()
    let sound = try fileBytes(folder.database)
    var random = SeededGenerator(seed: UInt64(part))
    for _ in 0..<10 {
      let bit = Int.random(in: 0..<sound.count * 8, using: &random)
      let other = try TemporaryFolder()
      var flipped = sound
      flipped[bit / 8] ^= 1 << (bit % 8)
      try writeFile(other.database, flipped)
      // A file that is refused as another program's, or a newer one's, has changed no row.
      guard let store = try? Store(in: other) else { continue }
      // A column that lost its name is lost, and the report says so.
      if store.report.sentences.contains(where: { $0.contains("is missing") }) { continue }
      for entry in try store.reminders.all().values {
        #expect(reminders.contains(entry.reminder.json), "bit \(bit): \(entry.reminder)")
      }
      for entry in try store.ledger.firings().values {
        #expect(firings.contains(entry.firing), "bit \(bit): \(entry.firing)")
      }
    }
  }

  @Test func aStoreOfTheVersionBeforeIsSealed() throws {
    try fill()
    try withRawConnection(
      folder.database,
      """
      ALTER TABLE reminder DROP COLUMN checksum;
      ALTER TABLE reminder DROP COLUMN history_checksum;
      ALTER TABLE firing DROP COLUMN checksum;
      ALTER TABLE firing DROP COLUMN who;
      ALTER TABLE firing DROP COLUMN recipient;
      PRAGMA user_version = 18;
      """)
    let store = try Store(in: folder)
    #expect(try store.reminders.all().values.count == 6)
    #expect(try store.ledger.firings().values.count == 3)
    for table in IntegrityCheck.tables { #expect(try IntegrityCheck(store).check(table) == nil) }
  }
}
