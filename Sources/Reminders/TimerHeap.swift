/// Timers by deadline: a 4-ary heap that knows where each timer is.
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
/// (LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps", 1996). A node is a
/// whole timer of 16 bytes, the root is node 0, the children of node i are 4i + 1 … 4i + 4, and these
/// are one cache line. The first of four is found without jumps, while the lines of the grandchildren
/// are on their way.
///
/// Whoever takes the first timer away mostly sets another one, of the same reminder or of the next. So
/// `pop` leaves the root free, and what is pushed next fills it: one walk through the tree instead of
/// three. Everything else takes a free root for a timer that is before all others.
///
/// Invariant: no node is before its parent, and the places are the inverse of the nodes' slots.
/// 20 bytes a timer: the node 16, its place 4.
package struct TimerHeap: Sendable {
  private var tree = TimerTree(nodes: 0, slots: 0)
  /// The number of nodes in use.
  private var end = 0
  /// The root is no timer: it has been taken, and waits for the next one.
  private var isRootFree = false

  package init() {}

  /// The number of timers.
  package var count: Int { end &- (isRootFree ? 1 : 0) }

  package var isEmpty: Bool { count == 0 }

  /// Makes room for `count` timers in slots 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    guard count > tree.nodeCapacity || count > tree.slotCapacity else { return }
    tree = TimerTree(tree, end: end, nodes: count, slots: count)
  }

  /// Bytes of heap in use.
  package var byteCount: Int { tree.byteCount }

  /// The slots that have a timer, in no order.
  var timedSlots: [Int32] { (firstNode..<end).map { tree[$0].slot } }

  /// The deadline of a slot's timer; nil where it has none.
  /// - Complexity: O(1).
  package func deadline(slot: Int32) -> Int64? { node(of: slot).map { tree[$0].deadline } }

  // MARK: - Setting

  /// Sets a timer, or moves the one the slot has. Negative slots are ignored.
  /// - Complexity: O(log count), O(1) on average for random deadlines.
  package mutating func push(slot: Int32, at deadline: Int64) {
    guard slot >= 0 else { return }
    let timer = TimerNode(deadline, slot)
    if let node = node(of: slot) {
      own()
      return tree.settle(timer, at: node, end: end)
    }
    makeRoom(for: slot)
    if isRootFree {
      isRootFree = false
      return tree.fillRoot(with: timer, end: end)
    }
    end &+= 1
    tree.rise(timer, from: end &- 1)
  }

  /// Sets a timer of a slot that has none, where its order does not matter yet: `heapify` must be
  /// called before anything else is.
  /// - Complexity: O(1) amortised.
  mutating func append(slot: Int32, at deadline: Int64) {
    guard slot >= 0, node(of: slot) == nil else { return }
    makeRoom(for: slot)
    closeRoot()
    tree[end] = TimerNode(deadline, slot)
    tree[placeOf: slot] = Int32(truncatingIfNeeded: end)
    end += 1
  }

  /// Puts the timers that were appended in order (Floyd, "Algorithm 245: Treesort 3", 1964).
  /// - Complexity: O(count).
  mutating func heapify() {
    guard end > 1 else { return }
    own()
    for node in stride(from: TimerTree.parent(of: end - 1), through: 0, by: -1) {
      tree.sink(tree[node], from: node, end: end)
    }
  }

  /// Moves a timer; false where the slot has none.
  /// - Complexity: O(log count).
  @discardableResult
  package mutating func reschedule(slot: Int32, at deadline: Int64) -> Bool {
    guard let node = node(of: slot) else { return false }
    own()
    tree.settle(TimerNode(deadline, slot), at: node, end: end)
    return true
  }

  // MARK: - Taking

  /// Takes a timer away; false where the slot has none.
  /// - Complexity: O(log count).
  @discardableResult
  package mutating func cancel(slot: Int32) -> Bool {
    guard let node = node(of: slot) else { return false }
    own()
    tree[placeOf: slot] = -1
    end &-= 1
    if node < end { tree.settle(tree[end], at: node, end: end) }
    return true
  }

  /// The timer that is due first; nil where there is none.
  /// - Complexity: O(1).
  package func peek() -> (deadline: Int64, slot: Int32)? {
    let first = firstNode
    guard first < end else { return nil }
    var timer = tree[first]
    if first > 0 {
      for node in first..<min(end, first + TimerTree.width) where tree[node] < timer {
        timer = tree[node]
      }
    }
    return (timer.deadline, timer.slot)
  }

  /// Takes the timer away that is due first, and returns it.
  /// - Complexity: O(log count).
  package mutating func pop() -> (deadline: Int64, slot: Int32)? {
    guard !isEmpty else { return nil }
    own()
    closeRoot()
    let first = tree[0]
    tree[placeOf: first.slot] = -1
    tree[0] = .none
    isRootFree = true
    return (first.deadline, first.slot)
  }

  // MARK: - Reading

  /// Timers in the order of their deadlines while `body` answers true; they stay.
  /// - Complexity: O(k²) for k of them, with small constants, whatever their number in all.
  func forEachInOrder(_ body: (_ deadline: Int64, _ slot: Int32) -> Bool) {
    // Nodes whose parents have been told, the next one last.
    var frontier: [Int] = end == 0 ? [] : [0]
    while let node = frontier.popLast() {
      if node >= firstNode {
        guard body(tree[node].deadline, tree[node].slot) else { return }
      }
      let first = TimerTree.firstChild(of: node)
      for child in first..<first + TimerTree.width where child < end {
        var low = 0
        var high = frontier.count
        while low < high {
          let middle = (low + high) / 2
          if tree[child] < tree[frontier[middle]] { low = middle + 1 } else { high = middle }
        }
        frontier.insert(child, at: low)
      }
    }
  }

  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(slots).
  package func checkInvariants() -> String? {
    guard end <= tree.nodeCapacity else { return "nodes are missing" }
    if isRootFree, end == 0 || tree[0].order != TimerNode.none.order {
      return "a free root is a timer"
    }
    for node in firstNode..<max(firstNode, end) {
      let slot = tree[node].slot
      guard slot >= 0, Int(slot) < tree.slotCapacity, tree[placeOf: slot] == Int32(node) else {
        return "slot \(slot) is misplaced"
      }
      if node > 0, tree[node] < tree[TimerTree.parent(of: node)] {
        return "node \(node) is before its parent"
      }
    }
    let placed = (0..<tree.slotCapacity).count { tree[placeOf: Int32($0)] >= 0 }
    return placed == count ? nil : "\(placed) slots have a place, \(count) a timer"
  }

  // MARK: - The tree

  /// The first node that is a timer.
  private var firstNode: Int { isRootFree ? 1 : 0 }

  @inline(__always)
  private func node(of slot: Int32) -> Int? {
    guard slot >= 0, Int(slot) < tree.slotCapacity else { return nil }
    let place = tree[placeOf: slot]
    return place >= 0 ? Int(place) : nil
  }

  /// Before anything is written: a copy of this heap keeps what it has.
  @inline(__always)
  private mutating func own() {
    if !isKnownUniquelyReferenced(&tree) { copy(nodes: 0, slots: 0) }
  }

  /// Room for one more node and for a slot's place, in memory that is nobody else's.
  @inline(__always)
  private mutating func makeRoom(for slot: Int32) {
    if end >= tree.nodeCapacity || Int(slot) >= tree.slotCapacity {
      copy(
        nodes: end < tree.nodeCapacity ? 0 : max(16, 2 * end),
        slots: Int(slot) < tree.slotCapacity ? 0 : max(16, Int(slot) + 1, 2 * tree.slotCapacity))
    } else {
      own()
    }
  }

  @inline(never)
  private mutating func copy(nodes: Int, slots: Int) {
    tree = TimerTree(tree, end: end, nodes: nodes, slots: slots)
  }

  /// Puts the last timer where the root is free.
  @inline(__always)
  private mutating func closeRoot() {
    guard isRootFree else { return }
    isRootFree = false
    end &-= 1
    // The last one is the free root itself where there are no timers.
    if end > 0 { tree.fillRoot(with: tree[end], end: end) }
  }
}
