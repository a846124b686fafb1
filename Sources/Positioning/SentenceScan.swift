/// How far the text of a sentence reaches, and its checksum.
struct SentenceScan {
  /// Index of the byte that ended the text, or the limit.
  var end: Int
  /// XOR of the bytes from the start up to `end`, `end` excluded.
  var checksum: UInt8
}

extension Span where Element == UInt8 {
  /// Follows the text of a sentence from `start`: up to `*`, `$`, `!`, or a byte outside printable
  /// ASCII, but not beyond `limit`.
  ///
  /// Eight bytes at a time (after "Hacker's Delight", chapter 6): the bytes of sentences are almost
  /// all above `*`, so one comparison of the whole word against `+` finds the few that need a look.
  /// This is the only place of the target that reads memory without a check of each index.
  ///
  /// - Complexity: O(`limit` − `start`).
  @inline(never)
  func scanSentence(from start: Int, to limit: Int) -> SentenceScan {
    precondition(start >= 0 && start <= limit && limit <= count)
    let raw = unsafe bytes
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    var sum: UInt64 = 0
    while index &+ 8 <= limit {
      // SAFETY: index >= start >= 0 and index + 8 <= limit <= count.
      let word = unsafe UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
      // The top bit of each byte below 0x2B, or of 0x7F and above. A carry or a borrow only leaves
      // a byte that is marked itself, so that the lowest mark is exact.
      let hits = ((word &- ones &* 0x2B) | (word &+ ones) | word) & (ones &* 0x80)
      if hits == 0 {
        sum ^= word
        index &+= 8
        continue
      }
      let shift = hits.trailingZeroBitCount & ~7
      let byte = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: shift))
      sum ^= word & ((1 &<< UInt64(truncatingIfNeeded: shift)) &- 1)
      index &+= shift &>> 3
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

  /// The value of two hexadecimal digits, of either case, or nil.
  @inline(__always)
  func hexadecimal(at index: Int) -> UInt8? {
    guard let high = Self.digit(self[index]), let low = Self.digit(self[index + 1]) else {
      return nil
    }
    return high &<< 4 | low
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt8? {
    let decimal = byte &- UInt8(ascii: "0")
    if decimal < 10 { return decimal }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }
}
