/// A cube of the octree: the set of its parts with fences, and its own list.
struct CubeCell {
  /// `Cube.key`; all ones where the slot of the table is vacant.
  var key = UInt64.max
  /// A bit for each part that is in the table.
  var parts: UInt64 = 0
  /// Its entries in the `EntryPool`.
  var list = EntryPool.List()

  @inline(__always)
  var isVacant: Bool { key == .max }
}

/// A hash table of cubes: open addressing with linear probing, and deletion that moves the cells
/// behind the gap (Knuth, "The Art of Computer Programming", volume 3, § 6.4, algorithms L and R).
struct CubeTable {
  var cells: [CubeCell] = []
  private(set) var count = 0
  /// How far a hash is shifted to become a slot number.
  private var shift: UInt64 = 64

  @inline(__always)
  private func home(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  /// The slot of a cube, nil where it is not in the table.
  @inline(__always)
  func find(_ key: UInt64) -> Int? {
    let cells = cells.span
    guard !cells.isEmpty else { return nil }
    var slot = home(key)
    while true {
      let found = cells[slot].key
      if found == key { return slot }
      if found == .max { return nil }
      slot = (slot &+ 1) & (cells.count &- 1)
    }
  }

  /// The slot of a cube, added if missing. Invalidates earlier slots.
  mutating func insert(_ key: UInt64) -> Int {
    if let slot = find(key) { return slot }
    // Four fifths full at most.
    if (count + 1) * 5 > cells.count * 4 { grow() }
    count += 1
    return place(CubeCell(key: key))
  }

  private mutating func place(_ cell: CubeCell) -> Int {
    var slot = home(cell.key)
    while !cells[slot].isVacant { slot = (slot + 1) & (cells.count - 1) }
    cells[slot] = cell
    return slot
  }

  private mutating func grow() {
    let old = cells
    let size = max(4, old.count * 2)
    cells = [CubeCell](repeating: CubeCell(), count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for cell in old where !cell.isVacant { _ = place(cell) }
  }

  /// Removes the cube of a slot. Invalidates earlier slots.
  mutating func remove(at slot: Int) {
    count -= 1
    var gap = slot
    var next = slot
    while true {
      next = (next + 1) & (cells.count - 1)
      guard !cells[next].isVacant else { break }
      // It may move to the gap if that is not before its home.
      let distance = (next - home(cells[next].key)) & (cells.count - 1)
      if distance >= (next - gap) & (cells.count - 1) {
        cells[gap] = cells[next]
        gap = next
      }
    }
    cells[gap] = CubeCell()
  }

  var byteCount: Int { cells.capacity * MemoryLayout<CubeCell>.stride }
}
