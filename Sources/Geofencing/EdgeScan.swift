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
  /// Metres to the nearest edge that is near, at least.
  private(set) var nearest = Float.infinity

  /// - Parameter skin: metres to the edges that are near.
  @inline(__always)
  init(view: Viewpoint, level: Int, skin: Double) {
    self.view = view
    quantum = Float(Quantum.metres(level))
    self.skin = Float(skin) / quantum + Float(Quantum.doubt)
    place = QuantisedPlace(FixedVector(view.direction), level: level)
  }

  /// Goes through the list of a cell.
  mutating func visit(
    _ slot: CellTable.Slot, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    guard slot.isPooled else { return visit(slot.entry, source, index, &near) }
    // No reach is higher than a cell, 6 434 quanta.
    let margin = Int16(min(max(skin, 0), 16_000)) &+ 1
    let groups = index.table.pool.groups.span
    let end = slot.blockStart + (slot.count + 3) >> 2
    for start in stride(from: slot.blockStart, to: end, by: 16) {
      var candidates = place.candidates(
        in: groups, start..<min(end, start &+ 16), within: margin)
      while candidates != 0 {
        let next = candidates.trailingZeroBitCount
        candidates &= candidates &- 1
        visit(groups[start + next >> 2][next & 3], source, index, &near)
      }
    }
  }

  @inline(__always)
  private mutating func visit(
    _ entry: Entry, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let sight = place.sight(of: entry)
    guard sight.edge <= skin else { return }
    guard entry.tag >= 0 else { return measureShape(~entry.tag, source, index, &near) }
    if source == .own, sight.edge < -Float(Quantum.doubt) { near.note(entry.tag) }
    let away = abs(sight.edge)
    guard away <= skin, let source = kept(entry.tag, of: source, near) else { return }
    let clear = away - Float(Quantum.doubt)
    guard clear > 0 else { return measure(entry.tag, source, index, &near) }
    nearest = min(nearest, clear * quantum)
    near.append(
      NearCircle(
        x: sight.x * quantum, y: sight.y * quantum, z: sight.z * quantum,
        radius: sight.radius * quantum, doubt: Float(Quantum.doubt) * quantum,
        side: sight.edge < 0 ? -1 : 1, tag: source.tag(entry.tag)))
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

  /// A shape whose bounding circle holds the place, or nearly so.
  @inline(never)
  private mutating func measureShape(
    _ fence: FenceID, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    guard let source = kept(fence, of: source, near) else { return }
    let beyond = index.boundaryDistance(of: fence, from: view)
    if source == .own, beyond <= 0 { near.note(fence) }
    let shape = NearShape(tag: source.tag(fence), place: view.direction, beyond: beyond)
    nearest = min(nearest, Float(shape.clear))
    // The bounding circle of a shape says nothing of how deep inside its edge is.
    if shape.clear <= Double(skin * quantum) { near.append(shape) }
  }
}
