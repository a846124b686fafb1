/// A direction in 2⁻³⁰ of the Earth's radius.
struct FixedVector {
  let x: Int32
  let y: Int32
  let z: Int32

  init(_ direction: Vector) {
    x = Int32(direction.x * 1_073_741_824)
    y = Int32(direction.y * 1_073_741_824)
    z = Int32(direction.z * 1_073_741_824)
  }
}

/// The unit of the entries on a level.
enum Quantum {
  /// Bits of a `FixedVector` below the quantum: it is 2⁻²⁶ of the radius, 9.5 cm, on level 0 and
  /// eight times as long on each level above.
  @inline(__always)
  static func shift(_ level: Int) -> Int32 { 4 &+ 3 &* Int32(truncatingIfNeeded: level) }

  /// Metres of a straight line.
  @inline(__always)
  static func metres(_ level: Int) -> Double {
    CellGrid.earthRadius / 67_108_864 * Double(UInt32(1) << (3 * UInt32(level)))
  }

  /// How far a distance between quantised places may be off, and a radius with it: below √3 for
  /// the three axes and ½ for the radius, the rest for the 24 bits of a `Float`.
  static let doubt: Float = 3
}

/// What a look must know of a circle before it asks for more: centre and radius in 8 bytes.
///
/// The axes keep the last 16 bits of the centre, in quanta of the cell's level. All that a cell
/// lists is less than 2¹⁵ quanta away from any place in it, so the difference of two places is
/// that of their last bits, wrapped. It needs no trigonometry and knows no pole or antimeridian.
struct Entry {
  /// The number of the fence; all bits flipped, and so negative, where the circle bounds a shape.
  let tag: FenceID
  let x: Int16
  let y: Int16
  let z: Int16
  /// Of the straight line from the centre to the edge.
  let radius: Int16

  @inline(__always)
  var fence: FenceID { Entry.fence(of: tag) }

  /// The number in a tag that has all bits flipped where it says something more of the fence.
  @inline(__always)
  static func fence(of tag: FenceID) -> FenceID { tag < 0 ? ~tag : tag }

  init(tag: FenceID, center: FixedVector, chord: Double, level: Int) {
    let shift = Quantum.shift(level)
    self.tag = tag
    x = Int16(truncatingIfNeeded: center.x >> shift)
    y = Int16(truncatingIfNeeded: center.y >> shift)
    z = Int16(truncatingIfNeeded: center.z >> shift)
    radius = Int16(clamping: Int32((chord / Quantum.metres(level)).rounded()))
  }

  init(tag: FenceID, x: Int16 = 0, y: Int16 = 0, z: Int16 = 0, radius: Int16) {
    self.tag = tag
    self.x = x
    self.y = y
    self.z = z
    self.radius = radius
  }
}

/// Four entries side by side, as the processor's vector registers like them. An unused lane has
/// such a radius that its edge is farther than any other.
struct EntryGroup {
  private(set) var x = SIMD4<Int16>()
  private(set) var y = SIMD4<Int16>()
  private(set) var z = SIMD4<Int16>()
  private(set) var radius = SIMD4<Int16>(repeating: .min)
  private(set) var tag = SIMD4<FenceID>()

  init() {}

  /// A group of one.
  @inline(__always)
  init(_ entry: Entry) {
    self[0] = entry
  }

  @inline(__always)
  subscript(lane: Int) -> Entry {
    get {
      Entry(tag: tag[lane], x: x[lane], y: y[lane], z: z[lane], radius: radius[lane])
    }
    set {
      tag[lane] = newValue.tag
      x[lane] = newValue.x
      y[lane] = newValue.y
      z[lane] = newValue.z
      radius[lane] = newValue.radius
    }
  }

  /// Makes a lane an unused one.
  mutating func clear(_ lane: Int) { radius[lane] = .min }
}

/// A place as the entries of one level see it.
struct QuantisedPlace {
  private let x: SIMD4<Int16>
  private let y: SIMD4<Int16>
  private let z: SIMD4<Int16>

  @inline(__always)
  init(_ place: FixedVector, level: Int) {
    let shift = Quantum.shift(level)
    x = SIMD4(repeating: Int16(truncatingIfNeeded: place.x >> shift))
    y = SIMD4(repeating: Int16(truncatingIfNeeded: place.y >> shift))
    z = SIMD4(repeating: Int16(truncatingIfNeeded: place.z >> shift))
  }

  /// Four circles as seen from the place, in quanta.
  struct Sight {
    /// From the place to the centres.
    let x: SIMD4<Float>
    let y: SIMD4<Float>
    let z: SIMD4<Float>
    let radius: SIMD4<Float>
    /// To the edges on a straight line, negative inside; in length never more than the great circle by
    /// more than `Quantum.doubt`.
    let edge: SIMD4<Float>

    /// On which side of the edges the place is: −1 inside, 1 outside.
    @inline(__always)
    var side: SIMD4<Float> {
      SIMD4(repeating: 1).replacing(with: -1, where: edge .< 0)
    }
  }

  @inline(__always)
  func sight(of group: EntryGroup) -> Sight {
    let x = widened(group.x &- x)
    let y = widened(group.y &- y)
    let z = widened(group.z &- z)
    let radius = widened(group.radius)
    let edge = (x * x + y * y + z * z).squareRoot() - radius
    return Sight(x: x, y: y, z: z, radius: radius, edge: edge)
  }

  /// Quanta to the edges of four circles, see `Sight`.
  @inline(__always)
  func edge(of group: EntryGroup) -> SIMD4<Float> { sight(of: group).edge }

  @inline(__always)
  private func widened(_ v: SIMD4<Int16>) -> SIMD4<Float> {
    SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: v))
  }
}
