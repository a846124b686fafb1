import CSQLite
import Configuration
import Glibc
import JSONText

/// The tiles of one MBTiles file (https://github.com/mapbox/mbtiles-spec, version 1.3): a database
/// of SQLite. The file is hostile input: it is opened read-only, without its triggers and views'
/// functions, and each tile has a limit.
final class TileFile {
  static let maximumBytes = 1 << 20
  static let maximumZoom = 22

  private var database: OpaquePointer?
  private var query: OpaquePointer?
  private let tag: String
  private(set) var description: JSONObject

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter attribution: replaces that of the file.
  init(path: String, attribution: String?) throws(Failure) {
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
  func tile(zoom: Int, column: Int, row: Int) -> [UInt8]? {
    guard (0...Self.maximumZoom).contains(zoom), (0..<1 << zoom).contains(column),
      (0..<1 << zoom).contains(row)
    else { return nil }
    sqlite3_reset(query)
    defer { sqlite3_reset(query) }
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

  /// - Parameter name: `Z/X/Y`.
  func answer(_ name: String, _ request: PageRequest) -> PageAnswer {
    let numbers = name.split(separator: "/", omittingEmptySubsequences: false).map {
      $0.utf8.allSatisfy { (48...57).contains($0) } ? Int($0) ?? -1 : -1
    }
    guard numbers.count == 3, (0...Self.maximumZoom).contains(numbers[0]),
      numbers[1...].allSatisfy({ (0..<1 << numbers[0]).contains($0) })
    else { return PageAnswer(404) }
    guard let bytes = tile(zoom: numbers[0], column: numbers[1], row: numbers[2]) else {
      // No error: a browser would complain of each tile beyond the region.
      var answer = PageAnswer(204)
      answer.headers = [["Cache-Control", "max-age=3600"]]
      return answer
    }
    var answer = PageAnswer(request.knownTag == tag ? 304 : 200)
    answer.headers = [["Cache-Control", "private, max-age=604800"], ["ETag", tag]]
    if answer.status == 200 { answer.body = bytes }
    if bytes.starts(with: [0x1F, 0x8B]) { answer.headers.append(["Content-Encoding", "gzip"]) }
    answer.type = Self.type(of: bytes, isVector: description["kind"] == "vector")
    return answer
  }

  private static func type(of bytes: [UInt8], isVector: Bool) -> String {
    if isVector { return "application/x-protobuf" }
    if bytes.starts(with: [0x89, 0x50]) { return "image/png" }
    return bytes.starts(with: [0xFF, 0xD8]) ? "image/jpeg" : "image/webp"
  }
}
