/// The inner loop of a look: sorts the circles that a cell lists into those that hold the place and
/// those whose edge is near, and keeps the distance to the nearest edge.
struct EdgeScan {
  let view: Viewpoint
  /// A lower bound of the metres to the nearest edge.
  private(set) var safe = Double.infinity
  /// Of the level in hand, in metres.
  private let quantum: Float
  /// What is near, in quanta.
  private let skin: Float
  private let place: QuantisedPlace

  /// - Parameter skin: metres to the edges that are near.
  init(view: Viewpoint, level: Int, skin: Double) {
    self.view = view
    quantum = Float(Quantum.metres(level))
    self.skin = Float(skin) / quantum + Quantum.doubt
    place = QuantisedPlace(FixedVector(view.direction), level: level)
  }

  /// Goes through the list of a cell.
  mutating func visit(
    _ slot: CellTable.Slot, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    var nearest = SIMD4<Float>(repeating: .infinity)
    if slot.isPooled {
      for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
        visit(index.table.pool.groups[i], &nearest, index, &near)
      }
    } else {
      visit(EntryGroup(slot.entry), &nearest, index, &near)
    }
    let least = min(min(nearest[0], nearest[1]), min(nearest[2], nearest[3]))
    safe = min(safe, Double((least - Quantum.doubt) * quantum))
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, _ nearest: inout SIMD4<Float>, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) {
    let edge = place.edges(of: group)
    var far = edge.replacing(with: -edge, where: edge .< 0)
    far = far.replacing(with: .infinity, where: far .<= Quantum.doubt)
    if any(edge .<= skin) {
      for lane in 0..<4 where edge[lane] <= skin {
        if group.tag[lane] < 0 {
          visitShape(~group.tag[lane], index, &near)
          far[lane] = .infinity
        } else {
          visit(group, lane, edge[lane], index, &near)
        }
      }
    }
    nearest = nearest.replacing(with: far, where: far .< nearest)
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, _ lane: Int, _ edge: Float, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) {
    let fence = group.tag[lane]
    var holds = edge < 0
    if abs(edge) <= skin {
      if abs(edge) <= Quantum.doubt {
        let beyond = view.boundaryDistance(to: index.circles[Int(fence)])
        holds = beyond <= 0
        safe = min(safe, abs(beyond))
      }
      let offset = place.offset(to: group[lane])
      near.append(
        Neighbourhood.Candidate(
          x: offset.x * quantum, y: offset.y * quantum, z: offset.z * quantum,
          radius: Float(group.radius[lane]) * quantum, doubt: Quantum.doubt * quantum,
          clear: (abs(edge) - Quantum.doubt) * quantum, holds: holds, fence: fence))
    }
    if holds { near.note(fence) }
  }

  /// A shape whose bounding circle holds the place, or nearly so.
  private mutating func visitShape(
    _ fence: FenceID, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let beyond = index.boundaryDistance(of: fence, from: view)
    safe = min(safe, abs(beyond))
    if beyond <= 0 { near.note(fence) }
    guard abs(beyond) <= Double(skin * quantum) else { return }
    // Only the shape itself knows where its edge is.
    near.append(
      Neighbourhood.Candidate(
        radius: 0, doubt: .infinity, clear: Float(abs(beyond)) * (1 - 1e-6) - 0.001,
        holds: beyond <= 0, fence: fence))
  }

  /// Appends the fences of a cell that hold the place, and measures no others.
  func findHolders(
    _ slot: CellTable.Slot, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    if slot.isPooled {
      for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
        findHolders(index.table.pool.groups[i], index, &near)
      }
    } else {
      findHolders(EntryGroup(slot.entry), index, &near)
    }
  }

  @inline(__always)
  private func findHolders(
    _ group: EntryGroup, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let (surely, perhaps) = place.holders(of: group)
    guard any(perhaps) else { return }
    for lane in 0..<4 where perhaps[lane] {
      let tag = group.tag[lane]
      if tag < 0 {
        if index.boundaryDistance(of: ~tag, from: view) <= 0 { near.note(~tag) }
      } else if surely[lane] || view.boundaryDistance(to: index.circles[Int(tag)]) <= 0 {
        near.note(tag)
      }
    }
  }
}
