import CProcessor
import Geofencing

#if canImport(Glibc)
  import Glibc
#endif

/// One timer of a `TimerHeap`. The order of the numbers is that of the timers.
struct TimerNode {
  /// The deadline above, the slot below.
  var order: Int128

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

/// The memory of a `TimerHeap` and the walks through its tree: the marked corner.
///
/// It is no array, for three reasons that show at a million timers: the four children of a node are one
/// cache line whatever the allocator answers, all parts are on large pages, and one test for being
/// shared is enough for an operation. The fewer instructions an operation is, the more of them wait for
/// memory at the same time.
///
/// Nothing here checks an index. `TimerHeap` gives nodes below its `end`, which is never above
/// `nodeCapacity`, and slots below `slotCapacity`; slots that come out of nodes went in that way.
@safe final class TimerTree: @unchecked Sendable {
  let nodeCapacity: Int
  let slotCapacity: Int
  private let ownByteCount: Int
  /// Of the timers that are far off.
  private(set) var chunks: TimerChunks
  private let storage: UnsafeMutableRawPointer
  private let nodes: UnsafeMutablePointer<TimerNode>
  private let deadlines: UnsafeMutablePointer<Int64>
  /// Complements, so that `nowhere` is zero, as new memory is: what no timer needs is never touched.
  private let places: UnsafeMutablePointer<Int32>

  private static let lineSize = 64
  static let width = 4
  /// The place of a slot that has no timer.
  static let nowhere: Int32 = -1

  /// Room for so many nodes, and for the deadlines and places of so many slots, which have no timer.
  init(nodes nodeCapacity: Int, slots slotCapacity: Int, chunks: TimerChunks) {
    self.chunks = chunks
    self.nodeCapacity = nodeCapacity
    self.slotCapacity = slotCapacity
    // Node 1 begins a line, so node 0 ends one.
    let head = Self.lineSize - MemoryLayout<TimerNode>.stride
    let nodeBytes = nodeCapacity * MemoryLayout<TimerNode>.stride
    let deadlineBytes = slotCapacity * MemoryLayout<Int64>.stride
    let placeBytes = slotCapacity * MemoryLayout<Int32>.stride
    ownByteCount = Self.lineSize + head + nodeBytes + deadlineBytes + placeBytes
    guard let storage = unsafe calloc(1, ownByteCount) else { fatalError("Out of memory") }
    unsafe self.storage = storage
    unsafe adviseLargePages(storage, ownByteCount)
    let start = unsafe storage.alignedUp(toMultipleOf: Self.lineSize) + head
    unsafe nodes = start.bindMemory(to: TimerNode.self, capacity: nodeCapacity)
    unsafe deadlines = (start + nodeBytes).bindMemory(to: Int64.self, capacity: slotCapacity)
    unsafe places = (start + nodeBytes + deadlineBytes).bindMemory(
      to: Int32.self, capacity: slotCapacity)
  }

  /// A copy of the first `end` nodes of another tree and of all its slots and chunks, with no less room.
  convenience init(_ other: TimerTree, end: Int, nodes nodeCapacity: Int, slots slotCapacity: Int) {
    self.init(
      nodes: max(nodeCapacity, other.nodeCapacity), slots: max(slotCapacity, other.slotCapacity),
      chunks: TimerChunks(other.chunks, capacity: 0))
    unsafe nodes.initialize(from: other.nodes, count: end)
    unsafe deadlines.update(from: other.deadlines, count: other.slotCapacity)
    unsafe places.update(from: other.places, count: other.slotCapacity)
  }

  deinit { unsafe free(storage) }

  var byteCount: Int { ownByteCount + chunks.byteCount }

  @inline(__always)
  subscript(node: Int) -> TimerNode {
    get { unsafe nodes[node] }
    set { unsafe nodes[node] = newValue }
  }

  /// Microseconds, of whatever clock the caller counts in; anything where the slot has no timer.
  @inline(__always)
  subscript(deadlineOf slot: Int32) -> Int64 {
    get { unsafe deadlines[Int(slot)] }
    set { unsafe deadlines[Int(slot)] = newValue }
  }

  /// The node of the slot's timer; below −1 it is `FarTimers` that knows where that is.
  @inline(__always)
  subscript(placeOf slot: Int32) -> Int32 {
    get { unsafe ~places[Int(slot)] }
    set { unsafe places[Int(slot)] = ~newValue }
  }

  @inline(__always)
  func askForPlace(of slot: Int32) { unsafe prefetch(places + Int(slot)) }

  @inline(__always)
  func askForDeadline(of slot: Int32) { unsafe prefetch(deadlines + Int(slot)) }

  /// Makes room for so many more chunks.
  @inline(__always)
  func makeRoom(chunks count: Int) {
    if chunks.room < count { grow(to: 2 * max(count, chunks.capacity)) }
  }

  /// Makes room for so many chunks in all.
  @inline(never)
  func grow(to capacity: Int) {
    chunks = TimerChunks(chunks, capacity: capacity)
  }

  @inline(__always)
  static func parent(of node: Int) -> Int { (node &- 1) >> 2 }

  @inline(__always)
  static func firstChild(of node: Int) -> Int { node << 2 &+ 1 }

  @inline(__always)
  func place(_ timer: TimerNode, at node: Int) {
    unsafe nodes[node] = timer
    self[placeOf: timer.slot] = Int32(truncatingIfNeeded: node)
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
      place(other, at: node)
      node = above
    }
    place(timer, at: node)
  }

  /// Puts a timer where it belongs below a free node or there.
  @inline(__always)
  func sink(_ timer: TimerNode, from start: Int, end: Int) {
    var node = start
    while let next = firstOfChildren(of: node, end) {
      let other = unsafe nodes[next]
      guard other < timer else { break }
      place(other, at: node)
      node = next
    }
    place(timer, at: node)
  }

  /// Fills the root with what is below it, down to the leaves, and lets the timer rise from there: it
  /// was last, or is set for later than most, and seldom has far to go (Wegener, "Bottom-Up-Heapsort",
  /// 1993).
  func fillRoot(with timer: TimerNode, end: Int) {
    var node = 0
    while true {
      askForGrandchildren(of: node, end)
      guard let next = firstOfChildren(of: node, end) else { break }
      place(unsafe nodes[next], at: node)
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
