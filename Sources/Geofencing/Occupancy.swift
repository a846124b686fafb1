/// Which parts of the Earth fences touch at all: a look at a random place far from every fence is two bits.
///
/// A fence up to 2.8° high and wide marks squares of 0.09°. Eight by eight of them are a block, a word
/// of a table of which a half is free or a quarter: blocks that share a word have their squares set in each
/// other, which costs a look and no more. A larger fence, and one at a pole, marks squares of 2.8° on a map
/// of them all.
///
/// A bit may stay set when a fence has gone; it is cleared with the last fence.
struct Occupancy: Sendable {
  /// Squares are 2²⁰ units wide, see `CellGrid`, blocks eight times as wide, those of the map 2²⁵ units.
  static let squareExponent: UInt32 = 20
  private static let blockExponent: UInt32 = 23
  static let wideExponent: UInt32 = 25

  /// Binary digits of the number of a block.
  private static let blockBits: UInt32 = 17

  /// 2^`wordBits` words; the squares of a block from the south-west corner eastwards, then northwards.
  private var words: [UInt64]
  private var wordBits: UInt32
  /// Words that are not 0.
  private var used = 0
  /// 64 rows of 128 columns.
  private var wide = [UInt64](repeating: 0, count: 128)

  /// Nothing is touched.
  init() { self.init(wordBits: 9) }

  private init(wordBits: UInt32) {
    self.wordBits = wordBits
    words = Array(repeating: 0, count: 1 << Int(wordBits))
  }

  /// Nothing is touched, and there is a word for each block, for marking many fences before it is `folded`.
  static var unfolded: Occupancy { Occupancy(wordBits: blockBits) }

  var byteCount: Int { (words.capacity + wide.capacity) * MemoryLayout<UInt64>.stride }

  /// Whether so many words are in use that all should be marked anew in a larger table.
  var isCrowded: Bool { used * 4 > words.count * 3 && wordBits < Occupancy.blockBits }

  /// The same in the smallest table of which half is free.
  func folded() -> Occupancy {
    var folded = self
    while folded.wordBits > 9 {
      var half = Occupancy(wordBits: folded.wordBits - 1)
      for i in half.words.indices {
        half.words[i] = folded.words[2 * i] | folded.words[2 * i + 1]
        if half.words[i] != 0 { half.used += 1 }
      }
      guard half.used * 2 <= half.words.count else { break }
      half.wide = folded.wide
      folded = half
    }
    return folded
  }

  /// A stretch of rows and columns of squares; the columns wrap.
  struct Squares {
    let rows: ClosedRange<UInt32>
    let firstColumn: UInt32
    let columnCount: UInt32
  }

  /// Notes that squares are touched.
  mutating func mark(_ squares: Squares) {
    for row in (squares.rows.lowerBound &>> 3)...(squares.rows.upperBound &>> 3) {
      let low = max(squares.rows.lowerBound, row &<< 3) & 7
      let high = min(squares.rows.upperBound, row &<< 3 | 7) & 7
      // A byte for each row, with its lowest bit set from the one to the other.
      let rows: UInt64 =
        (0x0101_0101_0101_0101 &>> UInt64(8 * (7 - high + low))) &<< UInt64(8 * low)
      var column = squares.firstColumn
      let end = column &+ squares.columnCount
      while column != end {
        let count = min(8 - column & 7, end &- column)
        let columns = UInt64((1 &<< count) &- 1) &<< UInt64(column & 7)
        let word = home(row &<< 9 | (column &>> 3) & 511)
        if words[word] == 0 { used += 1 }
        words[word] |= rows &* columns
        column &+= count
      }
    }
  }

  /// Notes that squares of the map are touched.
  mutating func markWide(_ squares: Squares) {
    for row in squares.rows {
      for offset in 0..<min(squares.columnCount, 128) {
        let column = (squares.firstColumn &+ offset) & 127
        wide[Int(row &<< 1 | column &>> 6)] |= 1 << UInt64(column & 63)
      }
    }
  }

  /// Whether no fence holds a place, as far as this tells.
  @inline(__always)
  func isVacant(north: UInt32, east: UInt32) -> Bool {
    let column = east &>> Occupancy.wideExponent
    let inWide = wide[Int((north &>> Occupancy.wideExponent) &<< 1 | column &>> 6)]
    let block =
      (north &>> Occupancy.blockExponent) &<< 9 | east &>> Occupancy.blockExponent
    let square =
      (north &>> Occupancy.squareExponent & 7) &<< 3 | east &>> Occupancy.squareExponent & 7
    // One question: which of the two has it cannot be foreseen.
    return (inWide &>> UInt64(column & 63) | words[home(block)] &>> UInt64(square)) & 1 == 0
  }

  /// The word of a block: the first digits of its number, shuffled.
  @inline(__always)
  private func home(_ block: UInt32) -> Int {
    let all = Occupancy.blockBits
    return Int(((block &* 0x9E37_79B1) & (1 &<< all &- 1)) &>> (all &- wordBits))
  }
}
