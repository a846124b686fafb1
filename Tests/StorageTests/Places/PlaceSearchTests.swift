import Geodesy
import TestSupport
import Testing

@testable import Storage

@Suite struct PlaceSearchTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(in: folder)
  }

  private func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  private func add(
    _ name: String, _ latitude: Double = 0, _ longitude: Double = 0, category: String? = nil,
    notes: String? = nil
  ) throws {
    try store.places.add(
      SavedPlace(
        name: name, position: try point(latitude, longitude), radius: 100, category: category,
        notes: notes))
  }

  private func names(_ query: PlaceQuery) throws -> [String] {
    try store.places.search(query).map(\.place.name)
  }

  // MARK: - Words

  @Test func findsByWordsOfNamesAndNotes() throws {
    try add("Bäckerei Müller", notes: "Hauptstraße 5")
    try add("Mueller's Café")
    try add("Supermarkt", notes: "beim Bäcker")
    for (words, expected) in [
      ("bäck", ["Bäckerei Müller", "Supermarkt"]), ("BACKER", ["Bäckerei Müller", "Supermarkt"]),
      ("mull", ["Bäckerei Müller"]), ("cafe", ["Mueller's Café"]), ("haupt 5", ["Bäckerei Müller"]),
      ("bäck beim", ["Supermarkt"]), ("ckerei", []), ("none", []), ("", []), (" \" * ", []),
      ("AND", []), ("NEAR(a b)", []), ("name:cafe", []), ("mueller's", ["Mueller's Café"]),
    ] {
      #expect(try names(PlaceQuery(words: words)) == expected, "\(words)")
    }
  }

  /// Beginnings count where whole words give too few.
  @Test func wholeWordsComeBeforeBeginnings() throws {
    try add("Bergstraße West")
    try add("Berg Westtor")
    #expect(try names(PlaceQuery(words: "berg west")) == ["Berg Westtor", "Bergstraße West"])
    #expect(try names(PlaceQuery(words: "berg west", limit: 1)) == ["Berg Westtor"])
    #expect(try names(PlaceQuery(words: "be we", limit: 2)).count == 2)
  }

  /// A beginning is spelt out where it stands for few words, and left to SQLite where for many.
  @Test(arguments: [1, 63, 64, 65, 200])
  func aBeginningStandsForHoweverManyWords(count: Int) throws {
    for number in 0..<count { try add("Kirchweg\(number) Nord") }
    try add("Kirchner Süd")
    try add("Kirsche Nord")
    #expect(try names(PlaceQuery(words: "KIRCHW", limit: 300)).count == count)
    #expect(try names(PlaceQuery(words: "nord kirch", limit: 300)).count == count)
    #expect(try names(PlaceQuery(words: "kirch no", limit: 300)).count == count)
    #expect(try names(PlaceQuery(words: "kirch", limit: 300)).count == count + 1)
    #expect(try names(PlaceQuery(words: "süd kirchn")) == ["Kirchner Süd"])
  }

  /// Many places, all of them far away, on both sides of the antimeridian.
  @Test func findsTheNearestOfManyFromFarAway() throws {
    let batch = try store.imports.begin()
    var all: [(name: String, position: Coordinate)] = []
    for number in 0..<2200 {
      let longitude = number % 2 == 0 ? 179 + Double(number) / 2200 : -179 - Double(number) / 2200
      all.append(("p\(number)", try point(-20 - Double(number % 97) / 10, longitude)))
    }
    try batch.add(
      all.map { (SavedPlace(name: $0.name, position: $0.position, radius: 50), nil) })
    try store.imports.finish(batch)
    for near in [try point(52, 13), try point(-21, 170), try point(-21, -170), try point(89, 0)] {
      let expected = all.sorted { $0.position.distance(to: near) < $1.position.distance(to: near) }
      let found = try store.places.search(PlaceQuery(near: near, limit: 30))
      #expect(found.count == 30)
      for (place, other) in zip(found, expected) {
        let distance = other.position.distance(to: near)
        #expect(abs((place.distance ?? .nan) - distance) < 0.001)
      }
    }
  }

  @Test func wordsFollowChanges() throws {
    try add("Alpha")
    let place = SavedPlace(name: "Beta", position: try point(1, 2), radius: 5, notes: "gamma")
    try store.places.replace("alpha", with: place)
    #expect(try names(PlaceQuery(words: "alpha")) == [])
    #expect(try names(PlaceQuery(words: "gamma")) == ["Beta"])
    try store.places.remove(named: "Beta")
    #expect(try names(PlaceQuery(words: "beta")) == [])
    try store.database.execute("INSERT INTO place_words (place_words) VALUES ('integrity-check')")
  }

  // MARK: - Distance

  @Test func theNearestComeFirst() throws {
    try add("far", 10, 10, category: "Food")
    try add("near", 0.1, 0)
    try add("here", 0, 0, category: "Food")
    let here = try point(0, 0)
    let found = try store.places.search(PlaceQuery(near: here))
    #expect(found.map(\.place.name) == ["here", "near", "far"])
    #expect(found[0].distance == 0)
    #expect(try names(PlaceQuery(near: here, limit: 1)) == ["here"])
    #expect(try names(PlaceQuery(near: here, within: 20_000)) == ["here", "near"])
    #expect(try names(PlaceQuery(category: "food", near: here)) == ["here", "far"])
    #expect(try names(PlaceQuery(category: "Food", near: try point(9, 9))) == ["far", "here"])
    #expect(try names(PlaceQuery(words: "fa", category: "Food", near: here)) == ["far"])
    #expect(try names(PlaceQuery(near: here, within: 0)) == ["here"])
    #expect(try names(PlaceQuery(limit: 0)) == [])
  }

  /// Against a look at every place, from everywhere, poles and antimeridian included.
  @Test func searchAgreesWithAScanOfAllPlaces() throws {
    let seed: UInt64 = 11
    var random = SeededGenerator(seed: seed)
    func somewhere() throws -> Coordinate {
      let seams: [Double] = [-180, 179.99, 180, -179.99, 0]
      let isPolar = Int.random(in: 0..<4, using: &random) == 0
      let north = Double.random(in: isPolar ? 89...90 : -90...90, using: &random)
      var east = Double.random(in: -180...180, using: &random)
      if Bool.random(using: &random) { east = seams.randomElement(using: &random) ?? 0 }
      return try point(Bool.random(using: &random) ? north : -north, east)
    }
    var places: [SavedPlace] = []
    for index in 0..<300 {
      let place = SavedPlace(name: "p\(index)", position: try somewhere(), radius: 10)
      try store.places.add(place)
      places.append(place)
    }
    for _ in 0..<150 {
      let center = try somewhere()
      let reaches: [Double] = [1000, 50_000, 2_000_000, 30_000_000]
      let reach = reaches.randomElement(using: &random) ?? 0
      let limit = Int.random(in: 1...20, using: &random)
      var query = PlaceQuery(near: center, within: reach, limit: limit)
      if Bool.random(using: &random) { query.course = Double.random(in: 0...360, using: &random) }
      let expected = places.map(\.position).filter { Self.isAhead($0, of: center, query.course) }
        .map { center.distance(to: $0) }.filter { $0 <= reach }.sorted()
      let found = try store.places.search(query)
      #expect(found.compactMap(\.distance) == Array(expected.prefix(limit)), "seed \(seed)")
    }
  }

  /// Less than 60° to one side of the course, clockwise or anticlockwise.
  private static func isAhead(_ place: Coordinate, of here: Coordinate, _ course: Double?) -> Bool {
    guard let course else { return true }
    let bearing = here.initialBearing(to: place)
    return [-360, 0, 360].contains { abs(bearing + $0 - course) <= 60 }
  }

  /// With more that fit than are looked at one by one, the rings must find the same.
  @Test func aTooLargeAnswerIsRefused() throws {
    let notes = String(repeating: "n", count: 10_000)
    for number in 0..<5 { try add("p\(number)", notes: notes) }
    for near in [nil, try point(0, 0)] {
      var query = PlaceQuery(near: near)
      query.bytes = 45_000
      #expect(throws: StoreError.self) { try store.places.search(query) }
      query.limit = 4
      #expect(try names(query).count == 4)
    }
  }

  @Test func findsAmongManyOfOneKind() throws {
    let batch = try store.imports.begin()
    var places: [(place: SavedPlace, color: String?)] = []
    for row in 0..<50 {
      for column in 0..<50 {
        let position = try point(50 + Double(row) / 20, Double(column) / 20)
        places.append(
          (
            SavedPlace(
              name: "Bench \(row) \(column)", position: position, radius: 10,
              category: "Bench"), nil
          ))
      }
    }
    try batch.add(places)
    try store.imports.finish(batch)
    let found = try store.places.search(
      PlaceQuery(words: "bench", category: "Bench", near: try point(51, 1), limit: 3))
    #expect(found.first?.place.name == "Bench 20 20")
    #expect(found.count == 3)
    let distances = found.compactMap(\.distance)
    #expect(distances == distances.sorted())
    // Northward the nearest one that is not beside or behind.
    var ahead = PlaceQuery(category: "Bench", near: try point(51.01, 1), limit: 1)
    ahead.course = 350
    #expect(try names(ahead) == ["Bench 21 20"])
    (ahead.course, ahead.limit) = (180, 2)
    #expect(try names(ahead) == ["Bench 20 20", "Bench 19 20"])
  }
}
