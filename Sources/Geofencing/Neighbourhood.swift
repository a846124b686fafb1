import CProcessor
import Geodesy

/// What the cells of one level show around a place: the fences that hold it, and those whose edge
/// is near.
///
/// As long as the receiver stays within the reach, nothing else of that level need be looked at; the
/// trick is Verlet's ("Computer Experiments on Classical Fluids", Physical Review 159, 1967). Where no
/// edge can have been crossed since they were last looked at, not even those: that is the rest.
///
/// The reach may go beyond the cell that holds the place. What the cells beside it list is told as
/// well, but where they list what another level tells: then their edges are kept, to keep away from.
///
/// All lengths are metres of a straight line through the Earth. By as much as one moves, by no more
/// does the distance to an edge change, and the way on the ground is never shorter.
struct Neighbourhood {
  private let kernels: EdgeKernels
  private var groups: [NearGroup] = []
  private var shapes: [NearShape] = []
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
  /// Around a place looked at, of what this level tells.
  private(set) var rest = Rest()
  /// How far the next look is to reach, in heights of a cell: as far as there is not much.
  private(set) var ambition = 0.25

  init(kernels: EdgeKernels) { self.kernels = kernels }

  /// Whether a place is within the reach.
  @inline(__always)
  func holds(_ direction: Vector) -> Bool {
    let offset = direction - origin
    return offset.dot(offset) < reachSquared
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
    rest = Rest()
  }

  /// Forgets all, but keeps what held the last place until `compare`.
  @inline(__always)
  mutating func forgetForComparison() {
    swap(&holding, &former)
    if !holding.isEmpty { holding.removeAll(keepingCapacity: true) }
    reachSquared = -1
    rest = Rest()
  }

  /// Tells what holds the place of the last look and did not hold the one before, and the other way
  /// round; false where either are more than a mask has bits for. No fence may be twice in a list.
  ///
  /// Most are in both lists, and mostly in the same order, for cells list them so: each is looked for behind
  /// the one found last before all are asked.
  /// - Complexity: O(the product of their numbers).
  mutating func compare(
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Bool {
    guard former.count <= 64, holding.count <= 64 else { return false }
    var isKept: UInt64 = 0
    var next = 0
    for i in holding.indices {
      if next == former.count || former[next] != holding[i] {
        guard let found = former.offset(of: holding[i]) else {
          entered.append(holding[i])
          continue
        }
        next = found
      }
      isKept |= 1 &<< UInt64(next)
      next += 1
    }
    var isLeft = ~isKept & ((1 << UInt64(former.count)) &- 1)
    while isLeft != 0 {
      left.append(former[isLeft.trailingZeroBitCount])
      isLeft &= isLeft &- 1
    }
    return true
  }

  /// Forgets all.
  mutating func forget() {
    holding.removeAll(keepingCapacity: true)
    reachSquared = -1
    rest = Rest()
  }

  /// Starts a look; what was known must have been forgotten.
  @inline(__always)
  mutating func begin(at origin: Vector, in cell: Cell) {
    self.origin = origin
    self.cell = cell.key
    if !groups.isEmpty { groups.removeAll(keepingCapacity: true) }
    if !shapes.isEmpty { shapes.removeAll(keepingCapacity: true) }
  }

  /// Notes a fence that holds the place.
  @inline(__always)
  mutating func note(_ fence: FenceID) { holding.append(fence) }

  /// Whether so much is near that searching it for each fence of a cell would take long.
  @inline(__always)
  var isLong: Bool { groups.count + shapes.count > EdgeKernels.mostSearched }

  /// A bit for each of four fences, the first one lowest: set where it is among those added.
  @inline(__always)
  func listed(_ fences: SIMD4<FenceID>) -> UInt32 {
    let groups = groups.span
    var found = SIMD4<Int32>()
    for i in groups.indices { found |= found_among(groups[i].tag, fences) }
    return shapes.isEmpty ? signs(found) : signs(found) | shapesListed(fences)
  }

  @inline(never)
  private func shapesListed(_ fences: SIMD4<FenceID>) -> UInt32 {
    var found: UInt32 = 0
    for lane in 0..<4 where shapes.contains(where: { $0.fence == fences[lane] }) {
      found |= 1 << UInt32(lane)
    }
    return found
  }

  /// Adds what a part of a list shows from a place: the edges that are near and, where the cell is the own, what
  /// holds it. What has to be looked at closer is left, and what another cell that lists it has told.
  ///
  /// Where thousands lie in one spot, nobody searches: one that is told twice only costs a new look.
  @inline(__always)
  mutating func append(
    _ entries: Span<EntryGroup>, from view: list_view, isOwn: Bool
  ) -> list_findings {
    kernels.list(
      entries, from: view, wantsHolders: isOwn, isSearched: !isOwn && !isLong, to: &groups,
      &holding)
  }

  /// Adds four circles, of which the edge of one at least is near.
  @inline(__always)
  mutating func append(_ group: NearGroup) { groups.append(group) }

  /// Adds a fence that is no circle, whose edge is near.
  mutating func append(_ shape: NearShape) { shapes.append(shape) }

  /// Ends what `begin` began: for `clearance` metres on the ground around, the look tells all.
  /// Returns how many metres one can travel without crossing an edge; `nearest` is as many to the
  /// edges that are near.
  mutating func end(clearance: Double, nearest: Double) -> Double {
    reach = CellGrid.straight(clearance)
    guard reach > 0.002 else { return 0 }
    reachSquared = CellGrid.squaredRadii(reach - 0.002)
    if groups.count > Neighbourhood.many {
      ambition = max(ambition * 0.75, 0.03)
    } else if groups.count < Neighbourhood.few {
      ambition = min(ambition * 1.25, 1)
    }
    let safe = min(reach, nearest)
    rest = Rest(safe, around: origin)
    return safe
  }

  /// More groups than are looked at again in the time that fewer new looks would spare.
  private static let many = 8
  private static let few = 5

  // MARK: - Looking again

  /// Looks again: appends the fences that hold it now and did not
  /// when last looked at to `entered`, those that no longer do to `left`. Returns how many metres one
  /// can travel without crossing an edge; nil where a new look is needed: beyond the reach, and where the
  /// edge of a fence was crossed that another level tells of.
  @inline(__always)
  mutating func look(
    at direction: Vector, from view: Viewpoint, in index: GridIndex,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    let offset = direction - origin
    let waySquared = offset.dot(offset)
    guard waySquared < reachSquared else { return nil }
    var safe = CellGrid.remainder(of: reach, afterSquared: waySquared)
    let place = NearGroup.Place(CellGrid.earthRadius * offset)
    let least = Double(NearGroup.clearance(groups.span, from: place))
    if least > 0, shapes.isEmpty {
      safe = min(safe, least)
    } else {
      guard let metres = decide(from: view, place, in: index, entered: &entered, left: &left)
      else { return nil }
      safe = min(safe, metres)
    }
    rest = Rest(safe, around: direction)
    return safe
  }

  /// The same where an edge may have been crossed, but for how far the reach is.
  @inline(never)
  private mutating func decide(
    from view: Viewpoint, _ place: NearGroup.Place, in index: GridIndex,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    var crossing = Crossing(view: view, place: place, origin: origin, reach: reach)
    crossing.visit(&groups, index, holding: &holding, entered: &entered, left: &left)
    if !shapes.isEmpty {
      crossing.visit(&shapes, index, holding: &holding, entered: &entered, left: &left)
    }
    return crossing.isForeign ? nil : crossing.safe
  }

  // MARK: - Hot edges

  /// Copies the edges that are near a place within the reach, and tells how far from there all is told.
  @inline(__always)
  func copyEdges(near place: Vector, to hot: inout HotEdges, level: Int) {
    guard rest.remainder(at: place) < hot.reach else { return }
    let offset = place - origin
    hot.bound(CellGrid.remainder(of: reach, afterSquared: offset.dot(offset)))
    for shape in shapes { hot.bound(shape.clear(at: place)) }
    hot.append(groups, from: CellGrid.earthRadius * offset, level: level)
  }

  /// The fence in a lane of a group.
  @inline(__always)
  func fence(_ lane: Int, ofGroup i: Int) -> FenceID { Entry.fence(of: groups[i].tag[lane]) }

  /// A copy of a group, told from another place.
  @inline(__always)
  func copy(ofGroup i: Int, from place: Vector) -> NearGroup {
    groups[i].told(from: NearGroup.Place(CellGrid.earthRadius * (place - origin)))
  }

  /// Notes that the edge in a lane of a group was crossed. Returns false where that needs a new look, as `look`
  /// does.
  @inline(__always)
  mutating func cross(
    _ lane: Int, ofGroup i: Int, entered: inout ScratchList<FenceID>,
    left: inout ScratchList<FenceID>
  ) -> Bool {
    let holds = groups[i].side[lane] > 0
    _ = groups[i].set(lane, holds: holds)
    return endCrossing(
      isForeign: !Crossing.tell(
        groups[i].tag[lane], holds: holds, holding: &holding, entered: &entered, left: &left))
  }

  /// Decides about the edge in a lane of a group that may have been crossed. Returns false where that needs a new
  /// look, as `look` does.
  @inline(never)
  mutating func decide(
    _ lane: Int, ofGroup i: Int, from view: Viewpoint, in index: GridIndex,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Bool {
    let place = NearGroup.Place(CellGrid.earthRadius * (view.direction - origin))
    var crossing = Crossing(view: view, place: place, origin: origin, reach: reach)
    crossing.visit(lane, of: &groups[i], index, holding: &holding, entered: &entered, left: &left)
    return endCrossing(isForeign: crossing.isForeign)
  }

  /// Ends a crossing that was decided among the hot edges.
  @inline(__always)
  private mutating func endCrossing(isForeign: Bool) -> Bool {
    // It holds for the sides of the edges that the receiver was on: back in the disc, after one was crossed, the
    // crossing back would not be seen.
    rest = Rest()
    guard isForeign else { return true }
    // It is noted as crossed now, which no later look would see: the cells are to be read before.
    reachSquared = -1
    return false
  }

  /// Appends the fences whose edge a way between two places within the reach may cross; some of
  /// them twice.
  func crossable(from a: Vector, to b: Vector, into found: inout [FenceID]) {
    // The way is within the disc that holds its ends; half a metre in a million is more than a
    // `Float` rounds off.
    let farthest = max((a - origin).length, (b - origin).length) * CellGrid.earthRadius + 0.001
    for group in groups { group.append(within: Float(farthest) * (1 + 5e-7), to: &found) }
    for shape in shapes where shape.clear(at: origin) <= farthest { found.append(shape.fence) }
  }
}
