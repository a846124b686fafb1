package import Geodesy

/// What places are looked for. All that is given must hold.
package struct PlaceQuery: Sendable {
  /// Words of the name and the notes, letter case and accents aside. Places with the whole words come
  /// before those that have only words that begin so; the last word may always be a beginning.
  package var words: String?
  package var category: String?
  /// The nearest come first; without it they come by name.
  package var near: Coordinate?
  /// Metres around `near`.
  package var within: Double?
  /// How many at most.
  package var limit = 20

  package init(
    words: String? = nil, category: String? = nil, near: Coordinate? = nil,
    within: Double? = nil, limit: Int = 20
  ) {
    self.words = words
    self.category = category
    self.near = near
    self.within = within
    self.limit = limit
  }
}

package struct FoundPlace: Equatable, Sendable {
  package let place: SavedPlace
  /// Metres from where it was asked; nil where that was not said.
  package let distance: Double?
}

extension PlaceStore {
  /// So many that fit are compared one by one; of more, those around are looked at ring by ring, or
  /// without a position the first ones that come.
  private static let mostCandidates = 2000

  /// Half the Earth's circumference and a little.
  private static let wholeEarth = 20_100_000.0

  /// Places that fit, the nearest first.
  ///
  /// Complexity: that of finding the words, which grows with the number of places that have one of
  /// them; then with a position of the order of the places within twice the distance of the last one
  /// found, without of the order of 2000 places.
  package func search(_ query: PlaceQuery) throws(StoreError) -> [FoundPlace] {
    guard query.limit > 0 else { return [] }
    var filter = Filter()
    if let category = query.category {
      filter.conditions.append("category = ?")
      filter.values.append(.text(category))
    }
    if let words = query.words {
      filter.ids = try ids(
        withWords: words, atLeast: query.limit,
        atMost: query.near == nil ? Self.mostCandidates : .max)
      if filter.ids?.isEmpty == true { return [] }
    }
    guard let near = query.near else { return try byName(filter, limit: query.limit) }
    var found: [(id: Int64, distance: Double)] = []
    let reach = min(query.within ?? Self.wholeEarth, Self.wholeEarth)
    if let few = try candidates(filter, near) {
      found = few.filter { $0.distance <= reach }
    } else {
      found = try rings(filter, near, reach: reach, limit: query.limit)
    }
    found.sort { ($0.distance, $0.id) < ($1.distance, $1.id) }
    var places: [FoundPlace] = []
    for entry in found.prefix(query.limit) {
      if let place = try place(id: entry.id) {
        places.append(FoundPlace(place: place, distance: entry.distance))
      }
    }
    return places
  }

  // MARK: - Words

  /// What stands in a text between marks and spaces, 16 words at most.
  private static func words(_ text: String) -> [Substring] {
    Array(text.split { !$0.isLetter && !$0.isNumber }.prefix(16))
  }

  /// The places that have all words, in rising order. Whole words are looked for first, only the last
  /// of which may be a beginning: that is several times quicker than to look for beginnings. Where it
  /// gives fewer than `least`, each may be a beginning.
  private func ids(
    withWords text: String, atLeast least: Int, atMost most: Int
  ) throws(StoreError) -> [Int64] {
    let words = Self.words(text)
    guard let last = words.last else { return [] }
    // Quotes keep FTS5 from reading its own words in it.
    let whole = words.dropLast().map { "\"\($0)\"" } + ["\"\(last)\"*"]
    let found = try ids(matching: whole.joined(separator: " "), atMost: most)
    guard words.count > 1, found.count < least else { return found }
    return try ids(
      matching: words.map { "\"\($0)\"*" }.joined(separator: " "), atMost: most)
  }

  private func ids(matching pattern: String, atMost most: Int) throws(StoreError) -> [Int64] {
    var ids: [Int64] = []
    try database.forEachUntil(
      "SELECT rowid FROM place_words WHERE place_words MATCH ? ORDER BY rowid", [.text(pattern)]
    ) { row in
      if case .integer(let id) = row.value(at: 0) { ids.append(id) }
      return ids.count < most
    }
    return ids
  }

  // MARK: - Candidates

  private struct Filter {
    var conditions: [String] = []
    var values: [SQLValue] = []
    /// Of the places that have the words, in rising order; nil where no words are looked for.
    var ids: [Int64]?

    /// Conditions and values that stand for all of it but the words.
    func sql(_ select: String, and more: String? = nil) -> String {
      let all = conditions + [more].compactMap { $0 }
      return select + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
    }

    /// What reads columns of those places that fit, and the values of that statement.
    func statement(columns: String) -> (sql: String, values: [SQLValue]) {
      guard let ids else { return (sql("SELECT \(columns) FROM known_place AS place"), values) }
      // The words' numbers lead: each place is one step in the table.
      let list = "[\(ids.map(String.init).joined(separator: ","))]"
      return (
        sql(
          "SELECT \(columns) FROM json_each(?) AS word CROSS JOIN known_place AS place "
            + "ON place.id = word.value"), [.text(list)] + values
      )
    }

    /// Whether a place has the words.
    func hasWords(_ id: Int64) -> Bool {
      guard let ids else { return true }
      var low = 0
      var high = ids.count
      while low < high {
        let middle = low + (high - low) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      return low < ids.count && ids[low] == id
    }
  }

  private func byName(_ filter: Filter, limit: Int) throws(StoreError) -> [FoundPlace] {
    // Of all places the index by name knows the first ones.
    guard filter.ids != nil || !filter.conditions.isEmpty else {
      return try database.rows(
        of: "place", "SELECT \(Self.columns) FROM known_place ORDER BY name", limit: limit,
        read: Self.read
      ).values.map { FoundPlace(place: $0, distance: nil) }
    }
    var named: [(name: String, id: Int64)] = []
    let statement = filter.statement(columns: "place.id, place.name")
    try database.forEach(
      statement.sql + " LIMIT \(Self.mostCandidates)", statement.values
    ) { row in
      guard case .integer(let id) = row.value(at: 0), case .text(let name) = row.value(at: 1)
      else { return }
      named.append((name.lowercased(), id))
    }
    named.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    var places: [FoundPlace] = []
    for entry in named {
      if let place = try place(id: entry.id) {
        places.append(FoundPlace(place: place, distance: nil))
      }
      if places.count == limit { break }
    }
    return places
  }

  /// All that fit, if they are not too many.
  private func candidates(
    _ filter: Filter, _ near: Coordinate
  ) throws(StoreError) -> [(id: Int64, distance: Double)]? {
    if let ids = filter.ids {
      guard ids.count <= Self.mostCandidates else { return nil }
    } else if filter.conditions.isEmpty {
      return nil
    }
    var found: [(id: Int64, distance: Double)] = []
    let statement = filter.statement(columns: "place.id, place.latitude, place.longitude")
    try database.forEach(
      statement.sql + " LIMIT \(Self.mostCandidates + 1)", statement.values
    ) { row in
      if let entry = Self.distance(row, near) { found.append(entry) }
    }
    return found.count > Self.mostCandidates ? nil : found
  }

  /// Looks in circles of twice the radius each time, until one holds enough.
  private func rings(
    _ filter: Filter, _ near: Coordinate, reach: Double, limit: Int
  ) throws(StoreError) -> [(id: Int64, distance: Double)] {
    let sql = filter.sql(
      "SELECT id, latitude, longitude FROM known_place", and: "cell BETWEEN ? AND ?")
    var radius = min(1000.0, reach)
    while true {
      var found: [(id: Int64, distance: Double)] = []
      for cells in PlaceCells.ranges(around: near, radius: radius) {
        let values = filter.values + [.integer(cells.lowerBound), .integer(cells.upperBound)]
        try database.forEach(sql, values) { row in
          if let entry = Self.distance(row, near), entry.distance <= radius,
            filter.hasWords(entry.id)
          {
            found.append(entry)
          }
        }
      }
      if found.count >= limit || radius >= reach { return found }
      radius = min(radius * 2, reach)
    }
  }

  /// A row of id, latitude and longitude.
  private static func distance(_ row: Row, _ near: Coordinate) -> (id: Int64, distance: Double)? {
    guard case .integer(let id) = row.value(at: 0), case .real(let latitude) = row.value(at: 1),
      case .real(let longitude) = row.value(at: 2),
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return (id, near.distance(to: position))
  }

  private func place(id: Int64) throws(StoreError) -> SavedPlace? {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM known_place WHERE id = ?", [.integer(id)],
      read: Self.read
    ).values.first
  }
}
