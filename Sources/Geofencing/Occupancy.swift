/// Squares of 0.09°, and of 2.8°, that fences touch.
protocol SquareMap {
  /// Notes that squares of 0.09° are touched.
  mutating func mark(_ squares: Occupancy.Squares)
  /// Notes that squares of 2.8° are touched.
  mutating func markWide(_ squares: Occupancy.Squares)
}

/// Which parts of the Earth fences touch at all: a look at a random place far from every fence is two words.
///
/// A fence marks squares of 0.09°. Eight by eight of them are a block, a word of a table in which each block has two
/// places to choose from (Pagh and Rodler, "Cuckoo hashing", Journal of Algorithms 51, 2004). Both are looked at,
/// so that no branch depends on which it is. A fence that touches many blocks, and one at a pole, marks squares of
/// 2.8° on a map of them all; so does a block that finds neither place free.
///
/// A bit may stay set when a fence has gone; it is cleared with the last fence.
///
/// Invariants: a slot without squares is free, any other is that of the block whose tag it has, and no block has two.
struct Occupancy: Sendable, SquareMap {
  /// Squares are 2²⁰ units wide, see `CellGrid`, blocks eight times as wide, those of the map 2²⁵ units.
  static let squareExponent: UInt32 = 20
  private static let blockExponent: UInt32 = 23
  static let wideExponent: UInt32 = 25

  /// Binary digits of the number of a block: of its row, and nine of its column.
  private static let blockBits: UInt32 = 17
  /// How many of them lead to a slot, at least: a tag has room for the others.
  private static let fewestBits: UInt32 = 10

  /// Of each slot the squares of its block, from the south-west corner eastwards, then northwards.
  private var words: [UInt64]
  /// The digits of the number of the block that do not lead to the slot, and lowest which of the two it is.
  private var tags: [UInt8]
  /// 32 less the digits that lead to a slot.
  private let slotShift: UInt32
  private var used = 0
  private var wide = WideSquares()

  /// Nothing is touched.
  init() { self.init(slotBits: Occupancy.fewestBits) }

  private init(slotBits: UInt32) {
    slotShift = 32 - slotBits
    words = Array(repeating: 0, count: 1 << Int(slotBits))
    tags = Array(repeating: 0, count: 1 << Int(slotBits))
  }

  /// What a draft has, in a table of which half is free.
  init(_ draft: Draft) {
    var slotBits = Occupancy.fewestBits
    let count = draft.words.reduce(0) { $1 == 0 ? $0 : $0 + 1 }
    while count * 2 > 1 << Int(slotBits), slotBits < Occupancy.blockBits { slotBits += 1 }
    self.init(slotBits: slotBits)
    wide = draft.wide
    for (block, squares) in draft.words.enumerated() where squares != 0 {
      mark(squares, in: UInt32(block))
    }
  }

  var byteCount: Int {
    words.capacity * MemoryLayout<UInt64>.stride + tags.capacity + wide.byteCount
  }

  /// Whether so many slots are in use that the table should grow, or all be marked anew.
  var isCrowded: Bool { used * 16 > words.count * 9 && !hasSlotForEach }

  /// Whether twice as many slots are no more than two or three for each of so many fences: then it is left to time
  /// what has gone with them.
  func mayGrow(for fences: Int) -> Bool { words.count <= fences + fences / 3 }

  /// Takes twice as many slots. Complexity: O(slots).
  mutating func grow() {
    var grown = Occupancy(slotBits: 33 - slotShift)
    grown.wide = wide
    for slot in words.indices where words[slot] != 0 {
      grown.mark(
        words[slot], in: Place.block(slot: slot, tag: tags[slot], shift: slotShift))
    }
    self = grown
  }

  /// Whether each block has a slot of its own, the first of its two.
  private var hasSlotForEach: Bool { slotShift == 32 - Occupancy.blockBits }

  /// A stretch of rows and columns of squares; the columns wrap.
  struct Squares {
    let rows: ClosedRange<UInt32>
    let firstColumn: UInt32
    let columnCount: UInt32

    /// How many blocks they are in, at most.
    var blockCount: UInt32 {
      ((rows.upperBound &>> 3) &- (rows.lowerBound &>> 3) &+ 1) &* ((columnCount &>> 3) &+ 2)
    }

    /// Calls `body` with each block they are in and its squares among them.
    @inline(__always)
    func forEachBlock(_ body: (_ block: UInt32, _ squares: UInt64) -> Void) {
      for row in (rows.lowerBound &>> 3)...(rows.upperBound &>> 3) {
        let low = max(rows.lowerBound, row &<< 3) & 7
        let high = min(rows.upperBound, row &<< 3 | 7) & 7
        // A byte for each row, with its lowest bit set from the one to the other.
        let bytes: UInt64 =
          (0x0101_0101_0101_0101 &>> UInt64(8 * (7 - high + low))) &<< UInt64(8 * low)
        var column = firstColumn
        let end = column &+ columnCount
        while column != end {
          let count = min(8 - column & 7, end &- column)
          let columns = UInt64((1 &<< count) &- 1) &<< UInt64(column & 7)
          body(row &<< 9 | (column &>> 3) & 511, bytes &* columns)
          column &+= count
        }
      }
    }
  }

  /// A word for each block, for marking many fences.
  struct Draft: SquareMap {
    fileprivate var words = [UInt64](repeating: 0, count: 1 << Int(Occupancy.blockBits))
    fileprivate var wide = WideSquares()

    mutating func mark(_ squares: Squares) {
      squares.forEachBlock { words[Int($0)] |= $1 }
    }

    mutating func markWide(_ squares: Squares) { wide.mark(squares) }
  }

  mutating func mark(_ squares: Squares) {
    squares.forEachBlock { mark($1, in: $0) }
  }

  mutating func markWide(_ squares: Squares) { wide.mark(squares) }

  // MARK: - Slots

  /// One of the two places of a block: its number, shuffled, as the first digits of 32.
  private struct Place {
    let digits: UInt32
    let tag: UInt8

    @inline(__always)
    init(first block: UInt32) {
      digits = Place.shuffle(block, 0x9E37_79B1)
      tag = UInt8(truncatingIfNeeded: digits &>> 14)
    }

    @inline(__always)
    init(second block: UInt32) {
      digits = Place.shuffle(block, 0x85EB_CA6B)
      tag = UInt8(truncatingIfNeeded: digits &>> 14) | 1
    }

    /// An odd factor leads to each number of so many digits from one other.
    @inline(__always)
    private static func shuffle(_ block: UInt32, _ factor: UInt32) -> UInt32 {
      (block &<< (32 &- Occupancy.blockBits)) &* factor
    }

    /// The block that a slot with a tag belongs to.
    static func block(slot: Int, tag: UInt8, shift: UInt32) -> UInt32 {
      let free = 32 &- Occupancy.blockBits
      let rest = (UInt32(tag) &>> 1) & (1 &<< (shift &- free) &- 1)
      let shuffled = UInt32(slot) &<< (shift &- free) | rest
      // The inverses of the factors modulo 2³².
      let block = shuffled &* (tag & 1 == 0 ? firstInverse : secondInverse)
      return block & (1 &<< Occupancy.blockBits &- 1)
    }

    private static let firstInverse = inverse(of: 0x9E37_79B1)
    private static let secondInverse = inverse(of: 0x85EB_CA6B)

    /// By Newton's method, each step of which doubles the digits that are right, three to begin with.
    private static func inverse(of odd: UInt32) -> UInt32 {
      var inverse = odd
      for _ in 0..<4 { inverse = inverse &* (2 &- odd &* inverse) }
      return inverse
    }
  }

  @inline(__always)
  private func slot(_ place: Place) -> Int { Int(place.digits &>> slotShift) }

  /// Notes that squares of a block are touched.
  private mutating func mark(_ squares: UInt64, in block: UInt32) {
    for place in [Place(first: block), Place(second: block)] {
      let slot = slot(place)
      if words[slot] != 0, tags[slot] == place.tag {
        words[slot] |= squares
        return
      }
    }
    add(squares, of: block)
  }

  /// Gives a block a slot: one that is free, or that of another, which then takes the other one of its own.
  private mutating func add(_ squares: UInt64, of block: UInt32) {
    var (squares, block) = (squares, block)
    var takesSecond = false
    for _ in 0..<100 {
      let places = [Place(first: block), Place(second: block)]
      if !hasSlotForEach, words[slot(places[0])] != 0, words[slot(places[1])] == 0 {
        takesSecond = true
      }
      let place = places[takesSecond ? 1 : 0]
      let slot = slot(place)
      let (oldSquares, oldTag) = (words[slot], tags[slot])
      words[slot] = squares
      tags[slot] = place.tag
      if oldSquares == 0 {
        used += 1
        return
      }
      block = Place.block(slot: slot, tag: oldTag, shift: slotShift)
      squares = oldSquares
      takesSecond = oldTag & 1 == 0
    }
    let digits = Occupancy.wideExponent &- Occupancy.blockExponent
    let (row, column) = (block &>> (9 &+ digits), (block & 511) &>> digits)
    wide.mark(Squares(rows: row...row, firstColumn: column, columnCount: 1))
  }

  /// Whether no fence holds a place, as far as this tells.
  @inline(__always)
  func isVacant(north: UInt32, east: UInt32) -> Bool {
    let block =
      (north &>> Occupancy.blockExponent) &<< 9 | east &>> Occupancy.blockExponent
    let square =
      north &>> (Occupancy.squareExponent &- 3) & 56 | east &>> Occupancy.squareExponent & 7
    let (first, second) = (Place(first: block), Place(second: block))
    let (firstSlot, secondSlot) = (slot(first), slot(second))
    let (firstWord, secondWord) = (words[firstSlot], words[secondSlot])
    // One question: which of them has it cannot be foreseen.
    let squares =
      (tags[firstSlot] == first.tag ? firstWord : 0)
      | (tags[secondSlot] == second.tag ? secondWord : 0)
    guard squares &>> UInt64(square) & 1 == 0 else { return false }
    return wide.isEmpty || wide.isVacant(north: north, east: east)
  }
}

/// Squares of 2.8° that fences touch: 64 rows of 128 columns.
private struct WideSquares {
  private var words = [UInt64](repeating: 0, count: 128)
  private(set) var isEmpty = true

  var byteCount: Int { words.capacity * MemoryLayout<UInt64>.stride }

  mutating func mark(_ squares: Occupancy.Squares) {
    isEmpty = false
    for row in squares.rows {
      for offset in 0..<min(squares.columnCount, 128) {
        let column = (squares.firstColumn &+ offset) & 127
        words[Int(row &<< 1 | column &>> 6)] |= 1 << UInt64(column & 63)
      }
    }
  }

  @inline(__always)
  func isVacant(north: UInt32, east: UInt32) -> Bool {
    let column = east &>> Occupancy.wideExponent
    let word = words[Int((north &>> Occupancy.wideExponent) &<< 1 | column &>> 6)]
    return word &>> UInt64(column & 63) & 1 == 0
  }
}
