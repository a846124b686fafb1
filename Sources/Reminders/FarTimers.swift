/// The timers of a `TimerHeap` that are far off, in no order but that of their buckets.
///
/// There is a time up to which everything has been given out. A timer lies in a bucket by the highest byte
/// in which its deadline differs from that time, and by the value of that byte there: the radix heap of
/// Ahuja, Mehlhorn, Orlin and Tarjan ("Faster Algorithms for the Shortest Path Problem", 1990), or a
/// hierarchical timing wheel (Varghese and Lauck, 1987) that turns when it is asked to. The first bucket is
/// the first one in use of the lowest byte. It is given out whole where it is small, and else shared out
/// among the buckets of the bytes below: a timer moves seven times at most, and twice where a million
/// lie within a year.
///
/// A bucket is a chain of chunks of one cache line; all are full but the last. A slot's place in the tree
/// says which entry is its own. What it leaves behind where it is moved or cancelled stays until its
/// bucket's turn comes, or until there is too much of it in all and everything is swept: so moving a timer
/// costs what setting one does, and cancelling one next to nothing.
///
/// All memory is the tree's. 4¼ bytes an entry, and at most four entries a timer, and a thousand more; 17 kB
/// for the buckets.
struct FarTimers: Sendable {
  /// With more entries a timer than this everything is swept, unless they are few.
  private static let mostEntries = 4
  private static let few = 1_024

  /// The number of timers.
  private(set) var count = 0
  /// Slots in buckets, timers or not.
  private var entries = 0
  /// Everything due until then has been given out, in the order of `key`.
  private(set) var passed = UInt64.max

  // MARK: - Buckets

  /// The order of deadlines in numbers without a sign.
  @inline(__always)
  static func key(_ deadline: Int64) -> UInt64 { UInt64(bitPattern: deadline) ^ (1 << 63) }

  /// Of a key that is not passed.
  @inline(__always)
  private func bucket(_ key: UInt64) -> Int {
    let level = (63 &- (key ^ passed).leadingZeroBitCount) >> 3
    let digit = key &>> (UInt64(truncatingIfNeeded: level) << 3)
    return level << 8 | Int(truncatingIfNeeded: digit) & 255
  }

  /// Takes a slot in whose deadline is not passed.
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func insert(_ slot: Int32, key: UInt64, _ tree: TimerTree) {
    tree.makeRoom(chunks: 1)
    put(slot, into: bucket(key), tree)
  }

  @inline(__always)
  private mutating func put(_ slot: Int32, into number: Int, _ tree: TimerTree) {
    count &+= 1
    entries &+= 1
    tree[placeOf: slot] = -2 &- tree.chunks.append(slot, to: number)
  }

  /// One timer is none of these any more, and its slot has another place, or none.
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func forget(_ tree: TimerTree) {
    count &-= 1
    sweepIfNeeded(tree)
  }

  @inline(__always)
  private mutating func sweepIfNeeded(_ tree: TimerTree) {
    if entries > Self.mostEntries &* count &+ Self.few { sweep(tree) }
  }

  /// Throws away what is no timer.
  @inline(never)
  private mutating func sweep(_ tree: TimerTree) {
    for number in 0..<TimerChunks.bucketCount where tree.chunks[number].count > 0 {
      tree.makeRoom(chunks: 2)
      takeAll(of: number, tree, withDeadlines: false) { far, slot in
        far.put(slot, into: number, tree)
      }
    }
  }

  /// Empties a bucket; `body` gets the slots that are timers, and puts them elsewhere or into the bucket
  /// anew, without more room for chunks than there is.
  @inline(__always)
  private mutating func takeAll(
    of number: Int, _ tree: TimerTree, withDeadlines: Bool,
    _ body: (_ far: inout FarTimers, _ slot: Int32) -> Void
  ) {
    let chunks = tree.chunks
    entries -= Int(chunks[number].count)
    chunks.takeAll(of: number) { range, next in
      if let next {
        for entry in next {
          tree.askForPlace(of: chunks[entry])
          if withDeadlines { tree.askForDeadline(of: chunks[entry]) }
        }
      }
      // What is no timer is left out without a jump: nobody can tell which it will be.
      var end = range.lowerBound
      for entry in range {
        let slot = chunks[entry]
        chunks[end] = slot
        end &+= tree[placeOf: slot] == -2 &- entry ? 1 : 0
      }
      count &-= Int(end &- range.lowerBound)
      for entry in range.lowerBound..<end { body(&self, chunks[entry]) }
    }
  }

  // MARK: - Giving out

  /// Gives out the slots that are due first, in no order: a bucket of at most `most` of them, or those of
  /// one deadline. What they are due at counts as passed.
  /// - Complexity: O(1) amortised for each timer.
  mutating func giveOut(most: Int, _ tree: TimerTree) -> [Int32] {
    var given: [Int32] = []
    while given.isEmpty, count > 0 {
      let number = tree.chunks.firstUsed
      // Each bucket below that gets a share may need a chunk more than come free on the way, and the chunk
      // in hand comes free when all of it is shared out.
      let shares = min(255 * (number >> 8), Int(tree.chunks[number].count))
      tree.makeRoom(chunks: shares + 1)
      // The bucket's times are `first` to `first | below`.
      let shift = UInt64(number >> 8 * 8)
      let above = (~UInt64(0) << shift) << 8
      let below = ~(~UInt64(0) << shift)
      let first = passed & above | UInt64(number & 255) << shift
      passed = Int(tree.chunks[number].count) <= most ? first | below : first
      takeAll(of: number, tree, withDeadlines: true) { far, slot in
        let key = Self.key(tree[deadlineOf: slot])
        if key <= far.passed {
          given.append(slot)
        } else {
          far.put(slot, into: far.bucket(key), tree)
        }
      }
    }
    sweepIfNeeded(tree)
    return given
  }

  /// Has fewer deadlines passed, so that timers given out can be taken back; false where nothing can be
  /// done about that.
  ///
  /// The timers that are in stay in their buckets: their deadlines differ from what has passed in the same
  /// byte as before, while only its lowest bits that are ones become zeros.
  mutating func takeBack() -> Bool {
    let ones = passed & ~(passed &+ 1)
    passed &= ~ones
    return ones != 0
  }

  // MARK: - Reading

  /// Every slot that has a timer, in no order.
  func forEach(_ tree: TimerTree, _ body: (_ slot: Int32) -> Void) {
    guard count > 0 else { return }
    for number in 0..<TimerChunks.bucketCount { forEach(of: number, tree, body) }
  }

  /// Every slot that has a timer in a bucket.
  private func forEach(of number: Int, _ tree: TimerTree, _ body: (_ slot: Int32) -> Void) {
    forEachEntry(of: number, tree) { entry in
      let slot = tree.chunks[entry]
      if tree[placeOf: slot] == -2 - entry { body(slot) }
    }
  }

  private func forEachEntry(
    _ tree: TimerTree, _ body: (_ entry: Int32, _ bucket: Int) -> Void
  ) {
    guard entries > 0 else { return }
    for number in 0..<TimerChunks.bucketCount {
      forEachEntry(of: number, tree) { body($0, number) }
    }
  }

  private func forEachEntry(of number: Int, _ tree: TimerTree, _ body: (_ entry: Int32) -> Void) {
    var last = tree.chunks[number].last
    while last >= 0 {
      for entry in TimerChunks.first(last)...last { body(entry) }
      last = tree.chunks.before(TimerChunks.first(last))
    }
  }

  /// The timers of a bucket after the other, each in the order of its deadlines, while `body` answers true.
  /// - Complexity: O(n log n) for the timers of the buckets that are come to.
  func forEachInOrder(
    _ tree: TimerTree, _ body: (_ deadline: Int64, _ slot: Int32) -> Bool
  ) {
    guard count > 0 else { return }
    var timers: [TimerNode] = []
    for number in 0..<TimerChunks.bucketCount {
      timers.removeAll(keepingCapacity: true)
      forEach(of: number, tree) { timers.append(TimerNode(tree[deadlineOf: $0], $0)) }
      timers.sort(by: <)
      for timer in timers {
        guard body(timer.deadline, timer.slot) else { return }
      }
    }
  }

  /// The first thing found wrong with the structure, or nil; for tests.
  func checkInvariants(_ tree: TimerTree) -> String? {
    var wrong: String?
    var timers = 0
    var sizes: [Int: Int32] = [:]
    forEachEntry(tree) { entry, number in
      sizes[number, default: 0] += 1
      let slot = tree.chunks[entry]
      guard tree[placeOf: slot] == -2 - entry else { return }
      timers += 1
      let key = Self.key(tree[deadlineOf: slot])
      if key <= passed || bucket(key) != number { wrong = "slot \(slot) is in bucket \(number)" }
    }
    for number in 0..<(tree.chunks.capacity > 0 ? TimerChunks.bucketCount : 0) {
      let (size, counted) = (sizes[number] ?? 0, tree.chunks[number].count)
      if size != counted || tree.chunks.isUsed(number) != (size > 0) {
        wrong = "bucket \(number) counts \(counted) entries of \(size)"
      }
    }
    if tree.chunks.room < 0 { wrong = "more chunks are in use than there are" }
    if timers != count { wrong = "\(timers) timers are far off, \(count) are counted" }
    if entries > Self.mostEntries * count + Self.few { wrong = "\(entries) entries were not swept" }
    return wrong
  }
}
