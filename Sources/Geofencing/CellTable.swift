import CProcessor

/// From cells to what is listed in them: a hash table with linear probing over one array of
/// 24-byte slots, and a pool for the cells that list more than one fence.
struct CellTable: Sendable {
  /// One cell. A list stays in the pool until it is empty, even when one entry is left.
  struct Slot {
    /// The cell's number; all ones where the slot is free.
    var key = UInt32.max
    /// How many entries, and the flags.
    private var tally: UInt32 = 0
    /// Fences listed in cells below instead of in this one.
    var below: UInt32 = 0
    /// The only entry, or the start of the block in the pool in place of its tag and the
    /// block's size class in place of its radius.
    var entry = Entry(tag: 0, radius: 0)

    private static let pooledFlag: UInt32 = 1 << 31
    private static let splitFlag: UInt32 = 1 << 30

    @inline(__always)
    var count: Int {
      get { Int(tally & 0x3FFF_FFFF) }
      set { tally = tally & 0xC000_0000 | UInt32(truncatingIfNeeded: newValue) & 0x3FFF_FFFF }
    }

    /// Whether the entries are in the pool.
    @inline(__always)
    var isPooled: Bool {
      get { tally & Slot.pooledFlag != 0 }
      set { tally = newValue ? tally | Slot.pooledFlag : tally & ~Slot.pooledFlag }
    }

    /// Whether fences that fit on the level below are listed there.
    @inline(__always)
    var isSplit: Bool {
      get { tally & Slot.splitFlag != 0 }
      set { tally = newValue ? tally | Slot.splitFlag : tally & ~Slot.splitFlag }
    }

    /// Whether the cell may be forgotten.
    var isIdle: Bool { tally == 0 && below == 0 }

    @inline(__always)
    var blockStart: Int { Int(entry.tag) }
    var sizeClass: Int { Int(entry.radius) }

    mutating func setBlock(_ start: Int, sizeClass: Int) {
      entry = Entry(
        tag: FenceID(truncatingIfNeeded: start), radius: Int16(truncatingIfNeeded: sizeClass))
    }
  }

  private(set) var slots: [Slot] = []
  private(set) var pool = EntryPool()
  /// Slots with a key, whether or not anything is left in them.
  private var used = 0

  init() {}

  /// The table of cells, none of them twice.
  /// - Complexity: O(cells).
  init(_ cells: [Slot], pool: EntryPool) {
    self.pool = pool
    fill(with: cells, count: cells.count)
  }

  var byteCount: Int { slots.capacity * MemoryLayout<Slot>.stride + pool.byteCount }

  /// Where the search for a cell begins. Multiplicative hashing, then the high half of a second
  /// product: any table size will do.
  @inline(__always)
  func home(_ key: UInt32) -> Int {
    let mixed = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: ((mixed >> 32) &* UInt64(slots.count)) >> 32)
  }

  /// The place of a cell in the table; nil where there is nothing in or below it.
  /// - Complexity: O(1) expected.
  @inline(__always)
  func find(_ key: UInt32) -> Int? {
    guard !slots.isEmpty else { return nil }
    return find(key, from: home(key))
  }

  @inline(__always)
  private func find(_ key: UInt32, from home: Int) -> Int? {
    var i = home
    while true {
      let found = slots[i].key
      if found == key { return i }
      if found == .max { return nil }
      i += 1
      if i == slots.count { i = 0 }
    }
  }

  /// The slot of a cell, given the one that the search begins with; nil as above.
  @inline(__always)
  func slot(_ key: UInt32, first: Slot) -> Slot? {
    if first.key == key { return first }
    if first.key == .max { return nil }
    return find(key).map { slots[$0] }
  }

  /// Fetches where the search for a cell begins.
  @inline(__always)
  func prefetchSlot(of key: UInt32) {
    unsafe slots.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return }
      unsafe CProcessor.prefetch(first + home(key))
    }
  }

  /// Fetches the beginning of a list, if it is in the pool.
  @inline(__always)
  func prefetch(_ slot: Slot) {
    pool.prefetch(slot.isPooled ? slot.blockStart : 0)
  }

  /// The slot of a cell; an empty one where there is nothing in or below it.
  @inline(__always)
  func slot(of cell: Cell) -> Slot {
    find(cell.key).map { slots[$0] } ?? Slot()
  }

  /// The place of a cell in the table, made where there is none. It holds until the next is made.
  mutating func place(of key: UInt32) -> Int {
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

  /// The `i`th entry of a slot.
  func entry(_ i: Int, of slot: Slot) -> Entry {
    slot.isPooled ? pool[slot.blockStart, i] : slot.entry
  }

  /// Lists a fence in a cell that does not list it yet.
  mutating func append(_ entry: Entry, at i: Int) {
    let count = slots[i].count
    if slots[i].isPooled {
      let sizeClass = slots[i].sizeClass
      if count == EntryPool.capacity(sizeClass) {
        slots[i].setBlock(
          pool.grow(slots[i].blockStart, sizeClass: sizeClass), sizeClass: sizeClass + 1)
      }
      pool[slots[i].blockStart, count] = entry
    } else if count == 0 {
      slots[i].entry = entry
    } else {
      let start = pool.allocate(sizeClass: 0)
      pool[start, 0] = slots[i].entry
      pool[start, 1] = entry
      slots[i].setBlock(start, sizeClass: 0)
      slots[i].isPooled = true
    }
    slots[i].count = count + 1
  }

  /// Takes a fence off a cell's list, if it is there; the last one takes its place.
  mutating func remove(_ fence: FenceID, at i: Int) {
    let slot = slots[i]
    guard let position = (0..<slot.count).first(where: { entry($0, of: slot).fence == fence })
    else { return }
    let last = slot.count - 1
    if slot.isPooled {
      pool[slot.blockStart, position] = pool[slot.blockStart, last]
      pool.clear(slot.blockStart, last)
    }
    slots[i].count = last
    if last == 0 { removeAll(at: i) }
  }

  /// Empties a cell's list.
  mutating func removeAll(at i: Int) {
    if slots[i].isPooled {
      pool.free(slots[i].blockStart, sizeClass: slots[i].sizeClass)
      slots[i].isPooled = false
    }
    slots[i].count = 0
  }

  /// Changes what a slot says of the cells below it.
  mutating func setBelow(_ count: Int, isSplit: Bool, at i: Int) {
    slots[i].below = UInt32(truncatingIfNeeded: count)
    slots[i].isSplit = isSplit
  }

  /// Drops the cells that are idle, and makes the table large enough for a third more.
  private mutating func grow() {
    var live = 0
    for slot in slots where slot.key != .max && !slot.isIdle { live += 1 }
    fill(with: slots, count: live)
  }

  /// Makes the table anew of those among `cells` that are not idle.
  /// - Parameter count: how many these are.
  private mutating func fill(with cells: [Slot], count: Int) {
    let size = max(16, count + count / 16 * 11 + 2)
    slots = []
    slots.move(toCapacity: size)
    slots.append(contentsOf: repeatElement(Slot(), count: size))
    used = count
    for slot in cells where slot.key != .max && !slot.isIdle {
      var i = home(slot.key)
      while slots[i].key != .max {
        i += 1
        if i == slots.count { i = 0 }
      }
      slots[i] = slot
    }
  }
}
