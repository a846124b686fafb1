import CivilTime
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct ReminderStoreTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func push(_ entry: ReminderStore.Entry) throws {
    try store.reminders.replace(entry)
  }

  @Test func everyFieldComesBack() throws {
    let entry = try Sample.placed("a", category: "shopping")
    try push(entry)
    let kept = try #require(try store.reminders.reminder(id: "a"))
    #expect(kept.reminder == entry.reminder)
    #expect(kept.history == entry.history)
    #expect(kept.standing == entry.standing)
    #expect(kept.reminder.unknown == entry.reminder.unknown)
    #expect(kept.reminder.json == entry.reminder.json)
    #expect(try store.reminders.reminder(id: "b") == nil)
  }

  @Test func theStateComesFromTheStanding() throws {
    var entry = try Sample.dated("a", minutes: 1)
    try push(entry)
    entry.standing.state = .fired
    #expect(try store.reminders.update("a", entry.history, entry.standing))
    #expect(try store.reminders.reminder(id: "a")?.reminder.state == .fired)
    #expect(try !store.reminders.update("b", entry.history, entry.standing))
  }

  @Test(arguments: ["2026-11-21T09:30:00", "2026-11-21T09:30:00.25+01:00", "2026-11-21"])
  func dueKeepsItsForm(text: String) throws {
    var entry = try Sample.dated("a")
    entry.reminder.due = try TimeStamp(parsing: text)
    try push(entry)
    #expect(try store.reminders.reminder(id: "a")?.reminder.due == entry.reminder.due)
  }

  @Test func anUnreadableReminderIsNotStored() throws {
    var entry = try Sample.dated("a")
    entry.reminder.due = nil
    #expect(throws: StoreError.self) { try push(entry) }
    entry = try Sample.dated("has space")
    #expect(throws: StoreError.self) { try push(entry) }
    #expect(try store.reminders.count() == 0)
  }

  // MARK: - Order

  @Test func theNearestDateComesFirst() throws {
    try push(Sample.dated("undated"))
    try push(Sample.dated("late", minutes: 60))
    try push(Sample.dated("soon", minutes: 5))
    try push(Sample.dated("soon-too", minutes: 5))
    try push(Sample.dated("soon-urgent", minutes: 5, priority: 1))
    try push(Sample.dated("soon-minor", minutes: 5, priority: 9))
    try push(Sample.placed("elsewhere"))
    var order: [String] = []
    while let entry = try store.reminders.peek(kind: .date) {
      order.append(entry.reminder.id)
      try store.reminders.update(entry.reminder.id, History(), Standing(state: .done))
    }
    // Priority 0 says nothing and stands behind 9.
    #expect(order == ["soon-urgent", "soon-minor", "soon", "soon-too", "late", "undated"])
    #expect(try store.reminders.peek(kind: .location)?.reminder.id == "elsewhere")
    #expect(try store.reminders.peek(kind: .preemptive) == nil)
    #expect(try store.reminders.count() == 7)
  }

  @Test func aCompletedReminderIsNoLongerNext() throws {
    try push(Sample.dated("a", minutes: 1))
    #expect(try store.reminders.peek(kind: .date)?.reminder.id == "a")
    #expect(try store.reminders.peek(kind: .date)?.standing.state == .armed)
    try store.reminders.update("a", History(), Standing(state: .done))
    #expect(try store.reminders.peek(kind: .date) == nil)
    #expect(try store.reminders.reminder(id: "a")?.standing.state == .done)
  }

  @Test func aSnoozedReminderIsSortedByItsNewTime() throws {
    try push(Sample.dated("a", minutes: 1))
    var entry = try Sample.dated("b", minutes: 0)
    entry.standing.state = .snoozed
    entry.history.silence = .until(.start + .minutes(2))
    try push(entry)
    #expect(try store.reminders.peek(kind: .date)?.reminder.id == "a")
    entry.history.silence = .until(.start + .seconds(59))
    try store.reminders.update("b", entry.history, entry.standing)
    #expect(try store.reminders.peek(kind: .date)?.reminder.id == "b")
  }

  @Test func theQueueUsesItsIndex() throws {
    let plan = try store.database.rows(
      of: "plan",
      """
      EXPLAIN QUERY PLAN SELECT seq FROM reminder WHERE kind = 'date'
      AND state IN ('armed', 'snoozed') ORDER BY nearest_us, urgency, seq
      """
    ) { (row) throws(RowFault) in try row.text("detail") }.values
    #expect(plan.count == 1)
    #expect(plan.first?.contains("reminder_nearest") == true)
  }

  /// Against a plain sort, with a seeded generator.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func theOrderIsThatOfASort(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var expected: [(Int, Int, Int, String)] = []
    for number in 0..<60 {
      let minutes = Int(random.next() % 8)
      let priority = Int(random.next() % 10)
      let isUndated = minutes == 7
      try push(Sample.dated("r\(number)", minutes: isUndated ? nil : minutes, priority: priority))
      expected.append(
        (isUndated ? .max : minutes, priority == 0 ? 10 : priority, number, "r\(number)"))
    }
    expected.sort { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
    for entry in expected {
      #expect(try store.reminders.peek(kind: .date)?.reminder.id == entry.3)
      try store.reminders.update(entry.3, History(), Standing(state: .done))
    }
  }

  // MARK: - Look-up and changes

  @Test func aPrefixFindsIds() throws {
    for id in ["ab", "abc", "abd", "b", "Ü1", "a%", "a_"] { try push(Sample.dated(id)) }
    let store = store.reminders
    #expect(try store.find(prefix: "ab") == ["ab"])
    #expect(try store.find(prefix: "abc") == ["abc"])
    #expect(try store.find(prefix: "a") == ["a%", "a_", "ab", "abc", "abd"])
    #expect(try store.find(prefix: "a", limit: 2) == ["a%", "a_"])
    #expect(try store.find(prefix: "a%") == ["a%"])
    #expect(try store.find(prefix: "Ü") == ["Ü1"])
    #expect(try store.find(prefix: "x") == [])
    #expect(try store.find(prefix: "").count == 7)
  }

  @Test func replaceKeepsTheOrder() throws {
    try push(Sample.dated("a", minutes: 5))
    try push(Sample.dated("b", minutes: 5))
    var entry = try Sample.dated("a", minutes: 5)
    entry.reminder.title = "New"
    try store.reminders.replace(entry)
    let new = try Sample.dated("c")
    try store.reminders.replace(new)
    #expect(try store.reminders.all().values.map(\.reminder.id) == ["a", "b", "c"])
    #expect(try store.reminders.peek(kind: .date)?.reminder.title == "New")
    #expect(try store.reminders.remove(id: "b"))
    #expect(try !store.reminders.remove(id: "b"))
  }

  @Test func allAreReadWithOneStatement() throws {
    let entry = try Sample.placed("a")
    try store.database.transaction { () throws(StoreError) in
      for number in 0..<200 {
        var reminder = entry.reminder
        reminder.id = "r\(number)"
        try store.reminders.replace(reminder, history: entry.history, state: entry.standing.state)
      }
    }
    let prepared = store.database.preparedCount
    #expect(try store.reminders.all().values.count == 200)
    #expect(store.database.preparedCount == prepared + 1)
    for number in 0..<50 {
      var changes = Changes()
      changes.histories = [Changes.Step(id: "r\(number)", entry.history, entry.standing)]
      try store.commit(changes)
    }
    #expect(store.database.preparedCount == prepared + 2)
  }
}
