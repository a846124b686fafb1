import Geodesy

/// A fence as the octree lists it.
struct FenceEntry {
  /// The centre of the circle, or of a shape's bounding circle.
  var center = Vector(x: 0, y: 0, z: 0)
  /// The straight line from the centre to the edge, in radii of the Earth.
  var chord = 0.0
  var fence: FenceID = -1
  /// Whether it is no circle.
  var isShape = false
}

/// The lists of all cubes in one array.
///
/// A list of n entries has a block of the next power of two; a block that is free is in the chain
/// of its size, linked by the fence numbers of first entries.
struct EntryPool {
  struct List {
    fileprivate(set) var start: UInt32 = 0
    fileprivate(set) var count: UInt32 = 0

    @inline(__always)
    var isEmpty: Bool { count == 0 }
    /// The offsets of its entries in the pool.
    @inline(__always)
    var range: Range<Int> { Int(start)..<Int(start) &+ Int(count) }
  }

  private(set) var entries: [FenceEntry] = []
  /// For each size 2^k that was ever released, the offset of the first free block, or −1.
  private var free: [Int32] = []

  mutating func append(_ entry: FenceEntry, to list: inout List) {
    resize(&list, to: list.count + 1)
    entries[list.range.upperBound - 1] = entry
  }

  /// Removes the entry at an offset of the pool that is in a list.
  mutating func remove(at offset: Int, from list: inout List) {
    entries[offset] = entries[list.range.upperBound - 1]
    resize(&list, to: list.count - 1)
  }

  /// Changes a count, and moves the list if that needs a block of another size.
  private mutating func resize(_ list: inout List, to count: UInt32) {
    let former = list
    list.count = count
    let (old, new) = (EntryPool.exponent(former.count), EntryPool.exponent(count))
    guard old != new else { return }
    if let old, let new, new > old, Int(former.start) + 1 << old == entries.count {
      // At the end of the pool it grows where it is.
      extend(to: Int(former.start) + 1 << new)
      return
    }
    list.start = new.map { allocate($0) } ?? 0
    for i in 0..<Int(min(former.count, count)) {
      entries[Int(list.start) + i] = entries[Int(former.start) + i]
    }
    if let old { release(former.start, old) }
  }

  /// The exponent of the block that so many entries have; nil for none.
  private static func exponent(_ count: UInt32) -> Int? {
    count == 0 ? nil : UInt32.bitWidth - (count - 1).leadingZeroBitCount
  }

  private mutating func allocate(_ exponent: Int) -> UInt32 {
    if exponent < free.count, free[exponent] >= 0 {
      let start = UInt32(free[exponent])
      free[exponent] = entries[Int(start)].fence
      return start
    }
    let start = UInt32(entries.count)
    extend(to: entries.count + 1 << exponent)
    return start
  }

  private mutating func extend(to needed: Int) {
    // By a quarter in place of Swift's double: it is most of what a million fences take.
    if needed > entries.capacity { entries.reserveCapacity(needed + needed / 4) }
    while entries.count < needed { entries.append(FenceEntry()) }
  }

  private mutating func release(_ start: UInt32, _ exponent: Int) {
    while free.count <= exponent { free.append(-1) }
    entries[Int(start)].fence = free[exponent]
    free[exponent] = Int32(start)
  }

  var byteCount: Int { entries.capacity * MemoryLayout<FenceEntry>.stride }
}
