/// Timers by deadline: a 4-ary heap that knows where each timer is.
///
///     var heap = TimerHeap()
///     heap.push(slot: 7, at: deadline)
///     heap.reschedule(slot: 7, at: later)
///     while let next = heap.peek(), next.deadline <= now { _ = heap.pop() }
///
/// A timer is named by its slot, a dense number of the caller's: 0 or more, for it is an index into
/// an array. Equal deadlines come out by slot. The children of node i are 4i + 1 … 4i + 4; four of
/// them are 32 bytes of deadlines, half a cache line, and the tree is half as deep as a binary one
/// (LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps", 1996).
///
/// Invariant: no node is before its parent, and `places` is the inverse of `slots`.
/// 16 bytes a timer: deadline 8, slot 4, place 4.
package struct TimerHeap: Sendable {
  /// Microseconds, of whatever clock the caller counts in.
  private var deadlines: [Int64] = []
  private var slots: [Int32] = []
  /// The node of each slot, −1 where it has no timer.
  private var places: [Int32] = []

  package init() {}

  /// Makes room for `count` timers in slots 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    deadlines.reserveCapacity(count)
    slots.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  package var count: Int { slots.count }
  package var isEmpty: Bool { slots.isEmpty }

  /// Bytes of heap in use.
  package var byteCount: Int {
    deadlines.capacity * 8 + slots.capacity * 4 + places.capacity * 4
  }

  /// The deadline of a slot's timer; nil where it has none.
  /// - Complexity: O(1).
  package func deadline(slot: Int32) -> Int64? {
    guard let node = node(of: slot) else { return nil }
    return deadlines[node]
  }

  /// Sets a timer, or moves the one the slot has. Negative slots are ignored.
  /// - Complexity: O(log count), O(1) on average for random deadlines.
  package mutating func push(slot: Int32, at deadline: Int64) {
    guard slot >= 0 else { return }
    if let node = node(of: slot) {
      settle(deadline, slot, at: node)
      return
    }
    while places.count <= Int(slot) { places.append(-1) }
    deadlines.append(deadline)
    slots.append(slot)
    let last = slots.count - 1
    TimerHeap.siftUp(deadline, slot, from: last, &deadlines, &slots, &places)
  }

  /// Sets a timer of a slot that has none, where its order does not matter yet: `heapify` must be
  /// called before anything else is.
  /// - Complexity: O(1) amortised.
  mutating func append(slot: Int32, at deadline: Int64) {
    guard slot >= 0, node(of: slot) == nil else { return }
    while places.count <= Int(slot) { places.append(-1) }
    places[Int(slot)] = Int32(slots.count)
    deadlines.append(deadline)
    slots.append(slot)
  }

  /// Puts the timers that were appended in order (Floyd, "Algorithm 245: Treesort 3", 1964).
  /// - Complexity: O(count).
  mutating func heapify() {
    guard count > 1 else { return }
    for node in stride(from: (count - 2) >> 2, through: 0, by: -1) {
      TimerHeap.siftDown(
        deadlines[node], slots[node], from: node, &deadlines, &slots, &places)
    }
  }

  /// Timers in the order of their deadlines while `body` answers true; they stay.
  /// - Complexity: O(k²) for k of them, with small constants, whatever their number in all.
  func forEachInOrder(_ body: (_ deadline: Int64, _ slot: Int32) -> Bool) {
    // Nodes whose parents have been told, the next one last.
    var frontier: [Int] = isEmpty ? [] : [0]
    while let node = frontier.popLast() {
      guard body(deadlines[node], slots[node]) else { return }
      for child in (4 * node + 1)..<(4 * node + 5) where child < count {
        var low = 0
        var high = frontier.count
        while low < high {
          let middle = (low + high) / 2
          let other = frontier[middle]
          if TimerHeap.isBefore(
            deadlines[child], slots[child], deadlines[other], slots[other])
          {
            low = middle + 1
          } else {
            high = middle
          }
        }
        frontier.insert(child, at: low)
      }
    }
  }

  /// Moves a timer; false where the slot has none.
  /// - Complexity: O(log count).
  @discardableResult
  package mutating func reschedule(slot: Int32, at deadline: Int64) -> Bool {
    guard let node = node(of: slot) else { return false }
    settle(deadline, slot, at: node)
    return true
  }

  /// Takes a timer away; false where the slot has none.
  /// - Complexity: O(log count).
  @discardableResult
  package mutating func cancel(slot: Int32) -> Bool {
    guard let node = node(of: slot) else { return false }
    remove(at: node)
    return true
  }

  /// The timer that is due first; nil where there is none.
  /// - Complexity: O(1).
  package func peek() -> (deadline: Int64, slot: Int32)? {
    guard let deadline = deadlines.first, let slot = slots.first else { return nil }
    return (deadline, slot)
  }

  /// Takes the timer away that is due first, and returns it.
  /// - Complexity: O(log count).
  package mutating func pop() -> (deadline: Int64, slot: Int32)? {
    guard let first = peek() else { return nil }
    remove(at: 0)
    return first
  }

  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(slots).
  package func checkInvariants() -> String? {
    guard deadlines.count == slots.count else { return "deadlines and slots differ in number" }
    for node in slots.indices {
      if places[Int(slots[node])] != Int32(node) { return "slot \(slots[node]) is misplaced" }
      guard node > 0 else { continue }
      let parent = (node - 1) >> 2
      if TimerHeap.isBefore(deadlines[node], slots[node], deadlines[parent], slots[parent]) {
        return "node \(node) is before its parent"
      }
    }
    let placed = places.count { $0 >= 0 }
    return placed == count ? nil : "\(placed) slots have a place, \(count) a timer"
  }

  @inline(__always)
  private static func isBefore(_ a: Int64, _ slotA: Int32, _ b: Int64, _ slotB: Int32) -> Bool {
    a < b || (a == b && slotA < slotB)
  }

  @inline(__always)
  private func node(of slot: Int32) -> Int? {
    guard slot >= 0, Int(slot) < places.count, places[Int(slot)] >= 0 else { return nil }
    return Int(places[Int(slot)])
  }

  private mutating func remove(at node: Int) {
    places[Int(slots[node])] = -1
    let deadline = deadlines.removeLast()
    let slot = slots.removeLast()
    if node < slots.count { settle(deadline, slot, at: node) }
  }

  /// Puts a timer where it belongs, given a node that is free for it.
  private mutating func settle(_ deadline: Int64, _ slot: Int32, at node: Int) {
    let parent = (node - 1) >> 2
    if node > 0, TimerHeap.isBefore(deadline, slot, deadlines[parent], slots[parent]) {
      TimerHeap.siftUp(deadline, slot, from: node, &deadlines, &slots, &places)
    } else {
      TimerHeap.siftDown(deadline, slot, from: node, &deadlines, &slots, &places)
    }
  }

  // The spans spare a test for shared storage at each step.

  private static func siftUp(
    _ deadline: Int64, _ slot: Int32, from start: Int, _ deadlineArray: inout [Int64],
    _ slotArray: inout [Int32], _ placeArray: inout [Int32]
  ) {
    var deadlines = deadlineArray.mutableSpan
    var slots = slotArray.mutableSpan
    var places = placeArray.mutableSpan
    var node = start
    while node > 0 {
      let parent = (node - 1) >> 2
      let (above, aboveSlot) = (deadlines[parent], slots[parent])
      guard TimerHeap.isBefore(deadline, slot, above, aboveSlot) else { break }
      deadlines[node] = above
      slots[node] = aboveSlot
      places[Int(aboveSlot)] = Int32(truncatingIfNeeded: node)
      node = parent
    }
    deadlines[node] = deadline
    slots[node] = slot
    places[Int(slot)] = Int32(truncatingIfNeeded: node)
  }

  private static func siftDown(
    _ deadline: Int64, _ slot: Int32, from start: Int, _ deadlineArray: inout [Int64],
    _ slotArray: inout [Int32], _ placeArray: inout [Int32]
  ) {
    var deadlines = deadlineArray.mutableSpan
    var slots = slotArray.mutableSpan
    var places = placeArray.mutableSpan
    var node = start
    let count = slots.count
    while true {
      let first = 4 * node + 1
      guard first < count else { break }
      var least = first
      var leastDeadline = deadlines[first]
      var child = first + 1
      let end = min(first + 4, count)
      while child < end {
        let other = deadlines[child]
        if other < leastDeadline || (other == leastDeadline && slots[child] < slots[least]) {
          least = child
          leastDeadline = other
        }
        child += 1
      }
      let leastSlot = slots[least]
      guard TimerHeap.isBefore(leastDeadline, leastSlot, deadline, slot) else { break }
      deadlines[node] = leastDeadline
      slots[node] = leastSlot
      places[Int(leastSlot)] = Int32(truncatingIfNeeded: node)
      node = least
    }
    deadlines[node] = deadline
    slots[node] = slot
    places[Int(slot)] = Int32(truncatingIfNeeded: node)
  }
}
