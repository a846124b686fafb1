import Geodesy
import Reminders
import TestSupport
import Testing

@testable import Storage

@Suite struct PlaceAndCategoryTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func place(
    _ name: String, category: String? = nil, radius: Double = 150
  ) throws
    -> SavedPlace
  {
    let position = try #require(Coordinate(latitude: -90, longitude: 180))
    return SavedPlace(
      name: name, position: position, radius: radius, category: category, notes: "ä\nb")
  }

  // MARK: - Categories

  @Test func categoriesAreSortedAndUniqueWhateverTheCase() throws {
    try store.categories.add(Category(name: "boats", color: "#00ff7F"))
    let names = try store.categories.all().values.map(\.name)
    #expect(
      names == [
        "boats", "Food", "Health", "Home", "Leisure", "Other", "Shopping", "Travel", "Work",
      ])
    #expect(throws: StoreError.alreadyExists(what: "category", name: "BOATS")) {
      try store.categories.add(Category(name: "BOATS", color: "#000000"))
    }
    #expect(try store.categories.category(named: "Boats")?.color == "#00ff7F")
  }

  /// The first spelling of a category is that of its places.
  @Test func aPlaceHasTheCategoryAsItWasFirstSpelled() throws {
    try store.places.add(place("Rewe", category: "SHOPPING"))
    #expect(try store.places.place(named: "Rewe")?.category == "Shopping")
    try store.places.replace("Rewe", with: place("Rewe", category: "food"))
    #expect(try store.places.place(named: "Rewe")?.category == "Food")
    let batch = try store.imports.begin()
    try batch.add([
      (try place("a", category: "Fuel"), nil), (try place("b", category: "fuel"), nil),
      (try place("c", category: "TRAVEL"), nil), (try place("d", category: "Ärzte"), nil),
      (try place("e", category: "ärzte"), nil),
    ])
    try store.imports.finish(batch)
    #expect(
      try ["a", "b", "c", "d", "e"].map { try store.places.place(named: $0)?.category }
        == ["Fuel", "Fuel", "Travel", "Ärzte", "ärzte"])
  }

  @Test(arguments: ["", "red", "#12345", "#1234567", "#12345G", "123456", "#123456\n", "＃123456"])
  func aColourIsWrittenInSixDigits(color: String) throws {
    let error = #expect(throws: StoreError.self) {
      try store.categories.add(Category(name: "x", color: color))
    }
    guard case .invalid = error else { throw error ?? .unknownCategory("") }
  }

  @Test func aCategoryInUseIsNotRemovedAndNamesItsUsers() throws {
    try store.places.add(place("Rewe", category: "shopping"))
    let entry = try Sample.placed("r1", category: "SHOPPING")
    try store.reminders.replace(entry)
    let error = #expect(throws: StoreError.self) { try store.categories.remove(named: "Shopping") }
    #expect(
      error
        == .categoryInUse(name: "Shopping", places: ["Rewe"], reminders: ["r1"], total: 2))
    #expect(
      error?.description
        == "the category 'Shopping' is used by place 'Rewe', reminder 'r1'; "
        + "give these another category first")
    try store.places.remove(named: "rewe")
    try store.reminders.remove(id: "r1")
    #expect(try store.categories.remove(named: "Shopping"))
    #expect(try !store.categories.remove(named: "Shopping"))
  }

  @Test func aNewNameIsFollowedByAllThatUseIt() throws {
    try store.places.add(place("Rewe", category: "Shopping"))
    let entry = try Sample.placed("r1", category: "Shopping")
    try store.reminders.replace(entry)
    #expect(
      try store.categories.replace("shopping", with: Category(name: "Shops", color: "#010203")))
    #expect(try store.places.place(named: "Rewe")?.category == "Shops")
    #expect(try store.reminders.reminder(id: "r1")?.reminder.category == "Shops")
    #expect(throws: StoreError.alreadyExists(what: "category", name: "Work")) {
      try store.categories.replace("Shops", with: Category(name: "Work", color: "#010203"))
    }
    #expect(try store.reminders.reminder(id: "r1")?.reminder.category == "Shops")
    #expect(try !store.categories.replace("none", with: Category(name: "n", color: "#010203")))
  }

  // MARK: - Places

  /// Of a category that is large, as of one that is small.
  @Test(arguments: [40, 5100])
  func pagesOfACategoryAreByName(count: Int) throws {
    let expected = (0..<count).map { "p\(10_000 + $0)" }
    let batch = try store.imports.begin()
    try batch.add(try expected.reversed().map { (try place($0, category: "Food"), nil) })
    try batch.add(try (0..<30).map { (try place("p1\($0)x", category: "Other"), nil) })
    try store.imports.finish(batch)
    var names: [String] = []
    while true {
      let page = try store.places.page(after: names.last ?? "", inCategory: "food", limit: 999)
      guard !page.values.isEmpty else { break }
      names += page.values.map(\.name)
    }
    #expect(names == expected)
  }

  @Test func placesComeBackSorted() throws {
    for name in ["b", "A", "c"] { try store.places.add(place(name, category: "Food")) }
    try store.places.add(place("d"))
    #expect(try store.places.all().values.map(\.name) == ["A", "b", "c", "d"])
    #expect(try store.places.place(named: "a") == place("A", category: "Food"))
    #expect(try store.places.places(inCategory: "food").values.map(\.name) == ["A", "b", "c"])
    #expect(
      try store.places.page(after: "a", inCategory: nil, limit: 2).values.map(\.name) == ["b", "c"])
    #expect(
      try store.places.page(after: "", inCategory: "FOOD", limit: 9).values.map(\.name)
        == ["A", "b", "c"])
    #expect(throws: StoreError.alreadyExists(what: "place", name: "B")) {
      try store.places.add(place("B"))
    }
    #expect(try store.places.replace("B", with: place("z")))
    #expect(try !store.places.replace("B", with: place("z2")))
    #expect(try store.places.remove(named: "Z"))
    #expect(try !store.places.remove(named: "Z"))
  }

  @Test func aUserHasFiveHundredCategories() throws {
    func add(_ number: Int, _ owner: UInt32?) throws {
      try store.categories.add(Category(name: "c\(number)", color: "#000000", owner: owner))
    }
    for number in 1...500 { try add(number, 1_000) }
    let error = #expect(throws: StoreError.self) { try add(501, 1_000) }
    #expect("\(try #require(error))".contains("user 1000 has 500 already"))
    try add(502, 1_001)
    try add(503, nil)
  }

  @Test func aPlaceNeedsACategoryThatExists() throws {
    let error = #expect(throws: StoreError.self) {
      try store.places.add(place("p", category: "None"))
    }
    #expect(error == .unknownCategory("None"))
    #expect(
      error?.description == "there is no category 'None'; add the category first, or leave it out")
  }

  @Test(arguments: [0, 0.5, -1, .nan, .infinity, 5_000_000.1])
  func anImplausibleRadiusIsRefused(radius: Double) throws {
    #expect(throws: StoreError.self) { try store.places.add(place("p", radius: radius)) }
    #expect(try store.places.all().values.isEmpty)
  }
}
