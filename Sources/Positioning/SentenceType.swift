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
    let type: SentenceType =
      switch UInt32(text[2]) &<< 16 | UInt32(text[3]) &<< 8 | UInt32(text[4]) {
      case 0x47_5356: .gsv
      case 0x52_4D43: .rmc
      case 0x47_4741: .gga
      case 0x47_4E53: .gns
      case 0x47_4C4C: .gll
      case 0x56_5447: .vtg
      case 0x47_5341: .gsa
      case 0x47_5354: .gst
      case 0x47_4253: .gbs
      case 0x5A_4441: .zda
      case 0x44_544D: .dtm
      case 0x52_4D45: .pgrme
      case 0x52_4D5A: .pgrmz
      default: .other
      }
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

  @inline(__always)
  static func isAddressCharacter(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "A") < 26 || byte &- UInt8(ascii: "0") < 10
  }
}
