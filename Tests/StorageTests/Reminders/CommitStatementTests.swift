import CSQLite
import CivilTime
import Reminders
import TestSupport
import Testing

@testable import Storage

/// The statements of a commit: `add` waits for them, and an import does them for each reminder.
@Suite struct CommitStatementTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  /// What the statements of a commit do, with their tables.
  private func statements(_ changes: Changes) throws -> [String] {
    let trace = Trace(try #require(store.database.handle))
    try store.commit(changes)
    return trace.statements()
  }

  private func changes(_ method: String?, _ entries: [ReminderStore.Entry]) -> Changes {
    var changes = Changes()
    changes.saved = entries
    if let method {
      changes.command = UserCommand(user: 7, method: method, time: .start)
      changes.command?.reminders = entries.map(\.reminder.id)
    }
    return changes
  }

  @Test func anAddIsOneInsert() throws {
    #expect(
      try statements(changes(nil, [Sample.dated("a")]))
        == ["BEGIN IMMEDIATE", "INSERT INTO reminder", "COMMIT"])
  }

  @Test func anAddOfAUserReadsOneRowAndWritesThree() throws {
    let known = try Sample.dated("a", minutes: 1)
    let expected = [
      "BEGIN IMMEDIATE", "SELECT reminder", "INSERT INTO undo", "INSERT INTO undo_reminder",
      "DELETE FROM undo", "INSERT INTO reminder", "COMMIT",
    ]
    #expect(try statements(changes("Add", [known])) == expected)
    #expect(try statements(changes("Edit", [known])) == expected)
    let title = known.reminder.title
    #expect(try store.undo.commands(of: 7).map(\.title) == [title, title])
  }

  @Test func eachFurtherReminderIsThreeStatementsMore() throws {
    let one = try statements(changes("Import", [Sample.dated("a")])).count
    let ten = try statements(changes("Import", (0..<10).map { try Sample.dated("i\($0)") })).count
    #expect(ten == one + 9 * 3)
  }
}

/// The statements that SQLite runs on a connection while this lives.
private final class Trace {
  private let handle: OpaquePointer
  private var texts: [String] = []

  init(_ handle: OpaquePointer) {
    self.handle = handle
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        guard let context, let text else { return 0 }
        let trace = Unmanaged<Trace>.fromOpaque(context).takeUnretainedValue()
        trace.texts.append(String(cString: text.assumingMemoryBound(to: CChar.self)))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// `INSERT INTO reminder`, `SELECT reminder`: what each does, with its table.
  func statements() -> [String] {
    texts.map { text in
      let words = text.split { $0 == " " || $0 == "\n" }.map(String.init)
      switch words[0] {
      case "SELECT": return "SELECT " + (words.drop { $0 != "FROM" }.dropFirst().first ?? "")
      case "UPDATE": return words.prefix(2).joined(separator: " ")
      default: return words.prefix(3).joined(separator: " ")
      }
    }
  }

  deinit { sqlite3_trace_v2(handle, 0, nil, nil) }
}
