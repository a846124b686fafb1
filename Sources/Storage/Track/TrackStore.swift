import CSQLite
package import CivilTime
import Glibc
package import Positioning

/// The way of the device in a database of its own, which the user switches on: positions are
/// private, so the file belongs to this user alone, and forgotten positions are overwritten.
///
/// A commit survives the process at once and a power failure a little later. It belongs to one
/// thread, and to the daemon that holds the lock of the store beside it.
package final class TrackStore {
  /// Larger, it loses the oldest tenth of its time.
  package static let maximumBytes: Int64 = 256 << 20
  /// Larger files are not checked at the opening: other damage shows when it is read.
  private static let checkedSize: Int64 = 32 << 20

  private let database: Database
  private let limit: Int64
  /// Findings of the opening, a sentence each.
  package private(set) var remarks: [String] = []

  private static let migrations = [Migration(version: 1, script: tables1)]

  /// Times are microseconds since 1970 UTC, positions ten-millionths of a degree.
  private static let tables1 = """
    CREATE TABLE point (time_us INTEGER PRIMARY KEY,
      latitude INTEGER NOT NULL CHECK (latitude BETWEEN -900000000 AND 900000000),
      longitude INTEGER NOT NULL CHECK (longitude BETWEEN -1800000000 AND 1800000000),
      speed REAL, eph REAL) STRICT;
    CREATE TABLE trip (begin_us INTEGER PRIMARY KEY, end_us INTEGER NOT NULL,
      distance REAL NOT NULL) STRICT;
    CREATE TABLE stay (begin_us INTEGER PRIMARY KEY, end_us INTEGER NOT NULL,
      latitude INTEGER NOT NULL, longitude INTEGER NOT NULL) STRICT;
    """

  /// Opens or creates the database. A damaged one is set aside and a new one begun. A link, and a
  /// file of another user or program, are refused unchanged.
  package init(path: String, now: Instant, limit: Int64 = maximumBytes) throws(StoreError) {
    self.limit = limit
    try Self.guardOwner(of: path)
    do throws(StoreError) {
      database = try Self.open(path)
    } catch {
      guard error.isDamage else { throw error }
      let aside = try FileSystem.freeName(beside: path, "damaged", at: now)
      for suffix in ["", "-wal", "-shm"] where try FileSystem.size(of: path + suffix) != nil {
        try FileSystem.rename(path + suffix, to: aside + suffix)
      }
      database = try Self.open(path)
      remarks.append("The track was damaged and is set aside as \(aside); a new one begins")
    }
  }

  /// Fails unless it is missing or a regular file of this user; closes it to others.
  private static func guardOwner(of path: String) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw .file(FileFailure(operation: "use", path: path, code: errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1
    else { throw .file(FileFailure(operation: "use", path: path, code: EPERM)) }
    guard status.st_mode & 0o077 != 0 else { return }
    guard chmod(path, 0o600) == 0 else {
      throw .file(FileFailure(operation: "close to others", path: path, code: errno))
    }
  }

  private static func open(_ path: String) throws(StoreError) -> Database {
    let size = try FileSystem.size(of: path)
    if size == nil { try FileSystem.createPrivate(path) }
    let database = try Database(path: path)
    try database.refuseForeign(migrations)
    if size ?? 0 <= checkedSize, let fault = try database.structuralFault() {
      throw damage(fault, path)
    }
    _ = try database.configure()
    try database.execute("PRAGMA secure_delete = ON")
    _ = try database.migrate(migrations) { (_) throws(StoreError) in }
    if let column = try database.missingColumn(migrations) {
      throw damage("the column \(column) is missing", path)
    }
    try database.guardFiles()
    return database
  }

  private static func damage(_ message: String, _ path: String) -> StoreError {
    .sqlite(SQLiteFailure(extendedCode: SQLITE_CORRUPT, message: message, sql: nil, path: path))
  }

  package func close() { database.close() }

  // MARK: - Writing

  /// Adds points and parts in one commit. Points and parts of the same time are replaced.
  package func add(
    _ points: [TrackPoint], _ parts: [TripDivider.Part]
  ) throws(StoreError) {
    try database.relaxedTransaction { () throws(StoreError) in
      for point in points {
        try database.run(
          "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?)",
          [
            SQLValue(point.time), .integer(Int64(point.latitude)),
            .integer(Int64(point.longitude)), SQLValue(point.speed), SQLValue(point.eph),
          ])
      }
      for part in parts {
        switch part {
        case .trip(let trip):
          try database.run(
            "INSERT OR REPLACE INTO trip VALUES (?, ?, ?)",
            [SQLValue(trip.begin), SQLValue(trip.end), .real(trip.distance)])
        case .stay(let stay):
          let place = TrackPoint(time: stay.begin, position: stay.position)
          try database.run(
            "INSERT OR REPLACE INTO stay VALUES (?, ?, ?, ?)",
            [
              SQLValue(stay.begin), SQLValue(stay.end), .integer(Int64(place.latitude)),
              .integer(Int64(place.longitude)),
            ])
        }
      }
    }
    guard try database.byteCount() > limit,
      let first = try database.integer("SELECT min(time_us) FROM point"),
      let last = try database.integer("SELECT max(time_us) FROM point")
    else { return }
    try forget(before: Instant(microseconds: first + (last - first) / 10 + 1))
  }

  /// Deletes what ended before a time; all without one. The number of deleted trips.
  @discardableResult
  package func forget(before time: Instant?) throws(StoreError) -> Int {
    let limit = SQLValue((time ?? Instant(microseconds: .max)).microseconds)
    let trips = try database.transaction { () throws(StoreError) in
      try database.run("DELETE FROM point WHERE time_us < ?", [limit])
      try database.run("DELETE FROM stay WHERE end_us < ?", [limit])
      return try database.run("DELETE FROM trip WHERE end_us < ?", [limit])
    }
    // The write-ahead log has positions as well.
    if time == nil { _ = try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") }
    return trips
  }

  // MARK: - Reading

  /// Points of a time, at most `limit`, the earliest first. Unreadable rows are left out.
  package func points(
    from begin: Instant, to end: Instant, limit: Int
  ) throws(StoreError) -> [TrackPoint] {
    try database.rows(
      of: "point",
      """
      SELECT time_us, latitude, longitude, speed, eph FROM point
      WHERE time_us BETWEEN ? AND ? ORDER BY time_us
      """, [SQLValue(begin), SQLValue(end)], limit: limit
    ) { row throws(RowFault) in
      try TrackPoint(
        time: Instant(microseconds: row.integer("time_us")), latitude: Self.angle(row, "latitude"),
        longitude: Self.angle(row, "longitude"), speed: row.realIfAny("speed"),
        eph: row.realIfAny("eph"))
    }.values
  }

  private static func angle(_ row: Row, _ column: String) throws(RowFault) -> Int32 {
    guard let value = Int32(exactly: try row.integer(column)), value.magnitude <= 1_800_000_000
    else { throw RowFault(reason: "the column \(column) holds no angle") }
    return value
  }

  /// Trips that ended after a time, at most `limit`, the latest first.
  package func trips(
    since time: Instant, limit: Int
  ) throws(StoreError) -> [RecordedTrip] {
    try database.rows(
      of: "trip",
      "SELECT begin_us, end_us, distance FROM trip WHERE end_us >= ? ORDER BY begin_us DESC",
      [SQLValue(time)], limit: limit
    ) { row throws(RowFault) in
      try RecordedTrip(
        begin: Instant(microseconds: row.integer("begin_us")),
        end: Instant(microseconds: row.integer("end_us")), distance: row.real("distance"))
    }.values
  }

  /// Stays, at most `limit`, the latest first.
  package func stays(limit: Int) throws(StoreError) -> [Stay] {
    try database.rows(
      of: "stay",
      "SELECT begin_us, end_us, latitude, longitude FROM stay ORDER BY begin_us DESC",
      limit: limit
    ) { row throws(RowFault) in
      let place = try TrackPoint(
        time: Instant(microseconds: row.integer("begin_us")),
        latitude: Self.angle(row, "latitude"), longitude: Self.angle(row, "longitude"),
        speed: nil, eph: nil)
      return Stay(
        begin: place.time, end: Instant(microseconds: try row.integer("end_us")),
        position: place.position)
    }.values
  }

  /// When the last complete trip or stay ended: the way from there is still open.
  package func lastEnd() throws(StoreError) -> Instant? {
    try database.integer(
      "SELECT max(end_us) FROM (SELECT end_us FROM trip UNION ALL SELECT end_us FROM stay)"
    ).map { Instant(microseconds: $0) }
  }
}
