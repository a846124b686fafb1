import Geodesy

/// Fences by the place of their centre: a loose octree of cubes in a hash table.
///
/// An octree with overlapping cubes (Ulrich, "Loose Octrees", Game Programming Gems, 2000), with 64
/// parts per cube instead of eight. A fence is listed once, by its centre: in the cube of the first
/// level at least as wide as the fence, or in one above it. A cube lists up to `roomInCube` fences
/// itself before it creates a part. Nothing is split or merged. A search visits the parts within
/// its reach plus the widest radius listed there or below.
///
/// Cubes divide space, not the surface: poles and the antimeridian are not special.
///
/// Invariant: a part is in the table if and only if its bit is set in the cube above it, and it has
/// fences in it or below. `checkInvariants` tests this.
struct LooseOctree {
  static let roomInCube = 8

  private(set) var table = CubeTable()
  private(set) var pool = EntryPool()
  private(set) var count = 0
  /// For each level the largest chord that is or was listed there or below, since the tree was
  /// empty; 0 where there is none.
  private(set) var widest: InlineArray<9, Double> = .init(repeating: 0)

  /// Lists a fence. It must not be listed already.
  /// - Complexity: O(levels) amortised.
  mutating func insert(_ entry: FenceEntry) {
    let own = Cube.level(width: 2 * entry.chord)
    var cube = Cube.root
    var slot = table.insert(cube.key)
    while cube.level > own, table.cells[slot].list.count >= LooseOctree.roomInCube {
      cube = Cube(holding: entry.center, level: cube.level - 1)
      table.cells[slot].parts |= 1 << UInt64(cube.numberInParent)
      slot = table.insert(cube.key)
    }
    pool.append(entry, to: &table.cells[slot].list)
    for level in cube.level..<Cube.levelCount { widest[level] = max(widest[level], entry.chord) }
    count += 1
  }

  /// Removes a fence whose centre is given; nothing where it is not listed.
  /// - Complexity: O(levels + fences in the cubes that hold the centre).
  mutating func remove(_ fence: FenceID, center: Vector) {
    for level in stride(from: Cube.top, through: 0, by: -1) {
      let cube = Cube(holding: center, level: level)
      guard let slot = table.find(cube.key) else { return }
      let range = table.cells[slot].list.range
      guard let offset = range.first(where: { pool.entries[$0].fence == fence }) else { continue }
      pool.remove(at: offset, from: &table.cells[slot].list)
      count -= 1
      if count == 0 { widest = .init(repeating: 0) }
      return drop(cube)
    }
  }

  /// Drops a cube, and those above it, from the table as far as there is nothing in them.
  private mutating func drop(_ cube: Cube) {
    guard let slot = table.find(cube.key), table.cells[slot].list.isEmpty,
      table.cells[slot].parts == 0
    else { return }
    table.remove(at: slot)
    guard cube.level < Cube.top, let above = table.find(cube.parent.key) else { return }
    table.cells[above].parts &= ~(1 << UInt64(cube.numberInParent))
    drop(cube.parent)
  }

  /// Appends the entries whose disc comes within `reach` of a place, in radii of the Earth. Returns
  /// false, with some of them missing, where there are more than `limit`.
  /// - Parameter chord: of all discs, in place of their own.
  /// - Complexity: O(levels + cubes within the reach and the widest radius + fences in them).
  func search(
    around place: Vector, reach: Double, chord: Double? = nil, limit: Int = .max,
    into found: inout [FenceEntry]
  ) -> Bool {
    guard let root = table.find(Cube.root.key) else { return true }
    // The cubes of the present level and of the next one.
    var cubes: [(cube: Cube, slot: Int)] = []
    var next = [(cube: Cube.root, slot: root)]
    var level = Cube.top
    let cells = table.cells.span
    let entries = pool.entries.span
    while !next.isEmpty {
      swap(&cubes, &next)
      next.removeAll(keepingCapacity: true)
      let below = level > 0 ? level - 1 : 0
      let range = CubeRange(around: place, radius: reach + (chord ?? widest[below]), level: below)
      for (cube, slot) in cubes {
        guard found.count <= limit else { return false }
        let cell = cells[slot]
        for i in cell.list.range {
          let limit = reach + (chord ?? entries[i].chord)
          if entries[i].center.chordSquared(to: place) <= limit * limit { found.append(entries[i]) }
        }
        var parts = cell.parts
        guard parts != 0 else { continue }
        parts &= range.parts(of: cube)
        while parts != 0 {
          let part = cube.part(parts.trailingZeroBitCount)
          parts &= parts &- 1
          if let slot = table.find(part.key) { next.append((part, slot)) }
        }
      }
      level -= 1
    }
    return true
  }

  var byteCount: Int { table.byteCount + pool.byteCount }
}
