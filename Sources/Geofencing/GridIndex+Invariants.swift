import Geodesy

extension GridIndex {
  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(fences × cells of each × fences in them).
  package func checkInvariants() -> String? {
    if let problem = table.checkInvariants() { return problem }
    var audit = Audit()
    for slot in circles.indices where circles[slot].radius >= 0 {
      audit.live += 1
      let listing = listing(of: FenceID(truncatingIfNeeded: slot))
      if isVacant(at: center(of: circles[slot])) { return "fence \(slot) is in a vacant square" }
      listing.cover.forEachTopCell(widths) { check(listing, in: $0, &audit) }
    }
    if let problem = audit.problem { return problem }
    for slot in table.slots where slot.key != .max {
      if slot.isSplit, Int(slot.below) != audit.below[slot.key] ?? 0 {
        return "cell \(slot.key) counts \(slot.below) fences below it"
      }
      if !slot.isSplit, slot.below > 0 { return "cell \(slot.key) counts without being split" }
    }
    if audit.live != count { return "\(audit.live) fences, but the count is \(count)" }
    let entries = table.entryCount
    if entries != audit.entries { return "\(entries) entries, but \(audit.entries) are due" }
    return nil
  }

  private func center(of circle: CircleRecord) -> Coordinate {
    Coordinate(
      clampingLatitude: circle.latitude * (180 / .pi),
      wrappingLongitude: circle.longitude * (180 / .pi))
  }

  private struct Audit {
    var live = 0
    var entries = 0
    var below: [UInt32: Int] = [:]
    var problem: String?
  }

  /// Follows a fence down to where it must be listed.
  private func check(_ listing: Listing, in cell: Cell, _ audit: inout Audit) {
    guard let place = table.find(cell.key) else {
      audit.problem = "fence \(listing.fence) misses cell \(cell)"
      return
    }
    let slot = table.slots[place]
    let listed = (0..<slot.count).count { table.entry($0, of: slot).fence == listing.fence }
    if listing.level < cell.level, slot.isSplit {
      audit.below[cell.key, default: 0] += 1
      if listed > 0 { audit.problem = "fence \(listing.fence) is still in the split \(cell)" }
      listing.cover.forEachChild(of: cell, widths) { check(listing, in: $0, &audit) }
    } else {
      audit.entries += 1
      if listed != 1 { audit.problem = "fence \(listing.fence) is \(listed) times in \(cell)" }
    }
  }
}

extension CellTable {
  /// All entries of all cells.
  var entryCount: Int { slots.reduce(0) { $0 + $1.count } }

  /// The first thing found wrong with the table, or nil.
  func checkInvariants() -> String? {
    if !slots.isEmpty, !slots.contains(where: { $0.key == .max }) { return "no slot is free" }
    var taken: [(start: Int, end: Int)] = []
    for (i, slot) in slots.enumerated() where slot.key != .max {
      if find(slot.key) != i { return "cell \(slot.key) cannot be found" }
      if slot.isPooled {
        let capacity = EntryPool.capacity(slot.sizeClass)
        if slot.count == 0 || slot.count > capacity {
          return "cell \(slot.key): \(slot.count) fences in a block of \(capacity)"
        }
        for lane in slot.count..<capacity
        where pool[slot.blockStart, lane].radius != Entry.unusedRadius {
          return "cell \(slot.key): lane \(lane) is beyond the list, but not cleared"
        }
        taken.append(
          (slot.blockStart, slot.blockStart + EntryPool.groupCount(slot.sizeClass)))
      } else if slot.count > 1 {
        return "cell \(slot.key): \(slot.count) fences in place"
      }
    }
    taken.sort { $0.start < $1.start }
    for (a, b) in zip(taken, taken.dropFirst()) where a.end > b.start {
      return "the blocks at \(a.start) and \(b.start) overlap"
    }
    return nil
  }
}
