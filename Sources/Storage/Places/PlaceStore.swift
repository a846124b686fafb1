package import Geodesy
import JSONText
package import Reminders

/// A named place of the user.
package struct SavedPlace: Hashable, Sendable {
  /// Unique, ignoring ASCII case.
  package var name: String
  package var position: Coordinate
  /// Metres, one of `Reminder.Place.radii`.
  package var radius: Double
  /// The name of an existing category.
  package var category: String?
  package var notes: String?
  /// A region other than a circle, as GeoJSON text; the circle then encloses it.
  package var region: String?
  /// Full width of a line's region, metres.
  package var width: Double?
  /// The identifier that the program it was imported from has for it.
  package var uid: String?
  /// The user who added it, and who alone may change it; nil for everyone's.
  package var owner: UInt32?

  package init(
    name: String, position: Coordinate, radius: Double, category: String? = nil,
    notes: String? = nil, region: String? = nil, width: Double? = nil, uid: String? = nil,
    owner: UInt32? = nil
  ) {
    self.name = name
    self.position = position
    self.radius = radius
    self.category = category
    self.notes = notes
    self.region = region
    self.width = width
    self.uid = uid
    self.owner = owner
  }

  /// The region under the place's name; nil for a circle, and for a text that is no region.
  package var area: Reminder.Area? {
    region.flatMap { Self.area($0, width: width, name: name) }
  }

  static func area(_ region: String, width: Double?, name: String?) -> Reminder.Area? {
    guard var geometry = (try? JSONParser.parse(region))?.object else { return nil }
    if let name { geometry["name"] = .string(name) }
    return try? Reminder.Area(geoJSON: .object(geometry), width: width)
  }
}

/// The places of a store. Each reminder has its own copy of its place, so changes here affect none;
/// see `followers`. Places of an unfinished import are hidden.
package struct PlaceStore {
  let database: Database

  static let columns =
    "id, name, latitude, longitude, radius_m, category, notes, region, width_m, uid, owner"

  /// All places by name, ignoring case.
  /// - Parameter bytes: limit of bytes read; `Rows.isCut` marks a cut result.
  package func all(bytes: Int = .max) throws(StoreError) -> Rows<SavedPlace> {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM known_place ORDER BY name", bytes: bytes,
      read: Self.read)
  }

  package func places(
    inCategory category: String, bytes: Int = .max
  ) throws(StoreError) -> Rows<SavedPlace> {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM known_place WHERE category = ? ORDER BY name",
      [.text(category)], bytes: bytes, read: Self.read)
  }

  /// At most `limit` places after `name`, by name. Complexity: O(places of the category) for a
  /// small one; else O(places between the first and the last result).
  /// - Parameter bytes: limit of bytes read; at least one place is returned.
  package func page(
    after name: String, inCategory category: String?, limit: Int, bytes: Int = .max
  ) throws(StoreError) -> Rows<SavedPlace> {
    var filter = ""
    if let category {
      // For a large category a walk by name, which the plus selects, is faster than sorting each
      // page.
      let isLarge = try hasAtLeast(5_000, ["category = ?"], [.text(category)])
      filter = isLarge ? " AND +category = ?" : " AND category = ?"
    }
    return try database.rows(
      of: "place",
      "SELECT \(Self.columns) FROM known_place WHERE name > ?\(filter) ORDER BY name LIMIT "
        + "\(limit)",
      [.text(name)] + (category.map { [.text($0)] } ?? []), bytes: bytes, read: Self.read)
  }

  /// Whether at least `count` places meet all conditions. Complexity: O(count) with an index.
  func hasAtLeast(
    _ count: Int, _ conditions: [String], _ values: [SQLValue]
  ) throws(StoreError) -> Bool {
    let chosen = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    return try database.integer(
      "SELECT count(*) FROM (SELECT 1 FROM place\(chosen) LIMIT \(count))", values)
      == Int64(count)
  }

  package func place(named name: String) throws(StoreError) -> SavedPlace? {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM known_place WHERE name = ?", [.text(name)],
      read: Self.read
    ).values.first
  }

  package func place(number: Int64) throws(StoreError) -> SavedPlace? {
    try database.rows(
      of: "place", "SELECT \(Self.columns) FROM known_place WHERE id = ?", [.integer(number)],
      read: Self.read
    ).values.first
  }

  package func name(of number: Int64) throws(StoreError) -> String? {
    try database.text("SELECT name FROM known_place WHERE id = ?", [.integer(number)])
  }

  /// The permanent number of a place.
  package func number(named name: String) throws(StoreError) -> Int64? {
    try database.integer("SELECT id FROM known_place WHERE name = ?", [.text(name)])
  }

  /// The category as it was first spelled; an unknown one fails as it stands.
  private static let spelling = "coalesce((SELECT name FROM category WHERE name = ?5), ?5)"

  /// - Parameter color: a category that is not there is added in it, for the owner of the place.
  package func add(_ place: SavedPlace, color: String? = nil) throws(StoreError) {
    if let color, let name = place.category {
      return try database.transaction { () throws(StoreError) in
        let categories = CategoryStore(database: database)
        if try categories.category(named: name) == nil {
          try categories.add(Category(name: name, color: color, owner: place.owner))
        }
        try add(place)
      }
    }
    try checked(place) { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO place (name, latitude, longitude, radius_m, category, notes, region, width_m,
          owner) VALUES (?1, ?2, ?3, ?4, \(Self.spelling), ?6, ?7, ?8, ?9)
        """, Self.values(place))
      try words.add(where: "name = ?", [.text(place.name)])
    }
  }

  /// Replaces the place with this name; returns whether it existed.
  @discardableResult
  package func replace(_ name: String, with place: SavedPlace) throws(StoreError) -> Bool {
    try checked(place) { () throws(StoreError) in
      try words.remove(where: "name = ?", [.text(name)])
      let changed = try database.run(
        """
        UPDATE place SET name = ?1, latitude = ?2, longitude = ?3, radius_m = ?4,
          category = \(Self.spelling), notes = ?6, region = ?7, width_m = ?8, owner = ?9
          WHERE name = ?10
        """, Self.values(place) + [.text(name)])
      if changed > 0 { try words.add(where: "name = ?", [.text(place.name)]) }
      return changed > 0
    }
  }

  /// All places, also the places of unfinished imports. Complexity: O(their number).
  package func count() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM place") ?? 0)
  }

  /// Places of one user, also the places of unfinished imports. Complexity: O(their number).
  package func count(ownedBy owner: UInt32) throws(StoreError) -> Int {
    Int(
      try database.integer("SELECT count(*) FROM place WHERE owner = ?", [.integer(Int64(owner))])
        ?? 0)
  }

  /// The ids of existing reminders made from this place, oldest first.
  package func followers(of place: SavedPlace) throws(StoreError) -> [String] {
    try database.texts(
      """
      SELECT id, seq FROM reminder WHERE place_name = ?1 COLLATE NOCASE AND latitude = ?2
        AND longitude = ?3
      UNION SELECT id, seq FROM reminder
        WHERE ?4 AND place_name IS NULL AND instr(document, '"region":') > 0
        AND json_extract(document, '$.region.name') = ?1 COLLATE NOCASE
      ORDER BY seq
      """,
      [
        .text(place.name), .real(place.position.latitude), .real(place.position.longitude),
        SQLValue(place.region != nil),
      ])
  }

  /// Returns whether the place existed.
  @discardableResult
  package func remove(named name: String) throws(StoreError) -> Bool {
    try database.transaction { () throws(StoreError) in
      try words.remove(where: "name = ?", [.text(name)])
      return try database.run("DELETE FROM place WHERE name = ?", [.text(name)]) > 0
    }
  }

  private var words: PlaceWords { PlaceWords(database: database) }

  static func values(_ place: SavedPlace) -> [SQLValue] {
    [
      .text(place.name), .real(place.position.latitude), .real(place.position.longitude),
      .real(place.radius), SQLValue(place.category), SQLValue(place.notes),
      SQLValue(place.region), SQLValue(place.width), SQLValue(place.owner.map { Int($0) }),
    ]
  }

  static func read(_ row: Row) throws(RowFault) -> SavedPlace {
    let latitude = try row.real("latitude")
    let longitude = try row.real("longitude")
    guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
      throw RowFault(reason: "its coordinate is out of range")
    }
    let radius = try row.real("radius_m")
    guard Reminder.Place.radii.contains(radius) else {
      throw RowFault(reason: "its radius is not between 1 m and 5000 km")
    }
    return SavedPlace(
      name: try row.text("name"), position: position, radius: radius,
      category: try row.textIfAny("category"), notes: try row.textIfAny("notes"),
      region: try row.textIfAny("region"), width: try row.realIfAny("width_m"),
      uid: try row.textIfAny("uid"),
      owner: try row.integerIfAny("owner").map { UInt32(clamping: $0) })
  }

  /// Checks the invariants of a place.
  static func check(_ place: SavedPlace) throws(StoreError) {
    guard !place.name.isEmpty else { throw .invalid(what: "place", reason: "its name is empty") }
    guard place.name.utf8.count <= 256, (place.category?.utf8.count ?? 0) <= 256 else {
      throw .invalid(what: "place", reason: "its name or category is longer than 256 bytes")
    }
    guard (place.notes?.utf8.count ?? 0) <= 16_384 else {
      throw .invalid(what: "place", reason: "its notes are longer than 16 KiB")
    }
    guard Reminder.Place.radii.contains(place.radius) else {
      throw .invalid(
        what: "place", reason: "the radius \(place.radius) m is not between 1 m and 5000 km")
    }
  }

  @discardableResult
  private func checked<Value>(
    _ place: SavedPlace, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try Self.check(place)
    do throws(StoreError) {
      return try database.transaction(body)
    } catch {
      if error.isUniqueness { throw .alreadyExists(what: "place", name: place.name) }
      if error.isForeignKey { throw .unknownCategory(place.category ?? "") }
      throw error
    }
  }
}
