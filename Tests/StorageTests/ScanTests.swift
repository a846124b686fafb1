import CivilTime
import Geodesy
import Reminders
import TestSupport
import Testing

@testable import Storage

/// The quick way to read all reminders against the thorough one.
@Suite struct ScanTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func scannedIsAsRead() throws {
    let store = try Store(in: folder)
    var placed = try Sample.placed("placed", category: "Food")
    placed.progress.placesInside = [3, 7, 1 << 40]
    placed.progress.nextLook = nil
    let dated = try Sample.dated("dated", minutes: 5)
    var leaving = dated
    leaving.reminder.id = "leaving"
    leaving.reminder.kind = .preemptive
    leaving.reminder.place = placed.reminder.place
    leaving.reminder.transport = .walking
    var near = placed
    near.reminder.id = "near"
    near.reminder.place = nil
    near.reminder.nearCategory = "Food"
    near.reminder.nearRadius = 80
    for entry in [placed, dated, leaving, near] {
      try store.reminders.push(entry.reminder, entry.progress)
    }
    var scanned: [ReminderStore.Entry] = []
    let problems = try store.reminders.scan { entry in
      guard var reminder = try? entry.packed.unpacked() else { return }
      reminder.state = entry.progress.state
      scanned.append((reminder, entry.progress))
    }
    #expect(problems.isEmpty)
    let read = try store.reminders.all().values
    #expect(scanned.map(\.reminder) == read.map(\.reminder))
    #expect(scanned.map(\.progress) == read.map(\.progress))
    #expect(read.map(\.reminder) == [placed, dated, leaving, near].map(\.reminder))
    #expect(read.map(\.progress) == [placed, dated, leaving, near].map(\.progress))
  }

  /// By ids, categories and places, by which there are indexes, they would come in another order.
  @Test func comesInTheOrderOfArrivalAgainAndAgain() throws {
    let store = try Store(in: folder)
    func ids() throws -> [String] {
      var ids: [String] = []
      _ = try store.reminders.scan { ids.append((try? $0.packed.unpacked().id) ?? "") }
      return ids
    }
    #expect(try ids() == [])
    for id in ["m", "z", "a", "k"] {
      let entry = try Sample.placed(id, category: id.uppercased())
      try store.reminders.push(entry.reminder, entry.progress)
    }
    #expect(try ids() == ["m", "z", "a", "k"])
    try store.reminders.remove(id: "z")
    let new = try Sample.placed("b")
    try store.reminders.push(new.reminder, new.progress)
    #expect(try ids() == ["m", "a", "k", "b"])
  }

  /// Lengths take another byte from 128 and from 16 384 bytes on.
  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 70_000])
  func longTextsAreWhole(length: Int) throws {
    let store = try Store(in: folder)
    var entry = try Sample.placed("long")
    let text = String(repeating: "x", count: length)
    entry.reminder.title = "T" + text
    entry.reminder.category = text.isEmpty ? nil : "C" + text
    try store.reminders.push(entry.reminder, entry.progress)
    var scanned: [Reminder] = []
    _ = try store.reminders.scan { if let one = try? $0.packed.unpacked() { scanned.append(one) } }
    #expect(scanned.map(\.title) == [entry.reminder.title])
    #expect(scanned.map(\.category) == [entry.reminder.category])
    #expect(scanned.map(\.notes) == [entry.reminder.notes])
  }

  @Test func placesComeByNumber() throws {
    let store = try Store(in: folder)
    let position = try #require(Coordinate(latitude: 53.5, longitude: 10))
    for name in ["Rewe", "Aldi", "Home"] {
      try store.places.add(
        SavedPlace(
          name: name, position: position, radius: 60, category: name == "Home" ? nil : "Food"))
    }
    let aldi = try #require(try store.places.number(named: "aldi"))
    let rewe = try #require(try store.places.number(named: "Rewe"))
    #expect(try store.places.place(number: aldi)?.name == "Aldi")
    let numbered = try store.places.numbered(inCategory: "FOOD")
    #expect(
      numbered.values
        == [rewe, aldi].map { NumberedPlace(number: $0, position: position, radius: 60) })
    #expect(try store.places.numbered(inCategory: "Work").values.isEmpty)
  }

  @Test func aZoneIsKnownOnceItIsKept() throws {
    let store = try Store(in: folder)
    let berlin = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    #expect(try !store.state.isKept(in: berlin))
    var changes = Changes()
    changes.zoneFingerprint = berlin.fingerprint
    try store.commit(changes)
    #expect(try store.state.isKept(in: berlin))
    #expect(try !store.state.isKept(in: .utc))
    let earlier = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.4.0/3"))
    #expect(try !store.state.isKept(in: earlier))
  }
}
