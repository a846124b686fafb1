/// How often each type of sentence came, for people who ask what a feed carries.
///
/// The types that are read have a counter each. Of all others the first few dozen names get one in
/// a table of fixed size, and what finds no place there is counted together: a stream that makes up
/// names costs no memory.
struct SentenceCounts: Sendable {
  /// One for each row of `SentenceSpec.all`.
  private var known = [Int](repeating: 0, count: SentenceSpec.all.count)
  /// Names as numbers, 0 for a free place.
  private var names = InlineArray<64, UInt32>(repeating: 0)
  private var counts = InlineArray<64, Int>(repeating: 0)

  /// Sentences of one type; those that are not read are `.other`, whatever their names.
  subscript(type: SentenceType) -> Int { known[Int(type.row)] }

  mutating func count(_ type: SentenceType) { known[Int(type.row)] &+= 1 }

  /// Counts a sentence that is not read by its own name: the three letters behind the talker; of a
  /// proprietary one P and its maker.
  ///
  /// - Complexity: O(1), at most four places are looked at.
  mutating func countOther(_ text: Span<UInt8>) {
    count(.other)
    guard text.count >= 6, text[5] == UInt8(ascii: ",") || text[0] == UInt8(ascii: "P") else {
      return
    }
    var name = UInt32(text[2]) &<< 8 | UInt32(text[3])
    if text[0] == UInt8(ascii: "P") {
      name |= UInt32(text[0]) &<< 24 | UInt32(text[1]) &<< 16
    } else {
      name = name &<< 8 | UInt32(text[4])
    }
    // Fibonacci hashing (Knuth, volume 3, 6.4).
    var place = Int(truncatingIfNeeded: (name &* 0x9E37_79B1) &>> 26)
    for _ in 0..<4 {
      if names[place] == 0, Self.isAddress(text) { names[place] = name }
      if names[place] == name {
        counts[place] &+= 1
        return
      }
      place = (place &+ 1) & 63
    }
  }

  /// Whether an address is letters and digits, as far as it is looked at.
  private static func isAddress(_ text: Span<UInt8>) -> Bool {
    for index in 0..<(text[0] == UInt8(ascii: "P") ? 4 : 5) {
      guard SentenceType.isAddressCharacter(text[index]) else { return false }
    }
    return true
  }

  /// Adds what was counted elsewhere. A name that finds no place any more is counted with `other`.
  mutating func add(_ other: SentenceCounts) {
    for type in known.indices { known[type] &+= other.known[type] }
    for place in other.names.indices where other.names[place] != 0 {
      let name = other.names[place]
      let start = Int(truncatingIfNeeded: (name &* 0x9E37_79B1) &>> 26)
      for step in 0..<4 {
        let own = (start &+ step) & 63
        guard names[own] == 0 || names[own] == name else { continue }
        names[own] = name
        counts[own] &+= other.counts[place]
        break
      }
    }
  }

  /// Every name that came, in lower case, with its count, by name; `other` are those without a
  /// place of their own.
  var all: [(name: String, count: Int)] {
    var result: [(name: String, count: Int)] = []
    for row in known.indices.dropFirst() where known[row] > 0 {
      result.append((SentenceSpec.all[row].name.lowercased(), known[row]))
    }
    var left = self[.other]
    for place in names.indices where names[place] != 0 {
      var text = ""
      for shift in [24, 16, 8, 0] as [UInt32] {
        let byte = UInt8(truncatingIfNeeded: names[place] &>> shift)
        if byte != 0 { text.unicodeScalars.append(Unicode.Scalar(byte | 0x20)) }
      }
      result.append((text, counts[place]))
      left -= counts[place]
    }
    result.sort { $0.name < $1.name }
    if left > 0 { result.append(("other", left)) }
    return result
  }
}
