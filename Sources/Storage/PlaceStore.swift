package import Geodesy

/// A point of interest that the user has given a name.
package struct SavedPlace: Hashable, Sendable {
  /// Unique; ASCII letters count the same in either case.
  package var name: String
  package var position: Coordinate
  /// Metres, more than 0, up to 5 000 000.
  package var radius: Double
  /// The name of a category that exists.
  package var category: String?
  package var notes: String?

  package init(
    name: String, position: Coordinate, radius: Double, category: String? = nil,
    notes: String? = nil
  ) {
    self.name = name
    self.position = position
    self.radius = radius
    self.category = category
    self.notes = notes
  }
}

/// The points of interest of a store. A reminder keeps its own copy of its place, so that removing
/// or moving one here changes no reminder.
package struct PlaceStore {
  let database: Database

  private static let columns = "id, name, latitude, longitude, radius_m, category, notes"

  /// Sorted by name, letter case aside.
  package func all() throws(StoreError) -> Rows<SavedPlace> {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM place ORDER BY name", read: Self.read)
  }

  package func places(inCategory category: String) throws(StoreError) -> Rows<SavedPlace> {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM place WHERE category = ? ORDER BY name",
      [.text(category)], read: Self.read)
  }

  package func place(named name: String) throws(StoreError) -> SavedPlace? {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM place WHERE name = ?", [.text(name)],
      read: Self.read
    ).values.first
  }

  /// Places whose name contains the text, ASCII letter case aside, sorted by name.
  package func find(_ text: String) throws(StoreError) -> Rows<SavedPlace> {
    try database.rows(
      of: "place",
      "SELECT \(Self.columns) FROM place WHERE instr(lower(name), lower(?)) > 0 ORDER BY name",
      [.text(text)], read: Self.read)
  }

  package func add(_ place: SavedPlace) throws(StoreError) {
    try checked(place) { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO place (name, latitude, longitude, radius_m, category, notes)
        VALUES (?, ?, ?, ?, ?, ?)
        """, Self.values(place))
    }
  }

  /// Puts `place` where the one of the name `name` was; answers whether there was one.
  @discardableResult
  package func replace(_ name: String, with place: SavedPlace) throws(StoreError) -> Bool {
    try checked(place) { () throws(StoreError) in
      try database.run(
        """
        UPDATE place SET name = ?, latitude = ?, longitude = ?, radius_m = ?, category = ?,
          notes = ? WHERE name = ?
        """, Self.values(place) + [.text(name)])
    } > 0
  }

  /// Answers whether there was one.
  @discardableResult
  package func remove(named name: String) throws(StoreError) -> Bool {
    try database.run("DELETE FROM place WHERE name = ?", [.text(name)]) > 0
  }

  private static func values(_ place: SavedPlace) -> [SQLValue] {
    [
      .text(place.name), .real(place.position.latitude), .real(place.position.longitude),
      .real(place.radius), SQLValue(place.category), SQLValue(place.notes),
    ]
  }

  private static func read(_ row: Row) throws(RowFault) -> SavedPlace {
    let latitude = try row.real("latitude")
    let longitude = try row.real("longitude")
    guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
      throw RowFault(reason: "its coordinate is out of range")
    }
    let radius = try row.real("radius_m")
    guard radius > 0 else { throw RowFault(reason: "its radius is not positive") }
    return SavedPlace(
      name: try row.text("name"), position: position, radius: radius,
      category: try row.textIfAny("category"), notes: try row.textIfAny("notes"))
  }

  @discardableResult
  private func checked<Value>(
    _ place: SavedPlace, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard !place.name.isEmpty else { throw .invalid(what: "place", reason: "its name is empty") }
    guard place.radius > 0, place.radius <= 5_000_000 else {
      throw .invalid(
        what: "place", reason: "the radius \(place.radius) m is not between 0 and 5000 km")
    }
    do throws(StoreError) {
      return try body()
    } catch {
      if error.isUniqueness { throw .alreadyExists(what: "place", name: place.name) }
      if error.isForeignKey { throw .unknownCategory(place.category ?? "") }
      throw error
    }
  }
}
