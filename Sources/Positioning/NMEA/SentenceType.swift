/// The type of a sentence: the number of its row in `SentenceSpec.all`.
package struct SentenceType: Equatable, Sendable {
  private(set) var row: UInt8
  /// Whether the sentence says which epoch it belongs to.
  private(set) var hasTime: Bool
  private(set) var givesPosition: Bool
  private(set) var countsForBurst: Bool
  /// Whether the decoder reads its fields.
  private(set) var isRead: Bool

  /// A sentence that has no row of its own.
  package static let other = SentenceType(row: 0)

  init(row: Int) {
    let spec = SentenceSpec.all[row]
    self.row = UInt8(row)
    hasTime = spec.hasTime
    givesPosition = spec.givesPosition
    countsForBurst = spec.countsForBurst
    isRead = spec.read != nil
  }

  var spec: SentenceSpec { SentenceSpec.all[Int(row)] }

  /// The type of a sentence by its address. Any talker of two letters or digits will do; addresses
  /// that begin with P are proprietary, but for Quectel's QZSS talker PQ.
  /// - Complexity: O(1).
  init(of text: Span<UInt8>) {
    self = .other
    guard text.count >= 6, text[5] == UInt8(ascii: ",") else { return }
    let name = UInt32(text[2]) &<< 16 | UInt32(text[3]) &<< 8 | UInt32(text[4])
    let table = Self.table
    var place = Self.hash(name)
    while table[place].name != 0, table[place].name != name { place = (place &+ 1) & 63 }
    guard table[place].name == name else { return }
    let talker = UInt16(text[0]) &<< 8 | UInt16(text[1])
    if table[place].talker == 0
      ? Self.isAddressCharacter(text[0]) && Self.isAddressCharacter(text[1])
        && (text[0] != UInt8(ascii: "P") || text[1] == UInt8(ascii: "Q"))
      : table[place].talker == talker
    {
      self = table[place].type
    }
  }

  /// A place of the hash table: the last three letters of the address, and the first two of a
  /// proprietary one. Both are 0 in a free place.
  private struct Entry {
    var name: UInt32 = 0
    var talker: UInt16 = 0
    var type = SentenceType.other
  }

  /// Open addressing with linear probing; a quarter of the places is in use.
  private static let table: [Entry] = {
    var table = [Entry](repeating: Entry(), count: 64)
    for row in SentenceSpec.all.indices.dropFirst() {
      let spec = SentenceSpec.all[row]
      let bytes = Array(spec.name.utf8)
      let name = bytes.suffix(3).reduce(0) { UInt32($0) << 8 | UInt32($1) }
      var entry = Entry(name: name, type: SentenceType(row: row))
      if spec.isProprietary { entry.talker = UInt16(bytes[0]) << 8 | UInt16(bytes[1]) }
      var place = hash(name)
      while table[place].name != 0 { place = (place + 1) & 63 }
      table[place] = entry
    }
    return table
  }()

  /// Fibonacci hashing (Knuth, volume 3, 6.4).
  private static func hash(_ name: UInt32) -> Int {
    Int(truncatingIfNeeded: (name &* 0x9E37_79B1) &>> 26)
  }

  static func isAddressCharacter(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "A") < 26 || byte &- UInt8(ascii: "0") < 10
  }
}
