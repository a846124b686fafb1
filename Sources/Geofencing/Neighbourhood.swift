/// The circles whose edge is within a short way, the skin, of where a look was made. As long as
/// the receiver stays within the reach, nothing else need be looked at; the trick is Verlet's
/// ("Computer Experiments on Classical Fluids", Physical Review 159, 1967).
struct Neighbourhood {
  /// Metres: a few seconds of driving.
  static let skin = 120.0

  /// Four circles side by side, in metres from the place of the look.
  private struct Group {
    var x = SIMD4<Float>()
    var y = SIMD4<Float>()
    var z = SIMD4<Float>()
    /// Of the straight line; in an unused lane the edge is farther than any other.
    var radius = SIMD4<Float>(repeating: -1e30)
    /// How far the edge may be off.
    var doubt = SIMD4<Float>()
    /// Lanes that held the last place looked at: −1, the others 0.
    var held = SIMD4<Int32>()
    var fence = SIMD4<FenceID>()
  }

  private var groups: [Group] = []
  /// The group that is being filled.
  private var last = Group()
  private(set) var count = 0
  /// The place of the look, from the Earth's centre.
  private var origin = Vector(x: 0, y: 0, z: 0)
  /// The skin, or less where cells end sooner; negative before the first look.
  var reach = -1.0

  /// Whether a place is within the reach.
  @inline(__always)
  func holds(_ direction: Vector) -> Bool {
    reach > 0 && metres(to: direction) < reach
  }

  /// From the place of the look, with a millimetre more for rounding.
  @inline(__always)
  private func metres(to direction: Vector) -> Double {
    CellGrid.earthRadius * (direction - origin).length + 0.001
  }

  /// Forgets all and starts anew at a place.
  @inline(__always)
  mutating func begin(at origin: Vector) {
    self.origin = origin
    count = 0
    if !groups.isEmpty { groups.removeAll(keepingCapacity: true) }
  }

  /// Adds a circle whose centre is `offset` metres away.
  mutating func append(
    _ fence: FenceID, offset: (x: Float, y: Float, z: Float), radius: Float, doubt: Float,
    holds: Bool
  ) {
    let lane = count & 3
    last.x[lane] = offset.x
    last.y[lane] = offset.y
    last.z[lane] = offset.z
    last.radius[lane] = radius
    last.doubt[lane] = doubt
    last.held[lane] = holds ? -1 : 0
    last.fence[lane] = fence
    count += 1
    if lane == 3 { flush() }
  }

  /// Ends what `begin` began.
  @inline(__always)
  mutating func end() {
    if count & 3 != 0 { flush() }
  }

  private mutating func flush() {
    groups.append(last)
    last = Group()
  }

  /// The `i`th circle.
  func fence(_ i: Int) -> FenceID { groups[i >> 2].fence[i & 3] }

  /// Looks again from a place within the reach: appends the circles that hold it now and did not
  /// when last looked at to `entered`, those that no longer do to `left`. Returns how many metres one
  /// can travel without crossing an edge.
  mutating func look(
    from view: Viewpoint, in index: GridIndex, entered: inout [FenceID], left: inout [FenceID]
  ) -> Double {
    let moved = CellGrid.earthRadius * (view.direction - origin)
    let x = SIMD4<Float>(repeating: Float(moved.x))
    let y = SIMD4<Float>(repeating: Float(moved.y))
    let z = SIMD4<Float>(repeating: Float(moved.z))
    var nearest = SIMD4<Float>(repeating: .infinity)
    var exact = reach - metres(to: view.direction)
    for i in groups.indices {
      let dx = groups[i].x - x
      let dy = groups[i].y - y
      let dz = groups[i].z - z
      let edge = (dx * dx + dy * dy + dz * dz).squareRoot() - groups[i].radius
      let distance = edge.replacing(with: -edge, where: edge .< 0)
      var clear = distance - groups[i].doubt
      let isDoubtful = clear .<= 0
      let isHeld = groups[i].held .< 0
      let attention = isDoubtful .| ((edge .< 0) .^ isHeld)
      if any(attention) {
        for lane in 0..<4 where attention[lane] {
          let fence = groups[i].fence[lane]
          var holds = edge[lane] < 0
          if isDoubtful[lane] {
            let beyond = index.boundaryDistance(of: fence, from: view)
            holds = beyond <= 0
            exact = min(exact, abs(beyond))
            clear[lane] = .infinity
          }
          guard holds != isHeld[lane] else { continue }
          groups[i].held[lane] = holds ? -1 : 0
          if holds { entered.append(fence) } else { left.append(fence) }
        }
      }
      nearest = nearest.replacing(with: clear, where: clear .< nearest)
    }
    let least = min(min(nearest[0], nearest[1]), min(nearest[2], nearest[3]))
    return min(exact, Double(least))
  }
}
