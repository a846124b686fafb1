import CProcessor
import Geofencing

/// One timer of a `TimerHeap`. The order of the numbers is that of the timers.
struct TimerNode {
  /// The deadline above, the slot below.
  var order: Int128

  /// Before everything else; no timer.
  static let none = TimerNode(order: .min)

  private init(order: Int128) { self.order = order }

  @inline(__always)
  init(_ deadline: Int64, _ slot: Int32) { order = Int128(deadline) << 64 | Int128(slot) }

  /// Microseconds, of whatever clock the caller counts in.
  @inline(__always)
  var deadline: Int64 { Int64(truncatingIfNeeded: order >> 64) }

  @inline(__always)
  var slot: Int32 { Int32(truncatingIfNeeded: order) }

  @inline(__always)
  static func < (a: TimerNode, b: TimerNode) -> Bool { a.order < b.order }
}

/// The memory of a `TimerHeap` and the walks through it: the marked corner.
///
/// It is no array, for three reasons that show at a million timers: the four children of a node are one
/// cache line whatever the allocator answers, both parts are on large pages, and one test for being
/// shared is enough for an operation. The fewer instructions an operation is, the more of them wait for
/// memory at the same time.
///
/// Nothing here checks an index. `TimerHeap` gives nodes below its `end`, which is never above
/// `nodeCapacity`, and slots below `slotCapacity`; slots that come out of nodes went in that way.
@safe final class TimerTree: @unchecked Sendable {
  let nodeCapacity: Int
  let slotCapacity: Int
  let byteCount: Int
  private let storage: UnsafeMutableRawPointer
  private let nodes: UnsafeMutablePointer<TimerNode>
  private let places: UnsafeMutablePointer<Int32>

  private static let lineSize = 64
  static let width = 4

  /// Room for so many nodes, and for the places of so many slots, which have none.
  init(nodes nodeCapacity: Int, slots slotCapacity: Int) {
    self.nodeCapacity = nodeCapacity
    self.slotCapacity = slotCapacity
    // Node 1 begins a line, so node 0 ends one.
    let head = Self.lineSize - MemoryLayout<TimerNode>.stride
    let nodeBytes = nodeCapacity * MemoryLayout<TimerNode>.stride
    byteCount = head + nodeBytes + slotCapacity * MemoryLayout<Int32>.stride
    unsafe storage = .allocate(byteCount: byteCount, alignment: Self.lineSize)
    unsafe adviseLargePages(storage, byteCount)
    unsafe nodes = (storage + head).bindMemory(to: TimerNode.self, capacity: nodeCapacity)
    unsafe places = (storage + head + nodeBytes).bindMemory(
      to: Int32.self, capacity: slotCapacity)
    unsafe places.initialize(repeating: -1, count: slotCapacity)
  }

  /// A copy of the first `end` nodes of another tree and of all its places, with no less room.
  convenience init(_ other: TimerTree, end: Int, nodes nodeCapacity: Int, slots slotCapacity: Int) {
    self.init(
      nodes: max(nodeCapacity, other.nodeCapacity), slots: max(slotCapacity, other.slotCapacity))
    unsafe nodes.initialize(from: other.nodes, count: end)
    unsafe places.update(from: other.places, count: other.slotCapacity)
  }

  deinit { unsafe storage.deallocate() }

  @inline(__always)
  subscript(node: Int) -> TimerNode {
    get { unsafe nodes[node] }
    set { unsafe nodes[node] = newValue }
  }

  /// −1 where the slot has no timer.
  @inline(__always)
  subscript(placeOf slot: Int32) -> Int32 {
    get { unsafe places[Int(slot)] }
    set { unsafe places[Int(slot)] = newValue }
  }

  @inline(__always)
  static func parent(of node: Int) -> Int { (node &- 1) >> 2 }

  @inline(__always)
  static func firstChild(of node: Int) -> Int { node << 2 &+ 1 }

  @inline(__always)
  private func put(_ timer: TimerNode, at node: Int) {
    unsafe nodes[node] = timer
    unsafe places[Int(timer.slot)] = Int32(truncatingIfNeeded: node)
  }

  // MARK: - Walks

  /// Puts a timer where it belongs, given a node that is free for it.
  @inline(__always)
  func settle(_ timer: TimerNode, at node: Int, end: Int) {
    if node > 0, unsafe timer < nodes[Self.parent(of: node)] {
      rise(timer, from: node)
    } else {
      sink(timer, from: node, end: end)
    }
  }

  /// Puts a timer where it belongs above a free node or there.
  @inline(__always)
  func rise(_ timer: TimerNode, from start: Int) {
    var node = start
    while node > 0 {
      let above = Self.parent(of: node)
      let other = unsafe nodes[above]
      guard timer < other else { break }
      put(other, at: node)
      node = above
    }
    put(timer, at: node)
  }

  /// Puts a timer where it belongs below a free node or there.
  @inline(__always)
  func sink(_ timer: TimerNode, from start: Int, end: Int) {
    var node = start
    while let next = firstOfChildren(of: node, end) {
      let other = unsafe nodes[next]
      guard other < timer else { break }
      put(other, at: node)
      node = next
    }
    put(timer, at: node)
  }

  /// Fills the root with what is below it, down to the leaves, and lets the timer rise from there: it
  /// was last, or is set for later than most, and seldom has far to go (Wegener, "Bottom-Up-Heapsort",
  /// 1993).
  func fillRoot(with timer: TimerNode, end: Int) {
    var node = 0
    while true {
      askForGrandchildren(of: node, end)
      guard let next = firstOfChildren(of: node, end) else { break }
      put(unsafe nodes[next], at: node)
      node = next
    }
    rise(timer, from: node)
  }

  /// nil where the node is a leaf.
  @inline(__always)
  private func firstOfChildren(of node: Int, _ end: Int) -> Int? {
    let first = Self.firstChild(of: node)
    guard first &+ Self.width <= end else {
      guard first < end else { return nil }
      var best = first
      for child in first &+ 1..<max(first &+ 1, end) { best = earlier(best, child) }
      return best
    }
    // A knock-out: the two comparisons of the first round do not wait for each other.
    return earlier(earlier(first, first &+ 1), earlier(first &+ 2, first &+ 3))
  }

  @inline(__always)
  private func earlier(_ a: Int, _ b: Int) -> Int { unsafe nodes[b] < nodes[a] ? b : a }

  /// Has the lines of a node's grandchildren on their way: one of the four is next but one.
  @inline(__always)
  private func askForGrandchildren(of node: Int, _ end: Int) {
    let first = Self.firstChild(of: Self.firstChild(of: node))
    guard first &+ Self.width &* Self.width <= end else { return }
    for line in 0..<Self.width { unsafe prefetch(nodes + (first &+ line &* Self.width)) }
  }
}
