/// The inner loop of a look: sorts the circles that a cell lists into those that hold the place and
/// those whose edge is near.
struct EdgeScan {
  /// Which cell is read.
  enum Source {
    /// The one that holds the place.
    case own
    /// One beside it. What holds the place is listed in its own as well.
    case beside
    /// One beside it that is not split while the own is: some of its fences are listed below the own,
    /// and only their edges count.
    case foreign

    /// As what an edge of a fence is kept: with all bits of its number flipped where only the edge counts.
    @inline(__always)
    func tag(_ fence: FenceID) -> FenceID { self == .foreign ? ~fence : fence }
  }

  let view: Viewpoint
  /// Of the level in hand, in metres.
  private let quantum: Float
  /// What is near, in quanta.
  private let skin: Float
  private let place: QuantisedPlace
  private let hasShapes: Bool
  /// Metres to the nearest edge that is near, at least.
  private(set) var nearest = Float.infinity

  /// - Parameter skin: metres to the edges that are near.
  @inline(__always)
  init(view: Viewpoint, level: Int, skin: Double, hasShapes: Bool) {
    self.view = view
    quantum = Float(Quantum.metres(level))
    self.skin = Float(skin) / quantum + Quantum.doubt
    self.hasShapes = hasShapes
    place = QuantisedPlace(FixedVector(view.direction), level: level)
  }

  /// Goes through the list of a cell.
  mutating func visit(
    _ slot: CellTable.Slot, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    guard slot.isPooled else {
      return visit(EntryGroup(slot.entry), source, index, &near)
    }
    let groups = index.table.pool.groups.span
    for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
      visit(groups[i], source, index, &near)
    }
  }

  @inline(__always)
  private mutating func visit(
    _ group: EntryGroup, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let sight = place.sight(of: group)
    let touching = Lanes(sight.edge .<= skin)
    guard !touching.isEmpty else { return }
    if hasShapes, let circles = measureShapes(in: group, touching, source, index, &near) {
      return visitCircles(of: circles, place.sight(of: circles), source, index, &near)
    }
    visitCircles(of: group, sight, source, index, &near)
  }

  @inline(__always)
  private mutating func visitCircles(
    of group: EntryGroup, _ sight: QuantisedPlace.Sight, _ source: Source, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) {
    if source == .own {
      var holders = Lanes(sight.edge .< -Quantum.doubt)
      while let lane = holders.next() { near.note(group.tag[lane]) }
    }
    let away = sight.edge * sight.side
    var lanes = Lanes(away .<= skin)
    while let lane = lanes.next() {
      let tag = group.tag[lane]
      guard let source = kept(tag, of: source, near) else { continue }
      let clear = away[lane] - Quantum.doubt
      guard clear > 0 else {
        measure(tag, source, index, &near)
        continue
      }
      nearest = min(nearest, clear * quantum)
      near.append(
        NearCircle(
          x: sight.x[lane] * quantum, y: sight.y[lane] * quantum, z: sight.z[lane] * quantum,
          radius: sight.radius[lane] * quantum, doubt: Quantum.doubt * quantum,
          side: sight.edge[lane] < 0 ? -1 : 1, tag: source.tag(tag)))
    }
  }

  /// As what an edge is kept; nil where it has been told already by another cell that lists it.
  @inline(__always)
  private func kept(_ fence: FenceID, of source: Source, _ near: borrowing Neighbourhood) -> Source?
  {
    if source == .own { return .own }
    // Where thousands lie in one spot, nobody searches: one that is told twice only costs a new look.
    if near.isLong { return .foreign }
    return near.lists(fence) ? nil : source
  }

  /// A circle whose edge is too near for its entry to tell on which side of it the place is.
  @inline(never)
  private mutating func measure(
    _ fence: FenceID, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let circle = index.circles[Int(fence)]
    let beyond = view.boundaryDistance(to: circle)
    let exact = ExactCircle(circle, from: view.direction, within: Double(skin * quantum))
    nearest = min(nearest, Float(abs(beyond)) * (1 - 1e-6) - 0.001)
    near.append(
      NearCircle(
        x: exact.x, y: exact.y, z: exact.z, radius: exact.radius, doubt: exact.doubt,
        side: beyond <= 0 ? -1 : 1, tag: source.tag(fence)))
    if source == .own, beyond <= 0 { near.note(fence) }
  }

  /// Asks the shapes of a group whose bounding circle holds the place, or nearly so. Returns the group
  /// without them; nil where there is none.
  @inline(never)
  private mutating func measureShapes(
    in group: EntryGroup, _ touching: Lanes, _ source: Source, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) -> EntryGroup? {
    var circles: EntryGroup?
    var lanes = touching
    while let lane = lanes.next() {
      let tag = group.tag[lane]
      guard tag < 0 else { continue }
      circles = circles ?? group
      circles?.clear(lane)
      guard let source = kept(~tag, of: source, near) else { continue }
      let beyond = index.boundaryDistance(of: ~tag, from: view)
      if source == .own, beyond <= 0 { near.note(~tag) }
      let shape = NearShape(
        tag: source.tag(~tag), place: view.direction, beyond: beyond)
      nearest = min(nearest, Float(shape.clear))
      // The bounding circle of a shape says nothing of how deep inside its edge is.
      if shape.clear <= Double(skin * quantum) { near.append(shape) }
    }
    return circles
  }
}
