/// The inner loop of a look: sorts the circles that a cell lists into those that hold the place and
/// those whose edge is near.
struct EdgeScan {
  let view: Viewpoint
  /// Metres to the nearest edge that is near, at least.
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

  /// Goes through the list of the cell that holds the place.
  mutating func visit(
    _ slot: CellTable.Slot, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    forEachGroup(of: slot, in: index) { scan, group in
      let edge = scan.place.edges(of: group)
      let isNear = edge .<= scan.skin
      guard any(isNear) else { return }
      for lane in 0..<4 where isNear[lane] {
        let holds = scan.measure(group, lane, edge[lane], isBeside: false, index, &near)
        if holds { near.note(group[lane].fence) }
      }
    }
  }

  /// Goes through the list of a cell beside it, where only the edges count.
  mutating func visitBeside(
    _ slot: CellTable.Slot, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    forEachGroup(of: slot, in: index) { scan, group in
      let edge = scan.place.edges(of: group)
      // The bounding circle of a shape says nothing of how deep inside its edge is.
      let isNear = (edge .<= scan.skin) .& ((edge .>= -scan.skin) .| (group.tag .< 0))
      guard any(isNear) else { return }
      for lane in 0..<4 where isNear[lane] {
        _ = scan.measure(group, lane, edge[lane], isBeside: true, index, &near)
      }
    }
  }

  @inline(__always)
  private mutating func forEachGroup(
    of slot: CellTable.Slot, in index: GridIndex, _ body: (inout EdgeScan, EntryGroup) -> Void
  ) {
    guard slot.isPooled else { return body(&self, EntryGroup(slot.entry)) }
    let groups = index.table.pool.groups.span
    for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) { body(&self, groups[i]) }
  }

  /// Adds a fence to those that are near, if its edge is. Returns whether it holds the place.
  @inline(__always)
  private mutating func measure(
    _ group: EntryGroup, _ lane: Int, _ edge: Float, isBeside: Bool, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) -> Bool {
    let entry = group[lane]
    guard entry.tag >= 0 else {
      return measureShape(entry.fence, isBeside: isBeside, index, &near)
    }
    var holds = edge < 0
    guard abs(edge) <= skin else { return holds }
    let clear = (abs(edge) - Quantum.doubt) * quantum
    if clear <= 0 {
      let beyond = view.boundaryDistance(to: index.circles[Int(entry.tag)])
      holds = beyond <= 0
      safe = min(safe, abs(beyond))
    } else {
      safe = min(safe, Double(clear))
    }
    let offset = place.offset(to: entry)
    near.append(
      Neighbourhood.Candidate(
        x: offset.x * quantum, y: offset.y * quantum, z: offset.z * quantum,
        radius: Float(entry.radius) * quantum, doubt: Quantum.doubt * quantum,
        clear: clear, holds: holds,
        tag: isBeside ? ~entry.tag : entry.tag))
    return holds
  }

  /// A shape whose bounding circle holds the place, or nearly so.
  private mutating func measureShape(
    _ fence: FenceID, isBeside: Bool, _ index: GridIndex, _ near: inout Neighbourhood
  ) -> Bool {
    let beyond = index.boundaryDistance(of: fence, from: view)
    safe = min(safe, abs(beyond))
    if abs(beyond) <= Double(skin * quantum) {
      // Only the shape itself knows where its edge is.
      near.append(
        Neighbourhood.Candidate(
          radius: 0, doubt: .infinity, clear: Float(abs(beyond)) * (1 - 1e-6) - 0.001,
          holds: beyond <= 0, tag: isBeside ? ~fence : fence))
    }
    return beyond <= 0
  }
}
