import Geodesy
package import Reminders

/// Places as the engine knows them: by number, without names.
extension PlaceStore {
  /// A category's places for the engine, by rising number.
  /// - Parameter number: the part begins after it; nil for the first one.
  /// - Returns: the places, and the number after which the next part begins; nil for the last one.
  package func numbered(
    inCategory category: String, after number: Int64? = nil
  ) throws(StoreError) -> (rows: Rows<NumberedPlace>, next: Int64?) {
    let columns = "SELECT id, latitude, longitude, radius_m, region, width_m FROM known_place "
    if number == nil {
      let few = 1_000
      let count = try database.integer(
        "SELECT count(*) FROM (SELECT 1 FROM known_place WHERE category = ? LIMIT ?)",
        [.text(category), SQLValue(few + 1)])
      if let count, count <= few {
        let rows = try database.rows(
          of: "place", columns + "WHERE category = ? ORDER BY id", [.text(category)],
          capacity: Int(count), read: Self.numbered)
        return (rows, nil)
      }
    }
    // A walk through the table by number is faster than a million scattered look-ups.
    let first = number ?? 0
    let end = first + 2_000
    let rows = try database.rows(
      of: "place", columns + "WHERE id > ? AND id <= ? AND +category = ? ORDER BY id",
      [.integer(first), .integer(end), .text(category)], read: Self.numbered)
    let last = try database.integer("SELECT max(id) FROM place") ?? 0
    return (rows, end < last ? end : nil)
  }

  /// The places that a finished import has added to categories, for the engine: by rising number
  /// from one on, at most `limit` of them.
  package func added(
    by batch: PlaceImport, from number: Int64, limit: Int
  ) throws(StoreError) -> Rows<(category: String, place: NumberedPlace)> {
    try database.rows(
      of: "place",
      "SELECT id, latitude, longitude, radius_m, region, width_m, category FROM known_place "
        + "WHERE id >= ? AND import = ? AND category IS NOT NULL ORDER BY id LIMIT ?",
      [.integer(number), .integer(batch.id), SQLValue(limit)]
    ) { (row) throws(RowFault) in (try row.text("category"), try Self.numbered(row)) }
  }

  private static func numbered(_ row: Row) throws(RowFault) -> NumberedPlace {
    guard case .integer(let number) = row.value(at: 0), case .real(let latitude) = row.value(at: 1),
      case .real(let longitude) = row.value(at: 2), case .real(let radius) = row.value(at: 3),
      let position = Coordinate(latitude: latitude, longitude: longitude),
      Reminder.Place.radii.contains(radius)
    else { throw RowFault(reason: "it is no circle on the Earth") }
    var place = NumberedPlace(number: number, position: position, radius: radius)
    if case .text(let region) = row.value(at: 4) {
      place.area = SavedPlace.area(region, width: try row.realIfAny("width_m"), name: nil)
    }
    return place
  }
}
