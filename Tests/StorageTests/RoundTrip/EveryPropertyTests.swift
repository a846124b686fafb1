import CivilTime
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Storage

/// Every property of the model goes through the store, the texts and the undo log unchanged.
///
/// Whoever adds a property adds it to `FullSample`; without that, the first test fails.
@Suite struct EveryPropertyTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The name of a category's place is filled in before a firing is stored.
  private static let transient = ["Firing.unnamed"]

  /// Each reminder with each history.
  private static func entries() throws -> [ReminderStore.Entry] {
    try FullSample.histories.enumerated().flatMap { number, history in
      try FullSample.reminders().map { reminder in
        var reminder = reminder
        reminder.id += "-\(number)"
        return (
          reminder, history, Standing(state: reminder.state, due: .start + .minutes(Double(number)))
        )
      }
    }
  }

  private func expectSame(
    _ found: ReminderStore.Entry?, _ entry: ReminderStore.Entry,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try #require(found, sourceLocation: location)
    #expect(
      StoredProperties.differences(found.reminder, entry.reminder) == [],
      sourceLocation: location)
    #expect(
      StoredProperties.differences(found.history, entry.history) == [], sourceLocation: location)
  }

  @Test func theSamplesSetEveryProperty() throws {
    let samples: [Any] =
      try FullSample.reminders() + FullSample.histories
      + [FullSample.consumer, FullSample.firing, Standing(state: .done, due: .start)]
    #expect(
      StoredProperties.unset(in: samples, blanks: FullSample.blanks) == Self.transient)
  }

  @Test func reflectionFindsWhatDiffers() throws {
    let entry = try #require(try Self.entries().first)
    #expect(StoredProperties.differences(entry.reminder, entry.reminder) == [])
    var reminder = entry.reminder
    reminder.place?.radius = 1
    reminder.repeatChanges.zone = nil
    reminder.source?.standing = ""
    #expect(
      StoredProperties.differences(entry.reminder, reminder)
        == ["place.radius", "source.standing", "storedChanges.zone"])
    #expect(
      StoredProperties.unset(in: [Reminder.Source(file: "a", standing: "")], blanks: [])
        == ["Source.standing"])
    var history = entry.history
    history.stay = .outside(since: nil)
    history.repetition = nil
    #expect(
      StoredProperties.differences(entry.history, history) == [
        "repetition.count", "repetition.next", "stay.inside.places", "stay.inside.settledUpTo",
        "stay.inside.since", "stay.outside.since",
      ])
  }

  // MARK: - Reminders

  @Test func theStoreKeepsThem() throws {
    let entries = try Self.entries()
    do {
      let store = try Store(in: folder)
      for entry in entries { try store.reminders.replace(entry) }
      store.close()
    }
    let store = try Store(in: folder)
    #expect(try store.reminders.all().problems == [])
    for entry in entries {
      let found = try store.reminders.reminder(id: entry.reminder.id)
      try expectSame(found, entry)
      #expect(found?.standing == entry.standing)
    }
  }

  @Test func aLaterHistoryReplacesTheFirst() throws {
    let store = try Store(in: folder)
    for entry in try Self.entries() {
      try store.reminders.replace(entry.reminder)
      try store.reminders.update(entry.reminder.id, entry.history, entry.standing)
      try expectSame(try store.reminders.reminder(id: entry.reminder.id), entry)
    }
  }

  @Test func aRecoveredStoreHasThem() throws {
    let entries = try Self.entries()
    do {
      let store = try Store(in: folder)
      for entry in entries { try store.reminders.replace(entry) }
      try store.ledger.record([FullSample.firing])
      try store.consumers.set(FullSample.consumer)
      store.close()
    }
    var bytes = try fileBytes(folder.database)
    for index in 0..<16 { bytes[index] = 0x55 }
    try writeFile(folder.database, bytes)
    let store = try Store(in: folder)
    guard case .replaced = store.report.action else {
      Issue.record("not replaced: \(store.report)")
      return
    }
    for entry in entries {
      let found = try store.reminders.reminder(id: entry.reminder.id)
      try expectSame(found, entry)
      #expect(found?.standing == entry.standing)
    }
    #expect(try store.ledger.firings().values.map(\.firing) == [FullSample.firing])
    #expect(try store.consumers.all() == [FullSample.consumer])
  }

  @Test func theTextsHaveThem() throws {
    for entry in try Self.entries() {
      let line = JSONValue.object(entry.reminder.json).line
      let document = try #require(try JSONParser.parse(line).object)
      let found = (
        reminder: try Reminder(json: document), history: try History(text: entry.history.text),
        standing: entry.standing
      )
      try expectSame(found, entry)
    }
    #expect(History().text == nil)
    #expect(try History(text: nil) == History())
  }

  @Test func theLeadsOfAnOlderHistoryAreRead() throws {
    let text = #"{"v":1,"leads_of":"2026-11-21T12:00:00","leads":2}"#
    #expect(try History(text: text).leadsUsed == [.noon: 2])
  }

  /// A stored text outlives the program that wrote it: its members only grow.
  @Test func theMembersOfAHistoryKeepTheirNames() throws {
    let (inside, outside) = (FullSample.histories[0], FullSample.histories[1])
    #expect(
      inside.text == """
        {"v":1,"used":"2026-11-21T12:00:00","leads":{"9999-12-31T23:59:59":2},\
        "stay":"inside","since":1795230000000000,"settled":"2026-11-21T12:00:00",\
        "places":[3,7,1099511627776],"silent":1795230999999999,"rung":1795230000000001,\
        "rung_again":1795230060000001,\
        "open":true,"again":1795230420000000,"repeated":3,"done":true,"expired":true,"unread":true,\
        "there":1795230120000000,"members":{"anna":true,"ben":false},"mover":"anna",\
        "early_from":"2026-11-21T12:00:00.000001","early_to":"2026-11-21T12:00:00",\
        "early_leads":1,"early_rung":1795230003000000}
        """)
    #expect(
      outside.text == """
        {"v":1,"stay":"outside","since":1795230060000000,"silent":"next-visit",\
        "early_from":"2026-11-21T12:00:00","early_to":"9999-12-31T23:59:59",\
        "early_rung":1795230000000000}
        """)
  }

  // MARK: - Undo

  private func commit(
    _ method: String, to store: Store, saving saved: [ReminderStore.Entry] = [],
    removing: [String] = []
  ) throws -> Int64 {
    var changes = Changes()
    changes.saved = saved
    changes.forgotten = removing
    changes.command = UserCommand(user: 7, method: method, time: .start)
    changes.command?.reminders = saved.map(\.reminder.id) + removing
    try store.commit(changes)
    return try #require(try store.undo.commands(of: 7).first?.seq)
  }

  @Test func theStepsOfAnEditHaveThem() throws {
    let store = try Store(in: folder)
    let entries = try Self.entries()
    let add = try commit("Add", to: store, saving: entries)
    #expect(try store.undo.steps(of: add).allSatisfy { $0.isUntouched && $0.before == nil })
    let edit = try commit(
      "Edit", to: store,
      saving: entries.map { entry in
        (
          Reminder(id: entry.reminder.id, kind: .date, title: "Other", due: .floating(.noon)),
          History(), Standing(state: .armed)
        )
      })
    let steps = try store.undo.steps(of: edit)
    #expect(steps.count == entries.count && steps.allSatisfy(\.isUntouched))
    for entry in entries {
      let step = steps.first { $0.reminder == entry.reminder.id }
      try expectSame(step?.before, entry)
      #expect(step?.before?.standing.state == entry.standing.state)
    }
  }

  @Test func aRemovalThatIsTakenBackHasThem() throws {
    let store = try Store(in: folder)
    let entries = try Self.entries()
    for entry in entries { try store.reminders.replace(entry) }
    let order = try store.reminders.all().values.map(\.reminder.id)
    let remove = try commit("Remove", to: store, removing: Array(order.dropLast()))
    #expect(try store.reminders.count() == 1)
    try store.database.transaction { () throws(StoreError) in try store.undo.takeBack(remove) }
    #expect(try store.reminders.all().values.map(\.reminder.id) == order)
    for entry in entries {
      try expectSame(try store.reminders.reminder(id: entry.reminder.id), entry)
    }
    #expect(try store.undo.commands(of: 7) == [])
  }

  // MARK: - The ledger

  @Test func theLedgerKeepsThem() throws {
    let store = try Store(in: folder)
    try store.ledger.record([FullSample.firing])
    try store.consumers.set(FullSample.consumer)
    store.close()
    let next = try Store(in: folder)
    let firing = try #require(try next.ledger.firings().values.first)
    #expect(StoredProperties.differences(firing.firing, FullSample.firing) == [])
    let consumer = try #require(try next.consumers.consumer(named: FullSample.consumer.name))
    #expect(StoredProperties.differences(consumer, FullSample.consumer) == [])
  }
}
