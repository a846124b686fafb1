import CProcessor

/// The inner loop of a look: sorts the circles that a cell lists into those that hold the place and
/// those whose edge is near. Most are told by their entries (`edgelist.h`); the rest are looked at closer, by groups.
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
    self.skin = Float(skin) / quantum + Quantum.edgeDoubt
    place = QuantisedPlace(FixedVector(view.direction), level: level)
  }

  /// Goes through the list of a cell.
  mutating func visit(
    _ slot: CellTable.Slot, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    guard slot.isPooled else {
      return visit(EntryGroup(slot.entry), source, index, &near)
    }
    var listView = list_view(
      xy: place.joinedXY, z: place.joinedZ, middle_x: place.middle.x, middle_y: place.middle.y,
      middle_z: place.middle.z, skin: skin, doubt: Quantum.edgeDoubt, quantum: quantum,
      flip: 0)
    let groups = index.table.pool.groups.span
    let end = slot.blockStart + (slot.count + 3) >> 2
    for start in stride(from: slot.blockStart, to: end, by: Int(list_most)) {
      let part = groups.extracting(start..<min(end, start &+ Int(list_most)))
      listView.flip = source == .foreign || source == .beside && near.isLong ? -1 : 0
      let findings = near.append(part, from: listView, isOwn: source == .own)
      nearest = min(nearest, findings.nearest)
      var asked = findings.asked
      while asked != 0 {
        let next = asked.trailingZeroBitCount
        asked &= asked &- 1
        visit(part[next], source, index, &near)
      }
    }
  }

  /// Notes what holds the place, and keeps the group if an edge of it is near.
  @inline(never)
  private mutating func visit(
    _ group: EntryGroup, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let sights = place.sights(of: group)
    let away = sights.edge.replacing(with: 0 - sights.edge, where: sights.edge .< 0)
    let doubt = SIMD4<Float>(repeating: Quantum.edgeDoubt)
    var isNear = not_above(away, SIMD4(repeating: skin))
    let isHeld = not_above(sights.edge, SIMD4(repeating: 0))
    let isUnsure = not_above(away, doubt)
    let isShape = signs(group.tag)
    if source == .own {
      var lanes = Lanes(bits: isHeld & ~isUnsure & ~isShape)
      while let lane = lanes.next() { near.note(group.tag[lane]) }
    }
    guard isNear | isHeld & isShape != 0 else { return }
    var kept = NearGroup(sights, quantum: quantum, tag: group.tag)
    if source != .own || (isUnsure | isShape) != 0 {
      isNear = ask(&kept, isNear, isUnsure, isShape & (isNear | isHeld), source, index, &near)
      guard isNear != 0 else { return }
      // Of those that are measured, the unsure ones, it has been noted. Which they are is asked in quanta, as
      // before: in metres one that is just sure may be rounded to the other side.
      nearest = min(nearest, kept.clearance.replacing(with: .infinity, where: away .<= doubt).least)
    } else {
      nearest = min(nearest, (away - doubt).least * quantum)
    }
    near.append(kept)
  }

  /// Looks closer at a group: drops what has been told already by another cell that lists it, and asks
  /// the fences themselves of which the entries do not tell. Returns what is near yet.
  @inline(never)
  private mutating func ask(
    _ kept: inout NearGroup, _ isNear: UInt32, _ isUnsure: UInt32, _ isShape: UInt32,
    _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) -> UInt32 {
    var left = isNear
    var source = source
    var isListed: UInt32 = 0
    if source != .own {
      // Where thousands lie in one spot, nobody searches: one that is told twice only costs a new look.
      if near.isLong {
        source = .foreign
      } else {
        isListed = near.listed(kept.tag ^ (kept.tag &>> 31))
      }
    }
    var lanes = Lanes(bits: isNear | isShape)
    while let lane = lanes.next() {
      let bit = UInt32(1) &<< UInt32(lane)
      let fence = Entry.fence(of: kept.tag[lane])
      // Another cell that lists it has told it already.
      if isListed & bit != 0 {
        kept.clear(lane)
        left &= ~bit
        continue
      }
      if isShape & bit != 0 {
        kept.clear(lane)
        left &= ~bit
        measureShape(fence, source, index, &near)
        continue
      }
      if isUnsure & bit != 0 { measure(fence, lane, of: &kept, source, index, &near) }
      if source == .foreign { kept.markForeign(lane) }
    }
    return left
  }

  /// A circle whose edge is too near for its entry to tell on which side of it the place is.
  @inline(never)
  private mutating func measure(
    _ fence: FenceID, _ lane: Int, of kept: inout NearGroup, _ source: Source, _ index: GridIndex,
    _ near: inout Neighbourhood
  ) {
    let circle = index.circles[Int(fence)]
    let beyond = view.boundaryDistance(to: circle)
    let exact = ExactCircle(circle, from: view.direction, within: Double(skin * quantum))
    nearest = min(nearest, Float(abs(beyond)) * (1 - 1e-6) - 0.001)
    kept.set(lane, to: exact)
    _ = kept.set(lane, holds: beyond <= 0)
    if source == .own, beyond <= 0 { near.note(fence) }
  }

  /// A shape whose bounding circle holds the place, or nearly so.
  @inline(never)
  private mutating func measureShape(
    _ fence: FenceID, _ source: Source, _ index: GridIndex, _ near: inout Neighbourhood
  ) {
    let beyond = index.boundaryDistance(of: fence, from: view)
    if source == .own, beyond <= 0 { near.note(fence) }
    let shape = NearShape(tag: source.tag(fence), place: view.direction, beyond: beyond)
    nearest = min(nearest, Float(shape.clear))
    // The bounding circle of a shape says nothing of how deep inside its edge is.
    if shape.clear <= Double(skin * quantum) { near.append(shape) }
  }
}
