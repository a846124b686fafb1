import Bytes

/// A TAG block (NMEA 0183, version 4.00): `\s:GP0001,c:1241544035*hh\` before a sentence. Of its
/// parameters only the source counts: two receivers may have one talker.
struct TagBlock: Sendable {
  /// Limit of a block with its backslashes; the standard has 82 characters.
  static let longest = 128

  /// The fingerprint of the source; 0 without one.
  private var source: UInt64 = 0
  /// Offset in the stream of the byte behind the block.
  private var end = 0

  /// The source of a sentence that begins at an offset: a block stands before its sentence, or
  /// alone on the line before.
  func source(at offset: Int) -> UInt64 {
    offset >= end && offset &- end <= 2 ? source : 0
  }

  /// Reads the text between two backslashes. A wrong checksum costs the source, not the sentence.
  mutating func read(_ text: Span<UInt8>, endingAt end: Int) {
    self.end = end
    source = 0
    let scan = text.scanSentence(from: 0, to: text.count)
    guard scan.end &+ 2 < text.count, text[scan.end] == UInt8(ascii: "*"),
      text.checksum(at: scan.end &+ 1, is: scan.checksum) == true
    else { return }
    var at = 0
    while at < scan.end {
      let isSource =
        text[at] == UInt8(ascii: "s") && at &+ 1 < scan.end && text[at &+ 1] == UInt8(ascii: ":")
      var parameter = Fingerprint()
      while at < scan.end, text[at] != UInt8(ascii: ",") {
        parameter.add(text[at])
        at &+= 1
      }
      if isSource { source = parameter.value }
      at &+= 1
    }
  }
}

extension Span where Element == UInt8 {
  /// The index of the backslash that ends a TAG block; else of the first byte that cannot be in
  /// one, or the limit.
  func tagBlockEnd(from start: Int, to limit: Int) -> Int {
    var index = start
    while index < limit {
      switch self[index] {
      case UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "!"): return index
      case 0x20..<0x7F: index &+= 1
      default: return index
      }
    }
    return index
  }
}
