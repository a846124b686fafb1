import Geodesy

/// Where a place lies in the cell of a level that holds it.
struct CellPlace {
  let cell: Cell
  /// Metres to the nearer and to the farther of the borders that are parallels; a little less, so
  /// that rounding cannot matter.
  let toParallel: Double
  let toFarParallel: Double
  /// The same for the borders that are meridians.
  let toMeridian: Double
  let toFarMeridian: Double
  private let isSouthern: Bool
  private let isWestern: Bool
  /// Exponent of the width of the cell, see `CellGrid`.
  private let width: UInt32

  @inline(__always)
  init(_ view: Viewpoint, level: Int, _ widths: ColumnWidths) {
    let north = CellGrid.northing(degrees: view.position.latitude)
    let east = CellGrid.easting(degrees: view.position.longitude)
    let height = CellGrid.exponent(level)
    let row = north &>> height
    width = widths.exponent(level: level, row: row)
    cell = Cell(level: level, row: row, column: east &>> width)
    let high = UInt32(1) &<< height
    let y = north & (high &- 1)
    let wide = UInt32(1) &<< width
    let x = east & (wide &- 1)
    isSouthern = y < high &- y
    isWestern = x < wide &- x
    toParallel = CellPlace.metres(along: min(y, high &- y))
    toFarParallel = CellPlace.metres(along: max(y, high &- y))
    toMeridian = CellPlace.metres(across: min(x, wide &- x), view.cosine)
    toFarMeridian = CellPlace.metres(across: max(x, wide &- x), view.cosine)
  }

  private static func metres(along units: UInt32) -> Double {
    max(0, Double(units) / CellGrid.unitsPerRadian * CellGrid.earthRadius - 0.1)
  }

  /// To a meridian t away: asin(cos φ · sin t), at least cos φ · (t − t³/6) while t < π/2.
  private static func metres(across units: UInt32, _ cosine: Double) -> Double {
    let t = min(Double(units) / CellGrid.unitsPerRadian, 0.5)
    return max(0, cosine * t * (1 - t * t / 6) * CellGrid.earthRadius - 0.1)
  }

  /// The cell across the nearer parallel; nil across a pole, and where columns change their width.
  func cellAcross(_ widths: ColumnWidths) -> Cell? {
    let lastRow = (UInt32(1) &<< (31 &- CellGrid.exponent(cell.level))) &- 1
    guard isSouthern ? cell.row > 0 : cell.row < lastRow else { return nil }
    let row = isSouthern ? cell.row &- 1 : cell.row &+ 1
    guard widths.exponent(level: cell.level, row: row) == width else { return nil }
    return Cell(level: cell.level, row: row, column: cell.column)
  }

  /// The cell across the nearer meridian.
  var cellAside: Cell {
    Cell(level: cell.level, row: cell.row, column: columnAside)
  }

  /// The cell across both the nearer parallel and the nearer meridian, given that across the parallel alone.
  func atCorner(_ across: Cell) -> Cell {
    Cell(level: cell.level, row: across.row, column: columnAside)
  }

  private var columnAside: UInt32 {
    let mask = UInt32.max &>> width
    return (isWestern ? cell.column &- 1 : cell.column &+ 1) & mask
  }
}
