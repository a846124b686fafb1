/// The inner loop of a look: sorts circles into those that hold the place and those whose edge is
/// near, and keeps the distance to the nearest edge.
struct EdgeScan {
  let view: Viewpoint
  /// A lower bound of the metres to the nearest edge.
  private(set) var safe = Double.infinity
  /// Of the level in hand, in metres.
  private var quantum: Float = 0
  /// The skin in quanta.
  private var skin: Float = 0

  init(view: Viewpoint) { self.view = view }

  /// Goes through the list of a cell.
  mutating func visit(
    _ slot: CellTable.Slot, level: Int, _ place: FixedVector, _ index: GridIndex,
    _ inside: inout [FenceID], _ near: inout Neighbourhood
  ) {
    let place = QuantisedPlace(place, level: level)
    quantum = Float(Quantum.metres(level))
    skin = Float(Neighbourhood.skin) / quantum + Quantum.doubt
    var nearest = SIMD4<Float>(repeating: .infinity)
    if slot.isPooled {
      for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
        visit(index.table.pool.groups[i], place, &nearest, index, &inside, &near)
      }
    } else {
      visit(EntryGroup(slot.entry), place, &nearest, index, &inside, &near)
    }
    let least = min(min(nearest[0], nearest[1]), min(nearest[2], nearest[3]))
    safe = min(safe, Double((least - Quantum.doubt) * quantum))
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, _ place: QuantisedPlace, _ nearest: inout SIMD4<Float>,
    _ index: GridIndex, _ inside: inout [FenceID], _ near: inout Neighbourhood
  ) {
    let edge = place.edges(of: group)
    var far = edge.replacing(with: -edge, where: edge .< 0)
    far = far.replacing(with: .infinity, where: far .<= Quantum.doubt)
    if any(edge .<= skin) {
      for lane in 0..<4 where edge[lane] <= skin {
        if group.tag[lane] < 0 {
          visitShape(~group.tag[lane], index, &inside, &near)
          far[lane] = .infinity
        } else {
          visit(group, lane, edge[lane], place, index, &inside, &near)
        }
      }
    }
    nearest = nearest.replacing(with: far, where: far .< nearest)
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, _ lane: Int, _ edge: Float, _ place: QuantisedPlace, _ index: GridIndex,
    _ inside: inout [FenceID], _ near: inout Neighbourhood
  ) {
    let fence = group.tag[lane]
    var holds = edge < 0
    if abs(edge) <= skin {
      if abs(edge) <= Quantum.doubt {
        let beyond = view.boundaryDistance(to: index.circles[Int(fence)])
        holds = beyond <= 0
        safe = min(safe, abs(beyond))
      }
      let offset = place.offsets(to: group)
      near.append(
        fence,
        offset: (offset.x[lane] * quantum, offset.y[lane] * quantum, offset.z[lane] * quantum),
        radius: Float(group.radius[lane]) * quantum, doubt: Quantum.doubt * quantum, holds: holds)
    }
    if holds { inside.append(fence) }
  }

  /// A shape whose bounding circle holds the place, or nearly so.
  private mutating func visitShape(
    _ fence: FenceID, _ index: GridIndex, _ inside: inout [FenceID], _ near: inout Neighbourhood
  ) {
    let beyond = index.boundaryDistance(of: fence, from: view)
    safe = min(safe, abs(beyond))
    if beyond <= 0 { inside.append(fence) }
    guard abs(beyond) <= Neighbourhood.skin else { return }
    // Only the shape itself knows where its edge is.
    near.append(fence, offset: (0, 0, 0), radius: 0, doubt: .infinity, holds: beyond <= 0)
  }
}
