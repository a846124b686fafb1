/// The inner loop of a look after a jump: finds the circles of a level that hold the place, and
/// measures no others.
struct HolderScan {
  private let place: QuantisedPlace

  @inline(__always)
  init(direction: FixedVector, level: Int) {
    place = QuantisedPlace(direction, level: level)
  }

  /// Appends the fences of a cell that hold the place and, with all bits of their numbers flipped,
  /// those of which the entry does not tell.
  @inline(__always)
  func visit(_ slot: CellTable.Slot, _ pool: borrowing EntryPool, _ holders: inout [FenceID]) {
    guard slot.isPooled else {
      let group = EntryGroup(slot.entry)
      return holders.append(addingCapacity: 1) { visit(group, &$0) }
    }
    let groups = pool.groups.span
    let range = slot.blockStart..<(slot.blockStart + (slot.count + 3) >> 2)
    holders.append(addingCapacity: slot.count) { output in
      for i in range { visit(groups[i], &output) }
    }
  }

  @inline(__always)
  private func visit(_ group: EntryGroup, _ holders: inout OutputSpan<FenceID>) {
    let edge = place.edge(of: group)
    let perhaps = edge .<= Quantum.doubt
    let surely = (edge .<= -Quantum.doubt) .& (group.tag .>= 0)
    var lanes = Lanes(perhaps)
    guard !lanes.isEmpty else { return }
    let tags = group.tag.replacing(with: ~group.tag, where: .!surely .& (group.tag .>= 0))
    while let lane = lanes.next() { holders.append(tags[lane]) }
  }
}
