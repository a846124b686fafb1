import Geofencing

/// Slots by id: a hash table of numbers alone, for the ids themselves stand in what is packed.
///
/// Linear probing at a load of at most 3/4; a removal closes its gap by moving back what stands
/// behind it (Knuth, The Art of Computer Programming, vol. 3, 6.4, algorithm R), so that there are no
/// tombstones. `Hasher` is seeded anew in each process: no choice of ids makes it slow.
/// 6 to 11 bytes a reminder.
struct ReminderIndex: Sendable {
  /// −1 where empty; a power of two of them.
  private var slots: [Int32] = []
  private(set) var count = 0

  private var mask: Int { slots.count - 1 }

  var byteCount: Int { slots.capacity * 4 }

  /// - Parameter id: the id of a slot that is in the table.
  mutating func reserveCapacity(_ wanted: Int, id: (Int32) -> ArraySlice<UInt8>) {
    var size = 16
    while size / 4 * 3 < wanted { size *= 2 }
    guard size > slots.count else { return }
    let old = slots
    slots = [Int32](repeating: -1, count: size)
    for slot in old where slot >= 0 { place(slot, home: home(id(slot))) }
  }

  /// Makes the table anew of all slots but the vacant ones. Of those with the same id the last one
  /// counts; answers the others.
  /// - Complexity: O(slots).
  mutating func fill(
    slots count: Int, isVacant: (Int32) -> Bool, id: (Int32) -> ArraySlice<UInt8>
  ) -> [Int32] {
    var keys: [UInt64] = []
    keys.reserveCapacity(count)
    for slot in 0..<Int32(count) where !isVacant(slot) {
      keys.append(UInt64(hash(id(slot))) << 32 | UInt64(slot))
    }
    // In the order of their homes memory is written from one end to the other.
    RadixSort.byUpperHalf(&keys)
    var size = 16
    while size / 4 * 3 < keys.count { size *= 2 }
    slots = [Int32](repeating: -1, count: size)
    self.count = 0
    var twins: [Int32] = []
    for i in keys.indices {
      let slot = Int32(truncatingIfNeeded: keys[i])
      var next = i + 1
      var isLast = true
      // Other ids of the same hash are rare, and nearly never is there more than one.
      while isLast, next < keys.count, keys[next] >> 32 == keys[i] >> 32 {
        isLast = id(Int32(truncatingIfNeeded: keys[next])) != id(slot)
        next += 1
      }
      guard isLast else {
        twins.append(slot)
        continue
      }
      place(slot, home: home(UInt32(truncatingIfNeeded: keys[i] >> 32)))
      self.count += 1
    }
    return twins
  }

  /// - Complexity: O(1).
  func find(_ sought: ArraySlice<UInt8>, id: (Int32) -> ArraySlice<UInt8>) -> Int32? {
    guard !slots.isEmpty else { return nil }
    var place = home(sought)
    while slots[place] >= 0 {
      if id(slots[place]) == sought { return slots[place] }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Adds a slot, unless there is one of its id: then that is the answer, and nothing is changed.
  /// - Complexity: O(1) amortised.
  mutating func insertIfNew(_ slot: Int32, id: (Int32) -> ArraySlice<UInt8>) -> Int32? {
    reserveCapacity(count + 1, id: id)
    let own = id(slot)
    var place = home(own)
    while slots[place] >= 0 {
      if id(slots[place]) == own { return slots[place] }
      place = (place + 1) & mask
    }
    slots[place] = slot
    count += 1
    return nil
  }

  /// The slots' ids must still be readable. Complexity: O(1).
  mutating func remove(_ slot: Int32, id: (Int32) -> ArraySlice<UInt8>) {
    guard !slots.isEmpty else { return }
    var gap = home(id(slot))
    while slots[gap] != slot {
      guard slots[gap] >= 0 else { return }
      gap = (gap + 1) & mask
    }
    count -= 1
    var next = (gap + 1) & mask
    while slots[next] >= 0 {
      // May stand in the gap what would be found from its home on.
      let distance = (next - home(id(slots[next]))) & mask
      if distance >= (next - gap) & mask {
        slots[gap] = slots[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    slots[gap] = -1
  }

  private mutating func place(_ slot: Int32, home: Int) {
    var place = home
    while slots[place] >= 0 { place = (place + 1) & mask }
    slots[place] = slot
  }

  private func home(_ id: ArraySlice<UInt8>) -> Int { home(hash(id)) }

  /// In the order of hashes.
  private func home(_ hash: UInt32) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(slots.count)) >> 32)
  }

  private func hash(_ id: ArraySlice<UInt8>) -> UInt32 {
    var hasher = Hasher()
    var word: UInt64 = 0
    var filled = 0
    for byte in id {
      word = word << 8 | UInt64(byte)
      filled += 1
      if filled & 7 == 0 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(filled)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
