import Bytes
import Geodesy

/// Imports of many places in several transactions; they become visible all at once or never.
///
///     let batch = try store.imports.begin()
///     try batch.add(places)              // as often as need be
///     try store.imports.finish(batch)    // from now on they are there
///
/// `purge` removes the places of an abandoned import.
package struct PlaceImports {
  let database: Database

  /// - Parameter owner: of what the import adds; nil for everyone's.
  package func begin(for owner: UInt32? = nil) throws(StoreError) -> PlaceImport {
    try database.transaction { () throws(StoreError) in
      try database.run(
        "INSERT INTO unfinished_import (first_place) "
          + "SELECT coalesce(max(id), 0) + 1 FROM place")
      let id = try database.integer("SELECT max(id) FROM unfinished_import") ?? 0
      let first = try database.integer(
        "SELECT first_place FROM unfinished_import WHERE id = ?", [.integer(id)])
      return PlaceImport(database: database, id: id, first: first ?? 0, owner: owner)
    }
  }

  /// Makes all places of the import visible.
  package func finish(_ batch: PlaceImport) throws(StoreError) {
    try settle()
    // Detects places lost to a full disk.
    let kept = try database.integer(
      """
      SELECT count(*) FROM place WHERE id >=
        (SELECT first_place FROM unfinished_import WHERE id = ?1) AND import = ?1
      """, [.integer(batch.id)])
    guard kept == Int64(batch.added) else {
      throw .invalid(what: "import", reason: "the disk did not take all of it; import it again")
    }
    try database.run("DELETE FROM unfinished_import WHERE id = ?", [.integer(batch.id)])
  }

  /// Writes pending places to disk and frees their memory. Call it after a pause in the input.
  package func settle() throws(StoreError) {
    try database.endBulk()
    try database.keepPages(kibibytes: Database.usualCache)
  }

  /// Abandons an import; `purge` removes its places.
  package func abandon(id: Int64) throws(StoreError) {
    try database.run("UPDATE unfinished_import SET abandoned = 1 WHERE id = ?", [.integer(id)])
  }

  /// Abandons all imports at startup; returns whether there is anything to purge.
  package func abandonAll() throws(StoreError) -> Bool {
    try database.run("UPDATE unfinished_import SET abandoned = 1") > 0
  }

  /// Removes up to `limit` places of abandoned imports; false if none is left.
  package func purge(limit: Int) throws(StoreError) -> Bool {
    try database.transaction { () throws(StoreError) in
      guard
        let id = try database.integer(
          "SELECT id FROM unfinished_import WHERE abandoned = 1 LIMIT 1")
      else { return false }
      let condition = """
        id IN (SELECT id FROM place WHERE id >=
          (SELECT first_place FROM unfinished_import WHERE id = ?1) AND import = ?1 ORDER BY id \
          LIMIT ?2)
        """
      let values: [SQLValue] = [.integer(id), .integer(Int64(limit))]
      try PlaceWords(database: database).remove(where: condition, values)
      let removed = try database.run("DELETE FROM place WHERE \(condition)", values)
      if removed < limit {
        try database.run(
          """
          DELETE FROM category WHERE import = ? AND name NOT IN
            (SELECT category FROM place WHERE category IS NOT NULL
             UNION SELECT category FROM reminder WHERE category IS NOT NULL)
          """, [.integer(id)])
        try database.run("DELETE FROM unfinished_import WHERE id = ?", [.integer(id)])
      }
      return true
    }
  }
}

/// An import in progress.
package final class PlaceImport {
  package let id: Int64
  /// Its places have this number or a higher one.
  package let first: Int64
  /// Number of new places.
  package private(set) var added = 0
  /// Number of places that existed: same name, within `samePlace`.
  package private(set) var known = 0
  /// Known places that the file has elsewhere, each as it was and as it is to be. The caller of
  /// `finish` changes them, with the reminders there.
  package private(set) var moved: [(old: SavedPlace, new: SavedPlace)] = []
  private let database: Database
  /// Highest number given to each duplicate name.
  private var numbers: [String: Int] = [:]
  /// The spelling of each category that was used so far, by `nameKey`.
  private var categories: [String: String] = [:]

  /// Metres within which places of one name are one place: formats round, and receivers err.
  package static let samePlace = 20.0
  /// Metres within which a place with an identifier has not moved: formats round.
  private static let rounding = 1.0
  /// Limit: a file with more has something else in its category field.
  private static let maximumCategories = 5000

  /// Places since the last large commit.
  private var sinceCommit = 0
  private static let placesACommit = 100_000

  private let owner: UInt32?

  fileprivate init(database: Database, id: Int64, first: Int64, owner: UInt32?) {
    self.database = database
    (self.id, self.first) = (id, first)
    self.owner = owner
  }

  /// Adds all places or, on an error, none; a new category gets the colour. A disk error also
  /// undoes earlier batches, which `finish` reports.
  package func add(_ places: [(place: SavedPlace, color: String?)]) throws(StoreError) {
    for (place, _) in places { try PlaceStore.check(place) }
    let named = Set(categories.keys).union(places.compactMap { $0.place.category?.nameKey })
    guard named.count <= Self.maximumCategories else {
      throw .invalid(
        what: "import", reason: "it has more than \(Self.maximumCategories) categories of places")
    }
    let before = (added, known, moved)
    do throws(StoreError) {
      try database.bulk { () throws(StoreError) in
        let last = try database.integer("SELECT max(id) FROM place") ?? 0
        for (place, color) in places { try add(place, color) }
        try PlaceWords(database: database).add(where: "id > ?", [.integer(last)])
      }
      sinceCommit += places.count
      if sinceCommit >= Self.placesACommit {
        try database.endBulk()
        sinceCommit = 0
      }
    } catch {
      (added, known, moved) = before
      categories = [:]
      throw error
    }
  }

  private func add(_ place: SavedPlace, _ color: String?) throws(StoreError) {
    if let old = try sameIdentifier(as: place) {
      var new = old
      (new.position, new.region, new.width) = (place.position, place.region, place.width)
      if place.region != old.region { new.radius = place.radius }
      let isHere = old.position.distance(to: place.position) <= Self.rounding
      if isHere, place.region == old.region { known += 1 } else { moved.append((old, new)) }
      return
    }
    guard try !isKnown(place) else {
      known += 1
      return
    }
    var place = place
    place.category = try place.category.map { name throws(StoreError) in
      try spelling(of: name, color)
    }
    if try !insert(place) {
      var named = place
      named.name = try freeName(place.name)
      _ = try insert(named)
    }
    added += 1
  }

  private func insert(_ place: SavedPlace) throws(StoreError) -> Bool {
    var place = place
    place.owner = owner
    return try database.run(
      """
      INSERT INTO place (name, latitude, longitude, radius_m, category, notes, region, width_m,
        owner, uid, import) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING
      """, PlaceStore.values(place) + [SQLValue(place.uid), .integer(id)]) > 0
  }

  /// The known place of this identifier and name. The name counts as well: programs that number
  /// the places of each file give one identifier to several places.
  private func sameIdentifier(as place: SavedPlace) throws(StoreError) -> SavedPlace? {
    guard let uid = place.uid else { return nil }
    return try database.rows(
      of: "place", "SELECT \(PlaceStore.columns) FROM known_place WHERE uid = ? LIMIT 100",
      [.text(uid)], read: PlaceStore.read
    ).values.first { Self.isSame($0.name, as: place.name) }
  }

  /// The category as it was first spelled, added if it is new.
  private func spelling(of category: String, _ color: String?) throws(StoreError) -> String {
    if let known = categories[category.nameKey] { return known }
    try database.run(
      "INSERT INTO category (name, color, import, owner) VALUES (?, ?, ?, ?) "
        + "ON CONFLICT (name) DO NOTHING",
      [
        .text(category), .text(color ?? Category.neutralColor), .integer(id),
        SQLValue(owner.map { Int($0) }),
      ])
    let known = try database.texts("SELECT name FROM category WHERE name = ?", [.text(category)])
    categories[category.nameKey] = known.first ?? category
    return known.first ?? category
  }

  /// Whether a place of this name, numbered or not, exists here; it gets an identifier if it has
  /// none.
  private func isKnown(_ place: SavedPlace) throws(StoreError) -> Bool {
    var isKnown = false
    var knownNumber: Int64?
    for cells in PlaceCells.ranges(around: place.position, radius: Self.samePlace) {
      let columns = "SELECT name, latitude, longitude, id FROM place WHERE"
      let names = """
        name >= ?3 AND name < ?4 AND (import IS NULL OR import = ?5
          OR import NOT IN (SELECT id FROM unfinished_import))
        """
      // Fast path: the index finds the name within one cell.
      let sql =
        cells.count == 1
        ? "\(columns) cell = ?1 AND ?1 = ?2 AND \(names)"
        : "\(columns) cell BETWEEN ?1 AND ?2 AND \(names)"
      try database.forEachUntil(
        sql,
        [
          .integer(cells.lowerBound), .integer(cells.upperBound), .text(place.name),
          .text(place.name + "\u{10FFFF}"), .integer(id),
        ]
      ) { (row) throws(StoreError) in
        guard case .text(let name) = row.value(at: 0), case .real(let latitude) = row.value(at: 1),
          case .real(let longitude) = row.value(at: 2),
          let position = Coordinate(latitude: latitude, longitude: longitude)
        else { return true }
        isKnown =
          Self.isSame(name, as: place.name)
          && position.distance(to: place.position) <= Self.samePlace
        if isKnown, case .integer(let number) = row.value(at: 3) { knownNumber = number }
        return !isKnown
      }
      if isKnown { break }
    }
    if let uid = place.uid, let knownNumber {
      try database.run(
        "UPDATE place SET uid = ? WHERE id = ? AND uid IS NULL",
        [.text(uid), .integer(knownNumber)])
    }
    return isKnown
  }

  /// Whether the name is `given`, possibly with a number as `freeName` adds.
  static func isSame(_ name: String, as given: String) -> Bool {
    let rest = name.unicodeScalars.dropFirst(given.unicodeScalars.count)
    guard !rest.isEmpty else { return true }
    return rest.starts(with: " (".unicodeScalars) && rest.last == ")"
      && rest.dropFirst(2).dropLast().allSatisfy { ("0"..."9").contains($0) }
  }

  /// `Rewe (2)`, or the next free number.
  private func freeName(_ name: String) throws(StoreError) -> String {
    let key = name.nameKey
    func numbered(_ number: Int) -> String { "\(name) (\(number))" }
    var number = numbers[key] ?? 1
    repeat {
      number += 1
    } while try database.integer(
      "SELECT 1 FROM place WHERE name = ?", [.text(numbered(number))]) != nil
    numbers[key] = number
    return numbered(number)
  }
}
