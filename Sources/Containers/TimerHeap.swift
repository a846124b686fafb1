/// Timers by deadline: an indexed 4-ary heap.
///
///     var heap = TimerHeap()
///     heap.push(slot: 7, at: deadline)
///     heap.push(slot: 7, at: later)
///     while let next = heap.peek(), next.deadline <= now { _ = heap.pop() }
///
/// The caller names each timer by its slot, a dense number from 0. A second array holds the node of
/// each slot, so that a timer is moved or removed without a search. Equal deadlines come by slot.
///
/// The children of node i are 4i + 1 … 4i + 4. That halves the levels of a binary heap, and
/// four nodes of 16 bytes share a cache line (LaMarca and Ladner, "The Influence of Caches on the
/// Performance of Heaps", 1996).
///
/// Invariants: no node is before its parent; `nodeOfSlot` is the inverse of the nodes' slots.
package struct TimerHeap: Sendable {
  private struct Node: Comparable, Sendable {
    var deadline: Int64
    var slot: Int32

    static func < (a: Node, b: Node) -> Bool {
      a.deadline < b.deadline || (a.deadline == b.deadline && a.slot < b.slot)
    }
  }

  private static let arity = 4
  private static let absent: Int32 = -1

  private var nodes: [Node] = []
  /// `absent` without a timer.
  private var nodeOfSlot: [Int32] = []

  package init() {}

  package var count: Int { nodes.count }

  package var isEmpty: Bool { nodes.isEmpty }

  /// Bytes of heap in use.
  package var byteCount: Int {
    nodes.capacity * MemoryLayout<Node>.stride + nodeOfSlot.capacity * MemoryLayout<Int32>.stride
  }

  /// Makes room for `count` timers in slots 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    nodes.reserveCapacity(count)
    nodeOfSlot.reserveCapacity(count)
  }

  /// The deadline of a slot's timer; nil where the slot has none.
  /// - Complexity: O(1).
  package func deadline(slot: Int32) -> Int64? { node(of: slot).map { nodes[$0].deadline } }

  private func node(of slot: Int32) -> Int? {
    guard slot >= 0, Int(slot) < nodeOfSlot.count else { return nil }
    let node = nodeOfSlot[Int(slot)]
    return node == Self.absent ? nil : Int(node)
  }

  // MARK: - Changes

  /// Sets or moves a slot's timer. Negative slots are ignored.
  /// - Complexity: O(log count); O(1) on average for random deadlines.
  package mutating func push(slot: Int32, at deadline: Int64) {
    guard slot >= 0 else { return }
    let new = Node(deadline: deadline, slot: slot)
    if let node = node(of: slot) { return place(new, from: node) }
    if Int(slot) >= nodeOfSlot.count {
      let missing = Int(slot) + 1 - nodeOfSlot.count
      nodeOfSlot.append(contentsOf: repeatElement(Self.absent, count: missing))
    }
    nodes.append(new)
    rise(new, from: nodes.count - 1)
  }

  /// Removes a timer; false where the slot has none.
  /// - Complexity: O(log count).
  @discardableResult
  package mutating func cancel(slot: Int32) -> Bool {
    guard let node = node(of: slot) else { return false }
    remove(node)
    return true
  }

  /// The timer that is due first; nil in an empty heap.
  /// - Complexity: O(1).
  package func peek() -> (deadline: Int64, slot: Int32)? {
    nodes.first.map { ($0.deadline, $0.slot) }
  }

  /// Removes the timer that is due first, and returns it.
  /// - Complexity: O(log count).
  package mutating func pop() -> (deadline: Int64, slot: Int32)? {
    guard let first = peek() else { return nil }
    remove(0)
    return first
  }

  package mutating func removeAll() {
    for node in nodes { nodeOfSlot[Int(node.slot)] = Self.absent }
    nodes.removeAll(keepingCapacity: true)
  }

  /// Visits timers in the order of their deadlines while `body` returns true; they stay.
  /// - Complexity: O(count) for a copy, and O(log count) for each visit.
  package func forEachInOrder(_ body: (_ deadline: Int64, _ slot: Int32) -> Bool) {
    var rest = self
    while let next = rest.pop() {
      guard body(next.deadline, next.slot) else { return }
    }
  }

  // MARK: - The tree

  private mutating func remove(_ node: Int) {
    nodeOfSlot[Int(nodes[node].slot)] = Self.absent
    let last = nodes.removeLast()
    if node < nodes.count { place(last, from: node) }
  }

  /// Moves a node up or down from a free place to its position.
  private mutating func place(_ new: Node, from node: Int) {
    if node > 0, new < nodes[(node - 1) / Self.arity] {
      rise(new, from: node)
    } else {
      sink(new, from: node)
    }
  }

  private mutating func rise(_ new: Node, from node: Int) {
    var node = node
    while node > 0 {
      let parent = (node - 1) / Self.arity
      guard new < nodes[parent] else { break }
      set(nodes[parent], at: node)
      node = parent
    }
    set(new, at: node)
  }

  private mutating func sink(_ new: Node, from node: Int) {
    var node = node
    while true {
      let firstChild = node * Self.arity + 1
      guard firstChild < nodes.count else { break }
      var least = firstChild
      for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + Self.arity, nodes.count))
      where nodes[child] < nodes[least] { least = child }
      guard nodes[least] < new else { break }
      set(nodes[least], at: node)
      node = least
    }
    set(new, at: node)
  }

  private mutating func set(_ new: Node, at node: Int) {
    nodes[node] = new
    nodeOfSlot[Int(new.slot)] = Int32(truncatingIfNeeded: node)
  }
}

extension TimerHeap {
  /// The first violated invariant, or nil; for tests.
  /// - Complexity: O(slots).
  package func checkInvariants() -> String? {
    for (number, node) in nodes.enumerated() {
      guard self.node(of: node.slot) == number else { return "slot \(node.slot) is misplaced" }
      if number > 0, node < nodes[(number - 1) / Self.arity] {
        return "node \(number) is before its parent"
      }
    }
    let placed = nodeOfSlot.count { $0 != Self.absent }
    return placed == count ? nil : "\(placed) slots have a node, \(count) nodes exist"
  }
}
