import CivilTime
import Geofencing
import Reminders
import TestSupport
import Testing

@testable import Storage

/// The last commands of each user, in the database.
@Suite struct UndoLogTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func changes(
    _ method: String, _ entries: [ReminderStore.Entry], removing: [String] = []
  ) -> Changes {
    var changes = Changes()
    changes.saved = entries
    changes.forgotten = removing
    changes.command = UserCommand(user: 7, method: method, time: .start)
    changes.command?.reminders = (entries.map(\.reminder.id) + removing).sorted()
    return changes
  }

  /// A column that only one of the tables has would be lost by an undo.
  @Test func theRowsOfBeforeHaveAllColumnsOfAReminder() throws {
    func columns(_ table: String) throws -> Set<String> {
      Set(
        try store.database.texts(
          "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [.text(table)]))
    }
    #expect(
      try columns("undo_reminder").subtracting(["command", "mark", "file_item", "file_mark"])
        == columns("reminder"))
  }

  @Test func aStepHasTheRowOfBefore() throws {
    let entry = try Sample.placed("a")
    try store.commit(changes("Add", [entry]))
    try store.commit(changes("Remove", [], removing: ["a"]))
    let commands = try store.undo.commands(of: 7)
    #expect(commands.map(\.method) == ["Remove", "Add"])
    #expect(commands.map(\.title) == [entry.reminder.title, entry.reminder.title])
    let step = try #require(try store.undo.steps(of: commands[0].seq).first)
    #expect(step.isUntouched)
    #expect(step.before?.reminder == entry.reminder)
    #expect(step.before?.progress == entry.progress)
    #expect(try store.undo.steps(of: commands[1].seq).first?.isUntouched == false)
  }

  /// The device comes and goes; that is no change of the reminder.
  @Test func aPresenceIsNoChangeAndAFiringIs() throws {
    let (reminder, _) = try Sample.placed("a")
    var progress = Progress()
    try store.commit(changes("Add", [(reminder, progress)]))
    let seq = try #require(try store.undo.commands(of: 7).first?.seq)
    progress.presence = .inside
    progress.presenceSince = .start
    progress.visitSettled = true
    try store.reminders.update("a", progress)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == true)
    progress.nagging = Progress.Nagging(next: .start, count: 1)
    try store.reminders.update("a", progress)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
  }

  /// A floating time that follows the system to another zone is the same local time.
  @Test func anotherZoneIsNoChange() throws {
    var (reminder, progress) = try Sample.dated("a", minutes: 60)
    progress.occurrenceOffset = 0
    try store.commit(changes("Add", [(reminder, progress)]))
    let seq = try #require(try store.undo.commands(of: 7).first?.seq)
    progress.occurrence = progress.occurrence.map { $0 - .hours(2) }
    progress.occurrenceOffset = 7_200
    try store.reminders.update("a", progress)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == true)
    reminder.title = "Other"
    try store.reminders.replace(reminder, progress)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
  }

  /// A failure in the middle of the transaction leaves neither the command nor the change.
  @Test(arguments: ["INSERT ON undo", "INSERT ON undo_reminder", "UPDATE ON undo_reminder"])
  func aFailureUndoesTheWholeCommand(moment: String) throws {
    try store.commit(changes("Add", [Sample.dated("a", minutes: 1)]))
    try store.database.execute(
      "CREATE TEMP TRIGGER fault BEFORE \(moment) BEGIN SELECT raise(ABORT, 'fault'); END")
    #expect(throws: StoreError.self) {
      try store.commit(changes("Import", [Sample.dated("b"), Sample.dated("c")]))
    }
    #expect(throws: StoreError.self) { try store.commit(changes("Remove", [], removing: ["a"])) }
    #expect(try store.reminders.all().values.map(\.reminder.id) == ["a"])
    #expect(try store.undo.commands(of: 7).map(\.method) == ["Add"])
  }

  /// A database of the version before has no commands, and keeps its reminders.
  @Test func anUpgradeKeepsEverything() throws {
    let old = try TemporaryFolder()
    let entry = try Sample.placed("a")
    do {
      let store = try Store(
        path: old.database, now: .start,
        migrations: Schema.migrations.filter { $0.version < 11 })
      try store.reminders.replace(entry.reminder, entry.progress)
      store.close()
    }
    let store = try Store(in: old)
    #expect(try store.reminders.reminder(id: "a")?.reminder == entry.reminder)
    #expect(try store.undo.commands(of: 7) == [])
    try store.commit(changes("Remove", [], removing: ["a"]))
    #expect(try store.undo.commands(of: 7).map(\.title) == [entry.reminder.title])
  }
}
