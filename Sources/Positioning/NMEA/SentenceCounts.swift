/// Counts of the sentences received, by type.
///
/// Each decoded type has a counter. Other names share a table of fixed size and, once it is full,
/// one counter: memory is bounded whatever a stream contains.
struct SentenceCounts: Sendable {
  /// One counter for each row of `SentenceSpec.all`.
  private var known = [Int](repeating: 0, count: SentenceSpec.all.count)
  /// Names as numbers; 0 marks a free place.
  private var names = InlineArray<64, UInt32>(repeating: 0)
  private var counts = InlineArray<64, Int>(repeating: 0)

  /// Number of sentences of one type; all undecoded types are `.other`.
  subscript(type: SentenceType) -> Int { known[Int(type.row)] }

  mutating func count(_ type: SentenceType) { known[Int(type.row)] &+= 1 }

  /// Counts an undecoded sentence by name: the three letters after the talker, or P and the maker
  /// of a proprietary one.
  ///
  /// - Complexity: O(1), at most four probes.
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

  /// Whether the checked bytes of an address are letters and digits.
  private static func isAddress(_ text: Span<UInt8>) -> Bool {
    for index in 0..<(text[0] == UInt8(ascii: "P") ? 4 : 5) {
      guard SentenceType.isAddressCharacter(text[index]) else { return false }
    }
    return true
  }

  /// Adds another decoder's counts. Names that do not fit count as `other`.
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

  /// The counts by lower-case name, sorted; `other` are names that did not fit.
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
