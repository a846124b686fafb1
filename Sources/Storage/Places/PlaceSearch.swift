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
  /// Degrees from true north: only places within `ahead` of this bearing, seen from `near`.
  package var course: Double?
  /// Degrees to each side of a course.
  package static let ahead = 60.0
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
  /// the distance of the last result; without one, the places of the category.
  package func search(_ query: PlaceQuery) throws(StoreError) -> [FoundPlace] {
    guard query.limit > 0 else { return [] }
    var filter = Filter()
    if let near = query.near { filter.course = query.course.map { (near, $0) } }
    if let category = query.category { filter.add("category = ?", [.text(category)]) }
    if let words = query.words {
      let ids = try PlaceWords(database: database).places(
        with: words, atLeast: query.limit,
        atMost: query.near == nil ? Self.maximumCandidates : .max)
      if ids.isEmpty { return [] }
      if ids.count <= Self.maximumCandidates {
        let list = "[\(ids.map(String.init).joined(separator: ","))]"
        filter.add("id IN (SELECT value FROM json_each(?))", [.text(list)])
      } else {
        filter.ids = Set(ids)
      }
    }
    guard let near = query.near else {
      let ids = try database.integers(
        filter.select("id") + " ORDER BY name LIMIT ?", filter.values + [SQLValue(query.limit)])
      return try read(ids.map { (id: $0, distance: nil) }, query)
    }
    let reach = min(query.within ?? Self.wholeEarth, Self.wholeEarth)
    var found =
      if try isFew(filter) {
        try distances(filter, near).filter { $0.distance <= reach && $0.isAhead }
      } else {
        try rings(filter, near, reach: reach, limit: query.limit)
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
      guard let place = try place(number: entry.id) else { continue }
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
    /// Ids of the places with the words, where they are too many for a condition.
    var ids: Set<Int64>?
    /// The course of a query, from its position.
    var course: (from: Coordinate, degrees: Double)?

    mutating func add(_ condition: String, _ values: [SQLValue]) {
      conditions.append(condition)
      self.values += values
    }

    func isAhead(_ position: Coordinate) -> Bool {
      guard let course else { return true }
      let turn = course.from.initialBearing(to: position) - course.degrees
      return abs(turn.remainder(dividingBy: 360)) <= PlaceQuery.ahead
    }

    func select(_ columns: String) -> String {
      let all = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      return "SELECT \(columns) FROM known_place\(all)"
    }
  }

  private typealias Found = (id: Int64, distance: Double, isAhead: Bool)

  /// Whether the matches are few enough to compare them one by one.
  private func isFew(_ filter: Filter) throws(StoreError) -> Bool {
    guard filter.ids == nil else { return false }
    return try !hasAtLeast(Self.maximumCandidates + 1, filter.conditions, filter.values)
  }

  /// Searches circles of doubling radius until one holds enough.
  private func rings(
    _ filter: Filter, _ near: Coordinate, reach: Double, limit: Int
  ) throws(StoreError) -> [Found] {
    var radius = min(1000.0, reach)
    while true {
      var found: [Found] = []
      // Cells between these two are known to be empty: a circle far from all places has thousands
      // of rows.
      var empty: (after: Int64, before: Int64) = (0, 0)
      for cells in PlaceCells.ranges(around: near, radius: radius) {
        guard cells.lowerBound <= empty.after || cells.upperBound >= empty.before else { continue }
        var inCells = filter
        inCells.add(
          "cell BETWEEN ? AND ?", [.integer(cells.lowerBound), .integer(cells.upperBound)])
        let places = try distances(inCells, near)
        found += places.filter {
          $0.distance <= radius && $0.isAhead && filter.ids?.contains($0.id) ?? true
        }
        if places.isEmpty {
          var behind = filter
          behind.add("cell > ?", [.integer(cells.upperBound)])
          let next = try database.integer(behind.select("min(cell)"), behind.values)
          empty = (cells.upperBound, next ?? .max)
        }
      }
      if found.count >= limit || radius >= reach { return found }
      radius = min(radius * 2, reach)
    }
  }

  /// The distance of each place, with its id, and whether it lies ahead on the filter's course; the
  /// words of a filter with `ids` do not count.
  private func distances(_ filter: Filter, _ near: Coordinate) throws(StoreError) -> [Found] {
    let sql = filter.select("id, latitude, longitude")
    return try database.rows(of: "place", sql, filter.values) { row throws(RowFault) in
      let position = Coordinate(
        latitude: try row.real("latitude"), longitude: try row.real("longitude"))
      guard let position else { throw RowFault(reason: "it is not on the Earth") }
      return (try row.integer("id"), near.distance(to: position), filter.isAhead(position))
    }.values
  }
}
