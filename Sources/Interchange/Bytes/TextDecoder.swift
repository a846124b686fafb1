/// Decodes a text file to UTF-8 without a byte order mark, piece by piece.
///
/// A mark identifies UTF-8 and UTF-16. Without one, a zero byte beside the first character, which
/// is ASCII in every format here, identifies UTF-16. Other bytes pass unchanged.
struct TextDecoder {
  private enum Form { case bytes, utf16, utf16Swapped }

  private let form: Form
  /// Bytes of the mark that are still to be dropped.
  private var markLeft: Int
  /// The bytes of an unfinished character.
  private var carry: [UInt8] = []

  /// Whether the text is UTF-8, whatever it declares.
  let isUTF8: Bool

  /// Bytes of a file's head that decide.
  static let headSize = 3

  init(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.headSize))
    switch (head.first, head.dropFirst().first) {
    case (0xFF, 0xFE): (form, markLeft) = (.utf16, 2)
    case (0xFE, 0xFF): (form, markLeft) = (.utf16Swapped, 2)
    case (let first?, 0) where first != 0: (form, markLeft) = (.utf16, 0)
    case (0, let second?) where second != 0: (form, markLeft) = (.utf16Swapped, 0)
    default: (form, markLeft) = (.bytes, head == [0xEF, 0xBB, 0xBF] ? 3 : 0)
    }
    isUTF8 = form != .bytes || markLeft > 0
  }

  /// - Parameter isLast: whether the text ends with the piece.
  mutating func decode(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let dropped = min(markLeft, piece.count)
    markLeft -= dropped
    guard form != .bytes else { return dropped == 0 ? piece : Array(piece[dropped...]) }
    let bytes = carry + piece[dropped...]
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2 + 1)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let unit = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
      units.append(form == .utf16 ? unit : unit.byteSwapped)
    }
    carry = Array(bytes[(units.count * 2)...])
    if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) {
      units.removeLast()
      carry = Array(bytes[(units.count * 2)...])
    }
    if isLast, !carry.isEmpty { units.append(0xFFFD) }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// All of a text.
  static func decode(_ bytes: [UInt8]) -> [UInt8] {
    var decoder = TextDecoder(head: bytes)
    return decoder.decode(bytes, isLast: true)
  }
}

extension String {
  /// A text of a file that declares no encoding: UTF-8, or else Windows-1252, the Latin-1 of
  /// Windows.
  init(undeclared bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
      return
    }
    let scalars = bytes.map { byte in
      (0x80...0x9F).contains(byte)
        ? Self.windows1252[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }
    self = String(String.UnicodeScalarView(scalars))
  }

  /// The characters of 0x80 to 0x9F (https://encoding.spec.whatwg.org/#windows-1252).
  private static let windows1252 = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
