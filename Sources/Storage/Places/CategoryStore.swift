/// A category of places or reminders, with its colour.
package struct Category: Hashable, Sendable {
  /// Unique, ignoring ASCII case.
  package var name: String
  /// `#RRGGBB`.
  package var color: String
  /// The user who added it, and who alone may change it; nil for everyone's.
  package var owner: UInt32?

  package init(name: String, color: String, owner: UInt32? = nil) {
    self.name = name
    self.color = color
    self.owner = owner
  }

  /// Colour of a category without one of its own.
  package static let neutralColor = "#808080"

  /// Categories of a new store.
  package static let defaults = [
    Category(name: "Home", color: "#2E7D32"),
    Category(name: "Work", color: "#1565C0"),
    Category(name: "Shopping", color: "#EF6C00"),
    Category(name: "Food", color: "#C62828"),
    Category(name: "Health", color: "#AD1457"),
    Category(name: "Travel", color: "#00838F"),
    Category(name: "Leisure", color: "#6A1B9A"),
    Category(name: "Other", color: "#616161"),
  ]

  static func addDefaults(to database: Database) throws(StoreError) {
    for category in defaults {
      try database.run(
        "INSERT INTO category (name, color) VALUES (?, ?)",
        [.text(category.name), .text(category.color)])
    }
  }
}

package struct CategoryStore {
  let database: Database

  /// All categories by name, ignoring case.
  package func all() throws(StoreError) -> Rows<Category> {
    try database.rows(
      of: "category", "SELECT id, name, color, owner FROM category ORDER BY name", read: Self.read)
  }

  package func category(named name: String) throws(StoreError) -> Category? {
    try database.rows(
      of: "category", "SELECT id, name, color, owner FROM category WHERE name = ?", [.text(name)],
      read: Self.read
    ).values.first
  }

  private static func read(_ row: Row) throws(RowFault) -> Category {
    Category(
      name: try row.text("name"), color: try row.text("color"),
      owner: try row.integerIfAny("owner").map { UInt32(clamping: $0) })
  }

  /// Limit: more categories are a mistake in the input, and all are scanned for their colours.
  private static let most = 5_000
  /// Limit for one user, so that others find room.
  private static let maximumOfUser = 500

  package func add(_ category: Category) throws(StoreError) {
    guard try database.integer("SELECT count(*) FROM category") ?? 0 < Self.most else {
      throw .invalid(what: "category", reason: "there are \(Self.most) already; remove some")
    }
    if let owner = category.owner,
      try database.integer(
        "SELECT count(*) FROM category WHERE owner = ?", [.integer(Int64(owner))]) ?? 0
        >= Self.maximumOfUser
    {
      throw .invalid(
        what: "category",
        reason: "user \(owner) has \(Self.maximumOfUser) already; remove some")
    }
    try checked(category) { () throws(StoreError) in
      try database.run(
        "INSERT INTO category (name, color, owner) VALUES (?, ?, ?)",
        [
          .text(category.name), .text(category.color), SQLValue(category.owner.map { Int($0) }),
        ])
    }
  }

  /// Renames or recolours the category `name`, with its places and reminders. Returns whether it
  /// existed.
  @discardableResult
  package func replace(_ name: String, with category: Category) throws(StoreError) -> Bool {
    try checked(category) { () throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        let changed = try database.run(
          "UPDATE category SET name = ?, color = ? WHERE name = ?",
          [.text(category.name), .text(category.color), .text(name)])
        guard changed > 0 else { return false }
        // A new colour alone does not change the reminders.
        guard category.name != name else { return true }
        try database.run(
          """
          UPDATE reminder SET category = ?1,
          \(RowChecksum.assignment("reminder", changing: "category", to: "?1"))
          WHERE category = ?2
          """,
          [.text(category.name), .text(name)])
        return true
      }
    }
  }

  /// Removes a category unless it is in use; returns whether it existed.
  @discardableResult
  package func remove(named name: String) throws(StoreError) -> Bool {
    try database.transaction { () throws(StoreError) in
      let places = try database.texts(
        "SELECT name FROM place WHERE category = ? ORDER BY name", [.text(name)])
      let reminders = try database.texts(
        "SELECT id FROM reminder WHERE category = ? ORDER BY seq", [.text(name)])
      guard places.isEmpty, reminders.isEmpty else {
        throw .categoryInUse(
          name: name, places: Array(places.prefix(5)), reminders: Array(reminders.prefix(5)),
          total: places.count + reminders.count)
      }
      return try database.run("DELETE FROM category WHERE name = ?", [.text(name)]) > 0
    }
  }

  @discardableResult
  private func checked<Value>(
    _ category: Category, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard !category.name.isEmpty else {
      throw .invalid(what: "category", reason: "its name is empty")
    }
    guard category.name.utf8.count <= 256 else {
      throw .invalid(what: "category", reason: "its name is longer than 256 bytes")
    }
    do throws(StoreError) {
      return try body()
    } catch {
      if error.isUniqueness { throw .alreadyExists(what: "category", name: category.name) }
      guard error.isConstraint else { throw error }
      throw .invalid(
        what: "category", reason: "'\(category.color)' is not a colour written as #RRGGBB")
    }
  }
}
