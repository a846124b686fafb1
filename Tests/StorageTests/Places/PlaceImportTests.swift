import Geodesy
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct PlaceImportTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func place(
    _ name: String, _ latitude: Double = 0, _ longitude: Double = 0, category: String? = nil
  ) throws -> (place: SavedPlace, color: String?) {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    return (SavedPlace(name: name, position: position, radius: 100, category: category), nil)
  }

  private func names() throws -> [String] { try store.places.all().values.map(\.name) }

  @Test func nothingIsSeenBeforeTheEnd() throws {
    let batch = try store.imports.begin()
    try batch.add([try place("A", category: "Food"), try place("B", 1)])
    #expect(try names() == [])
    #expect(try store.places.place(named: "A") == nil)
    #expect(try store.places.search(PlaceQuery(words: "A")).isEmpty)
    #expect(try store.places.search(PlaceQuery(near: place("x").place.position)).isEmpty)
    #expect(try store.places.places(inCategory: "Food").values.isEmpty)
    try store.imports.finish(batch)
    #expect(try names() == ["A", "B"])
    #expect(try store.places.search(PlaceQuery(words: "A")).count == 1)
    #expect(batch.added == 2 && batch.known == 0)
  }

  @Test func anImportedPlaceIsRecognizedAgain() throws {
    try store.places.add(place("Rewe", 52.5, 13.4).place)
    let batch = try store.imports.begin()
    try batch.add([
      try place("rewe", 52.50001, 13.4), try place("Rewe", 52.501, 13.4),
      try place("Rewe", 52.502, 13.4), try place("Rewe", 52.50101, 13.4),
      try place("Rewe City", 52.5, 13.4),
    ])
    #expect(batch.added == 3 && batch.known == 2)
    try store.imports.finish(batch)
    #expect(try names() == ["Rewe", "Rewe (2)", "Rewe (3)", "Rewe City"])
    // All of it a second time.
    let again = try store.imports.begin()
    try again.add([
      try place("Rewe", 52.501, 13.4), try place("Rewe (2)", 52.501, 13.4),
      try place("Rewe", 52.5, 13.4), try place("Rewe City", 52.5, 13.4),
    ])
    #expect(again.added == 0 && again.known == 4)
    // The numbers go on.
    try again.add([try place("REWE", 1, 1)])
    try store.imports.finish(again)
    #expect(try names().contains("REWE (4)"))
  }

  @Test(arguments: [
    ("Rewe", true), ("Rewe (2)", true), ("Rewe (23)", true), ("Rewe (x)", false),
    ("Rewe 2", false), ("Rewe City", false), ("Rewe (2) x", false),
  ]) func numberedNamesAreTheSame(_ name: String, _ isSame: Bool) {
    #expect(PlaceImport.isSame(name, as: "Rewe") == isSame)
  }

  @Test func knownAcrossTheAntimeridianAndAtThePole() throws {
    let batch = try store.imports.begin()
    try batch.add([
      try place("D", 0, 179.99999), try place("D", 0, -179.99999), try place("D", 0, 180),
      try place("P", 90, 0), try place("P", 89.9999, 135),
    ])
    #expect(batch.added == 2 && batch.known == 3)
  }

  @Test func aWrongPlaceUndoesItsCall() throws {
    let batch = try store.imports.begin()
    var bad = try place("bad")
    bad.place.radius = -1
    #expect(throws: StoreError.self) { try batch.add([try place("good", category: "New"), bad]) }
    #expect(batch.added == 0)
    try batch.add([try place("good", category: "New")])
    try store.imports.finish(batch)
    #expect(try names() == ["good"])
    #expect(try store.categories.category(named: "New")?.color == Category.neutralColor)
  }

  @Test func anAbandonedImportIsRemovedInParts() throws {
    try store.places.add(place("Kept").place)
    let batch = try store.imports.begin()
    try batch.add(try (0..<25).map { try place("p\($0)", Double($0), category: "New") })
    let other = try store.imports.begin()
    try other.add([try place("Other", 50, category: "Mine")])
    try store.imports.abandon(id: batch.id)
    #expect(try store.imports.purge(limit: 10))
    #expect(try store.database.integer("SELECT count(*) FROM place") == 17)
    while try store.imports.purge(limit: 10) {}
    #expect(try store.database.integer("SELECT count(*) FROM place") == 2)
    #expect(try store.categories.category(named: "New") == nil)
    try store.imports.finish(other)
    #expect(try names() == ["Kept", "Other"])
    #expect(try store.categories.category(named: "Mine") != nil)
    try store.database.execute("INSERT INTO place_words (place_words) VALUES ('integrity-check')")
  }

  /// Much memory only while places come in.
  @Test func memoryIsGivenBackAtTheEnd() throws {
    func cache() throws -> Int64? { try store.database.integer("PRAGMA cache_size") }
    let usual = try cache()
    let batch = try store.imports.begin()
    try batch.add([try place("A")])
    #expect(try cache() == -Int64(Database.importCache))
    try store.imports.settle()
    #expect(try cache() == usual)
    try batch.add([try place("B")])
    #expect(try cache() == -Int64(Database.importCache), "it goes on after a pause")
    try store.imports.finish(batch)
    #expect(try cache() == usual)
    #expect(try names() == ["A", "B"])
  }

  /// A step that the disk refuses takes those before it along: such an import cannot be finished,
  /// the next one can.
  @Test func aStepThatTheDiskRefusesEndsTheImport() throws {
    try store.database.execute(
      """
      CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.place WHEN NEW.name = 'C'
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
      """)
    let batch = try store.imports.begin()
    try batch.add([try place("A", category: "New")])
    #expect(throws: StoreError.self) { try batch.add([try place("B"), try place("C")]) }
    #expect(batch.added == 1)
    try batch.add([try place("D", category: "New")])
    #expect(throws: StoreError.self) { try store.imports.finish(batch) }
    #expect(try names() == [])
    try store.imports.abandon(id: batch.id)
    while try store.imports.purge(limit: 10) {}
    let next = try store.imports.begin()
    try next.add([try place("A"), try place("B")])
    try store.imports.finish(next)
    #expect(try names() == ["A", "B"])
    try store.database.execute("INSERT INTO place_words (place_words) VALUES ('integrity-check')")
  }

  @Test func anInterruptedImportNeverAppears() throws {
    let batch = try store.imports.begin()
    try batch.add([try place("A")])
    store.close()
    let reopened = try Store(in: folder)
    #expect(try reopened.places.all().values.isEmpty)
    #expect(try reopened.imports.abandonAll())
    while try reopened.imports.purge(limit: 10) {}
    #expect(try !reopened.imports.abandonAll())
    #expect(try reopened.database.integer("SELECT count(*) FROM place") == 0)
  }

  /// Another connection sees what is on disk: a firing must not wait for the import beside it.
  @Test func otherWritesDoNotWaitForAnImport() throws {
    let reader = try Database(path: store.database.path)
    func count(_ table: String) throws -> Int64? {
      try reader.integer("SELECT count(*) FROM \(table)")
    }
    let batch = try store.imports.begin()
    try batch.add([try place("A")])
    #expect(try count("place") == 0)
    let entry = try Sample.placed("r1", category: nil)
    try store.reminders.replace(entry)
    #expect(try count("reminder") == 1)
    #expect(try count("place") == 1)
    try batch.add([try place("B", 1)])
    #expect(throws: StoreError.self) { try store.places.add(place("A").place) }
    try store.imports.settle()
    #expect(try count("place") == 2)
    try store.imports.finish(batch)
    #expect(try names() == ["A", "B"])
  }

  @Test func rolledBackRowsAreNoticed() throws {
    let batch = try store.imports.begin()
    try batch.add([try place("A"), try place("B", 1)])
    try store.database.run("DELETE FROM place WHERE name = 'B'")
    #expect(throws: StoreError.self) { try store.imports.finish(batch) }
    #expect(try names() == [])
  }

  /// The name stays free for others only as long as nobody took it; then there is a number.
  @Test func anUnfinishedImportHoldsItsNames() throws {
    let first = try store.imports.begin()
    try first.add([try place("A")])
    let second = try store.imports.begin()
    try second.add([try place("A")])
    #expect(second.added == 1, "what is not there yet is not known")
    try store.imports.abandon(id: first.id)
    try store.imports.finish(second)
    #expect(try names() == ["A (2)"])
  }

  @Test func followersAreTheRemindersMadeFromAPlace() throws {
    let saved = try place("Rewe", 52.5, 13.4).place
    try store.places.add(saved)
    let entry = try Sample.placed("r1", category: nil)
    try store.reminders.replace(entry)
    #expect(try store.places.followers(of: saved).isEmpty)
    var follower = entry.reminder
    follower.id = "r2"
    follower.place = .init(name: "rewe", position: saved.position, radius: 60)
    try store.reminders.replace(follower, history: entry.history, state: entry.standing.state)
    #expect(try store.places.followers(of: saved) == ["r2"])
  }
}
