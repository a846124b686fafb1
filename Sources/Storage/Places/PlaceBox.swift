package import Geodesy

/// A box of degrees, from west eastward to east; it may cross the antimeridian.
package struct GeographicBox: Equatable, Sendable {
  package let south: Double
  package let west: Double
  package let north: Double
  package let east: Double

  /// Fails for values out of range, and where south is north of north.
  package init?(south: Double, west: Double, north: Double, east: Double) {
    guard Coordinate(latitude: south, longitude: west) != nil,
      Coordinate(latitude: north, longitude: east) != nil, south <= north
    else { return nil }
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }

  /// Degrees from west to east, 0...360. Equal edges are a line.
  package var width: Double { east >= west ? east - west : east - west + 360 }

  package var middle: Coordinate {
    Coordinate(
      clampingLatitude: (south + north) / 2, wrappingLongitude: west + width / 2)
  }

  /// Metres from the middle to the farthest point, somewhat more. A box wider than a quarter of the
  /// Earth counts as all of it: its corners are no farthest points.
  package var reach: Double {
    guard width <= 90, north - south <= 90 else { return Sphere.radius * .pi }
    let edge = max(abs(south), abs(north)) == abs(south) ? north : south
    let corners = [(south, west), (north, west), (edge, west), (0, west)].compactMap {
      Coordinate(
        latitude: min(max($0.0, south), north), longitude: $0.1)
    }
    return (corners.map { middle.distance(to: $0) }.max() ?? 0) * 1.01 + 1
  }
}

/// Places near each other: their mean position, and the category that most of them have.
package struct PlaceGroup: Equatable, Sendable {
  package let position: Coordinate
  package let count: Int
  package let category: String?
}

extension PlaceStore {
  /// Conditions on `known_place` for a box, with their values. The rows of cells narrow the search.
  private func conditions(
    _ box: GeographicBox, without hidden: [String]
  ) -> (text: String, values: [SQLValue]) {
    let rows = PlaceCells.rows(from: box.south, to: box.north)
    var text = "cell BETWEEN ? AND ? AND latitude BETWEEN ? AND ?"
    var values: [SQLValue] = [
      .integer(rows.lowerBound), .integer(rows.upperBound), .real(box.south), .real(box.north),
    ]
    text +=
      box.west <= box.east
      ? " AND longitude BETWEEN ? AND ?" : " AND (longitude >= ? OR longitude <= ?)"
    values += [.real(box.west), .real(box.east)]
    if !hidden.isEmpty {
      let marks = hidden.map { _ in "?" }.joined(separator: ",")
      text += " AND (category IS NULL OR category NOT IN (\(marks)))"
      values += hidden.map { .text($0) }
    }
    return (text, values)
  }

  /// The places of a box by name; nil where it has more than `limit`.
  /// - Complexity: O(places between its south and north, at most).
  package func places(
    in box: GeographicBox, without hidden: [String], limit: Int
  ) throws(StoreError) -> [SavedPlace]? {
    let (text, values) = conditions(box, without: hidden)
    let ids = try database.integers(
      "SELECT id FROM known_place WHERE \(text) LIMIT ?", values + [SQLValue(limit + 1)])
    guard ids.count <= limit else { return nil }
    var places: [SavedPlace] = []
    for id in ids {
      if let place = try place(number: id) { places.append(place) }
    }
    return places.sorted { $0.name < $1.name }
  }

  /// The places of a box in groups: one for each square that has any, of `cells` by `cells`.
  /// - Complexity: O(places between its south and north).
  package func groups(
    in box: GeographicBox, without hidden: [String], cells: Int
  ) throws(StoreError) -> [PlaceGroup] {
    let (text, values) = conditions(box, without: hidden)
    func square(_ offset: String, _ extent: Double) -> String {
      "min(\(cells - 1), CAST((\(offset)) * \(Double(cells) / max(extent, 1e-9)) AS INTEGER))"
    }
    // Degrees east of the western edge.
    let across = "(longitude - (?1) + CASE WHEN longitude < (?1) THEN 360 ELSE 0 END)"
    let numbered = text.split(separator: "?", omittingEmptySubsequences: false)
    var conditions = String(numbered[0])
    for (index, piece) in numbered.dropFirst().enumerated() {
      conditions += "?\(index + 3)\(piece)"
    }
    let rows = try database.rows(
      of: "place",
      """
      SELECT min(id) AS id, count(*) AS count, category, total(latitude) AS latitude,
        total(\(across)) AS across, \(square("latitude - (?2)", box.north - box.south)) AS y,
        \(square(across, box.width)) AS x
      FROM known_place WHERE \(conditions) GROUP BY y, x, category ORDER BY y, x, count DESC
      """, [.real(box.west), .real(box.south)] + values
    ) { row throws(RowFault) in
      Part(
        square: [try row.integer("y"), try row.integer("x")], count: try row.integer("count"),
        category: try row.textIfAny("category"), latitude: try row.real("latitude"),
        across: try row.real("across"))
    }
    var groups: [PlaceGroup] = []
    var parts = rows.values[...]
    while let first = parts.first {
      let same = parts.prefix { $0.square == first.square }
      parts = parts.dropFirst(same.count)
      let count = same.reduce(0) { $0 + $1.count }
      func mean(_ sum: (Part) -> Double) -> Double {
        same.reduce(0) { $0 + sum($1) } / Double(count)
      }
      groups.append(
        PlaceGroup(
          position: Coordinate(
            clampingLatitude: mean(\.latitude), wrappingLongitude: box.west + mean(\.across)),
          count: Int(count), category: first.category))
    }
    return groups
  }

  /// The places of one category in one square.
  private struct Part {
    let square: [Int64]
    let count: Int64
    let category: String?
    /// Sums of degrees north, and of degrees east of the western edge.
    let latitude: Double
    let across: Double
  }
}
