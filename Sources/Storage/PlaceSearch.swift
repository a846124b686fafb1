package import Geodesy

/// What places are looked for. All that is given must hold.
package struct PlaceQuery: Sendable {
  /// Words, or beginnings of words, of the name and the notes; letter case and accents aside.
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
  /// Complexity: with a position, of the order of the places within twice the distance of the last one
  /// found; without, of the order of 2000 places.
  package func search(_ query: PlaceQuery) throws(StoreError) -> [FoundPlace] {
    guard query.limit > 0 else { return [] }
    var filter = Filter()
    if let words = query.words {
      guard let match = Self.match(words) else { return [] }
      filter.conditions.append(
        "id IN (SELECT rowid FROM place_words WHERE place_words MATCH ?)")
      filter.values.append(.text(match))
    }
    if let category = query.category {
      filter.conditions.append("category = ?")
      filter.values.append(.text(category))
    }
    guard let near = query.near else { return try byName(filter, limit: query.limit) }
    var found: [(id: Int64, distance: Double)] = []
    let reach = min(query.within ?? Self.wholeEarth, Self.wholeEarth)
    let few = filter.conditions.isEmpty ? nil : try candidates(filter, near)
    if let few {
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

  /// Every word, or its beginning, must be there; nil where there are none. Quotes keep FTS5 from
  /// reading its own words in it.
  static func match(_ text: String) -> String? {
    let words = text.split { !$0.isLetter && !$0.isNumber }.prefix(16)
    guard !words.isEmpty else { return nil }
    return words.map { "\"\($0)\"*" }.joined(separator: " ")
  }

  private struct Filter {
    var conditions: [String] = []
    var values: [SQLValue] = []

    func sql(_ select: String, and more: String? = nil) -> String {
      let all = conditions + [more].compactMap { $0 }
      return select + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
    }
  }

  private func byName(_ filter: Filter, limit: Int) throws(StoreError) -> [FoundPlace] {
    let sql = filter.sql("SELECT \(Self.columns) FROM known_place")
    // Of all places the index by name knows the first ones.
    guard !filter.conditions.isEmpty else {
      return try database.rows(
        of: "place", sql + " ORDER BY name", limit: limit, read: Self.read
      ).values.map { FoundPlace(place: $0, distance: nil) }
    }
    let rows = try database.rows(
      of: "place", sql + " LIMIT \(Self.mostCandidates)", filter.values, read: Self.read)
    let sorted = rows.values.map { ($0.name.lowercased(), $0) }.sorted { $0.0 < $1.0 }
    return sorted.prefix(limit).map { FoundPlace(place: $0.1, distance: nil) }
  }

  /// All that fit, if they are not too many.
  private func candidates(
    _ filter: Filter, _ near: Coordinate
  ) throws(StoreError) -> [(id: Int64, distance: Double)]? {
    var found: [(id: Int64, distance: Double)] = []
    try database.forEach(
      filter.sql("SELECT id, latitude, longitude FROM known_place")
        + " LIMIT \(Self.mostCandidates + 1)", filter.values
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
          if let entry = Self.distance(row, near), entry.distance <= radius { found.append(entry) }
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
