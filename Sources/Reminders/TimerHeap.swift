import CProcessor

/// Timers by deadline: an 8-ary heap that knows where each timer is.
///
///     var heap = TimerHeap()
///     heap.push(slot: 7, at: deadline)
///     heap.reschedule(slot: 7, at: later)
///     while let next = heap.peek(), next.deadline <= now { _ = heap.pop() }
///
/// A timer is named by its slot, a dense number of the caller's: 0 or more, for it is an index into
/// an array. Equal deadlines come out by slot.
///
/// With a million timers the time goes into waiting for memory, so the shape follows the cache
/// (LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps", 1996): the root is
/// node 1, the children of node i are 8i − 6 … 8i + 1, and their deadlines are one cache line, with
/// an array's head of 32 bytes in the storage that the C library gives for large ones. The tree is a
/// third as deep as a binary one. The first of eight is found without jumps, and the lines of the
/// grandchildren are asked for meanwhile.
///
/// Invariant: no node is before its parent, and `places` is the inverse of `slots`.
/// 16 bytes a timer: deadline 8, slot 4, place 4.
package struct TimerHeap: Sendable {
  /// Microseconds, of whatever clock the caller counts in. Node 0 is none; those behind `count` are
  /// free.
  private var deadlines: [Int64] = [.min]
  private var slots: [Int32] = [-1]
  /// The node of each slot, 0 where it has no timer.
  private var places: [Int32] = []
  /// The number of timers, and the last node.
  package private(set) var count = 0

  package init() {}

  /// Makes room for `count` timers in slots 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    deadlines.reserveCapacity(count + 1)
    slots.reserveCapacity(count + 1)
    places.reserveCapacity(count)
  }

  package var isEmpty: Bool { count == 0 }

  /// Bytes of heap in use.
  package var byteCount: Int {
    deadlines.capacity * 8 + slots.capacity * 4 + places.capacity * 4
  }

  /// The slots that have a timer, in no order.
  var timedSlots: [Int32] { Array(slots[1..<count + 1]) }

  /// The deadline of a slot's timer; nil where it has none.
  /// - Complexity: O(1).
  package func deadline(slot: Int32) -> Int64? { node(of: slot).map { deadlines[$0] } }

  /// Sets a timer, or moves the one the slot has. Negative slots are ignored.
  /// - Complexity: O(log count), O(1) on average for random deadlines.
  package mutating func push(slot: Int32, at deadline: Int64) {
    guard slot >= 0 else { return }
    if let node = node(of: slot) { return settle(deadline, slot, at: node) }
    addNode(for: slot, deadline)
    Self.siftUp(deadline, slot, from: count, &deadlines, &slots, &places)
  }

  /// Sets a timer of a slot that has none, where its order does not matter yet: `heapify` must be
  /// called before anything else is.
  /// - Complexity: O(1) amortised.
  mutating func append(slot: Int32, at deadline: Int64) {
    guard slot >= 0, node(of: slot) == nil else { return }
    addNode(for: slot, deadline)
    places[Int(slot)] = Int32(truncatingIfNeeded: count)
  }

  /// Puts the timers that were appended in order (Floyd, "Algorithm 245: Treesort 3", 1964).
  /// - Complexity: O(count).
  mutating func heapify() {
    guard count > 1 else { return }
    for node in stride(from: Self.parent(of: count), through: 1, by: -1) {
      Self.siftDown(
        deadlines[node], slots[node], from: node, count, &deadlines, &slots, &places)
    }
  }

  /// Timers in the order of their deadlines while `body` answers true; they stay.
  /// - Complexity: O(k²) for k of them, with small constants, whatever their number in all.
  func forEachInOrder(_ body: (_ deadline: Int64, _ slot: Int32) -> Bool) {
    // Nodes whose parents have been told, the next one last.
    var frontier: [Int] = isEmpty ? [] : [1]
    while let node = frontier.popLast() {
      guard body(deadlines[node], slots[node]) else { return }
      let first = Self.firstChild(of: node)
      for child in first..<first + Self.width where child <= count {
        var low = 0
        var high = frontier.count
        while low < high {
          let middle = (low + high) / 2
          if isNode(child, before: frontier[middle]) { low = middle + 1 } else { high = middle }
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
    places[Int(slot)] = 0
    let (deadline, last) = (deadlines[count], slots[count])
    count -= 1
    if node <= count { settle(deadline, last, at: node) }
    return true
  }

  /// The timer that is due first; nil where there is none.
  /// - Complexity: O(1).
  package func peek() -> (deadline: Int64, slot: Int32)? {
    isEmpty ? nil : (deadlines[1], slots[1])
  }

  /// Takes the timer away that is due first, and returns it.
  /// - Complexity: O(log count).
  package mutating func pop() -> (deadline: Int64, slot: Int32)? {
    guard let first = peek() else { return nil }
    places[Int(first.slot)] = 0
    let (deadline, last) = (deadlines[count], slots[count])
    count -= 1
    if !isEmpty { Self.fillRoot(deadline, last, count, &deadlines, &slots, &places) }
    return first
  }

  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(slots).
  package func checkInvariants() -> String? {
    guard deadlines.count == slots.count, count < slots.count else { return "nodes are missing" }
    for node in 1..<max(1, count + 1) {
      if places[Int(slots[node])] != Int32(node) { return "slot \(slots[node]) is misplaced" }
      if node > 1, isNode(node, before: Self.parent(of: node)) {
        return "node \(node) is before its parent"
      }
    }
    let placed = places.count { $0 > 0 }
    return placed == count ? nil : "\(placed) slots have a place, \(count) a timer"
  }

  // MARK: - The tree

  private static let width = 8

  @inline(__always)
  private static func parent(of node: Int) -> Int { (node &+ 6) >> 3 }

  @inline(__always)
  private static func firstChild(of node: Int) -> Int { node << 3 &- 6 }

  @inline(__always)
  private func node(of slot: Int32) -> Int? {
    guard slot >= 0, Int(slot) < places.count, places[Int(slot)] > 0 else { return nil }
    return Int(places[Int(slot)])
  }

  private func isNode(_ a: Int, before b: Int) -> Bool {
    (deadlines[a], slots[a]) < (deadlines[b], slots[b])
  }

  /// A node at the end, without a place yet.
  @inline(__always)
  private mutating func addNode(for slot: Int32, _ deadline: Int64) {
    while places.count <= Int(slot) { places.append(0) }
    count += 1
    if count < deadlines.count {
      deadlines[count] = deadline
      slots[count] = slot
    } else {
      deadlines.append(deadline)
      slots.append(slot)
    }
  }

  /// Whether a timer put at a node would be before its parent. The parent's slot is looked at only where
  /// it decides: it is another cache line.
  @inline(__always)
  private func rises(_ deadline: Int64, _ slot: Int32, from node: Int) -> Bool {
    guard node > 1 else { return false }
    let parent = Self.parent(of: node)
    let above = deadlines[parent]
    return deadline < above || (deadline == above && slot < slots[parent])
  }

  /// Puts a timer where it belongs, given a node that is free for it.
  private mutating func settle(_ deadline: Int64, _ slot: Int32, at node: Int) {
    if rises(deadline, slot, from: node) {
      Self.siftUp(deadline, slot, from: node, &deadlines, &slots, &places)
    } else {
      Self.siftDown(deadline, slot, from: node, count, &deadlines, &slots, &places)
    }
  }
}

// MARK: - The marked corner

/// The walks through the tree. What an index is checked for once is not checked again at each step:
/// nodes are 1…`count` by the conditions of the loops, and slots come out of nodes, where `addNode` put
/// them after it had made their place. The spans spare a test for shared storage at each step.
extension TimerHeap {
  /// - Precondition: `start` is a node, and the slot has a place.
  private static func siftUp(
    _ deadline: Int64, _ slot: Int32, from start: Int, _ deadlineArray: inout [Int64],
    _ slotArray: inout [Int32], _ placeArray: inout [Int32]
  ) {
    var deadlines = deadlineArray.mutableSpan
    var slots = slotArray.mutableSpan
    var places = placeArray.mutableSpan
    rise(deadline, slot, from: start, &deadlines, &slots, &places)
  }

  @inline(__always)
  private static func rise(
    _ deadline: Int64, _ slot: Int32, from start: Int, _ deadlines: inout MutableSpan<Int64>,
    _ slots: inout MutableSpan<Int32>, _ places: inout MutableSpan<Int32>
  ) {
    var node = start
    while node > 1 {
      let above = parent(of: node)
      let aboveDeadline = unsafe deadlines[unchecked: above]
      guard deadline <= aboveDeadline else { break }
      let aboveSlot = unsafe slots[unchecked: above]
      if deadline == aboveDeadline, slot >= aboveSlot { break }
      put(aboveDeadline, aboveSlot, at: node, &deadlines, &slots, &places)
      node = above
    }
    put(deadline, slot, at: node, &deadlines, &slots, &places)
  }

  /// - Precondition: `start` is a node, and the slot has a place.
  private static func siftDown(
    _ deadline: Int64, _ slot: Int32, from start: Int, _ count: Int, _ deadlineArray: inout [Int64],
    _ slotArray: inout [Int32], _ placeArray: inout [Int32]
  ) {
    var deadlines = deadlineArray.mutableSpan
    var slots = slotArray.mutableSpan
    var places = placeArray.mutableSpan
    var node = start
    while let next = firstOfChildren(of: node, count, deadlines, slots) {
      let isBefore =
        unsafe next.deadline < deadline
        || (next.deadline == deadline && slots[unchecked: next.node] < slot)
      guard isBefore else { break }
      let nextSlot = unsafe slots[unchecked: next.node]
      put(next.deadline, nextSlot, at: node, &deadlines, &slots, &places)
      node = next.node
    }
    put(deadline, slot, at: node, &deadlines, &slots, &places)
  }

  /// Fills the root with what is below it, down to the leaves, and lets the timer that was last rise
  /// from there: it came from the bottom, and seldom has far to go (Wegener, "Bottom-Up-Heapsort",
  /// 1993).
  /// - Precondition: the tree is not empty, and the slot has a place.
  private static func fillRoot(
    _ deadline: Int64, _ slot: Int32, _ count: Int, _ deadlineArray: inout [Int64],
    _ slotArray: inout [Int32], _ placeArray: inout [Int32]
  ) {
    var deadlines = deadlineArray.mutableSpan
    var slots = slotArray.mutableSpan
    var places = placeArray.mutableSpan
    var node = 1
    while let next = firstOfChildren(of: node, count, deadlines, slots) {
      put(
        next.deadline, unsafe slots[unchecked: next.node], at: node, &deadlines, &slots, &places)
      node = next.node
    }
    rise(deadline, slot, from: node, &deadlines, &slots, &places)
  }

  @inline(__always)
  private static func put(
    _ deadline: Int64, _ slot: Int32, at node: Int, _ deadlines: inout MutableSpan<Int64>,
    _ slots: inout MutableSpan<Int32>, _ places: inout MutableSpan<Int32>
  ) {
    unsafe deadlines[unchecked: node] = deadline
    unsafe slots[unchecked: node] = slot
    unsafe places[unchecked: Int(slot)] = Int32(truncatingIfNeeded: node)
  }

  /// A node that may be the first of several.
  private struct Candidate {
    var node: Int
    var deadline: Int64
  }

  /// nil where the node is a leaf.
  @inline(__always)
  private static func firstOfChildren(
    of node: Int, _ count: Int, _ deadlines: borrowing MutableSpan<Int64>,
    _ slots: borrowing MutableSpan<Int32>
  ) -> Candidate? {
    let first = firstChild(of: node)
    func candidate(_ place: Int) -> Candidate {
      unsafe Candidate(node: first &+ place, deadline: deadlines[unchecked: first &+ place])
    }
    func earlier(_ a: Candidate, _ b: Candidate) -> Candidate {
      if _slowPath(a.deadline == b.deadline) {
        return unsafe slots[unchecked: b.node] < slots[unchecked: a.node] ? b : a
      }
      let isSecond = b.deadline < a.deadline
      return Candidate(
        node: isSecond ? b.node : a.node, deadline: isSecond ? b.deadline : a.deadline)
    }
    guard first &+ width &- 1 <= count else {
      guard first <= count else { return nil }
      var best = candidate(0)
      for place in 1..<max(1, count &- first &+ 1) { best = earlier(best, candidate(place)) }
      return best
    }
    askForChildren(of: first, count, deadlines)
    // A knock-out: three rounds, in each of which the comparisons do not wait for each other.
    return earlier(
      earlier(earlier(candidate(0), candidate(1)), earlier(candidate(2), candidate(3))),
      earlier(earlier(candidate(4), candidate(5)), earlier(candidate(6), candidate(7))))
  }

  /// Has the deadlines of the children of eight siblings on their way: one of these lines is next.
  @inline(__always)
  private static func askForChildren(
    of sibling: Int, _ count: Int, _ deadlines: borrowing MutableSpan<Int64>
  ) {
    let first = firstChild(of: sibling)
    guard first &+ width &* width <= count else { return }
    unsafe deadlines.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for line in 0..<width { unsafe prefetch(base + (first &+ line &* width)) }
    }
  }
}
