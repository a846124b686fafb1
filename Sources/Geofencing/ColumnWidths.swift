#if canImport(Glibc)
  import Glibc
#endif

/// The column widths of all rows: the only trigonometry of the grid, done once.
struct ColumnWidths {
  /// j for each band of 2²¹ units (19.5 km) and, after them, of 2²², 2²⁵ and 2²⁸ units.
  private var shifts: [UInt8] = []
  private static let offsets: InlineArray<5, Int> = [0, 0, 1024, 1536, 1600]

  init() {
    shifts.reserveCapacity(1608)
    for exponent in [21, 22, 25, 28] {
      let bands = 1 << (31 - exponent)
      for band in 0..<bands {
        // The edge nearest the equator, as a distance from the nearer pole in units.
        let fromPole = min(band + 1, bands - band, bands / 2) << exponent
        let widest = sin(Double(fromPole) / CellGrid.unitsPerRadian)
        var shift: UInt8 = 0
        while shift < 15, Double(2 << Int(shift)) * widest <= 1 { shift += 1 }
        shifts.append(shift)
      }
    }
  }

  /// The width exponent of the cells of a row.
  @inline(__always)
  func exponent(level: Int, row: UInt32) -> UInt32 {
    let height = CellGrid.exponent(level)
    let band = Int((row &<< height) &>> max(21, height))
    if level < 2, band == 0 || band == 1023 {
      // Within 19.5 km of a pole each row counts for itself: cos φ < distance from the pole.
      let far = (band == 0 ? row &+ 1 : (1 &<< (31 &- height)) &- row) &<< height
      return height &+ 31 &- UInt32(truncatingIfNeeded: (683_565_275 / far).leadingZeroBitCount)
    }
    return height &+ UInt32(shifts[ColumnWidths.offsets[level] &+ band])
  }

  /// The cell of a level that holds a place.
  @inline(__always)
  func cell(level: Int, north: UInt32, east: UInt32) -> Cell {
    let row = north &>> CellGrid.exponent(level)
    return Cell(level: level, row: row, column: east &>> exponent(level: level, row: row))
  }
}
