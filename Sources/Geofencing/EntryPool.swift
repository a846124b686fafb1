import CProcessor

/// Blocks of entry groups in one array: of 1 to 8, 10, 12, 14, 16, 20 … groups, four sizes up to each
/// power of two, with a free list for each size.
struct EntryPool: Sendable {
  private(set) var groups: [EntryGroup] = []
  /// The first free block of each size, −1 at the end; the next is in the block's first lane.
  private var freeHeads: [FenceID] = []

  var byteCount: Int { groups.capacity * MemoryLayout<EntryGroup>.stride }

  /// Groups in a block of a size class.
  static func groupCount(_ sizeClass: Int) -> Int {
    sizeClass < 4 ? sizeClass + 1 : (5 + sizeClass & 3) << ((sizeClass - 4) >> 2)
  }

  /// Entries in a block of a size class.
  static func capacity(_ sizeClass: Int) -> Int { groupCount(sizeClass) * 4 }

  /// The smallest size class for a number of entries.
  static func sizeClass(entries: Int) -> Int {
    var sizeClass = 0
    while capacity(sizeClass) < entries { sizeClass += 1 }
    return sizeClass
  }

  /// The `i`th entry of the block that starts at a group.
  subscript(start: Int, i: Int) -> Entry {
    get { groups[start + i >> 2][i & 3] }
    set { groups[start + i >> 2][i & 3] = newValue }
  }

  /// Fetches the beginning of a block into the processor's cache.
  @inline(__always)
  func prefetch(_ start: Int) {
    unsafe groups.withUnsafeBufferPointer { buffer in
      guard let all = buffer.baseAddress else { return }
      // What is farther is fetched by then that the first are looked at. Where the block is shorter, it costs
      // less to fetch what nobody needs than to ask.
      let block = unsafe UnsafeRawPointer(all + start)
      for line in 0..<9 { unsafe CProcessor.prefetch(block + 64 * line) }
    }
  }

  /// Makes the `i`th entry of a block an unused one.
  mutating func clear(_ start: Int, _ i: Int) { groups[start + i >> 2].clear(i & 3) }

  /// A block without entries.
  mutating func allocate(sizeClass: Int) -> Int {
    let count = EntryPool.groupCount(sizeClass)
    if sizeClass < freeHeads.count, freeHeads[sizeClass] >= 0 {
      let start = Int(freeHeads[sizeClass])
      freeHeads[sizeClass] = groups[start][0].tag
      for group in start..<(start + count) { groups[group] = EntryGroup() }
      return start
    }
    let start = groups.count
    if start + count > groups.capacity {
      // An eighth more: a doubling would leave half of a large pool unused.
      groups.move(toCapacity: max(64, start + start >> 3 + count))
    }
    groups.append(contentsOf: repeatElement(EntryGroup(), count: count))
    return start
  }

  mutating func reserveCapacity(groups count: Int) {
    if count > groups.capacity { groups.move(toCapacity: count) }
  }

  mutating func free(_ start: Int, sizeClass: Int) {
    while freeHeads.count <= sizeClass { freeHeads.append(-1) }
    groups[start][0] = Entry(tag: freeHeads[sizeClass], radius: Entry.unusedRadius)
    freeHeads[sizeClass] = FenceID(truncatingIfNeeded: start)
  }

  /// Moves a full block to one of the next class.
  mutating func grow(_ start: Int, sizeClass: Int) -> Int {
    let target = allocate(sizeClass: sizeClass + 1)
    for i in 0..<EntryPool.groupCount(sizeClass) { groups[target + i] = groups[start + i] }
    free(start, sizeClass: sizeClass)
    return target
  }
}
