/// The sentences that a decoder knows.
package enum SentenceType: UInt8, CaseIterable, Sendable {
  /// Any other sentence with a right checksum: AIS, weather, proprietary ones.
  case other
  /// Satellites in view, more than half of the lines of modern receivers: counted, never read.
  case gsv
  case rmc, gga, gns, gll, vtg, gsa, gst, gbs, zda, dtm, pgrme, pgrmz

  /// Whether the decoder reads its fields.
  var isRead: Bool { rawValue > Self.gsv.rawValue }

  /// Whether sentences of this type say which epoch they belong to.
  var hasTime: Bool {
    switch self {
    case .rmc, .gga, .gns, .gll, .gst, .gbs, .zda: true
    case .other, .gsv, .vtg, .gsa, .dtm, .pgrme, .pgrmz: false
    }
  }

  /// The type of a sentence by its address. Any talker of two letters or digits will do; addresses
  /// that begin with P are proprietary, but for Quectel's QZSS talker PQ.
  @inline(__always)
  init(of text: Span<UInt8>) {
    self = .other
    guard text.count >= 6, text[5] == UInt8(ascii: ",") else { return }
    let name = UInt32(text[2]) &<< 16 | UInt32(text[3]) &<< 8 | UInt32(text[4])
    let known = Self.names[Int(truncatingIfNeeded: (name &* 0xBF04_888B) &>> 28)]
    let type = known.name == name ? known.type : .other
    guard type != .other, type != .gsv else {
      self = type
      return
    }
    let isGarmin = type == .pgrme || type == .pgrmz
    if text[0] == UInt8(ascii: "P") {
      if text[1] == UInt8(ascii: "G") ? isGarmin : text[1] == UInt8(ascii: "Q") && type == .gsa {
        self = type
      }
    } else if Self.isAddressCharacter(text[0]), Self.isAddressCharacter(text[1]), !isGarmin {
      self = type
    }
  }

  private struct Name {
    /// Three letters in ASCII.
    let name: UInt32
    let type: SentenceType
  }

  /// The names that are known, each where one multiplication of it finds it: comparing with one after the
  /// other takes a branch or two that no processor can guess. The multiplier was found by trying.
  private static let names: InlineArray<16, Name> = [
    Name(name: 0x47_5354, type: .gst),
    Name(name: 0x52_4D43, type: .rmc),
    Name(name: 0x47_4E53, type: .gns),
    Name(name: 0x44_544D, type: .dtm),
    Name(name: 0x52_4D5A, type: .pgrmz),
    Name(name: 0x56_5447, type: .vtg),
    Name(name: 0, type: .other),
    Name(name: 0, type: .other),
    Name(name: 0x47_5356, type: .gsv),
    Name(name: 0x52_4D45, type: .pgrme),
    Name(name: 0x47_4741, type: .gga),
    Name(name: 0x5A_4441, type: .zda),
    Name(name: 0, type: .other),
    Name(name: 0x47_5341, type: .gsa),
    Name(name: 0x47_4C4C, type: .gll),
    Name(name: 0x47_4253, type: .gbs),
  ]

  @inline(__always)
  static func isAddressCharacter(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "A") < 26 || byte &- UInt8(ascii: "0") < 10
  }
}
