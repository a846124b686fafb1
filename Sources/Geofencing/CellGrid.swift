#if canImport(Glibc)
  import Glibc
#endif

/// How the sphere is cut into cells, at five sizes.
///
/// Angles are counted in units of 2⁻³² of a full turn (9.3 mm on the equator), so that longitude
/// wraps at the antimeridian by the overflow of a 32-bit number. A level cuts the latitudes into
/// rows of 2^k units, k = 16, 19, 22, 25, 28: 0.6, 4.9, 39, 313 and 2 502 km. A row is cut into
/// columns of 2^(k + j) units, where j grows towards the poles so that a cell stays at least half
/// as wide as high at the edge of its row that faces the equator. The last row before a pole ends
/// in triangles, eight of them at the smallest level; nothing else is special there.
///
/// Each cell is cut into whole cells of the level below: eight rows, in each of them eight columns,
/// or next to a pole one to eight.
enum CellGrid {
  static let levelCount = 5
  static let top = 4

  /// `Sphere.radius`, metres, where the compiler can see it.
  @inline(__always)
  static var earthRadius: Double { 6_371_008.8 }

  /// Angle units in a radian.
  @inline(__always)
  static var unitsPerRadian: Double { 683_565_275.576_431_6 }

  /// Angle units in a degree.
  @inline(__always)
  static var unitsPerDegree: Double { 11_930_464.711_111_11 }

  /// Height exponent of a level.
  @inline(__always)
  static func exponent(_ level: Int) -> UInt32 { 16 &+ 3 &* UInt32(truncatingIfNeeded: level) }

  /// At most the straight line, in metres, that so many metres on the ground are: of an angle a it is
  /// 2 sin(a/2), which is at least a − a³/24.
  @inline(__always)
  static func straight(_ metres: Double) -> Double {
    let angle = metres / earthRadius
    return metres * (1 - angle * angle / 24)
  }

  /// How many of so many metres around a place are left after a way from there, given by its square in radii
  /// of the Earth; less a millimetre for rounding.
  @inline(__always)
  static func remainder(of metres: Double, afterSquared way: Double) -> Double {
    metres - earthRadius * way.squareRoot() - 0.001
  }

  /// So many metres in radii of the Earth, squared; negative where they are none.
  @inline(__always)
  static func squaredRadii(_ metres: Double) -> Double {
    let radii = metres * (1 / earthRadius)
    return radii > 0 ? radii * radii : -1
  }

  /// Metres from south to north of a cell.
  @inline(__always)
  static func height(_ level: Int) -> Double {
    Double(UInt32(1) << exponent(level)) / unitsPerRadian * earthRadius
  }

  /// The first level whose rows are at least as high as an angular radius in units, or the last.
  @inline(__always)
  static func level(units: Double) -> Int {
    var level = 0
    while level < top, Double(UInt32(1) << exponent(level)) < units { level += 1 }
    return level
  }

  /// Units from the south pole, 0..<2³¹, for −90…90 degrees; the north pole belongs to the last row.
  @inline(__always)
  static func northing(degrees: Double) -> UInt32 {
    let units = lowBits(degrees * unitsPerDegree) &+ 1 &<< 30
    return units &- units &>> 31
  }

  /// Units east of Greenwich modulo a full turn, for −360…360 degrees.
  @inline(__always)
  static func easting(degrees: Double) -> UInt32 {
    lowBits(degrees * unitsPerDegree)
  }

  /// The nearest whole number modulo 2³², for numbers below 2⁵⁰ in size: adding 1.5 × 2⁵² leaves it in
  /// the low bits. A conversion asks first whether it would trap, which a look has to wait for.
  @inline(__always)
  static func lowBits(_ units: Double) -> UInt32 {
    UInt32(truncatingIfNeeded: (units + 6_755_399_441_055_744).bitPattern)
  }
}

/// A cell: the row counted from the south pole, the column eastwards from Greenwich.
struct Cell: Equatable {
  let level: Int
  let row: UInt32
  let column: UInt32

  /// Its number in 32 bits. A cell of level 0 needs 31 of them, the others 25 and their level. All
  /// ones is the number of no cell.
  @inline(__always)
  var key: UInt32 {
    if level == 0 { return row &<< 16 | column }
    return 1 << 31 | UInt32(truncatingIfNeeded: level) &<< 25 | row &<< 13 | column
  }

  /// The level of the cell that has a number.
  static func level(ofKey key: UInt32) -> Int { key >> 31 == 0 ? 0 : Int(key >> 25 & 0x3F) }
}
