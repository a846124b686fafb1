/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Padded. Complexity: O(bytes).
  package static func encoded(_ bytes: [UInt8]) -> String {
    let digits = digits
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var number = Int(bytes[start]) << 16
      if count > 1 { number |= Int(bytes[start + 1]) << 8 }
      if count > 2 { number |= Int(bytes[start + 2]) }
      for place in 0..<4 {
        text.append(place <= count ? digits[number >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Padded or not; nil for other characters. Complexity: O(bytes).
  package static func decoded(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var digits = Array(text.utf8)[...]
    while digits.last == UInt8(ascii: "=") { digits = digits.dropLast() }
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
