/// Timers by deadline: a heap of those that come next, and buckets of those that are far off.
///
///     var heap = TimerHeap()
///     heap.push(slot: 7, at: deadline)
///     heap.reschedule(slot: 7, at: later)
///     while let next = heap.peek(), next.deadline <= now { _ = heap.pop() }
///
/// A timer is named by its slot, a dense number of the caller's: 0 or more, for it is an index into
/// an array. Equal deadlines come out by slot.
///
/// Most timers are set, moved and cancelled long before they are due, so order among them is not worth
/// its price: they lie in buckets of `FarTimers`, and only the bucket that comes next is put in order. That
/// one is a 4-ary heap, some hundred nodes of 16 bytes that stay in the processor's first cache (LaMarca
/// and Ladner, "The Influence of Caches on the Performance of Heaps", 1996). The root is node 0, the
/// children of node i are 4i + 1 … 4i + 4, and these are one cache line. Where there are few timers
/// there is nothing but the heap.
///
/// What is moved or cancelled leaves the heap at once, so the first timer is always a live one; in a bucket
/// it may leave an entry behind, of which there are never more than three for each timer.
///
/// Invariant: there are timers far off only while there are some in the heap, and these are due no later;
/// no node is before its parent; the places are the inverse of the nodes' slots.
///
/// 16¼ bytes a timer: its deadline 8, its place 4, its entry 4¼; 29 at most where timers are moved. In the
/// heap it is 28.
package struct TimerHeap: Sendable {
  /// So many timers are put in order at once: as many as the first cache holds with what belongs to them.
  private static let handful = 512

  private var tree = TimerTree(nodes: 0, slots: 0, chunks: TimerChunks(capacity: 0))
  /// The number of nodes in use.
  private var end = 0
  /// With more nodes than this some are to be put far off.
  private var limit = Self.handful
  private var far = FarTimers()

  package init() {}

  /// The number of timers.
  package var count: Int { end &+ far.count }

  package var isEmpty: Bool { end == 0 }

  /// Makes room for `count` timers in slots 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    let nodes = min(count, 2 * Self.handful)
    if nodes > tree.nodeCapacity || count > tree.slotCapacity {
      copy(nodes: nodes, slots: count)
    } else {
      own()
    }
    if count > Self.handful {
      // Some hundred chunks are usually not full, and some hundred wanted when a bucket is shared out.
      tree.grow(to: count / Int(TimerChunks.width) + 1_024)
    }
  }

  /// Bytes of heap in use.
  package var byteCount: Int { tree.byteCount }

  /// The slots that have a timer, in no order.
  var timedSlots: [Int32] {
    var slots = (0..<end).map { tree[$0].slot }
    far.forEach(tree) { slots.append($0) }
    return slots
  }

  /// The deadline of a slot's timer; nil where it has none.
  /// - Complexity: O(1).
  package func deadline(slot: Int32) -> Int64? { hasTimer(slot) ? tree[deadlineOf: slot] : nil }

  @inline(__always)
  private func hasTimer(_ slot: Int32) -> Bool {
    slot >= 0 && Int(slot) < tree.slotCapacity && tree[placeOf: slot] != TimerTree.nowhere
  }

  // MARK: - Setting

  /// Sets a timer, or moves the one the slot has. Negative slots are ignored.
  /// - Complexity: O(1) amortised where it is far off, else O(log count).
  package mutating func push(slot: Int32, at deadline: Int64) {
    guard slot >= 0 else { return }
    makeRoom(for: slot)
    set(slot, at: deadline)
  }

  /// Moves a timer; false where the slot has none.
  /// - Complexity: as `push`.
  @discardableResult
  package mutating func reschedule(slot: Int32, at deadline: Int64) -> Bool {
    guard hasTimer(slot) else { return false }
    own()
    set(slot, at: deadline)
    return true
  }

  @inline(__always)
  private mutating func set(_ slot: Int32, at deadline: Int64) {
    let key = FarTimers.key(deadline)
    let place = tree[placeOf: slot]
    tree[deadlineOf: slot] = deadline
    guard key <= far.passed else {
      if place >= 0 { removeNode(Int(place)) }
      far.insert(slot, key: key, tree)
      if place < TimerTree.nowhere { far.forget(tree) }
      if end == 0 { fill() }
      return
    }
    let timer = TimerNode(deadline, slot)
    if place >= 0 { return tree.settle(timer, at: Int(place), end: end) }
    if end >= tree.nodeCapacity { copy(nodes: max(16, 2 * end), slots: 0) }
    end &+= 1
    tree.rise(timer, from: end &- 1)
    if place < TimerTree.nowhere { far.forget(tree) }
    if end > limit { thin() }
  }

  // MARK: - Taking

  /// Takes a timer away; false where the slot has none.
  /// - Complexity: O(1) amortised where it is far off, else O(log count).
  @discardableResult
  package mutating func cancel(slot: Int32) -> Bool {
    guard hasTimer(slot) else { return false }
    own()
    let place = tree[placeOf: slot]
    if place >= 0 {
      removeNode(Int(place))
      tree[placeOf: slot] = TimerTree.nowhere
      if end == 0 { fill() }
    } else {
      tree[placeOf: slot] = TimerTree.nowhere
      far.forget(tree)
    }
    return true
  }

  /// The timer that is due first; nil where there is none.
  /// - Complexity: O(1).
  package func peek() -> (deadline: Int64, slot: Int32)? {
    end > 0 ? (tree[0].deadline, tree[0].slot) : nil
  }

  /// Takes the timer away that is due first, and returns it.
  /// - Complexity: O(log count) amortised.
  package mutating func pop() -> (deadline: Int64, slot: Int32)? {
    guard let first = peek() else { return nil }
    own()
    tree[placeOf: first.slot] = TimerTree.nowhere
    end &-= 1
    if end > 0 { tree.fillRoot(with: tree[end], end: end) } else { fill() }
    return first
  }

  // MARK: - Reading

  /// Timers in the order of their deadlines while `body` answers true; they stay.
  /// - Complexity: O(n log n) for n timers in the heap and in the buckets that are come to.
  func forEachInOrder(_ body: (_ deadline: Int64, _ slot: Int32) -> Bool) {
    for timer in (0..<end).map({ tree[$0] }).sorted(by: <) {
      guard body(timer.deadline, timer.slot) else { return }
    }
    far.forEachInOrder(tree, body)
  }

  /// The first thing found wrong with the structure, or nil; for tests.
  /// - Complexity: O(slots).
  package func checkInvariants() -> String? {
    guard end <= tree.nodeCapacity else { return "nodes are missing" }
    if end == 0, far.count > 0 { return "timers are far off, and none is near" }
    for node in 0..<end {
      let (deadline, slot) = (tree[node].deadline, tree[node].slot)
      guard slot >= 0, Int(slot) < tree.slotCapacity, tree[placeOf: slot] == Int32(node),
        tree[deadlineOf: slot] == deadline
      else {
        return "slot \(slot) is misplaced"
      }
      guard FarTimers.key(deadline) <= far.passed else { return "slot \(slot) is far off" }
      if node > 0, tree[node] < tree[TimerTree.parent(of: node)] {
        return "node \(node) is before its parent"
      }
    }
    if let wrong = far.checkInvariants(tree) { return wrong }
    let placed = (0..<tree.slotCapacity).count { hasTimer(Int32($0)) }
    return placed == count ? nil : "\(placed) slots have a place, \(count) a timer"
  }

  // MARK: - Between the heap and the buckets

  /// Takes what is due next from the buckets, once the heap is empty.
  @inline(never)
  private mutating func fill() {
    guard far.count > 0 else { return }
    let next = far.giveOut(most: Self.handful, tree)
    if next.count > tree.nodeCapacity { copy(nodes: next.count, slots: 0) }
    for slot in next {
      tree.place(TimerNode(tree[deadlineOf: slot], slot), at: end)
      end += 1
    }
    order()
  }

  /// Puts what is due last of the heap far off, as far as that can be told apart.
  @inline(never)
  private mutating func thin() {
    if far.takeBack() {
      var kept = 0
      for node in 0..<end {
        let timer = tree[node]
        let key = FarTimers.key(timer.deadline)
        if key > far.passed {
          far.insert(timer.slot, key: key, tree)
        } else {
          tree.place(timer, at: kept)
          kept += 1
        }
      }
      end = kept
      if end == 0 { return fill() }
    }
    order()
  }

  /// Makes a heap of the nodes (Floyd, "Algorithm 245: Treesort 3", 1964).
  private mutating func order() {
    if end > 1 {
      for node in stride(from: TimerTree.parent(of: end - 1), through: 0, by: -1) {
        tree.sink(tree[node], from: node, end: end)
      }
    }
    limit = max(Self.handful, 2 * end)
  }

  // MARK: - The tree

  /// Takes a timer out of the heap; its place is the caller's to set.
  @inline(__always)
  private mutating func removeNode(_ node: Int) {
    end &-= 1
    if node < end { tree.settle(tree[end], at: node, end: end) }
  }

  /// Before anything is written: a copy of this heap keeps what it has.
  @inline(__always)
  private mutating func own() {
    if !isKnownUniquelyReferenced(&tree) { copy(nodes: 0, slots: 0) }
  }

  /// Room for a slot, in memory that is nobody else's.
  @inline(__always)
  private mutating func makeRoom(for slot: Int32) {
    if Int(slot) >= tree.slotCapacity {
      copy(nodes: 0, slots: max(16, Int(slot) + 1, 2 * tree.slotCapacity))
    } else {
      own()
    }
  }

  @inline(never)
  private mutating func copy(nodes: Int, slots: Int) {
    tree = TimerTree(tree, end: end, nodes: nodes, slots: slots)
  }
}
