import Geodesy

@testable import Geofencing

extension FenceIndex {
  /// The first thing found wrong with the structure, or nil.
  /// - Complexity: O(cubes + fences).
  func checkInvariants() -> String? {
    let fences = circles.count { $0.radius >= 0 }
    return fences == count ? tree.checkInvariants() : "\(fences) fences, \(count) in the tree"
  }
}

extension LooseOctree {
  /// The first thing found wrong with the structure, or nil.
  /// - Complexity: O(cubes + fences).
  func checkInvariants() -> String? {
    var (cubes, listed) = (0, 0)
    var fences: Set<FenceID> = []
    var open = table.find(Cube.root.key).map { [(Cube.root, $0)] } ?? []
    while let (cube, slot) = open.popLast() {
      let cell = table.cells[slot]
      cubes += 1
      listed += cell.list.range.count
      if cell.list.isEmpty, cell.parts == 0 { return "\(cube) is empty" }
      for i in cell.list.range {
        let entry = pool.entries[i]
        if !fences.insert(entry.fence).inserted { return "\(entry.fence) is listed twice" }
        if Cube(holding: entry.center, level: cube.level) != cube {
          return "\(entry.fence) is not in \(cube)"
        }
        if Cube.level(width: 2 * entry.chord) > cube.level {
          return "\(entry.fence) does not fit in \(cube)"
        }
        if entry.chord > widest[cube.level] { return "\(entry.fence) is wider than the widest" }
      }
      for number in 0..<64 where cell.parts >> UInt64(number) & 1 == 1 {
        let part = cube.part(number)
        guard let slot = table.find(part.key) else { return "\(part) is not in the table" }
        if part.parent != cube { return "\(part) is no part of \(cube)" }
        open.append((part, slot))
      }
    }
    if cubes != table.count { return "\(table.count) cubes, of which \(cubes) can be reached" }
    if listed != count { return "\(count) fences, of which \(listed) are listed" }
    return nil
  }
}
