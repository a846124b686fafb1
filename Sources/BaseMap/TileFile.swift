import CSQLite
import Glibc
package import JSONText

/// The tiles of one MBTiles file (https://github.com/mapbox/mbtiles-spec, version 1.3): a database
/// of SQLite. The file is hostile input: it is opened read-only, without its triggers and views'
/// functions, and each tile has a limit.
package final class TileFile {
  package static let maximumBytes = 1 << 20
  package static let maximumZoom = 22

  private var database: OpaquePointer?
  private var query: OpaquePointer?
  /// Changes with the file: an entity tag of HTTP.
  package let tag: String
  /// Kind (`vector` or `raster`), levels, bounds and authors, as a page reads them.
  package private(set) var description: JSONObject

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameter attribution: replaces that of the file.
  package init(path: String, attribution: String?) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
    }
    tag = "\"\(status.st_mtim.tv_sec)-\(status.st_size)\""
    description = [:]
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    let setUp =
      "PRAGMA query_only=1; PRAGMA trusted_schema=0; PRAGMA cache_size=-512; PRAGMA mmap_size=0"
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK,
      sqlite3_exec(database, setUp, nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(
        database,
        "SELECT tile_data FROM tiles WHERE zoom_level=? AND tile_column=? AND tile_row=?", -1,
        &query, nil) == SQLITE_OK
    else {
      let reason = database.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      close()
      throw Failure(description: "\(path) is no MBTiles file: \(reason)")
    }
    // A query of a hostile file ends.
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(4 * Self.maximumBytes))
    sqlite3_progress_handler(database, 1_000_000, { _ in 1 }, nil)
    let format = metadata("format") ?? "png"
    let isVector = format == "pbf"
    description = JSONObject([
      "kind": isVector ? "vector" : "raster",
      "min": .int(level("minzoom", 0)), "max": .int(level("maxzoom", isVector ? 14 : 18)),
      "bounds": metadata("bounds").map { .string($0) },
      "attribution": .string(
        attribution ?? metadata("attribution") ?? (isVector ? "© OpenStreetMap contributors" : "")),
    ])
  }

  deinit { close() }

  private func close() {
    sqlite3_finalize(query)
    sqlite3_close(database)
    (query, database) = (nil, nil)
  }

  package var isVector: Bool { description["kind"] == "vector" }

  /// The levels of which it has tiles; empty where its metadata are wrong.
  package var levels: Range<Int> {
    let (first, last) = (description["min"]?.int ?? 0, description["max"]?.int ?? 0)
    return first..<max(first, last + 1)
  }

  private func level(_ name: String, _ fallback: Int) -> Int {
    max(0, min(metadata(name).flatMap { Int($0) } ?? fallback, Self.maximumZoom))
  }

  /// A value of the table `metadata`, at most 2000 bytes.
  private func metadata(_ name: String) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard
      sqlite3_prepare_v2(
        database, "SELECT value FROM metadata WHERE name=?", -1, &statement, nil) == SQLITE_OK,
      name.withCString({
        sqlite3_bind_text(statement, 1, $0, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return nil }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, 0)))
    return String(decoding: bytes.prefix(2_000), as: UTF8.self)
  }

  /// The bytes of a tile by column and row from the north-west; nil where there is none.
  package func tile(zoom: Int, column: Int, row: Int) -> [UInt8]? {
    guard (0...Self.maximumZoom).contains(zoom), (0..<1 << zoom).contains(column),
      (0..<1 << zoom).contains(row)
    else { return nil }
    sqlite3_reset(query)
    defer { sqlite3_reset(query) }
    // The limit of steps is for one search: SQLite counts them over all searches of a statement.
    sqlite3_stmt_status(query, SQLITE_STMTSTATUS_VM_STEP, 1)
    // The file counts rows from the south.
    for (index, value) in [zoom, column, (1 << zoom) - 1 - row].enumerated() {
      sqlite3_bind_int64(query, Int32(index + 1), Int64(value))
    }
    guard sqlite3_step(query) == SQLITE_ROW,
      sqlite3_column_type(query, 0) == SQLITE_BLOB,
      let bytes = sqlite3_column_blob(query, 0)
    else { return nil }
    let count = Int(sqlite3_column_bytes(query, 0))
    guard count <= Self.maximumBytes else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
