/// A circle whose edge is near. All lengths are metres of a straight line.
struct NearCircle {
  /// From the place that a neighbourhood is told from to the centre.
  var x: Float = 0
  var y: Float = 0
  var z: Float = 0
  /// To the edge; so small where there is no circle that its edge is farther than any other.
  var radius: Float = -1e30
  /// How far the edge may be off.
  var doubt: Float = 0
  /// On which side of the edge that place is: −1 inside, 1 outside.
  var side: Float = 1
  /// The number of the fence; all bits flipped, and so negative, where only its edge counts.
  var tag: FenceID = 0
}

/// Four of them side by side, as the processor's vector registers like them.
struct NearGroup {
  private(set) var x: SIMD4<Float>
  private(set) var y: SIMD4<Float>
  private(set) var z: SIMD4<Float>
  private(set) var radius: SIMD4<Float>
  private(set) var doubt: SIMD4<Float>
  /// On which side of the edge the place last looked at was.
  private(set) var side: SIMD4<Float>
  let tag: SIMD4<FenceID>

  @inline(__always)
  init(_ four: InlineArray<4, NearCircle>) {
    x = SIMD4(four[0].x, four[1].x, four[2].x, four[3].x)
    y = SIMD4(four[0].y, four[1].y, four[2].y, four[3].y)
    z = SIMD4(four[0].z, four[1].z, four[2].z, four[3].z)
    radius = SIMD4(four[0].radius, four[1].radius, four[2].radius, four[3].radius)
    doubt = SIMD4(four[0].doubt, four[1].doubt, four[2].doubt, four[3].doubt)
    side = SIMD4(four[0].side, four[1].side, four[2].side, four[3].side)
    tag = SIMD4(four[0].tag, four[1].tag, four[2].tag, four[3].tag)
  }

  /// Puts what is known exactly in place of what an entry says.
  mutating func set(_ lane: Int, to circle: ExactCircle) {
    x[lane] = circle.x
    y[lane] = circle.y
    z[lane] = circle.z
    radius[lane] = circle.radius
    doubt[lane] = circle.doubt
  }

  /// A place, by its way from the one that the group is told from.
  struct Place {
    fileprivate let x: SIMD4<Float>
    fileprivate let y: SIMD4<Float>
    fileprivate let z: SIMD4<Float>

    @inline(__always)
    init(_ offset: Vector) {
      x = SIMD4(repeating: Float(offset.x))
      y = SIMD4(repeating: Float(offset.y))
      z = SIMD4(repeating: Float(offset.z))
    }
  }

  /// From a place to the edges, negative inside.
  @inline(__always)
  func edge(from place: Place) -> SIMD4<Float> {
    let dx = x - place.x
    let dy = y - place.y
    let dz = z - place.z
    return (dx * dx + dy * dy + dz * dz).squareRoot() - radius
  }

  /// How far edges are from a place at the least, on the side that it was on; negative where it may be
  /// on the other side now.
  @inline(__always)
  func clearance(_ edge: SIMD4<Float>) -> SIMD4<Float> { edge * side - doubt }

  /// Metres to the nearest edge of all groups, at least; negative where one may have been crossed.
  ///
  /// A call, so that the place comes in registers: else each lane is made anew from the offset.
  @inline(never)
  static func clearance(_ groups: Span<NearGroup>, from place: Place) -> Float {
    var nearest = SIMD4<Float>(repeating: .infinity)
    for i in groups.indices {
      nearest = nearest.lesser(groups[i].clearance(groups[i].edge(from: place)))
    }
    return nearest.least
  }

  /// Notes on which side of an edge a place is. Returns whether that is another than it was.
  mutating func set(_ lane: Int, holds: Bool) -> Bool {
    guard holds != (side[lane] < 0) else { return false }
    side[lane] = holds ? -1 : 1
    return true
  }

  /// Appends the fences whose edge may be within `metres` of the place that the group is told from.
  func append(within metres: Float, to list: inout [FenceID]) {
    let edge = edge(from: Place(Vector(x: 0, y: 0, z: 0)))
    for lane in 0..<4 where abs(edge[lane]) - doubt[lane] <= metres {
      list.append(Entry.fence(of: tag[lane]))
    }
  }
}

/// A fence that is no circle, whose edge is near.
struct NearShape {
  /// Its number; all bits flipped, and so negative, where only its edge counts.
  let tag: FenceID
  /// The place that it was last asked about, from the Earth's centre.
  var place: Vector
  /// Metres of a straight line from there to its edge, at least.
  var clear: Double
  /// Whether it holds that place.
  var holds: Bool

  init(tag: FenceID, place: Vector, beyond: Double) {
    self.tag = tag
    self.place = place
    clear = NearShape.clear(beyond)
    holds = beyond <= 0
  }

  /// Of what a shape says, metres on the ground and negative inside.
  private static func clear(_ beyond: Double) -> Double {
    CellGrid.straight(abs(beyond)) * (1 - 1e-6) - 0.001
  }

  var fence: FenceID { Entry.fence(of: tag) }

  /// Metres to the edge from another place, at least; negative where it may have been crossed.
  func clear(at other: Vector) -> Double {
    clear - CellGrid.earthRadius * (other - place).length
  }

  /// Notes what the shape says of a place. Returns whether that is on the other side of its edge.
  mutating func set(_ other: Vector, beyond: Double) -> Bool {
    defer { self = NearShape(tag: tag, place: other, beyond: beyond) }
    return (beyond <= 0) != holds
  }
}
