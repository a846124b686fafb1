import Bytes
package import Geodesy
import Glibc
package import JSONText

/// The tiles of a file near some points, for a page that has no service behind it.
///
/// Levels are taken from the first on, each whole or not at all, while there is room. A tile and
/// its eight neighbours are near a point in it.
package struct TileSelection {
  /// Bytes of a page that the tiles may take.
  package static let maximumBytes = 4 << 20
  /// More tiles of one level are not searched for.
  private static let maximumTiles = 20_000

  /// Kind, levels and authors, and `tiles`: base64 by `Z/X/Y`; nil where no tile is near.
  package private(set) var json: JSONObject?

  /// - Parameter limit: bytes of the base64 of all tiles.
  /// - Complexity: O(points · levels), and a search for each tile.
  package init(_ file: TileFile, near points: [Coordinate], limit: Int = maximumBytes) {
    let places = points.map(Self.mercator)
    var tiles: [(key: String, bytes: [UInt8])] = []
    var (size, last) = (0, -1)
    for zoom in file.levels {
      let keys = Self.keys(near: places, zoom: zoom)
      guard keys.count <= Self.maximumTiles else { break }
      var level: [(String, [UInt8])] = []
      for key in keys.sorted() {
        let (column, row) = (key >> 32, key & 0xFFFF_FFFF)
        guard let bytes = file.tile(zoom: zoom, column: column, row: row) else { continue }
        level.append(("\(zoom)/\(column)/\(row)", bytes))
        size += (bytes.count + 2) / 3 * 4 + 24
        guard size <= limit else { break }
      }
      guard size <= limit else { break }
      if !level.isEmpty { last = zoom }
      tiles += level
    }
    guard last >= 0 else { return }
    var object = file.description
    object["max"] = .int(last)
    object["tiles"] = .object(
      tiles.reduce(into: JSONObject()) { $0[$1.key] = .string(Base64.encoded($1.bytes)) })
    json = object
  }

  /// From 0 in the west and the north to 1 (EPSG:3857).
  private static func mercator(_ point: Coordinate) -> (x: Double, y: Double) {
    let sine = sin(max(-85.0511, min(85.0511, point.latitude)) * .pi / 180)
    return (point.longitude / 360 + 0.5, 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi))
  }

  /// Column and row of each tile, in the upper and the lower half of a number.
  private static func keys(near places: [(x: Double, y: Double)], zoom: Int) -> Set<Int> {
    let count = 1 << zoom
    var own: Set<Int> = []
    for place in places {
      let column = min(count - 1, max(0, Int(place.x * Double(count))))
      let row = min(count - 1, max(0, Int(place.y * Double(count))))
      own.insert(column << 32 | row)
    }
    var keys: Set<Int> = []
    for key in own {
      for column in (key >> 32) - 1...(key >> 32) + 1 {
        for row in (key & 0xFFFF_FFFF) - 1...(key & 0xFFFF_FFFF) + 1
        where (0..<count).contains(row) {
          keys.insert((column + count) % count * (1 << 32) + row)
        }
      }
    }
    return keys
  }
}
