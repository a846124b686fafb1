import CProcessor

/// Four circles of which an edge is near, side by side, as the processor's vector registers like them. All
/// lengths are metres of a straight line.
struct NearGroup {
  /// From the place that a neighbourhood is told from to the centres.
  private(set) var x: SIMD4<Float>
  private(set) var y: SIMD4<Float>
  private(set) var z: SIMD4<Float>
  /// To the edges; so small where there is no circle that its edge is farther than any other.
  private(set) var radius: SIMD4<Float>
  /// How far the edges may be off.
  private(set) var doubt: SIMD4<Float>
  /// On which side of the edge the place last looked at was: −1 inside, 1 outside.
  private(set) var side: SIMD4<Float>
  /// The number of the fence; negative, with all its bits flipped, where only its edge counts or there is none.
  private(set) var tag: SIMD4<FenceID>

  /// Four entries as a place sees them that the group is told from.
  @inline(__always)
  init(_ sights: QuantisedPlace.Sights, quantum: Float, tag: SIMD4<FenceID>) {
    x = sights.x * quantum
    y = sights.y * quantum
    z = sights.z * quantum
    radius = sights.radius * quantum
    doubt = SIMD4(repeating: Quantum.edgeDoubt * quantum)
    side = SIMD4(repeating: 1).replacing(with: -1, where: sights.edge .< 0)
    let unused = SIMD4(repeating: Float(Entry.unusedRadius))
    self.tag = tag.replacing(with: -1, where: sights.radius .<= unused)
  }

  /// Takes a circle out.
  @inline(__always)
  mutating func clear(_ lane: Int) {
    let lane = Int32(truncatingIfNeeded: lane)
    radius = with_number(radius, lane, -1e30)
    side = with_number(side, lane, 1)
    tag = with_whole_number(tag, lane, -1)
  }

  /// Has a tag say that only the edge counts.
  @inline(__always)
  mutating func markForeign(_ lane: Int) {
    let fence = Entry.fence(of: tag[lane])
    tag = with_whole_number(tag, Int32(truncatingIfNeeded: lane), ~fence)
  }

  /// Puts what is known exactly in place of what an entry says.
  @inline(__always)
  mutating func set(_ lane: Int, to circle: ExactCircle) {
    let lane = Int32(truncatingIfNeeded: lane)
    x = with_number(x, lane, circle.x)
    y = with_number(y, lane, circle.y)
    z = with_number(z, lane, circle.z)
    radius = with_number(radius, lane, circle.radius)
    doubt = with_number(doubt, lane, circle.doubt)
  }

  /// A place, by its way from the one that the group is told from.
  struct Place {
    let x: SIMD4<Float>
    let y: SIMD4<Float>
    let z: SIMD4<Float>

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
    edges(x - place.x, y - place.y, z - place.z, radius)
  }

  /// The same from another place.
  @inline(__always)
  func told(from place: Place) -> NearGroup {
    var group = self
    group.x = x - place.x
    group.y = y - place.y
    group.z = z - place.z
    return group
  }

  /// How far edges are from a place at the least, on the side that it was on; negative where it may be
  /// on the other side now.
  @inline(__always)
  func clearance(_ edge: SIMD4<Float>) -> SIMD4<Float> { edge * side - doubt }

  @inline(__always)
  func clearance(from place: Place) -> SIMD4<Float> { clearance(edge(from: place)) }

  /// Metres to the nearest edge of all groups, at least; 0 or less where one may have been crossed.
  @inline(__always)
  static func clearance(_ groups: Span<NearGroup>, from place: Place) -> Float {
    var nearest = SIMD4<Float>(repeating: .infinity)
    for i in groups.indices {
      nearest = lesser_of(nearest, groups[i].clearance(groups[i].edge(from: place)))
    }
    return nearest.least
  }

  /// The lanes of circles whose edge may have been crossed.
  @inline(__always)
  func crossed(from place: Place) -> Lanes {
    Lanes(bits: not_above(clearance(from: place), SIMD4(repeating: 0)))
  }

  /// The same from the place that the group is told from.
  var clearance: SIMD4<Float> { clearance(edges(x, y, z, radius)) }

  /// Notes on which side of an edge a place is. Returns whether that is another than it was.
  mutating func set(_ lane: Int, holds: Bool) -> Bool {
    guard holds != (side[lane] < 0) else { return false }
    side = with_number(side, Int32(truncatingIfNeeded: lane), holds ? -1 : 1)
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
