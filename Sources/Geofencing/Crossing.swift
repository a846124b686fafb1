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

  @inline(never)
  mutating func visit(
    _ groups: inout [NearGroup], _ index: GridIndex, holding: inout [FenceID],
    entered: inout [FenceID], left: inout [FenceID]
  ) {
    var nearest = SIMD4<Float>(repeating: .infinity)
    var span = groups.mutableSpan
    for i in span.indices {
      let edge = span[i].edge(from: place)
      let clear = span[i].clearance(edge)
      let isCrossed = clear .<= 0
      nearest = nearest.lesser(clear.replacing(with: .infinity, where: isCrossed))
      var lanes = Lanes(isCrossed)
      while let lane = lanes.next() {
        guard decide(&span[i], lane, edge[lane], index) else { continue }
        tell(
          span[i].tag[lane], holds: span[i].side[lane] < 0, holding: &holding, entered: &entered,
          left: &left)
      }
    }
    safe = min(safe, Double(nearest.least))
  }

  mutating func visit(
    _ shapes: inout [NearShape], _ index: GridIndex, holding: inout [FenceID],
    entered: inout [FenceID], left: inout [FenceID]
  ) {
    for i in shapes.indices {
      let clear = shapes[i].clear(at: view.direction)
      guard clear <= 0 else {
        safe = min(safe, clear)
        continue
      }
      let beyond = index.boundaryDistance(of: shapes[i].fence, from: view)
      if shapes[i].set(view.direction, beyond: beyond) {
        tell(
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
    if away > 0 {
      safe = min(safe, Double(away))
      return group.set(lane, holds: edge < 0)
    }
    let circle = index.circles[Int(Entry.fence(of: group.tag[lane]))]
    let beyond = view.boundaryDistance(to: circle)
    safe = min(safe, abs(beyond))
    let isCrossed = group.set(lane, holds: beyond <= 0)
    // The next look need not ask again.
    group.set(lane, to: ExactCircle(circle, from: origin, within: reach))
    return isCrossed
  }

  /// Notes that a fence has come to hold the place or no longer does.
  private mutating func tell(
    _ tag: FenceID, holds: Bool, holding: inout [FenceID], entered: inout [FenceID],
    left: inout [FenceID]
  ) {
    guard tag >= 0 else {
      isForeign = true
      return
    }
    if holds {
      holding.append(tag)
      entered.append(tag)
    } else if let i = holding.firstIndex(of: tag) {
      holding.swapAt(i, holding.count - 1)
      holding.removeLast()
      left.append(tag)
    }
  }
}
