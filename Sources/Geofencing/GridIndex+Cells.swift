extension GridIndex {
  /// Lists a fence in a cell that it touches, or below.
  mutating func list(_ listing: Listing, in cell: Cell) {
    let slot = table.place(of: cell.key)
    if listing.level < cell.level, table.slots[slot].isSplit {
      table.setBelow(Int(table.slots[slot].below) + 1, isSplit: true, at: slot)
      listing.cover.forEachChild(of: cell, widths) { list(listing, in: $0) }
      return
    }
    table.append(listing.entry(level: cell.level), at: slot)
    let count = table.slots[slot].count
    // Asking walks through the list: after each eighth more is often enough.
    let step = max(16, (1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)) >> 3)
    let mayBeCrowd = count >= GridIndex.crowd(at: cell.level) && count.isMultiple(of: step)
    if mayBeCrowd, cell.level > 0, !table.slots[slot].isSplit { splitIfCrowded(cell, slot) }
  }

  /// Moves what fits there to the cells below, if it is a crowd.
  private mutating func splitIfCrowded(_ cell: Cell, _ place: Int) {
    let slot = table.slots[place]
    let listed = (0..<slot.count).map { table.entry($0, of: slot).fence }
    let below = listed.filter { Listing.level(of: circles[Int($0)]) < cell.level }
    guard below.count >= GridIndex.crowd(at: cell.level) else { return }
    table.removeAll(at: place)
    table.setBelow(0, isSplit: true, at: place)
    for fence in listed { list(listing(of: fence), in: cell) }
  }

  /// Takes a fence off the list of a cell that it touches, or off those below.
  mutating func unlist(_ listing: Listing, in cell: Cell) {
    guard let slot = table.find(cell.key) else { return }
    guard listing.level < cell.level, table.slots[slot].isSplit else {
      return table.remove(listing.fence, at: slot)
    }
    let below = max(0, Int(table.slots[slot].below) - 1)
    table.setBelow(below, isSplit: true, at: slot)
    listing.cover.forEachChild(of: cell, widths) { unlist(listing, in: $0) }
    if below <= GridIndex.crowd(at: cell.level) / 4 { merge(cell, slot) }
  }

  /// Lists in a split cell what is listed in the cells below it; they are not split, for there are
  /// no more fences in each of them than here, and a quarter of the crowd here is none there.
  private mutating func merge(_ cell: Cell, _ place: Int) {
    var below: [FenceID] = []
    let width = widths.exponent(level: cell.level, row: cell.row)
    for row in (cell.row << 3)...(cell.row << 3 | 7) {
      let shift = width - widths.exponent(level: cell.level - 1, row: row)
      for column in (cell.column << shift)..<((cell.column + 1) << shift) {
        let child = Cell(level: cell.level - 1, row: row, column: column)
        guard let i = table.find(child.key) else { continue }
        let slot = table.slots[i]
        for k in 0..<slot.count { below.append(table.entry(k, of: slot).fence) }
        table.removeAll(at: i)
      }
    }
    table.setBelow(0, isSplit: false, at: place)
    below.sort()
    var last: FenceID = -1
    for fence in below where fence != last {
      table.append(listing(of: fence).entry(level: cell.level), at: place)
      last = fence
    }
  }
}
