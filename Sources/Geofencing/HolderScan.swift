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
    guard any(perhaps) else { return }
    for lane in 0..<4 where perhaps[lane] {
      let tag = group.tag[lane]
      if tag < 0 {
        if index.boundaryDistance(of: ~tag, from: view) <= 0 { holders.append(~tag) }
      } else if surely[lane] || view.boundaryDistance(to: index.circles[Int(tag)]) <= 0 {
        holders.append(tag)
      }
    }
  }
}
