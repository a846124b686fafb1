extension LeaveCells {
  /// Reminders given out, bucket by bucket.
  struct Given: Sendable {
    struct Bucket: Sendable {
      /// Where its reminders end.
      var end: Int
      /// The slack that each of them has at least, microseconds, and the grade of a way that is no shorter than theirs; for a
      /// mode that no routing engine is asked about, and a position that is known.
      var slack: Int64
      var grade: Int
    }

    var indices: [Int32] = []
    var buckets: [Bucket] = []

    var isEmpty: Bool { indices.isEmpty }

    /// Bytes of heap in use.
    var byteCount: Int {
      indices.capacity * 4 + buckets.capacity * MemoryLayout<Bucket>.stride
    }

    mutating func removeAll() {
      indices.removeAll(keepingCapacity: true)
      buckets.removeAll(keepingCapacity: true)
    }
  }
}
