/// The inner loop of a look after a jump: finds the circles of a level that hold the place, and
/// measures no others.
struct HolderScan {
  private let view: Viewpoint
  private let place: QuantisedPlace

  @inline(__always)
  init(view: Viewpoint, direction: FixedVector, level: Int) {
    self.view = view
    place = QuantisedPlace(direction, level: level)
  }

  /// Appends the fences of a cell that hold the place.
  @inline(__always)
  func visit(_ slot: CellTable.Slot, _ index: GridIndex, _ holders: inout [FenceID]) {
    guard slot.isPooled else { return visit(EntryGroup(slot.entry), index, &holders) }
    let groups = index.table.pool.groups.span
    for i in slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2) {
      visit(groups[i], index, &holders)
    }
  }

  @inline(__always)
  private func visit(_ group: EntryGroup, _ index: GridIndex, _ holders: inout [FenceID]) {
    let (surely, perhaps) = place.holders(of: group)
    guard !Lanes(perhaps).isEmpty else { return }
    var lanes = Lanes(surely .& (group.tag .>= 0))
    var doubtful = Lanes(perhaps .& (.!surely .| (group.tag .< 0)))
    while let lane = lanes.next() { holders.append(group.tag[lane]) }
    while let lane = doubtful.next() { measure(group.tag[lane], index, &holders) }
  }

  /// A fence whose entry does not tell whether it holds the place.
  @inline(never)
  private func measure(_ tag: FenceID, _ index: GridIndex, _ holders: inout [FenceID]) {
    let fence = Entry.fence(of: tag)
    if index.boundaryDistance(of: fence, from: view) <= 0 { holders.append(fence) }
  }
}
