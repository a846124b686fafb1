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

  @Test func aStepHasTheReminderAsItWasBefore() throws {
    let entry = try Sample.placed("a")
    try store.commit(changes("Add", [entry]))
    try store.commit(changes("Remove", [], removing: ["a"]))
    let commands = try store.undo.commands(of: 7)
    #expect(commands.map(\.method) == ["Remove", "Add"])
    #expect(commands.map(\.title) == [entry.reminder.title, entry.reminder.title])
    let step = try #require(try store.undo.steps(of: commands[0].seq).first)
    #expect(step.isUntouched)
    #expect(step.before?.reminder == entry.reminder)
    #expect(step.before?.history == entry.history)
    #expect(step.before?.standing.state == entry.standing.state)
    #expect(try store.undo.steps(of: commands[1].seq).first?.isUntouched == false)
  }

  /// Promise: undo-20.
  @Test func theLastTwentyCommandsOfAUserAreThere() throws {
    for number in 1...22 { try store.commit(changes("Add", [try Sample.placed("a\(number)")])) }
    let ids = try store.undo.commands(of: 7).flatMap { command in
      try store.undo.steps(of: command.seq).map(\.reminder)
    }
    #expect(ids == (3...22).reversed().map { "a\($0)" })
  }

  /// A command such as `done` changes the history alone.
  @Test func theMarkIsThatOfTheLastHistoryOfTheCommand() throws {
    let entry = try Sample.placed("a")
    try store.reminders.replace(entry)
    var command = changes("Done", [])
    command.command?.reminders = ["a"]
    var history = entry.history
    for isDone in [false, true] {
      history.isDone = isDone
      command.histories.append(Changes.Step(id: "a", history, Standing(state: .done)))
    }
    try store.commit(command)
    let seq = try #require(try store.undo.commands(of: 7).first?.seq)
    let step = try #require(try store.undo.steps(of: seq).first)
    #expect(step.isUntouched && step.before?.history == entry.history)
    history.isDone = false
    try store.reminders.update("a", history, entry.standing)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
  }

  /// The device comes and goes; that is no change of the reminder.
  @Test func aVisitIsNoChangeAndARepetitionIs() throws {
    let (reminder, _, standing) = try Sample.placed("a")
    var history = History()
    try store.commit(changes("Add", [(reminder, history, standing)]))
    let seq = try #require(try store.undo.commands(of: 7).first?.seq)
    history.stay = .inside(Stay.Visit(since: .start, settledUpTo: .forever, places: [1]))
    try store.reminders.update("a", history, standing)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == true)
    history.repetition = History.Repetition(next: .start, count: 1)
    try store.reminders.update("a", history, standing)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
  }

  /// What follows from the history and the zone is no part of the reminder.
  @Test func anotherZoneIsNoChange() throws {
    var (reminder, history, standing) = try Sample.dated("a", minutes: 60)
    try store.commit(changes("Add", [(reminder, history, standing)]))
    let seq = try #require(try store.undo.commands(of: 7).first?.seq)
    standing.due = standing.due.map { $0 - .hours(2) }
    standing.state = .fired
    try store.reminders.update("a", history, standing)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == true)
    history.lastRung = .start
    try store.reminders.update("a", history, standing)
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
    reminder.title = "Other"
    try store.reminders.replace((reminder, History(), standing))
    #expect(try store.undo.steps(of: seq).first?.isUntouched == false)
  }

  /// A row gets what the last change of its reminder leaves, and the mark names it.
  @Test func aReminderIsSavedAsItsLastHistoryLeavesIt() throws {
    let entry = try Sample.dated("a")
    var changes = changes("Add", [entry])
    var history = History()
    for (isDone, state) in [(false, Reminder.State.snoozed), (true, .done)] {
      history.isDone = isDone
      changes.histories.append(Changes.Step(id: "a", history, Standing(state: state)))
    }
    try store.commit(changes)
    let stored = try #require(try store.reminders.reminder(id: "a"))
    #expect(stored.history == history && stored.standing.state == .done)
    let command = try #require(try store.undo.commands(of: 7).first)
    #expect(try store.undo.steps(of: command.seq).map(\.isUntouched) == [true])
  }

  @Test func theFirstKnownIDIsFound() throws {
    for id in ["b", "c", "7"] { try store.reminders.replace(Sample.dated(id)) }
    #expect(try store.reminders.firstKnown(of: ["a", "c", "b"]) == "c")
    #expect(try store.reminders.firstKnown(of: ["7"]) == "7")
    #expect(try store.reminders.firstKnown(of: ["a", "d"]) == nil)
    #expect(try store.reminders.firstKnown(of: []) == nil)
  }

  /// A failure in the middle of the transaction leaves neither the command nor the change.
  @Test(arguments: [
    ["INSERT ON undo"], ["INSERT ON undo_reminder"], ["INSERT ON reminder", "DELETE ON reminder"],
  ])
  func aFailureUndoesTheWholeCommand(moments: [String]) throws {
    try store.commit(changes("Add", [Sample.dated("a", minutes: 1)]))
    for (number, moment) in moments.enumerated() {
      try store.database.execute(
        """
        CREATE TEMP TRIGGER fault\(number) BEFORE \(moment)
        BEGIN SELECT raise(ABORT, 'fault'); END
        """)
    }
    #expect(throws: StoreError.self) {
      try store.commit(changes("Import", [Sample.dated("b"), Sample.dated("c")]))
    }
    #expect(throws: StoreError.self) { try store.commit(changes("Remove", [], removing: ["a"])) }
    #expect(try store.reminders.all().values.map(\.reminder.id) == ["a"])
    #expect(try store.undo.commands(of: 7).map(\.method) == ["Add"])
  }
}
