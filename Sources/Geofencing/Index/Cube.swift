import Geodesy

/// A cube of space: one of nine sizes, cut so that each cube is 64 of the next smaller size.
///
/// Sides are 512 m × 4^level. The cube of the top level holds the whole Earth. Coordinates count
/// cubes of the level from the corner of space where x, y and z are one radius below the centre.
struct Cube: Equatable {
  static let top = 8
  static let levelCount = 9
  /// Sides of a cube of level 0 in a radius of the Earth.
  static let scale = Sphere.radius / 512

  /// 0…8.
  let level: Int
  /// 0…24 886 on level 0; the same halved twice for each level above.
  let x: Int
  let y: Int
  let z: Int

  static let root = Cube(level: top, x: 0, y: 0, z: 0)

  /// The level-0 coordinate that belongs to a vector's part −1…1, clamped to the Earth.
  @inline(__always)
  static func coordinate(_ part: Double) -> Int {
    Int((max(-1, min(1, part)) + 1) * scale)
  }

  /// The first level whose cubes are at least as wide as `width`, in radii of the Earth, 0…2.
  static func level(width: Double) -> Int {
    var level = 0
    while level < top, Double(1 << (2 * level)) < width * scale { level += 1 }
    return level
  }

  /// A number of its own.
  @inline(__always)
  var key: UInt64 {
    UInt64(truncatingIfNeeded: level << 48 | x << 32 | y << 16 | z)
  }

  /// The part of this cube, one level below, with a number 0..<64.
  @inline(__always)
  func part(_ number: Int) -> Cube {
    Cube(
      level: level &- 1, x: x << 2 | (number & 3), y: y << 2 | (number >> 2 & 3),
      z: z << 2 | number >> 4)
  }

  /// The number that this cube has among the parts of the one above it.
  @inline(__always)
  var numberInParent: Int { x & 3 | (y & 3) << 2 | (z & 3) << 4 }

  var parent: Cube { Cube(level: level + 1, x: x >> 2, y: y >> 2, z: z >> 2) }
}

extension Cube {
  /// The cube of a level that holds a place.
  @inline(__always)
  init(holding place: Vector, level: Int) {
    self.init(
      level: level, x: Cube.coordinate(place.x) >> (2 * level),
      y: Cube.coordinate(place.y) >> (2 * level), z: Cube.coordinate(place.z) >> (2 * level))
  }
}

/// A box of cubes of one level: all cubes that touch a ball around a place.
struct CubeRange {
  private let low: Cube
  private let high: Cube

  /// - Parameter radius: of the ball, in radii of the Earth.
  @inline(__always)
  init(around place: Vector, radius: Double, level: Int) {
    // A hundred-millionth for the rounding of the vectors.
    let r = radius + 1e-8
    low = Cube(
      holding: Vector(x: place.x - r, y: place.y - r, z: place.z - r), level: level)
    high = Cube(
      holding: Vector(x: place.x + r, y: place.y + r, z: place.z + r), level: level)
  }

  /// A bit for each part of a cube of the level above that is in the box.
  @inline(__always)
  func parts(of cube: Cube) -> UInt64 {
    let x = CubeRange.bits(low.x &- cube.x << 2, high.x &- cube.x << 2, 1)
    let y = CubeRange.bits(low.y &- cube.y << 2, high.y &- cube.y << 2, 4)
    let z = CubeRange.bits(low.z &- cube.z << 2, high.z &- cube.z << 2, 16)
    return (x &* 0x1111_1111_1111_1111) & (y &* 0x0001_0001_0001_0001) & z
  }

  /// `width` set bits for each number of 0…3 that is in `low`…`high`.
  @inline(__always)
  private static func bits(_ low: Int, _ high: Int, _ width: Int) -> UInt64 {
    let (first, past) = (max(0, low), min(3, high) &+ 1)
    guard first < past else { return 0 }
    let below = past == 4 && width == 16 ? UInt64.max : (1 &<< UInt64(past &* width)) &- 1
    return below & ~((1 &<< UInt64(first &* width)) &- 1)
  }
}
