#if canImport(Glibc)
  import Glibc
#endif

/// How the sphere is cut into cells, at five sizes.
///
/// Angles are counted in units of 2⁻³² of a full turn (9.3 mm on the equator), so that longitude
/// wraps at the antimeridian by the overflow of a 32-bit number. A level cuts the latitudes into
/// rows of 2^k units, k = 17, 20, 23, 26, 29: 1.2, 9.8, 78, 625 and 5 004 km. A row is cut into
/// columns of 2^(k + j) units, where j grows towards the poles so that a cell stays at least half
/// as wide as high at the edge of its row that faces the equator. The last row before a pole ends
/// in triangles, eight of them at the smallest level; nothing else is special there.
///
/// A circle belongs to the first level whose rows are at least as high as its radius: it touches
/// three rows and, off the poles, a few columns.
enum CellGrid {
  static let levelCount = 5

  /// The level number of cells that only count: a cell of level 1 with the number of level 0
  /// circles that touch it. Where that is none, a look need not stop at the edges of small cells.
  static let summary = 5

  /// `Sphere.radius`, metres, where the compiler can see it.
  @inline(__always)
  static var earthRadius: Double { 6_371_008.8 }

  /// Angle units in a radian.
  @inline(__always)
  static var unitsPerRadian: Double { 683_565_275.576_431_6 }

  /// Height exponent of a level.
  @inline(__always)
  static func exponent(_ level: Int) -> UInt32 { 17 &+ 3 &* UInt32(truncatingIfNeeded: level) }

  /// The level for an angular radius in units.
  static func level(units: Double) -> Int {
    var level = 0
    while level < levelCount - 1, Double(UInt32(1) << exponent(level)) < units { level += 1 }
    return level
  }

  /// Units from the south pole, 0..<2³¹; the north pole belongs to the last row.
  @inline(__always)
  static func northing(_ radians: Double) -> UInt32 {
    let units = (radians + .pi / 2) * unitsPerRadian
    return UInt32(max(0, min(2_147_483_647, units)))
  }

  /// Units east of Greenwich modulo a full turn.
  @inline(__always)
  static func easting(_ radians: Double) -> UInt32 {
    UInt32(truncatingIfNeeded: Int64((radians * unitsPerRadian).rounded(.down)))
  }

  /// A cell's number: level, row and column in 32 bits. All ones is the number of no cell.
  @inline(__always)
  static func key(_ level: Int, _ row: UInt32, _ column: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: level) << 29 | row << 15 | column
  }
}

/// The column widths of all rows: the only trigonometry of the grid, done once.
struct ColumnWidths {
  /// j for each band of 2²¹ units (19.5 km) and, after them, of 2²³, 2²⁶ and 2²⁹ units.
  private var shifts: [UInt8] = []
  private static let offsets: InlineArray<5, Int> = [0, 0, 1024, 1280, 1312]

  init() {
    shifts.reserveCapacity(1316)
    for exponent in [21, 23, 26, 29] {
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

  /// The width exponent of the cells of a row: 32 where one cell goes all the way round.
  @inline(__always)
  func exponent(level: Int, row: UInt32) -> UInt32 {
    let height = CellGrid.exponent(level)
    let north = row << height
    let band = Int(north >> max(21, height))
    let shift: UInt32
    if level < 2, band == 0 || band == 1023 {
      // Within 19.5 km of a pole each row counts for itself: cos φ < distance from the pole.
      let far = (band == 0 ? row &+ 1 : (1 << (31 &- height)) &- row) << height
      shift = 31 &- UInt32(truncatingIfNeeded: (683_565_275 / far).leadingZeroBitCount)
    } else {
      shift = UInt32(shifts[ColumnWidths.offsets[level] + band])
    }
    return min(32, height &+ shift)
  }
}

/// The rows of a level that an angular disc touches, and its columns in each of them: a cover,
/// slightly larger than needed.
struct DiscCover {
  let rows: ClosedRange<UInt32>
  private let level: Int
  private let easting: UInt32
  /// Half the disc's width in units of longitude; nil where it holds a pole.
  private let halfWidth: UInt32?

  /// A disc of `angle` radians around a place in radians.
  init(latitude: Double, longitude: Double, angle: Double, level: Int) {
    // Rounding of the units and of the functions below is far less than four units, 4 cm.
    let padded = angle * (1 + 1e-9) + 4 / CellGrid.unitsPerRadian
    let south = latitude - padded
    let north = latitude + padded
    let exponent = CellGrid.exponent(level)
    self.level = level
    rows = (CellGrid.northing(south) >> exponent)...(CellGrid.northing(north) >> exponent)
    easting = CellGrid.easting(longitude)
    let ratio = sin(min(padded, .pi / 2)) / max(cos(latitude), 1e-300)
    if south > -.pi / 2, north < .pi / 2, ratio < 1 {
      let units = asin(ratio) * (1 + 1e-9) * CellGrid.unitsPerRadian + 4
      halfWidth = units < 2_147_483_647 ? UInt32(units) : nil
    } else {
      halfWidth = nil
    }
  }

  /// The first column in a row and how many follow each other eastwards, wrapping.
  func columns(row: UInt32, widths: ColumnWidths) -> (first: UInt32, count: UInt32, mask: UInt32) {
    let exponent = widths.exponent(level: level, row: row)
    guard exponent < 32 else { return (0, 1, 0) }
    let total = UInt32(1) << (32 - exponent)
    guard let halfWidth else { return (0, total, total - 1) }
    let first = (easting &- halfWidth) >> exponent
    let last = (easting &+ halfWidth) >> exponent
    let span = (last &- first) & (total - 1)
    // It touches at most two columns more than fit into its width; where those are all, take all.
    let wraps = ((UInt64(halfWidth) * 2) >> UInt64(exponent)) + 2 > UInt64(total)
    return wraps ? (0, total, total - 1) : (first, span + 1, total - 1)
  }

  /// An upper bound of the number of cells, for choosing between cells and a scan.
  func cellCount(widths: ColumnWidths) -> Int {
    let middle = rows.lowerBound + (rows.upperBound - rows.lowerBound) / 2
    let widest = max(
      columns(row: rows.lowerBound, widths: widths).count,
      columns(row: middle, widths: widths).count,
      columns(row: rows.upperBound, widths: widths).count)
    return rows.count * Int(widest)
  }
}
