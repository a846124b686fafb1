import CProcessor
import Geofencing

/// The memory of `FarTimers`: buckets, each a chain of chunks of slots. A marked corner like `TimerTree`, for
/// the same reasons.
///
/// Nothing here checks an index but that of a new chunk. `FarTimers` gives buckets below `bucketCount`, and
/// entries of chunks that came from `takeChunk`.
@safe final class TimerChunks: @unchecked Sendable {
  struct Bucket {
    /// Where its last slot is; −1 where it is empty.
    var last: Int32
    /// Its slots.
    var count: Int32

    static let empty = Bucket(last: -1, count: 0)
  }

  /// The highest byte in which keys differ, and its value.
  static let bucketCount = 8 * 256
  /// The slots of a chunk: one cache line, together with where the slots before them end.
  static let width: Int32 = 15
  private static let stride = 16

  let capacity: Int
  let byteCount: Int
  private let storage: UnsafeMutableRawPointer
  private let used: UnsafeMutablePointer<UInt64>
  private let buckets: UnsafeMutablePointer<Bucket>
  private let slots: UnsafeMutablePointer<Int32>
  /// Chunks that can be taken.
  private(set) var room: Int
  /// Chunks that were in use.
  private var end: Int32 = 0
  /// The first of those that are free again.
  private var free: Int32 = -1

  /// Empty buckets, and room for so many chunks; without any there are no buckets either.
  init(capacity: Int) {
    self.capacity = capacity
    room = capacity
    let bucketCount = capacity > 0 ? Self.bucketCount : 0
    let usedBytes = bucketCount / 8
    let bucketBytes = bucketCount * MemoryLayout<Bucket>.stride
    byteCount =
      usedBytes + bucketBytes + capacity * Self.stride * MemoryLayout<Int32>.stride
    unsafe storage = .allocate(byteCount: byteCount, alignment: 64)
    unsafe adviseLargePages(storage, byteCount)
    unsafe used = storage.bindMemory(to: UInt64.self, capacity: bucketCount / 64)
    unsafe buckets = (storage + usedBytes).bindMemory(to: Bucket.self, capacity: bucketCount)
    unsafe slots = (storage + usedBytes + bucketBytes).bindMemory(
      to: Int32.self, capacity: capacity * Self.stride)
    unsafe used.initialize(repeating: 0, count: bucketCount / 64)
    unsafe buckets.initialize(repeating: .empty, count: bucketCount)
    // So that taking timers in does not wait for the kernel to clear the pages.
    unsafe slots.initialize(repeating: -1, count: capacity * Self.stride)
  }

  /// A copy with no less room.
  convenience init(_ other: TimerChunks, capacity: Int) {
    self.init(capacity: max(capacity, other.capacity))
    guard other.capacity > 0 else { return }
    unsafe used.update(from: other.used, count: Self.bucketCount / 64)
    unsafe buckets.update(from: other.buckets, count: Self.bucketCount)
    unsafe slots.update(from: other.slots, count: Int(other.end) * Self.stride)
    room -= other.capacity - other.room
    end = other.end
    free = other.free
  }

  deinit { unsafe storage.deallocate() }

  // MARK: - Buckets

  @inline(__always)
  subscript(number: Int) -> Bucket {
    get { unsafe buckets[number] }
    set { unsafe buckets[number] = newValue }
  }

  /// The first bucket in use; there must be one.
  var firstUsed: Int {
    var word = 0
    while unsafe used[word] == 0 { word += 1 }
    let bits = unsafe used[word]
    return word << 6 + bits.trailingZeroBitCount
  }

  func isUsed(_ number: Int) -> Bool { unsafe used[number >> 6] >> UInt64(number & 63) & 1 == 1 }

  /// Adds a slot to a bucket, and answers its entry. There must be room for a chunk.
  @inline(__always)
  func append(_ slot: Int32, to number: Int) -> Int32 {
    let bucket = unsafe buckets[number]
    var entry = bucket.last &+ 1
    if bucket.last < 0 || Self.isLast(bucket.last) { entry = takeChunk(for: number) }
    unsafe slots[Int(entry)] = slot
    unsafe buckets[number] = Bucket(last: entry, count: bucket.count &+ 1)
    return entry
  }

  /// Empties a bucket; `body` gets its slots a chunk at a time, and may put them into other buckets.
  @inline(__always)
  func takeAll(
    of number: Int, _ body: (_ entries: ClosedRange<Int32>, _ next: ClosedRange<Int32>?) -> Void
  ) {
    var last = unsafe buckets[number].last
    unsafe buckets[number] = .empty
    unsafe used[number >> 6] &= ~(1 << UInt64(number & 63))
    while last >= 0 {
      let first = Self.first(last)
      let before = before(first)
      askForChunk(before: before)
      body(first...last, before < 0 ? nil : Self.first(before)...before)
      drop(first)
      last = before
    }
  }

  /// Has the chunk before that of an entry on its way.
  @inline(__always)
  private func askForChunk(before entry: Int32) {
    guard entry >= 0 else { return }
    let last = before(Self.first(entry))
    if last >= 0 { unsafe prefetch(slots + Int(Self.first(last))) }
  }

  // MARK: - Chunks

  /// The slot at an entry.
  @inline(__always)
  subscript(entry: Int32) -> Int32 {
    get { unsafe slots[Int(entry)] }
    set { unsafe slots[Int(entry)] = newValue }
  }

  /// The first entry of the chunk in which an entry is.
  @inline(__always)
  static func first(_ entry: Int32) -> Int32 { entry & ~15 }

  @inline(__always)
  static func isLast(_ entry: Int32) -> Bool { entry & 15 == width &- 1 }

  /// The last entry of the chunk before one that begins at `first`; −1 where that is the first of its chain.
  @inline(__always)
  func before(_ first: Int32) -> Int32 { self[first &+ Self.width] }

  /// The first entry of a bucket's new last chunk.
  @inline(never)
  private func takeChunk(for number: Int) -> Int32 {
    let last = unsafe buckets[number].last
    if last < 0 { unsafe used[number >> 6] |= 1 << UInt64(number & 63) }
    // Memory beyond the last chunk is somebody else's; a chunk is taken once in fifteen times.
    precondition(room > 0, "no room was made for a chunk of timers")
    room &-= 1
    var first = free
    if first >= 0 {
      free = before(first)
    } else {
      first = end &* Int32(Self.stride)
      end &+= 1
    }
    self[first &+ Self.width] = last
    return first
  }

  private func drop(_ first: Int32) {
    self[first &+ Self.width] = free
    free = first
    room &+= 1
  }
}
