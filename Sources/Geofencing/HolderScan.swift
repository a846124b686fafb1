/// The inner loop of a look after a jump: finds the circles that hold a place, and measures no others.
struct HolderScan {
  private let direction: FixedVector
  /// Whether there are fences among the holders of which the entry does not tell for sure.
  private(set) var isUnsure = false

  @inline(__always)
  init(from direction: FixedVector) {
    self.direction = direction
  }

  /// Appends the fences of a cell that hold the place and, with all bits of their numbers flipped,
  /// those of which the entry does not tell.
  @inline(__always)
  mutating func visit(
    _ slot: CellTable.Slot, level: Int, _ pool: borrowing EntryPool, _ holders: inout [FenceID]
  ) {
    guard slot.count > 0 else { return }
    let place = QuantisedPlace(direction, level: level)
    guard slot.isPooled else {
      let group = EntryGroup(slot.entry)
      if place.isHeld(by: group, enlargedBy: Quantum.doubt) != 0 {
        holders.append(tell(0, of: group, from: place))
      }
      return
    }
    let groups = pool.groups.span
    holders.append(addingCapacity: slot.count) { output in
      let end = slot.blockStart + (slot.count + 3) >> 2
      for start in stride(from: slot.blockStart, to: end, by: 16) {
        var candidates = place.candidates(
          in: groups, start..<min(end, start &+ 16), within: Quantum.doubt)
        while candidates != 0 {
          let next = candidates.trailingZeroBitCount
          candidates &= candidates &- 1
          output.append(tell(next & 3, of: groups[start + next >> 2], from: place))
        }
      }
    }
  }

  /// What is told of a circle that may hold the place.
  @inline(__always)
  private mutating func tell(
    _ lane: Int, of group: EntryGroup, from place: QuantisedPlace
  ) -> FenceID {
    let tag = group.tag[lane]
    if tag >= 0, place.isHeld(by: group) &>> UInt32(truncatingIfNeeded: lane) & 1 != 0 {
      return tag
    }
    isUnsure = true
    return min(tag, ~tag)
  }
}
