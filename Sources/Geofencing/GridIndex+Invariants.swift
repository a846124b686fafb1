import Geodesy

extension GridIndex {
  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(fences × cells of each × fences in them).
  package func checkInvariants() -> String? {
    if let problem = table.checkInvariants() { return problem }
    var expected = 0
    var summaries: [UInt32: Int] = [:]
    var live = 0
    for slot in circles.indices where circles[slot].radius >= 0 {
      live += 1
      let record = circles[slot]
      let fence = FenceID(truncatingIfNeeded: slot)
      let level = GridIndex.level(of: record)
      if isEmpty(level: level) { return "fence \(fence) is on level \(level), counted as empty" }
      let cover = DiscCover(
        latitude: record.latitude, longitude: record.longitude,
        angle: record.radius / CellGrid.earthRadius, level: level)
      for row in cover.rows {
        let (first, columns, mask) = cover.columns(row: row, widths: widths)
        for offset in 0..<columns {
          let key = CellGrid.key(level, row, (first &+ offset) & mask)
          expected += 1
          let listed = table.fences(in: key).count { $0 == fence }
          if listed != 1 { return "fence \(fence) is listed \(listed) times in cell \(key)" }
        }
      }
      guard level == 0 else { continue }
      let outline = DiscCover(
        latitude: record.latitude, longitude: record.longitude,
        angle: record.radius / CellGrid.earthRadius, level: 1)
      for row in outline.rows {
        let (first, columns, mask) = outline.columns(row: row, widths: widths)
        for offset in 0..<columns {
          summaries[CellGrid.key(CellGrid.summary, row, (first &+ offset) & mask), default: 0] += 1
        }
      }
    }
    for slot in table.slots where slot.key != .max && slot.key >> 29 == CellGrid.summary {
      if slot.count != summaries[slot.key] ?? 0 { return "summary \(slot.key) counts wrongly" }
      summaries[slot.key] = nil
    }
    if !summaries.isEmpty { return "\(summaries.count) summaries are missing" }
    if live != count { return "\(live) fences, but the count is \(count)" }
    let entries = table.entryCount
    return entries == expected ? nil : "\(entries) entries in cells, but \(expected) are due"
  }
}

extension CellTable {
  /// The fences listed in a cell.
  func fences(in key: UInt32) -> [FenceID] {
    guard let slot = find(key) else { return [] }
    return (0..<slot.count).map { fence($0, of: slot) }
  }

  /// All entries of all cells that keep a list.
  var entryCount: Int {
    slots.reduce(0) { $0 + ($1.key >> 29 < CellGrid.levelCount ? $1.count : 0) }
  }

  /// The first thing found wrong with the table, or nil.
  func checkInvariants() -> String? {
    if !slots.isEmpty, !slots.contains(where: { $0.key == .max }) { return "no slot is free" }
    var taken: [(start: Int, end: Int)] = []
    for slot in slots where slot.key >> 29 < CellGrid.levelCount {
      if find(slot.key)?.first != slot.first { return "cell \(slot.key) cannot be found" }
      if slot.isPooled {
        let capacity = BlockPool.capacity(Int(slot.second))
        if slot.count == 0 || slot.count > capacity {
          return "cell \(slot.key): \(slot.count) fences in a block of \(capacity)"
        }
        taken.append((Int(slot.first), Int(slot.first) + capacity))
      } else if slot.count > 2 {
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
