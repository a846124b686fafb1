package import Geodesy

/// A search for places. All conditions must hold.
package struct PlaceQuery: Sendable {
  /// Words in the name and the notes, ignoring case and accents. Whole words rank before prefixes;
  /// the last word may always be a prefix.
  package var words: String?
  package var category: String?
  /// Sorts by distance from here; nil sorts by name.
  package var near: Coordinate?
  /// Metres around `near`.
  package var within: Double?
  /// Maximum number of results.
  package var limit = 20
  /// Maximum total size of regions and notes in bytes; larger results are rejected.
  package var bytes = Int.max

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
  /// Metres from `near`; nil without it.
  package let distance: Double?
}

extension PlaceStore {
  /// Up to this many matches are compared one by one. More are searched ring by ring or, without a
  /// position, cut off.
  private static let maximumCandidates = 2000

  /// Slightly more than half the Earth's circumference, metres.
  private static let wholeEarth = 20_100_000.0

  /// Matching places, nearest first.
  ///
  /// Complexity: O(places with one of the words), plus, with a position, the places within twice
  /// the distance of the last result; without one, about 2000 places.
  package func search(_ query: PlaceQuery) throws(StoreError) -> [FoundPlace] {
    guard query.limit > 0 else { return [] }
    var filter = Filter()
    if let category = query.category {
      filter.conditions.append("category = ?")
      filter.values.append(.text(category))
    }
    if let words = query.words {
      filter.ids = try PlaceWords(database: database).places(
        with: words, atLeast: query.limit,
        atMost: query.near == nil ? Self.maximumCandidates : .max)
      if filter.ids?.isEmpty == true { return [] }
    }
    guard let near = query.near else {
      return try read(byName(filter, limit: query.limit).map { (id: $0, distance: nil) }, query)
    }
    var found: [(id: Int64, distance: Double)] = []
    let reach = min(query.within ?? Self.wholeEarth, Self.wholeEarth)
    if let few = try candidates(filter, near) {
      found = few.filter { $0.distance <= reach }
    } else {
      found = try rings(filter, near, reach: reach, limit: query.limit)
    }
    found.sort { ($0.distance, $0.id) < ($1.distance, $1.id) }
    return try read(found.map { (id: $0.id, distance: $0.distance) }, query)
  }

  /// Reads the first results up to the limit.
  private func read(
    _ found: [(id: Int64, distance: Double?)], _ query: PlaceQuery
  ) throws(StoreError) -> [FoundPlace] {
    var places: [FoundPlace] = []
    var bytes = 0
    for entry in found {
      if places.count == query.limit { break }
      guard let place = try place(id: entry.id) else { continue }
      bytes += (place.region?.utf8.count ?? 0) + (place.notes?.utf8.count ?? 0)
      guard bytes <= query.bytes else {
        throw .invalid(
          what: "limit",
          reason: "the answer would be larger than \(query.bytes >> 20) MiB; ask for fewer")
      }
      places.append(FoundPlace(place: place, distance: entry.distance))
    }
    return places
  }

  // MARK: - Candidates

  private struct Filter {
    var conditions: [String] = []
    var values: [SQLValue] = []
    /// Ids of the places with the words, rising; nil without words.
    var ids: [Int64]?

    /// SQL for all conditions except the words.
    func sql(_ select: String, and more: String? = nil) -> String {
      let all = conditions + [more].compactMap { $0 }
      return select + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
    }

    /// A statement that reads columns of the matching places, with its values.
    func statement(columns: String) -> (sql: String, values: [SQLValue]) {
      guard let ids else { return (sql("SELECT \(columns) FROM known_place AS place"), values) }
      // The ids lead: each place is one step in the table.
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

  /// Ids in the order of names.
  private func byName(_ filter: Filter, limit: Int) throws(StoreError) -> [Int64] {
    var named: [(name: String, id: Int64)] = []
    func note(_ row: Row) {
      guard case .integer(let id) = row.value(at: 0), case .text(let name) = row.value(at: 1)
      else { return }
      named.append((name.lowercased(), id))
    }
    // Without conditions the name index has the first places.
    guard filter.ids != nil || !filter.conditions.isEmpty else {
      let sql = "SELECT id, name FROM known_place ORDER BY name LIMIT ?"
      try database.forEach(sql, [.integer(Int64(limit))], note)
      return named.map(\.id)
    }
    let statement = filter.statement(columns: "place.id, place.name")
    try database.forEach(
      statement.sql + " LIMIT \(Self.maximumCandidates)", statement.values, note)
    named.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    return named.map(\.id)
  }

  /// All matches, unless there are too many.
  private func candidates(
    _ filter: Filter, _ near: Coordinate
  ) throws(StoreError) -> [(id: Int64, distance: Double)]? {
    let isFew =
      if let ids = filter.ids {
        ids.count <= Self.maximumCandidates
      } else {
        try !hasAtLeast(Self.maximumCandidates + 1, filter.conditions, filter.values)
      }
    guard isFew else { return nil }
    var found: [(id: Int64, distance: Double)] = []
    let statement = filter.statement(columns: "place.id, place.latitude, place.longitude")
    try database.forEach(statement.sql, statement.values) { row in
      if let entry = Self.distance(row, near) { found.append(entry) }
    }
    return found
  }

  /// Searches circles of doubling radius until one holds enough.
  private func rings(
    _ filter: Filter, _ near: Coordinate, reach: Double, limit: Int
  ) throws(StoreError) -> [(id: Int64, distance: Double)] {
    var radius = min(1000.0, reach)
    while true {
      var found: [(id: Int64, distance: Double)] = []
      // Cells between these two are known to be empty: a circle far from all places has thousands
      // of rows.
      var empty: (after: Int64, before: Int64) = (0, 0)
      for cells in PlaceCells.ranges(around: near, radius: radius) {
        guard cells.lowerBound <= empty.after || cells.upperBound >= empty.before else { continue }
        let hasPlaces = try forEach(filter, in: cells, near) { entry in
          if entry.distance <= radius { found.append(entry) }
        }
        if !hasPlaces {
          let next = try database.integer(
            filter.sql("SELECT min(cell) FROM place", and: "cell > ?"),
            filter.values + [.integer(cells.upperBound)])
          empty = (cells.upperBound, next ?? .max)
        }
      }
      if found.count >= limit || radius >= reach { return found }
      radius = min(radius * 2, reach)
    }
  }

  /// - Returns: whether any place in the cells matches, ignoring the words.
  private func forEach(
    _ filter: Filter, in cells: ClosedRange<Int64>, _ near: Coordinate,
    _ body: ((id: Int64, distance: Double)) -> Void
  ) throws(StoreError) -> Bool {
    var hasPlaces = false
    let values = filter.values + [.integer(cells.lowerBound), .integer(cells.upperBound)]
    let isInCells = "cell BETWEEN ? AND ?"
    guard filter.ids != nil else {
      let sql = filter.sql("SELECT id, latitude, longitude FROM known_place", and: isInCells)
      try database.forEach(sql, values) { row in
        hasPlaces = true
        if let entry = Self.distance(row, near) { body(entry) }
      }
      return hasPlaces
    }
    // Most places lack the words: the index alone excludes them, without a step into the table.
    var fitting: [Int64] = []
    try database.forEach(filter.sql("SELECT id FROM place", and: isInCells), values) { row in
      hasPlaces = true
      if case .integer(let id) = row.value(at: 0), filter.hasWords(id) { fitting.append(id) }
    }
    for id in fitting {
      try database.forEach(
        "SELECT id, latitude, longitude FROM known_place WHERE id = ?", [.integer(id)]
      ) { row in
        if let entry = Self.distance(row, near) { body(entry) }
      }
    }
    return hasPlaces
  }

  /// Decodes a row of id, latitude and longitude.
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
