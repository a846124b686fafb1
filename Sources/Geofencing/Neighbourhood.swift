/// What the cells of one level show around a place: the fences that hold it, and those whose edge
/// is near.
///
/// As long as the receiver stays within the reach, nothing else of that level need be looked at; the
/// trick is Verlet's ("Computer Experiments on Classical Fluids", Physical Review 159, 1967). And
/// edges that were farther than it has moved since cannot have been crossed: the fences are in
/// order of their distance, as far as that pays, and only the nearest are looked at again. Where
/// none of them can have been crossed since they were, not even those: that is the rest.
///
/// The reach may go beyond the cell that holds the place. Of what the cells beside it list only the
/// edges are kept, to keep away from: who is inside of them is told by another cell.
///
/// All lengths are metres of a straight line through the Earth. By as much as one moves, by no more
/// does the distance to an edge change, and the way on the ground is never shorter.
struct Neighbourhood {
  /// A fence on its way into a group.
  struct Candidate {
    /// From the place of the look to the centre.
    var x: Float = 0
    var y: Float = 0
    var z: Float = 0
    /// To the edge; so small where there is no fence that its edge is farther than any other.
    var radius: Float = -1e30
    /// How far the edge may be off.
    var doubt: Float = 0
    /// The least distance to the edge from the place of the look.
    var clear: Float = .infinity
    var holds = false
    /// The number of the fence; all bits flipped, and so negative, where only its edge counts.
    var tag: FenceID = 0

    @inline(__always)
    var side: Float { holds ? -1 : 1 }
  }

  /// Four fences side by side.
  private struct Group {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>
    var radius: SIMD4<Float>
    var doubt: SIMD4<Float>
    let clear: SIMD4<Float>
    /// On which side of the edge the place last looked at was: −1 inside, 1 outside.
    var side: SIMD4<Float>
    let tag: SIMD4<FenceID>
    /// The least `clear` of this and all groups behind it.
    var nearest: Float

    @inline(__always)
    init(_ a: Candidate, _ b: Candidate, _ c: Candidate, _ d: Candidate) {
      x = SIMD4(a.x, b.x, c.x, d.x)
      y = SIMD4(a.y, b.y, c.y, d.y)
      z = SIMD4(a.z, b.z, c.z, d.z)
      radius = SIMD4(a.radius, b.radius, c.radius, d.radius)
      doubt = SIMD4(a.doubt, b.doubt, c.doubt, d.doubt)
      clear = SIMD4(a.clear, b.clear, c.clear, d.clear)
      side = SIMD4(a.side, b.side, c.side, d.side)
      tag = SIMD4(a.tag, b.tag, c.tag, d.tag)
      nearest = min(min(a.clear, b.clear), min(c.clear, d.clear))
    }

    mutating func set(_ lane: Int, to circle: ExactCircle) {
      x[lane] = circle.x
      y[lane] = circle.y
      z[lane] = circle.z
      radius[lane] = circle.radius
      doubt[lane] = circle.doubt
    }
  }

  private var groups: [Group] = []
  /// Fences that hold the place last looked at, in no order.
  private(set) var holding: [FenceID] = []
  /// Those that held the place before the last look, for `compare`.
  private(set) var former: [FenceID] = []
  /// The number of the cell that held the place of the look.
  private(set) var cell = UInt32.max
  /// The place of the look, from the Earth's centre.
  private var origin = Vector(x: 0, y: 0, z: 0)
  /// How far from there all is told.
  private var reach = -1.0
  /// The same in radii, squared; negative where nothing is known.
  private var reachSquared = -1.0
  /// How far from there the place last looked at was.
  private var moved: Float = 0
  /// The place last looked at, from the Earth's centre.
  private var restPlace = Vector(x: 0, y: 0, z: 0)
  /// How far from there no edge is.
  private var rest = -1.0
  /// Within how many radii of there a quarter of it is left, squared; negative where it is nowhere.
  private var ampleSquared = -1.0
  /// How far the next look is to reach, in heights of a cell: as far as there is not much.
  private(set) var ambition = 0.25
  private var candidates: [Candidate] = []
  private var sorted: [Candidate] = []

  /// Whether a place is within the reach.
  @inline(__always)
  func holds(_ direction: Vector) -> Bool {
    let offset = direction - origin
    return offset.dot(offset) < reachSquared
  }

  /// How far from a place no edge is, where that is known without a look and so much is left of it that
  /// a look would hardly show more.
  @inline(__always)
  func ampleRest(at direction: Vector) -> Double? {
    let offset = direction - restPlace
    let way = offset.dot(offset)
    // Compared by squares: the root need not be waited for.
    guard way < ampleSquared else { return nil }
    return rest - CellGrid.earthRadius * way.squareRoot() - 0.001
  }

  /// Notes that no edge is within `metres` of a place.
  @inline(__always)
  private mutating func rest(_ metres: Double, around place: Vector) -> Double {
    rest = metres
    restPlace = place
    let ample = (metres * 0.75 - 0.001) / CellGrid.earthRadius
    ampleSquared = ample > 0 ? ample * ample : -1
    return metres
  }

  // MARK: - A new look

  /// Forgets all, but appends what held the last place to `former`.
  @inline(__always)
  mutating func forget(into former: inout [FenceID]) {
    if !holding.isEmpty {
      former.append(contentsOf: holding)
      holding.removeAll(keepingCapacity: true)
    }
    reachSquared = -1
    ampleSquared = -1
  }

  /// Forgets all, but keeps what held the last place until `compare`.
  @inline(__always)
  mutating func forgetForComparison() {
    swap(&holding, &former)
    if !holding.isEmpty { holding.removeAll(keepingCapacity: true) }
    reachSquared = -1
    ampleSquared = -1
  }

  /// Tells what holds the place of the last look and did not hold the one before, and the other way
  /// round; false where these are too many to be compared like that.
  /// - Complexity: O(the product of their numbers).
  mutating func compare(entered: inout [FenceID], left: inout [FenceID]) -> Bool {
    guard holding.count * former.count <= 256 else { return false }
    for fence in holding where !former.contains(fence) { entered.append(fence) }
    for fence in former where !holding.contains(fence) { left.append(fence) }
    return true
  }

  /// Forgets all.
  mutating func forget() {
    holding.removeAll(keepingCapacity: true)
    reachSquared = -1
    ampleSquared = -1
  }

  /// Starts a look; what was known must have been forgotten.
  @inline(__always)
  mutating func begin(at origin: Vector, in cell: Cell) {
    self.origin = origin
    self.cell = cell.key
    if !candidates.isEmpty { candidates.removeAll(keepingCapacity: true) }
  }

  /// Notes a fence that holds the place.
  @inline(__always)
  mutating func note(_ fence: FenceID) { holding.append(fence) }

  /// Adds a fence whose edge is near.
  @inline(__always)
  mutating func append(_ candidate: Candidate) { candidates.append(candidate) }

  /// Ends what `begin` began: for `clearance` metres on the ground around, the look tells all.
  /// Returns how many metres one can travel without crossing an edge; `nearest` is as many to the
  /// edges that are near.
  mutating func end(clearance: Double, nearest: Double) -> Double {
    reach = CellGrid.straight(clearance)
    if !groups.isEmpty { groups.removeAll(keepingCapacity: true) }
    guard reach > 0.002 else { return 0 }
    let radii = (reach - 0.002) / CellGrid.earthRadius
    reachSquared = radii * radii
    moved = 0
    if candidates.count > 12 {
      ambition = max(ambition * 0.75, 0.03)
    } else if candidates.count < 6 {
      ambition = min(ambition * 1.25, 1)
    }
    if !candidates.isEmpty {
      if candidates.count <= 8 { group(candidates) } else { sortCandidates() }
    }
    return rest(min(reach, nearest), around: origin)
  }

  /// By sixteenths of the reach: a counting sort.
  private mutating func sortCandidates() {
    let scale = 16 / Float(reach)
    var ends = InlineArray<17, Int>(repeating: 0)
    for candidate in candidates { ends[Neighbourhood.rank(candidate, scale) + 1] += 1 }
    for rank in 1...16 { ends[rank] += ends[rank - 1] }
    if sorted.count < candidates.count {
      sorted = Array(repeating: Candidate(), count: candidates.count * 2)
    }
    for candidate in candidates {
      let rank = Neighbourhood.rank(candidate, scale)
      sorted[ends[rank]] = candidate
      ends[rank] += 1
    }
    group(sorted[..<candidates.count])
  }

  @inline(__always)
  private static func rank(_ candidate: Candidate, _ scale: Float) -> Int {
    Int(max(0, min(15, candidate.clear * scale)))
  }

  private mutating func group(_ list: some RandomAccessCollection<Candidate>) {
    var i = list.startIndex
    func next() -> Candidate {
      guard i < list.endIndex else { return Candidate() }
      defer { i = list.index(after: i) }
      return list[i]
    }
    while i < list.endIndex { groups.append(Group(next(), next(), next(), next())) }
    var nearest = Float.infinity
    for g in groups.indices.reversed() {
      nearest = min(nearest, groups[g].nearest)
      groups[g].nearest = nearest
    }
  }

  // MARK: - Looking again

  /// From the place of the look, with a millimetre more for rounding.
  @inline(__always)
  private func metres(to direction: Vector) -> Double {
    CellGrid.earthRadius * (direction - origin).length + 0.001
  }

  /// Looks again from a place within the reach: appends the fences that hold it now and did not
  /// when last looked at to `entered`, those that no longer do to `left`. Returns how many metres one
  /// can travel without crossing an edge; nil where the edge of a fence was crossed that another
  /// cell tells of, so that a new look is needed.
  mutating func look(
    from view: Viewpoint, in index: GridIndex, entered: inout [FenceID], left: inout [FenceID]
  ) -> Double? {
    let offset = CellGrid.earthRadius * (view.direction - origin)
    let way = offset.length + 0.001
    guard !groups.isEmpty else { return rest(reach - way, around: view.direction) }
    // What was crossed on the way to the last place may be crossed back; half a metre in a million
    // is more than a `Float` rounds off.
    let crossable = max(moved, Float(way)) * (1 + 5e-7)
    moved = Float(way)
    var scan = Scan(
      view: view, offset: offset, origin: origin, crossable: crossable, way: way, reach: reach)
    scan.visit(&groups, index, holding: &holding, entered: &entered, left: &left)
    if scan.isForeign { return nil }
    return rest(min(reach - way, scan.safe), around: view.direction)
  }

  /// One more look at the groups.
  private struct Scan {
    let view: Viewpoint
    /// Metres from the place of the first look.
    let offset: Vector
    /// The place of the first look, from the Earth's centre.
    let origin: Vector
    /// The metres within which an edge must have been then, to have been crossed since.
    let crossable: Float
    let way: Double
    let reach: Double
    /// A lower bound of the metres to the nearest edge.
    var safe = Double.infinity
    /// Whether an edge was crossed that another cell tells of.
    var isForeign = false

    @inline(__always)
    mutating func visit(
      _ groups: inout [Group], _ index: GridIndex, holding: inout [FenceID],
      entered: inout [FenceID], left: inout [FenceID]
    ) {
      let x = SIMD4<Float>(repeating: Float(offset.x))
      let y = SIMD4<Float>(repeating: Float(offset.y))
      let z = SIMD4<Float>(repeating: Float(offset.z))
      var nearest = SIMD4<Float>(repeating: .infinity)
      var span = groups.mutableSpan
      for i in span.indices {
        if span[i].nearest > crossable {
          safe = min(safe, Double(span[i].nearest) - way)
          break
        }
        let dx = span[i].x - x
        let dy = span[i].y - y
        let dz = span[i].z - z
        let edge = (dx * dx + dy * dy + dz * dz).squareRoot() - span[i].radius
        // Negative as well where the place is on the other side now.
        let clear = edge * span[i].side - span[i].doubt
        var lanes = Lanes(clear .<= 0)
        guard lanes.isEmpty else {
          let cleared = clear.replacing(with: .infinity, where: clear .<= 0)
          nearest = nearest.replacing(with: cleared, where: cleared .< nearest)
          while let lane = lanes.next() {
            decide(
              &span[i], lane, edge[lane], index, holding: &holding, entered: &entered, left: &left)
          }
          continue
        }
        nearest = nearest.replacing(with: clear, where: clear .< nearest)
      }
      let least = min(min(nearest[0], nearest[1]), min(nearest[2], nearest[3]))
      safe = min(safe, Double(least))
    }

    /// A fence whose edge was crossed, or may have been.
    @inline(never)
    private mutating func decide(
      _ group: inout Group, _ lane: Int, _ edge: Float, _ index: GridIndex,
      holding: inout [FenceID], entered: inout [FenceID], left: inout [FenceID]
    ) {
      let tag = group.tag[lane]
      let fence = tag < 0 ? ~tag : tag
      var holds = edge < 0
      if abs(edge) > group.doubt[lane] {
        safe = min(safe, Double(abs(edge) - group.doubt[lane]))
      } else if let shape = index.shape(fence) {
        let beyond = shape.signedBoundaryDistance(from: view.direction)
        holds = beyond <= 0
        safe = min(safe, CellGrid.straight(abs(beyond)))
      } else {
        let circle = index.circles[Int(fence)]
        let beyond = view.boundaryDistance(to: circle)
        holds = beyond <= 0
        safe = min(safe, abs(beyond))
        // The next look need not ask again.
        group.set(lane, to: ExactCircle(circle, from: origin, within: reach))
      }
      guard holds != (group.side[lane] < 0) else { return }
      group.side[lane] = holds ? -1 : 1
      if tag < 0 {
        isForeign = true
      } else if holds {
        holding.append(fence)
        entered.append(fence)
      } else {
        Neighbourhood.drop(fence, from: &holding)
        left.append(fence)
      }
    }
  }

  private static func drop(_ fence: FenceID, from list: inout [FenceID]) {
    guard let i = list.firstIndex(of: fence) else { return }
    list.swapAt(i, list.count - 1)
    list.removeLast()
  }

  /// Appends the fences whose edge a way between two places within the reach may cross; some of
  /// them twice.
  func crossable(from a: Vector, to b: Vector, into found: inout [FenceID]) {
    // The way is within the disc that holds its ends.
    let farthest = Float(max(metres(to: a), metres(to: b))) * (1 + 5e-7)
    for group in groups {
      guard group.nearest <= farthest else { return }
      for lane in 0..<4 where group.clear[lane] <= farthest {
        let tag = group.tag[lane]
        found.append(tag < 0 ? ~tag : tag)
      }
    }
  }
}
