import Bytes

/// The word of the settings that a phone must know: the password of Basic, or the first segment of
/// the path.
package struct AccessToken: Equatable, Sendable {
  package static let lengths = 16...128

  private let bytes: [UInt8]

  /// Nil unless it has 16 to 128 of the characters that a URL takes as they are (RFC 3986, 2.3).
  package init?(_ text: String) {
    bytes = Array(text.utf8)
    func isUnreserved(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~".utf8.contains(byte)
      }
    }
    guard Self.lengths.contains(bytes.count), bytes.allSatisfy(isUnreserved) else { return nil }
  }

  /// Takes the same time whichever bytes differ. Complexity: O(bytes of `text`).
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    var difference: UInt8 = 0
    var count = 0
    for byte in text {
      difference |= byte ^ bytes[count % bytes.count]
      count += 1
    }
    return difference == 0 && count == bytes.count
  }

  /// The password in an `Authorization` header (RFC 7617); nil for another header.
  package static func password(of authorization: String?) -> [UInt8]? {
    guard let words = authorization?.split(separator: " "), words.count == 2,
      words[0].lowercased() == "basic", let pair = Base64.decoded(words[1]),
      let colon = pair.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return Array(pair[(colon + 1)...])
  }
}
