/// Which parts of the Earth fences touch at all, in squares of 0.7°: a look at a random place far from
/// every fence is one bit.
///
/// A bit may stay set when a fence has gone, which costs a look and no more; it is cleared with the
/// last fence. 16 KiB.
struct Occupancy: Sendable {
  /// Rows and columns are 2²³ units wide, see `CellGrid`.
  static let exponent: UInt32 = 23
  /// 256 rows of 512 columns; empty before the first fence.
  private var words: [UInt64] = []

  var byteCount: Int { words.capacity * MemoryLayout<UInt64>.stride }

  /// Notes that the squares of a row from `first` on, wrapping, are touched.
  mutating func mark(row: UInt32, first: UInt32, count: UInt32) {
    if words.isEmpty { words = Array(repeating: 0, count: 2_048) }
    for offset in 0..<min(count, 512) {
      let column = (first &+ offset) & 511
      words[Int(row) << 3 | Int(column >> 6)] |= 1 << UInt64(column & 63)
    }
  }

  mutating func removeAll() {
    words = []
  }

  /// Whether no fence holds a place, as far as this tells.
  @inline(__always)
  func isVacant(north: UInt32, east: UInt32) -> Bool {
    guard !words.isEmpty else { return true }
    let column = east &>> Occupancy.exponent
    let word = words[Int(north &>> Occupancy.exponent) << 3 | Int(column >> 6)]
    return (word >> UInt64(column & 63)) & 1 == 0
  }
}
