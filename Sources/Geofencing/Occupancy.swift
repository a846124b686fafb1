import Geodesy

/// Squares that fences touch: of 0.09° or a little more, and of 2.8°.
protocol SquareMap {
  /// How wide the smaller squares are: 2 to this power units, see `CellGrid`.
  var exponent: UInt32 { get }
  /// Notes that squares of that width are touched.
  mutating func mark(_ squares: Occupancy.Squares)
  /// Notes that squares of 2.8° are touched.
  mutating func markWide(_ squares: Occupancy.Squares)
}

/// Which parts of the Earth fences touch at all: a look at a random place far from every fence is one word.
///
/// A fence marks squares of 0.09°. They are kept in a Bloom filter ("Space/time trade-offs in hash coding with
/// allowable errors", Communications of the ACM 13, 1970) that has all bits of a square in one word (Putze, Sanders
/// and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007): a touched square clears about sixteen bits
/// of a word, and where one of its own is set a square is not touched. With a word for each touched square two or
/// three in a thousand others are taken for touched: a look more. There can be any number of words.
///
/// Where touched squares lie side by side, those of twice or four times the width are kept in their place: they are
/// hardly more of the Earth, and far fewer. A fence that is very large, and one at a pole, marks squares of 2.8° on a
/// map of them all.
///
/// A square may stay marked when a fence has gone; with the last fence all are forgotten.
struct Occupancy: Sendable, SquareMap {
  /// Squares are 2²⁰ units wide, see `CellGrid`, or 2²¹ or 2²², those of the map 2²⁵.
  static let finest: UInt32 = 20
  static let coarsest: UInt32 = 22
  static let wideExponent: UInt32 = 25

  /// Fewer are not worth sparing.
  private static let fewestWords = 256

  let exponent: UInt32
  /// What makes units of degrees, but 2²⁰ of them to a square.
  private let scale: Double
  /// The digits of the number of a column.
  private let columnMask: UInt32
  /// A bit is set as long as no touched square has it.
  private var words: [UInt64]
  /// How many more squares may be marked until the table is crowded, but for those taken for marked already.
  private var room: Int
  private var wide = WideSquares()

  init() { self.init(exponent: Occupancy.finest, words: Occupancy.fewestWords) }

  /// Nothing is touched.
  init(exponent: UInt32, words count: Int) {
    self.exponent = exponent
    let digits = exponent &- Occupancy.finest
    scale = CellGrid.unitsPerDegree / Double(1 << digits)
    columnMask = 4_095 &>> digits
    words = Array(repeating: .max, count: count)
    room = count / 2
  }

  /// What a draft has that so many fences made.
  /// - Complexity: O(squares).
  init(_ draft: Draft, fences: Int) {
    var draft = draft
    var count = draft.count
    while draft.exponent < Occupancy.coarsest {
      let coarser = draft.coarser()
      let fewer = coarser.count
      guard fewer * 3 <= count || count > 2 * fences + 256 else { break }
      draft = coarser
      count = fewer
    }
    let most = max(4 * fences, 1_024)
    self.init(
      exponent: draft.exponent, words: max(Occupancy.fewestWords, min(count, most)))
    wide = draft.wide
    draft.forEachSquare { mark(row: $0, column: $1) }
    room = max(count, words.count) / 2
  }

  var byteCount: Int { words.capacity * MemoryLayout<UInt64>.stride + wide.byteCount }

  /// Whether half as many squares as there were at first have come, or more: with three for two words one in two
  /// hundred others is taken for touched.
  var isCrowded: Bool { room < 0 }

  /// Takes twice as many words, but no more than a few for each of so many fences: new squares find room there, while
  /// of others no fewer are taken for touched than before. Complexity: O(words).
  mutating func grow(for fences: Int) {
    room = words.count
    guard words.count < 2 * max(fences, 512) else { return }
    var grown: [UInt64] = []
    grown.reserveCapacity(words.count * 2)
    // What led to a word leads to one of the two in its place.
    for word in words {
      grown.append(word)
      grown.append(word)
    }
    words = grown
  }

  /// A stretch of rows and columns of squares: rows are counted from the south, columns eastwards from Greenwich,
  /// and wrap.
  struct Squares {
    let rows: ClosedRange<UInt32>
    let firstColumn: UInt32
    let columnCount: UInt32
  }

  mutating func mark(_ squares: Squares) {
    for row in squares.rows {
      for offset in 0..<squares.columnCount {
        mark(row: row, column: (squares.firstColumn &+ offset) & columnMask)
      }
    }
  }

  mutating func markWide(_ squares: Squares) { wide.mark(squares) }

  private mutating func mark(row: UInt32, column: UInt32) {
    // Rows south of the equator have the numbers below 2¹².
    let square = (row &- 1 &<< (30 &- exponent)) &<< 20 | column
    let (slot, bits) = place(of: square)
    guard words[slot] & bits != 0 else { return }
    words[slot] &= ~bits
    room -= 1
  }

  // MARK: - Questions

  /// The square that a place is in, by its number: twelve digits for its row, counted from the equator, and as many
  /// for its column, with eight between.
  @inline(__always)
  func square(of place: Coordinate) -> UInt32 {
    // The northernmost digit of a column is lost with the higher ones, which are those of a full turn.
    let north = CellGrid.lowBits(place.latitude * scale)
    let east = CellGrid.lowBits(place.longitude * scale)
    return north & 0xFFF0_0000 | east &>> 20 & columnMask
  }

  /// Where a square has its bits, and which.
  @inline(__always)
  private func place(of square: UInt32) -> (slot: Int, bits: UInt64) {
    // An odd factor, after Fibonacci. A bit is one of the square's where two of the product are.
    let product = UInt64(square) &* 0x9E37_79B9_7F4A_7C15
    let slot = ((product & 0xFFFF_FFFF) &* UInt64(truncatingIfNeeded: words.count)) &>> 32
    let shifted = Int64(bitPattern: product) &>> 3
    return (Int(truncatingIfNeeded: slot), product & UInt64(bitPattern: shifted))
  }

  /// Whether no fence holds a place, as far as this tells.
  ///
  /// The number of its square is of no use for the map: it would have to be kept where registers are few.
  @inline(__always)
  func isVacant(_ square: UInt32, around place: Coordinate) -> Bool {
    let (slot, bits) = self.place(of: square)
    guard words[slot] & bits != 0 else { return false }
    return wide.isEmpty || wide.isVacant(at: place)
  }
}

extension Occupancy {
  /// A map of all squares, for marking many fences.
  struct Draft: SquareMap {
    let exponent: UInt32
    fileprivate var words: [UInt64]
    fileprivate var wide = WideSquares()

    init() { self.init(exponent: Occupancy.finest) }

    private init(exponent: UInt32) {
      self.exponent = exponent
      // The last row is that of the north pole itself.
      let rows = 1 << Int(31 &- exponent) + 1
      words = Array(repeating: 0, count: rows << Int(32 &- exponent) / 64)
    }

    /// How many squares are touched.
    var count: Int { words.reduce(0) { $1 == 0 ? $0 : $0 + $1.nonzeroBitCount } }

    mutating func mark(_ squares: Squares) {
      for row in squares.rows {
        for offset in 0..<squares.columnCount {
          mark(row: row, column: squares.firstColumn &+ offset)
        }
      }
    }

    mutating func markWide(_ squares: Squares) { wide.mark(squares) }

    private mutating func mark(row: UInt32, column: UInt32) {
      let digits = 32 &- exponent
      let square = Int(row &<< digits | column & (1 &<< digits &- 1))
      words[square >> 6] |= 1 << UInt64(square & 63)
    }

    /// Calls `body` with each touched square.
    func forEachSquare(_ body: (_ row: UInt32, _ column: UInt32) -> Void) {
      let digits = 32 &- exponent
      for (i, word) in words.enumerated() where word != 0 {
        var rest = word
        while rest != 0 {
          let square = UInt32(i << 6 | rest.trailingZeroBitCount)
          body(square &>> digits, square & (1 &<< digits &- 1))
          rest &= rest &- 1
        }
      }
    }

    /// The same in squares of twice the width.
    func coarser() -> Draft {
      var coarser = Draft(exponent: exponent + 1)
      coarser.wide = wide
      forEachSquare { coarser.mark(row: $0 &>> 1, column: $1 &>> 1) }
      return coarser
    }
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
  func isVacant(at place: Coordinate) -> Bool {
    let row = CellGrid.northing(degrees: place.latitude) &>> Occupancy.wideExponent
    let column = CellGrid.easting(degrees: place.longitude) &>> Occupancy.wideExponent
    return words[Int(row &<< 1 | column &>> 6)] &>> UInt64(column & 63) & 1 == 0
  }
}
