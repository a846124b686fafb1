/// Finds out which edges of a neighbourhood have been crossed, after one comparison has shown that some
/// may have been.
struct Crossing {
  let view: Viewpoint
  let place: NearGroup.Place
  /// The place that the groups are told from.
  let origin: Vector
  /// Metres around it within which they tell all.
  let reach: Double
  /// A lower bound of the metres to the nearest edge.
  private(set) var safe = Double.infinity
  /// Whether an edge was crossed that another level tells of.
  private(set) var isForeign = false

  init(view: Viewpoint, place: NearGroup.Place, origin: Vector, reach: Double) {
    self.view = view
    self.place = place
    self.origin = origin
    self.reach = reach
  }

  /// Decides about the circles whose edge may have been crossed.
  @inline(never)
  mutating func visit(
    _ groups: inout [NearGroup], _ index: GridIndex, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) {
    var span = groups.mutableSpan
    for i in span.indices {
      visit(&span[i], index, holding: &holding, entered: &entered, left: &left)
    }
    // Of an edge that is nearer than its doubt it is 0 at the least.
    safe = min(safe, max(0, Double(NearGroup.clearance(groups.span, from: place))))
  }

  /// The same for one group, but for how far the edges are.
  @inline(__always)
  mutating func visit(
    _ group: inout NearGroup, _ index: GridIndex, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) {
    var lanes = group.crossed(from: place)
    while let lane = lanes.next() {
      visit(lane, of: &group, index, holding: &holding, entered: &entered, left: &left)
    }
  }

  /// The same for one lane of a group.
  @inline(__always)
  mutating func visit(
    _ lane: Int, of group: inout NearGroup, _ index: GridIndex, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) {
    guard decide(&group, lane, group.edge(from: place)[lane], index) else { return }
    note(
      group.tag[lane], holds: group.side[lane] < 0, holding: &holding, entered: &entered,
      left: &left)
  }

  mutating func visit(
    _ shapes: inout [NearShape], _ index: GridIndex, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) {
    for i in shapes.indices {
      let clear = shapes[i].clear(at: view.direction)
      guard clear <= 0 else {
        safe = min(safe, clear)
        continue
      }
      let beyond = index.boundaryDistance(of: shapes[i].fence, from: view)
      if shapes[i].set(view.direction, beyond: beyond) {
        note(
          shapes[i].tag, holds: shapes[i].holds, holding: &holding, entered: &entered, left: &left)
      }
      safe = min(safe, max(0, shapes[i].clear))
    }
  }

  /// Whether the edge of a circle was crossed, which may have been.
  private mutating func decide(
    _ group: inout NearGroup, _ lane: Int, _ edge: Float, _ index: GridIndex
  ) -> Bool {
    let away = abs(edge) - group.doubt[lane]
    if away > 0 { return group.set(lane, holds: edge < 0) }
    let circle = index.circles[Int(Entry.fence(of: group.tag[lane]))]
    let beyond = view.boundaryDistance(to: circle)
    let isCrossed = group.set(lane, holds: beyond <= 0)
    // The next look need not ask again.
    group.set(lane, to: ExactCircle(circle, from: origin, within: reach))
    return isCrossed
  }

  @inline(__always)
  private mutating func note(
    _ tag: FenceID, holds: Bool, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) {
    let isOwn = Crossing.tell(
      tag, holds: holds, holding: &holding, entered: &entered, left: &left)
    isForeign = isForeign || !isOwn
  }

  /// Notes that a fence has come to hold the place or no longer does. Returns whether this level tells of it.
  @inline(__always)
  static func tell(
    _ tag: FenceID, holds: Bool, holding: inout [FenceID],
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Bool {
    guard tag >= 0 else { return false }
    if holds {
      holding.append(tag)
      entered.append(tag)
    } else if holding.dropAny(tag) {
      left.append(tag)
    }
    return true
  }
}
