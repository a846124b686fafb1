// Support: Input Living
import CSQLite
import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import Reminders
import Storage

/// The rows of the database, as a hand with the rules of the schema switched off may leave them:
/// text where a number belongs, bytes that are no UTF-8, times of the year 292 000, words nobody
/// knows. They are read or reported, and an engine lives with those that were read.
///
/// An input is a byte that chooses what is done with the rows, and a list of values: each a byte
/// that chooses the column, one that chooses type and row, and the value's bytes up to a NUL.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRows(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  rows.edit(input.rest)
  do {
    // One lock for all of it.
    try rows.store.database.transaction { () throws(StoreError) in
      let ids = choice & 1 == 0 ? try read(rows.store) : []
      // Takes several times as long as all the rest, and the harness Reminders does it, too.
      if choice & 0x1E == 0 { try live(rows.store, ids) }
    }
  } catch {
    fatalError("the store gives up: \(error)")
  }
  return 0
}

/// One database for all inputs, and a connection beside the store's.
private nonisolated(unsafe) let rows = Rows()

private final class Rows {
  let store: Store
  private let connection: OpaquePointer?
  /// Tables that the last input has changed.
  private var touched: Set<String> = []

  private static let columns: [String: [String]] = [
    "reminder": [
      "id", "kind", "title", "category", "priority", "place_name", "latitude", "longitude",
      "radius_m", "due", "transport", "document", "history", "state", "due_us", "nearest_us",
    ],
    "firing": [
      "id", "reminder_id", "kind", "title", "category", "priority", "time_us", "event", "latitude",
      "longitude", "eph_m", "fix_time_us", "place", "distance_m", "due_us", "travel_us", "late_us",
      "why", "delivered_us",
    ],
    "place": [
      "name", "latitude", "longitude", "radius_m", "category", "notes", "region", "width_m",
    ],
    "category": ["name", "color"],
    "ledger": ["uuid", "last_seq", "copied_us"],
    "state": ["value"],
  ]
  /// In a fixed order, for a letter to choose from.
  private static let targets = columns.keys.sorted().flatMap { table in
    (columns[table] ?? []).map { (table: table, column: $0) }
  }

  init() {
    Self.removeFiles()
    mkdir(Self.folder, 0o700)
    let path = Self.path
    do {
      let first = try Store(path: path, now: Instant(microseconds: 0))
      try Self.fill(first)
      first.close()
      connection = Self.loosen(path)
      store = try Store(path: path, now: Instant(microseconds: 0))
    } catch {
      fatalError("\(error)")
    }
    require(store.report.action == .opened, "\(store.report.sentences)")
    // The store takes no commit once they are removed.
    atexit { Rows.removeFiles() }
  }

  private static var folder: String { "/dev/shm/georemind-fuzz-\(getpid())" }
  private static var path: String { "\(folder)/georemind.db" }

  private static func removeFiles() {
    for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    rmdir(folder)
  }

  /// A reminder of each kind, a place, a firing that waits, and a last fix.
  private static func fill(_ store: Store) throws {
    let place = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
    for kind in Reminder.Kind.allCases {
      let reminder = Reminder(
        id: kind.rawValue, kind: kind, title: "x", place: Reminder.Place(position: place),
        due: kind == .location ? nil : try TimeStamp(parsing: "2026-11-22T10:00:00"))
      try store.reminders.replace((reminder, History(), Standing(state: .armed)))
    }
    try store.places.add(SavedPlace(name: "x", position: place, radius: 100))
    try store.ledger.record([
      Firing(
        id: "x", reminderID: "x", kind: .date, title: "x", time: Instant(microseconds: 0),
        event: .due, why: "x")
    ])
    let fix = Fix(time: Instant(microseconds: 0), position: place, mode: .threeD)
    try store.state.keep(KeptFix(fix: fix, arrival: Instant(microseconds: 0)))
  }

  /// Takes the rules and types of the columns out of the schema, and keeps a copy of each table.
  private static func loosen(_ path: String) -> OpaquePointer? {
    var connection: OpaquePointer?
    run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, ') STRICT', ')'),
        ' NOT NULL', ''), ' TEXT', ''), ' REAL', '') WHERE sql LIKE '%STRICT';
      """, open(path, &connection))
    sqlite3_close(connection)
    let copies = columns.keys.map {
      "CREATE TEMP TABLE copy_\($0) AS SELECT rowid AS number, * FROM main.\($0);"
    }
    run(
      """
      PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;
      PRAGMA temp_store = MEMORY; \(copies.joined())
      """, open(path, &connection))
    return connection
  }

  private static func open(_ path: String, _ connection: inout OpaquePointer?) -> OpaquePointer? {
    require(
      sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, "cannot open")
    return connection
  }

  private static func run(_ script: String, _ connection: OpaquePointer?) {
    require(
      sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK,
      String(cString: sqlite3_errmsg(connection)))
  }

  /// Brings back what the last input has changed, and changes what this one says.
  func edit(_ input: [UInt8]) {
    Self.run("BEGIN", connection)
    for table in touched { restore(table) }
    touched = []
    for edit in input.split(separator: 0).prefix(8) where edit.count >= 2 {
      let bytes = Array(edit)
      let target = Self.targets[Int(bytes[0]) % Self.targets.count]
      touched.insert(target.table)
      set(target.table, target.column, choice: bytes[1], Array(bytes[2...]))
    }
    Self.run("COMMIT", connection)
  }

  private func restore(_ table: String) {
    let columns = (Self.columns[table] ?? []).joined(separator: ", ")
    let values = columns.split(separator: " ").map { "copy.\($0)" }.joined(separator: " ")
    step(
      """
      UPDATE main.\(table) SET (\(columns)) = (SELECT \(values) FROM temp.copy_\(table) AS copy
        WHERE copy.number = \(table).rowid)
      """
    ) { _ in }
  }

  /// - Parameter choice: three bits for the type of the value, the others for the row.
  private func set(_ table: String, _ column: String, choice: UInt8, _ bytes: [UInt8]) {
    let sql = "UPDATE main.\(table) SET \(column) = ?1 WHERE rowid = \(1 + Int(choice >> 3) % 3)"
    let text = String(decoding: bytes, as: UTF8.self)
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let count = Int32(bytes.count)
    step(sql) { statement in
      switch choice & 7 {
      case 0: sqlite3_bind_null(statement, 1)
      case 1: sqlite3_bind_blob(statement, 1, bytes, count, transient)
      case 2: sqlite3_bind_double(statement, 1, Double(text) ?? .infinity)
      case 3: sqlite3_bind_int64(statement, 1, Int64(text) ?? .max)
      case 4: sqlite3_bind_int64(statement, 1, bytes.reduce(0) { $0 << 8 | Int64($1) })
      default:
        bytes.withUnsafeBytes {
          _ = sqlite3_bind_text(
            statement, 1, $0.bindMemory(to: CChar.self).baseAddress, count, transient)
        }
      }
    }
  }

  private var statements: [String: OpaquePointer] = [:]

  private func step(_ sql: String, _ bind: (OpaquePointer?) -> Void) {
    if statements[sql] == nil {
      var statement: OpaquePointer?
      require(
        sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
        String(cString: sqlite3_errmsg(connection)))
      statements[sql] = statement
    }
    bind(statements[sql])
    // What even this schema refuses, a name for the second time, stays as it was.
    sqlite3_step(statements[sql])
    sqlite3_reset(statements[sql])
  }
}

/// All that clients and the journal are told; answers the ids of the reminders.
private func read(_ store: Store) throws(StoreError) -> [String] {
  _ = try store.places.all()
  _ = try store.places.numbered(inCategory: "x")
  _ = try store.categories.all()
  let waiting = try store.ledger.undelivered().values.map(\.firing)
  for firing in try waiting + store.ledger.firings(limit: 3).values.map(\.firing) {
    require(!firing.json.isEmpty && !firing.message.isEmpty, "a firing says nothing")
  }
  for kind in Reminder.Kind.allCases { _ = try store.reminders.peek(kind: kind) }
  var ids: [String] = []
  let problems = try store.reminders.forEach { entry in
    require(!entry.reminder.json.isEmpty, "a reminder says nothing")
    ids.append(entry.reminder.id)
  }
  require(ids.count + problems.count == 3, "a row is neither read nor reported")
  for id in ids { _ = try? store.reminders.reminder(id: id) }
  return ids
}

/// A start of the daemon, and some days of it.
private func live(_ store: Store, _ ids: [String]) throws(StoreError) {
  let now = Instant(microseconds: 1_795_253_400_000_000)
  var engine = Engine(zone: TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc)
  if let kept = try store.state.lastFix() { engine.remember(kept.fix, from: kept.arrival) }
  var effects: [Effect] = []
  engine.beginLoading(count: 3)
  let problems = try store.reminders.forEach {
    engine.load($0.reminder, $0.history, $0.standing)
  }
  engine.finishLoading(at: now, into: &effects)
  require(engine.count + problems.count <= 3, "a row is loaded twice")
  live(
    &engine, from: now, at: Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99),
    ids: ids)
}
