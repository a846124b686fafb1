import CProcessor

/// A direction in 2⁻³⁰ of the Earth's radius.
struct FixedVector {
  let x: Int32
  let y: Int32
  let z: Int32

  init(_ direction: Vector) {
    x = FixedVector.fixed(direction.x)
    y = FixedVector.fixed(direction.y)
    z = FixedVector.fixed(direction.z)
  }

  /// Rounded by adding 1.5 × 2⁵², which leaves it in the low bits. A conversion asks first whether it would
  /// trap.
  @inline(__always)
  private static func fixed(_ part: Double) -> Int32 {
    Int32(truncatingIfNeeded: (part * 1_073_741_824 + 6_755_399_441_055_744).bitPattern)
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

  /// How far a distance between quantised places may be off, and a radius with it: below 1.85 for
  /// the three axes, each 1 and a sixteenth at the most, and ½ for the radius. Of what is left
  /// `QuantisedPlace.isHeld` needs ½, for it asks for d < r + ½.
  @inline(__always)
  static var doubt: Int16 { 3 }

  /// The same for a place that is not quantised, and centres taken to be in the middle of what is rounded to them
  /// (`QuantisedPlace.middle`): below 0.975 for the three axes, each ½ and a sixteenth at the most, and ½ for the
  /// radius. Of what is left, 0.088, the 24 bits of a `Float` need less than half: ten roundings of 2¹⁶ quanta come
  /// to 0.04.
  @inline(__always)
  static var edgeDoubt: Float { 1.5625 }
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

  /// The radius of a lane without a circle: so far below 0 that no edge is farther, and not so far that it
  /// wraps when it is made smaller by some quanta.
  static let unusedRadius: Int16 = -32_000

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
  /// x and y of each in turn: they are multiplied and added in pairs.
  private(set) var xy = SIMD8<Int16>()
  /// z and the radius of each in turn.
  private(set) var zr = EntryGroup.unused
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
      Entry(
        tag: tag[lane], x: xy[2 * lane], y: xy[2 * lane + 1], z: zr[2 * lane],
        radius: zr[2 * lane + 1])
    }
    set {
      tag[lane] = newValue.tag
      xy[2 * lane] = newValue.x
      xy[2 * lane + 1] = newValue.y
      zr[2 * lane] = newValue.z
      zr[2 * lane + 1] = newValue.radius
    }
  }

  /// Makes a lane an unused one.
  mutating func clear(_ lane: Int) { zr[2 * lane + 1] = Entry.unusedRadius }

  private static var unused: SIMD8<Int16> {
    let radius = Entry.unusedRadius
    return SIMD8(0, radius, 0, radius, 0, radius, 0, radius)
  }
}

/// A place as the entries of one level see it.
struct QuantisedPlace {
  /// x and y in turn.
  private let xy: SIMD8<Int16>
  private let z: Int16
  /// From the place to the middle of those whose last bits are its own, in quanta: what a difference of last bits has
  /// to be corrected by to be the way to a centre, or nearly so.
  let middle: SIMD3<Float>

  @inline(__always)
  init(_ place: FixedVector, level: Int) {
    let shift = Quantum.shift(level)
    let quantum = Int32(1) &<< shift
    let rest = SIMD3(place.x, place.y, place.z) & (quantum &- 1)
    middle = 0.5 - SIMD3<Float>(rest) / Float(quantum)
    xy = QuantisedPlace.pairs(
      Int16(truncatingIfNeeded: place.x >> shift), Int16(truncatingIfNeeded: place.y >> shift))
    z = Int16(truncatingIfNeeded: place.z >> shift)
  }

  /// Two numbers in turn. The first of a pair is the lower half of 32 bits on every machine with these
  /// vectors that Swift runs on.
  @inline(__always)
  private static func pairs(_ first: Int16, _ second: Int16) -> SIMD8<Int16> {
    let both = Int32(second) &<< 16 | Int32(first) & 0xFFFF
    return unsafe unsafeBitCast(SIMD4<Int32>(repeating: both), to: SIMD8<Int16>.self)
  }

  /// x in the lower half, y in the upper.
  @inline(__always)
  var joinedXY: Int32 { QuantisedPlace.joined(xy)[0] }

  /// z, with what is above it to be ignored.
  @inline(__always)
  var joinedZ: Int32 { Int32(z) }

  /// Of each pair as 32 bits.
  @inline(__always)
  private static func joined(_ pairs: SIMD8<Int16>) -> SIMD4<Int32> {
    unsafe unsafeBitCast(pairs, to: SIMD4<Int32>.self)
  }

  /// Four circles as seen from the place, to within `Quantum.edgeDoubt` in quanta.
  struct Sights {
    /// From the place to the centres.
    let x: SIMD4<Float>
    let y: SIMD4<Float>
    let z: SIMD4<Float>
    let radius: SIMD4<Float>
    /// To the edges on a straight line, negative inside; in length never more than the great circle by
    /// more than `Quantum.edgeDoubt`.
    let edge: SIMD4<Float>
  }

  @inline(__always)
  func sights(of group: EntryGroup) -> Sights {
    let across = group.xy &- xy
    let along = group.zr &- QuantisedPlace.pairs(z, 0)
    let (x, y, z) = (
      firsts(across) + middle.x, seconds(across) + middle.y, firsts(along) + middle.z
    )
    let radius = seconds(along)
    return Sights(x: x, y: y, z: z, radius: radius, edge: edges(x, y, z, radius))
  }

  /// A bit for each entry of up to 16 groups, the first one lowest: set where the place is in the circle, or less
  /// than so many quanta from its edge and perhaps half of one more.
  ///
  /// All are looked at before the first is asked more: whether a group has one that counts cannot be
  /// foreseen, and a wrong guess takes the time of several groups.
  @inline(__always)
  func candidates(
    in groups: Span<EntryGroup>, _ range: Range<Int>, within quanta: Int16
  ) -> UInt64 {
    var candidates: UInt64 = 0
    var i = range.upperBound
    while i > range.lowerBound {
      i &-= 1
      candidates = candidates &<< 4 | UInt64(isHeld(by: groups[i], enlargedBy: quanta))
    }
    return candidates
  }

  /// A bit for each of four circles, the first one lowest: set where the place is in it, and not within
  /// `Quantum.doubt` of its edge.
  @inline(__always)
  func isHeld(by group: EntryGroup) -> UInt32 { isHeld(by: group, enlargedBy: -Quantum.doubt) }

  /// Whether d² < r² + r, that is d < r + ½, where r is the radius and so many quanta more, and not below 0.
  /// All that a cell lists is less than 2¹⁵ quanta away, so that 32 bits hold the squares.
  @inline(__always)
  func isHeld(by group: EntryGroup, enlargedBy more: Int16) -> UInt32 {
    let across = group.xy &- xy
    let along = group.zr &- QuantisedPlace.pairs(z, 0 &- more)
    let joined = QuantisedPlace.joined(along)
    // z and −r − 1.
    let flipped = joined ^ SIMD4(repeating: -65_536)
    let excess =
      sums_of_products(across, across)
      &+ sums_of_products(along, unsafe unsafeBitCast(flipped, to: SIMD8<Int16>.self))
    // The radius is the upper half, and its sign that of both.
    return signs(excess & ~joined)
  }
}
