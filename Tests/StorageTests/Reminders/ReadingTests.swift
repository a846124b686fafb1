import CivilTime
import Departure
import Geodesy
import Reminders
import TestSupport
import Testing

@testable import Storage

/// Reading all reminders one by one, and what a start reads beside them.
@Suite struct ReadingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func eachIsReadAsItWasWritten() throws {
    let store = try Store(in: folder)
    var placed = try Sample.placed("placed", category: "Food")
    placed.history.stay = .inside(Stay.Visit(since: .start, places: [3, 7, 1 << 40]))
    let dated = try Sample.dated("dated", minutes: 5)
    var leaving = dated
    leaving.reminder.id = "leaving"
    leaving.reminder.kind = .preemptive
    leaving.reminder.place = placed.reminder.place
    leaving.reminder.transport = .walking
    var sailing = leaving
    sailing.reminder.id = "sailing"
    sailing.reminder.transport = .boat
    var near = placed
    near.reminder.id = "near"
    near.reminder.place = nil
    near.reminder.nearCategory = "Food"
    near.reminder.nearRadius = 80
    let entries = [placed, dated, leaving, sailing, near]
    for entry in entries {
      try store.reminders.replace(entry)
    }
    let (each, problems) = try store.reminders.all()
    #expect(problems.isEmpty)
    let read = try store.reminders.page(bytes: .max) { $0 }.values.map(\.value)
    #expect(each.map(\.reminder) == read.map(\.reminder))
    #expect(each.map(\.history) == read.map(\.history))
    #expect(each.map(\.standing) == read.map(\.standing))
    #expect(read.map(\.reminder) == entries.map(\.reminder))
    #expect(read.map(\.history) == entries.map(\.history))
    #expect(read.map(\.standing) == entries.map(\.standing))
  }

  /// By ids, categories and places, by which there are indexes, they would come in another order.
  @Test func comesInTheOrderOfArrivalAgainAndAgain() throws {
    let store = try Store(in: folder)
    func ids() throws -> [String] {
      var ids: [String] = []
      _ = try store.reminders.forEach { ids.append($0.reminder.id) }
      return ids
    }
    #expect(try ids() == [])
    for id in ["m", "z", "a", "k"] {
      let entry = try Sample.placed(id, category: id.uppercased())
      try store.reminders.replace(entry)
    }
    #expect(try ids() == ["m", "z", "a", "k"])
    try store.reminders.remove(id: "z")
    let new = try Sample.placed("b")
    try store.reminders.replace(new)
    #expect(try ids() == ["m", "a", "k", "b"])
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
    let numbered = try store.places.numbered(inCategory: "FOOD").rows
    #expect(
      numbered.values
        == [rewe, aldi].map { NumberedPlace(number: $0, position: position, radius: 60) })
    #expect(try store.places.numbered(inCategory: "Work").rows.values.isEmpty)
  }
}
