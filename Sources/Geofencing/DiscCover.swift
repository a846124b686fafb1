#if canImport(Glibc)
  import Glibc
#endif

/// The cells that an angular disc touches: on each level some rows, in each of them some columns.
/// A cover, slightly larger than needed.
struct DiscCover {
  private let south: UInt32
  private let north: UInt32
  private let easting: UInt32
  /// Half the disc's width in units of longitude; nil where it holds a pole.
  private let halfWidth: UInt32?

  /// A disc of `metres` around a place in radians.
  init(latitude: Double, longitude: Double, metres: Double) {
    let degrees = 180 / Double.pi
    // Rounding of the units and of the functions below is far less than four units, 4 cm.
    let padding = 4 / CellGrid.unitsPerRadian
    let angle = metres / CellGrid.earthRadius * (1 + 1e-9) + padding
    let low = latitude - angle
    let high = latitude + angle
    south = CellGrid.northing(degrees: max(-90, low * degrees))
    north = CellGrid.northing(degrees: min(90, high * degrees))
    easting = CellGrid.easting(degrees: longitude * degrees)
    let cosine = max(SineCosine(degrees: latitude * degrees).cosine, 1e-300)
    let holdsPole = low <= -.pi / 2 || high >= .pi / 2
    let units: Double
    if angle < 0.05 * cosine {
      // asin(sin a / cos φ) for a small quotient, from above.
      let ratio = angle / cosine
      units = ratio * (1 + 0.17 * ratio * ratio) * CellGrid.unitsPerRadian + 4
    } else {
      let ratio = sin(min(angle, .pi / 2)) / cosine
      units = ratio < 1 ? asin(ratio) * (1 + 1e-9) * CellGrid.unitsPerRadian + 4 : .infinity
    }
    halfWidth = !holdsPole && units < 2_147_483_647 ? UInt32(units) : nil
  }

  /// The rows of a level.
  @inline(__always)
  func rows(level: Int) -> ClosedRange<UInt32> {
    let exponent = CellGrid.exponent(level)
    return (south &>> exponent)...(north &>> exponent)
  }

  /// The first column in a row whose columns are 2^`width` units wide, and how many follow each
  /// other eastwards, wrapping.
  @inline(__always)
  private func columns(width: UInt32) -> (first: UInt32, count: UInt32, mask: UInt32) {
    let total = UInt32(1) &<< (32 &- width)
    guard let halfWidth else { return (0, total, total &- 1) }
    let first = (easting &- halfWidth) &>> width
    let last = (easting &+ halfWidth) &>> width
    let span = (last &- first) & (total &- 1)
    // It touches at most two columns more than fit into its width; where those are all, take all.
    let wraps = ((UInt64(halfWidth) &* 2) &>> UInt64(width)) &+ 2 > UInt64(total)
    return wraps ? (0, total, total &- 1) : (first, span &+ 1, total &- 1)
  }

  /// Notes the squares that the disc touches.
  /// - Complexity: O(squares), some hundreds at most, or O(squares of 2.8°).
  func mark(in map: inout some SquareMap) {
    let blocks = squares(width: 23, north: north)
    if halfWidth != nil, blocks.rows.count * Int(blocks.columnCount) <= 16 {
      // What is rounded to the pole itself is in a row of its own.
      map.mark(squares(width: map.exponent, north: north &+ 1))
    } else {
      map.markWide(squares(width: Occupancy.wideExponent, north: north))
    }
  }

  /// The squares of 2^`width` units that the disc touches, its northern end given.
  private func squares(width: UInt32, north: UInt32) -> Occupancy.Squares {
    let (first, count, _) = columns(width: width)
    return Occupancy.Squares(
      rows: (south &>> width)...(north &>> width), firstColumn: first, columnCount: count)
  }

  /// Calls `body` with each cell of the largest level.
  func forEachTopCell(_ widths: ColumnWidths, _ body: (Cell) -> Void) {
    for row in rows(level: CellGrid.top) {
      let (first, count, mask) = columns(width: widths.exponent(level: CellGrid.top, row: row))
      for offset in 0..<count {
        body(Cell(level: CellGrid.top, row: row, column: (first &+ offset) & mask))
      }
    }
  }

  /// Calls `body` with each touched cell one level below `cell` and within it.
  @inline(__always)
  func forEachChild(of cell: Cell, _ widths: ColumnWidths, _ body: (Cell) -> Void) {
    let level = cell.level &- 1
    let touched = rows(level: level)
    let low = max(touched.lowerBound, cell.row &<< 3)
    let high = min(touched.upperBound, cell.row &<< 3 | 7)
    guard low <= high else { return }
    let parentWidth = widths.exponent(level: cell.level, row: cell.row)
    for row in low...high {
      let width = widths.exponent(level: level, row: row)
      let (first, count, mask) = columns(width: width)
      for offset in 0..<count {
        let column = (first &+ offset) & mask
        if column &>> (parentWidth &- width) == cell.column {
          body(Cell(level: level, row: row, column: column))
        }
      }
    }
  }
}
