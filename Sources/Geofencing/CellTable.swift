/// From cells to the fences in them: a hash table with linear probing over one array of 16-byte
/// slots, and a pool for the cells that hold more than two.
struct CellTable: Sendable {
  /// One cell. A list stays in the pool until its cell is empty, even when two are left.
  struct Slot {
    /// The cell's number; all ones where the slot is free.
    var key = UInt32.max
    /// How many fences; with `pooledFlag` their numbers are in the pool.
    var tally: UInt32 = 0
    /// The fences themselves, or the start of the block in the pool …
    var first: UInt32 = 0
    /// … and its size class.
    var second: UInt32 = 0

    static let pooledFlag: UInt32 = 1 << 31

    var count: Int { Int(tally & ~Slot.pooledFlag) }
    var isPooled: Bool { tally & Slot.pooledFlag != 0 }
  }

  private(set) var slots: [Slot] = []
  private(set) var pool = BlockPool()
  /// Slots with a key, whether or not a fence is left in them.
  private var used = 0

  var byteCount: Int { slots.capacity * MemoryLayout<Slot>.stride + pool.byteCount }

  /// Makes an empty table large enough for `count` cells.
  mutating func reserveCapacity(_ count: Int) {
    guard used == 0, count > 0 else { return }
    slots = [Slot](repeating: Slot(), count: count + count / 4 + 16)
  }

  /// The slot of a cell; nil where it holds nothing.
  /// - Complexity: O(1) expected.
  @inline(__always)
  func find(_ key: UInt32) -> Slot? {
    guard !slots.isEmpty else { return nil }
    var i = home(key)
    while true {
      let slot = slots[i]
      if slot.key == key { return slot }
      if slot.key == .max { return nil }
      i += 1
      if i == slots.count { i = 0 }
    }
  }

  /// The `i`th fence of a slot.
  @inline(__always)
  func fence(_ i: Int, of slot: Slot) -> FenceID {
    if slot.isPooled { return pool[Int(slot.first) + i] }
    return FenceID(bitPattern: i == 0 ? slot.first : slot.second)
  }

  /// The place of a cell in the table, made where there is none.
  private mutating func place(of key: UInt32) -> Int {
    if (used + 1) * 5 > slots.count * 4 { grow() }
    var i = home(key)
    while slots[i].key != key {
      if slots[i].key == .max {
        slots[i].key = key
        used += 1
        break
      }
      i += 1
      if i == slots.count { i = 0 }
    }
    return i
  }

  /// Counts one fence more in a cell that keeps no list.
  mutating func increment(_ key: UInt32) {
    slots[place(of: key)].tally += 1
  }

  /// Counts one fence less in a cell that keeps no list.
  mutating func decrement(_ key: UInt32) {
    let i = place(of: key)
    if slots[i].tally > 0 { slots[i].tally -= 1 }
  }

  /// Lists a fence in a cell that does not list it yet.
  mutating func insert(_ fence: FenceID, key: UInt32) {
    let i = place(of: key)
    let count = slots[i].count
    if !slots[i].isPooled {
      switch count {
      case 0: slots[i].first = UInt32(bitPattern: fence)
      case 1: slots[i].second = UInt32(bitPattern: fence)
      default:
        let start = pool.allocate(sizeClass: 0)
        pool[start] = FenceID(bitPattern: slots[i].first)
        pool[start + 1] = FenceID(bitPattern: slots[i].second)
        pool[start + 2] = fence
        slots[i].first = UInt32(start)
        slots[i].second = 0
        slots[i].tally |= Slot.pooledFlag
      }
    } else {
      let sizeClass = Int(slots[i].second)
      var start = Int(slots[i].first)
      if count == BlockPool.capacity(sizeClass) {
        start = pool.grow(start, sizeClass: sizeClass)
        slots[i].first = UInt32(start)
        slots[i].second += 1
      }
      pool[start + count] = fence
    }
    slots[i].tally += 1
  }

  /// Takes a fence off a cell's list, if it is there; the last one takes its place.
  mutating func remove(_ fence: FenceID, key: UInt32) {
    guard !slots.isEmpty else { return }
    var i = home(key)
    while slots[i].key != key {
      if slots[i].key == .max { return }
      i += 1
      if i == slots.count { i = 0 }
    }
    let slot = slots[i]
    let last = slot.count - 1
    guard
      let at = (0...max(0, last)).first(where: { $0 <= last && self.fence($0, of: slot) == fence })
    else { return }
    let moved = self.fence(last, of: slot)
    if slot.isPooled {
      pool[Int(slot.first) + at] = moved
      if last == 0 {
        pool.free(Int(slot.first), sizeClass: Int(slot.second))
        slots[i].tally = 1
      }
    } else if at == 0 {
      slots[i].first = UInt32(bitPattern: moved)
    }
    slots[i].tally -= 1
  }

  /// Multiplicative hashing, then the high half of a second product: any table size will do.
  @inline(__always)
  private func home(_ key: UInt32) -> Int {
    let mixed = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: ((mixed >> 32) &* UInt64(slots.count)) >> 32)
  }

  /// Drops the cells that are empty, and makes the table large enough for two fifths more.
  private mutating func grow() {
    var live = 0
    for slot in slots where slot.count > 0 { live += 1 }
    let old = slots
    slots = []
    slots = [Slot](repeating: Slot(), count: max(16, live + live / 4 * 3 + 2))
    used = live
    for slot in old where slot.count > 0 {
      var i = home(slot.key)
      while slots[i].key != .max {
        i += 1
        if i == slots.count { i = 0 }
      }
      slots[i] = slot
    }
  }
}

/// Blocks of fence numbers in one array: sizes 4, 6, 8, 12, 16, 24 …, a free list for each.
struct BlockPool: Sendable {
  private var storage: [FenceID] = []
  /// The first free block of each class, −1 at the end; the next is in the block's first word.
  private var freeHeads: [FenceID] = []

  var byteCount: Int { storage.capacity * MemoryLayout<FenceID>.stride }

  static func capacity(_ sizeClass: Int) -> Int {
    (sizeClass & 1 == 0 ? 4 : 6) << (sizeClass >> 1)
  }

  @inline(__always)
  subscript(i: Int) -> FenceID {
    get { storage[i] }
    set { storage[i] = newValue }
  }

  mutating func allocate(sizeClass: Int) -> Int {
    if sizeClass < freeHeads.count, freeHeads[sizeClass] >= 0 {
      let start = Int(freeHeads[sizeClass])
      freeHeads[sizeClass] = storage[start]
      return start
    }
    let start = storage.count
    storage.append(contentsOf: repeatElement(0, count: BlockPool.capacity(sizeClass)))
    return start
  }

  mutating func free(_ start: Int, sizeClass: Int) {
    while freeHeads.count <= sizeClass { freeHeads.append(-1) }
    storage[start] = freeHeads[sizeClass]
    freeHeads[sizeClass] = FenceID(truncatingIfNeeded: start)
  }

  /// Moves a full block to one of the next class.
  mutating func grow(_ start: Int, sizeClass: Int) -> Int {
    let target = allocate(sizeClass: sizeClass + 1)
    for i in 0..<BlockPool.capacity(sizeClass) { storage[target + i] = storage[start + i] }
    free(start, sizeClass: sizeClass)
    return target
  }
}
