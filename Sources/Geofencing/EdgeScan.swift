/// The inner loop of a look: sorts the circles that a cell lists into those that hold the place and
/// those whose edge is near.
struct EdgeScan {
  let view: Viewpoint
  /// Metres to the nearest edge that is near, at least.
  private(set) var nearest = Float.infinity
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

  /// Goes through the list of the cell that holds the place, or of one beside it, where only the edges
  /// count.
  mutating func visit(
    _ slot: CellTable.Slot, isBeside: Bool, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    guard slot.isPooled else {
      return visit(EntryGroup(slot.entry), isBeside: isBeside, index, &near)
    }
    let groups = index.table.pool.groups.span
    for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
      visit(groups[i], isBeside: isBeside, index, &near)
    }
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, isBeside: Bool, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let sight = place.sight(of: group)
    let isNear = sight.edge .<= skin
    // The bounding circle of a shape says nothing of how deep inside its edge is.
    var lanes = Lanes(
      isBeside ? isNear .& ((sight.edge .>= -skin) .| (group.tag .< 0)) : isNear)
    while let lane = lanes.next() {
      let tag = group.tag[lane]
      let holds = measure(tag, sight, lane, isBeside: isBeside, index, &near)
      if holds, !isBeside { near.note(tag < 0 ? ~tag : tag) }
    }
  }

  /// Adds a fence to those that are near, if its edge is. Returns whether it holds the place.
  @inline(__always)
  private mutating func measure(
    _ tag: FenceID, _ sight: QuantisedPlace.Sight, _ lane: Int, isBeside: Bool,
    _ index: GridIndex, _ near: inout Neighbourhood
  ) -> Bool {
    guard tag >= 0 else { return measureShape(~tag, isBeside: isBeside, index, &near) }
    let edge = sight.edge[lane]
    guard abs(edge) <= skin else { return edge < 0 }
    let clear = (abs(edge) - Quantum.doubt) * quantum
    guard clear > 0 else { return measureCircle(tag, isBeside: isBeside, index, &near) }
    nearest = min(nearest, clear)
    near.append(
      Neighbourhood.Candidate(
        x: sight.x[lane] * quantum, y: sight.y[lane] * quantum, z: sight.z[lane] * quantum,
        radius: sight.radius[lane] * quantum, doubt: Quantum.doubt * quantum,
        clear: clear, holds: edge < 0, tag: isBeside ? ~tag : tag))
    return edge < 0
  }

  /// A circle whose edge is too near for its entry to tell on which side of it the place is.
  @inline(never)
  private mutating func measureCircle(
    _ fence: FenceID, isBeside: Bool, _ index: GridIndex, _ near: inout Neighbourhood
  ) -> Bool {
    let circle = index.circles[Int(fence)]
    let beyond = view.boundaryDistance(to: circle)
    let exact = ExactCircle(circle, from: view.direction, within: Double(skin * quantum))
    let clear = Float(abs(beyond)) * (1 - 1e-6) - 0.001
    nearest = min(nearest, clear)
    near.append(
      Neighbourhood.Candidate(
        x: exact.x, y: exact.y, z: exact.z, radius: exact.radius, doubt: exact.doubt,
        clear: clear, holds: beyond <= 0, tag: isBeside ? ~fence : fence))
    return beyond <= 0
  }

  /// A shape whose bounding circle holds the place, or nearly so.
  @inline(never)
  private mutating func measureShape(
    _ fence: FenceID, isBeside: Bool, _ index: GridIndex, _ near: inout Neighbourhood
  ) -> Bool {
    let beyond = index.boundaryDistance(of: fence, from: view)
    // A shape tells metres on the ground; places are compared by straight lines, which are shorter.
    let clear = Float(CellGrid.straight(abs(beyond))) * (1 - 1e-6) - 0.001
    nearest = min(nearest, clear)
    if Double(clear) <= Double(skin * quantum) {
      // Only the shape itself knows where its edge is.
      near.append(
        Neighbourhood.Candidate(
          radius: 0, doubt: .infinity, clear: clear, holds: beyond <= 0,
          tag: isBeside ? ~fence : fence))
    }
    return beyond <= 0
  }
}
