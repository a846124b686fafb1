/// The end of a sentence's text, and its checksum.
struct SentenceScan {
  /// Index of the byte that ended the text, or the limit.
  var end: Int
  /// XOR of the bytes from the start up to `end`, `end` excluded.
  var checksum: UInt8
}

extension Span where Element == UInt8 {
  /// Eight bytes as a number, the first one lowest.
  @inline(__always)
  private func word(at index: Int) -> UInt64 {
    precondition(index >= 0 && index <= count &- 8)
    return unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }

  /// The index of the next `$`, `!`, `{` or `\` from `start` on, or the count. Adds to `binary` the
  /// bytes on the way that are not text.
  func nextStart(from start: Int, binary: inout Int) -> Int {
    var index = start
    while index < count {
      switch self[index] {
      case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "{"), UInt8(ascii: "\\"):
        return index
      case 0x20..<0x80, 0x0A, 0x0D, 0x09: break
      default: binary &+= 1
      }
      index &+= 1
    }
    return index
  }

  /// The index of the next CR or LF from `start` on, or the limit.
  func lineEnd(from start: Int, to limit: Int) -> Int {
    var index = start
    while index < limit, self[index] != 0x0A, self[index] != 0x0D { index &+= 1 }
    return index
  }

  /// The run of at most eight decimal digits at `index`: how many, and their value. Needs eight
  /// bytes from `index` on.
  @inline(__always)
  func digitRun(at index: Int) -> (count: Int, value: Int) {
    let digits = word(at: index) ^ 0x3030_3030_3030_3030
    // A top bit for each byte that is no digit; a carry leaves only such a byte.
    let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
    let run = others.trailingZeroBitCount &>> 3
    guard run > 0 else { return (0, 0) }
    // The digits move to the high end, zeros before them; then pairs, fours and eights are joined.
    var sum = digits &<< UInt64(truncatingIfNeeded: 64 &- 8 &* run)
    sum = (sum &* 10 &+ sum &>> 8) & 0x00FF_00FF_00FF_00FF
    sum = (sum &* 100 &+ sum &>> 16) & 0x0000_FFFF_0000_FFFF
    sum = (sum &* 10_000 &+ sum &>> 32) & 0xFFFF_FFFF
    return (run, Int(truncatingIfNeeded: sum))
  }

  /// Follows the text of a sentence from `start`: up to `*`, `$`, `!`, or a byte outside printable
  /// ASCII, but not beyond `limit`.
  ///
  /// Eight bytes at a time: the bytes of sentences are almost all from `+` to `~`, so a few sums of
  /// whole words find the few that need a closer test.
  ///
  /// - Complexity: O(`limit` − `start`).
  @inline(never)
  func scanSentence(from start: Int, to limit: Int) -> SentenceScan {
    precondition(start >= 0 && start <= limit && limit <= count)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var index = start
    var sum: UInt64 = 0
    while index &+ 8 <= limit {
      let word = word(at: index)
      // A top bit for each byte that is below '+', 0x7F or above.
      let low = word & ~tops
      let unusual = (word | ~(low &+ ones &* 0x55) | (low &+ ones)) & tops
      if unusual == 0 {
        sum ^= word
        index &+= 8
        continue
      }
      // The bytes before the first of them.
      sum ^= word & ((unusual & (0 &- unusual)) &>> 7 &- 1)
      index &+= unusual.trailingZeroBitCount &>> 3
      let byte = self[index]
      if Self.endsText(byte) { return SentenceScan(end: index, checksum: Self.folded(sum)) }
      sum ^= UInt64(byte)
      index &+= 1
    }
    while index < limit {
      let byte = self[index]
      if Self.endsText(byte) { break }
      sum ^= UInt64(byte)
      index &+= 1
    }
    return SentenceScan(end: index, checksum: Self.folded(sum))
  }

  @inline(__always)
  private static func endsText(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$")
      || byte == UInt8(ascii: "!")
  }

  @inline(__always)
  private static func folded(_ sum: UInt64) -> UInt8 {
    let half = sum ^ (sum &>> 32)
    let quarter = half ^ (half &>> 16)
    return UInt8(truncatingIfNeeded: quarter ^ (quarter &>> 8))
  }

  /// Whether the two hexadecimal digits at `index`, of either case, equal `sum`; nil without
  /// digits.
  @inline(__always)
  func checksum(at index: Int, is sum: UInt8) -> Bool? {
    // The digits of a checksum are random: no branch could guess them, so the expected ones are
    // computed without, both at once.
    let halves = UInt16(sum &>> 4) | UInt16(sum & 0xF) &<< 8
    let letters = (halves &+ 0x0606) &>> 4 & 0x0101
    let expected = halves &+ 0x3030 &+ letters &* 7
    if UInt16(self[index]) | UInt16(self[index &+ 1]) &<< 8 == expected { return true }
    guard let high = Self.value(self[index]), let low = Self.value(self[index &+ 1]) else {
      return nil
    }
    return high &<< 4 | low == sum
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    let decimal = digit &- UInt8(ascii: "0")
    if decimal < 10 { return decimal }
    let letter = (digit | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }
}
