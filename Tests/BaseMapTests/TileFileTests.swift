import Bytes
import CSQLite
import Geodesy
import JSONText
import TestSupport
import Testing

@testable import BaseMap

/// Files of tiles, good and hostile, and what a page takes along of them.
@Suite struct TileFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func tileFile(_ script: String) throws -> TileFile {
    let path = "\(folder.path)/map.mbtiles"
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, Self.tables + script, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    return try TileFile(path: path, attribution: nil)
  }

  private static let tables = """
    CREATE TABLE metadata (name TEXT, value TEXT);
    CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB);
    """

  @Test func aHostileFileServesNothing() throws {
    let large = try tileFile(
      "INSERT INTO tiles VALUES (0, 0, 0, zeroblob(1048577));"
        + "INSERT INTO tiles VALUES (1, 0, 0, 'a text')")
    #expect(large.tile(zoom: 0, column: 0, row: 0) == nil)
    #expect(large.tile(zoom: 1, column: 0, row: 1) == nil)
    for text in ["", "no database at all, but a text of some length", "SQLite format 3\u{0}xxxx"] {
      let path = try folder.file("hostile", text)
      #expect(throws: TileFile.Failure.self) { try TileFile(path: path, attribution: nil) }
    }
    #expect(throws: TileFile.Failure.self) {
      try TileFile(path: "\(folder.path)/absent", attribution: nil)
    }
  }

  @Test func anEndlessViewEnds() throws {
    let path = "\(folder.path)/view.mbtiles"
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    let script = """
      CREATE TABLE metadata (name TEXT, value TEXT);
      CREATE VIEW tiles AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS zoom_level, -i AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n
        WHERE i < 0;
      """
    #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    let file = try TileFile(path: path, attribution: "me")
    #expect(file.tile(zoom: 1, column: 0, row: 0) == nil)
    #expect(file.description["attribution"] == "me")
  }

  @Test func theLimitOfStepsIsForOneSearch() throws {
    let file = try tileFile(
      "CREATE UNIQUE INDEX place ON tiles (zoom_level, tile_column, tile_row);"
        + "INSERT INTO tiles VALUES (1, 1, 1, x'00')")
    let missed = (0..<150_000).count { _ in file.tile(zoom: 1, column: 1, row: 0) == nil }
    #expect(missed == 0)
  }

  // MARK: - A page without a service

  /// A file with every tile to a level, each of the same size, whose first bytes are its name.
  private func wholeWorld(to level: Int, bytes: Int) throws -> TileFile {
    let script = """
      INSERT INTO metadata VALUES ('format', 'pbf'), ('minzoom', '0'), ('maxzoom', '\(level)');
      WITH RECURSIVE z(z) AS (SELECT 0 UNION ALL SELECT z + 1 FROM z WHERE z < \(level)),
        n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < 1 << \(level))
        INSERT INTO tiles SELECT z, a.n, b.n, z || '/' || a.n || '/' || ((1 << z) - 1 - b.n)
          || '/' || hex(zeroblob(\(bytes))) FROM z, n a, n b WHERE a.n < 1 << z AND b.n < 1 << z;
      UPDATE tiles SET tile_data = CAST(tile_data AS BLOB);
      """
    return try tileFile(script)
  }

  private static func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
  }

  @Test func aPageTakesTheTilesAroundItsPoints() throws {
    let file = try wholeWorld(to: 5, bytes: 4)
    let tiles = TileSelection(file, near: [Self.point(47.14, 9.52)]).json
    #expect(tiles?["max"] == 5 && tiles?["kind"] == "vector")
    let object = try #require(tiles?["tiles"]?.object)
    // One, all four, and nine of each level after those.
    #expect(object.members.count == 1 + 4 + 9 * 4)
    // Tile 5/16/11 holds 47° N 9.5° E (https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames).
    #expect(object["5/16/11"] == .string(Base64.encoded(Array("5/16/11/00000000".utf8))))
  }

  @Test func atTheEdgeOfTheMapTheNeighbourIsOnTheOtherSide() throws {
    let file = try wholeWorld(to: 3, bytes: 1)
    let tiles = TileSelection(file, near: [Self.point(89, 179.9)]).json
    let object = try #require(tiles?["tiles"]?.object)
    let third = object.members.map(\.key).filter { $0.hasPrefix("3/") }.sorted()
    #expect(third == ["3/0/0", "3/0/1", "3/6/0", "3/6/1", "3/7/0", "3/7/1"])
  }

  @Test func aLevelWithoutRoomIsLeftOutWhole() throws {
    let file = try wholeWorld(to: 5, bytes: 100)
    let all = TileSelection(file, near: [Self.point(0, 0)]).json
    let some = TileSelection(file, near: [Self.point(0, 0)], limit: 6_000).json
    #expect(all?["max"] == 5)
    let last = try #require(some?["max"]?.int)
    #expect((0..<5).contains(last))
    let text = JSONValue.object(try #require(some?["tiles"]?.object)).line
    #expect(text.utf8.count <= 6_000)
    #expect(!text.contains("\"\(last + 1)/"))
    #expect(TileSelection(file, near: [Self.point(0, 0)], limit: 10).json == nil)
    #expect(TileSelection(file, near: []).json == nil)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
  ])
  func bytesAreWrittenAsTheStandardSays(text: String, expected: String) {
    // RFC 4648, section 10.
    #expect(Base64.encoded(Array(text.utf8)) == expected)
  }
}
