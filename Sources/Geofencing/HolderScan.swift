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
      if place.mayBeHeld(by: group) != 0 { holders.append(tell(0, of: group, from: place)) }
      return
    }
    let groups = pool.groups.span
    holders.append(addingCapacity: slot.count) { output in
      let end = slot.blockStart + (slot.count + 3) >> 2
      for start in stride(from: slot.blockStart, to: end, by: 16) {
        visit(groups, start..<min(end, start &+ 16), from: place, &output)
      }
    }
  }

  /// Looks at up to 16 groups. All of them are looked at before the first fence is told: whether a group
  /// has one cannot be foreseen, and a wrong guess takes the time of several groups.
  @inline(__always)
  private mutating func visit(
    _ groups: Span<EntryGroup>, _ range: Range<Int>, from place: QuantisedPlace,
    _ holders: inout OutputSpan<FenceID>
  ) {
    var candidates: UInt64 = 0
    var i = range.upperBound
    while i > range.lowerBound {
      i &-= 1
      candidates = candidates &<< 4 | UInt64(place.mayBeHeld(by: groups[i]))
    }
    while candidates != 0 {
      let next = candidates.trailingZeroBitCount
      candidates &= candidates &- 1
      holders.append(tell(next & 3, of: groups[range.lowerBound + next >> 2], from: place))
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
