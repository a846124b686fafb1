/// The secret of a link or a phone: 32 random bytes in base64url (RFC 4648, section 5).
///
/// Its owner alone has it. Others know its hash, which opens nothing.
package enum SecretToken {
  /// Bytes of the text.
  package static let length = 43

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    // The last of 43 digits has four of its six bits.
    let text = (0..<length).map { index in
      let number = Int(truncatingIfNeeded: generator.next())
      return digits[number & (index == length - 1 ? 60 : 63)]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the text has the form of a token. Complexity: O(1).
  package static func isOne(_ text: some Collection<UInt8>) -> Bool {
    text.count == length && text.allSatisfy(digits.contains)
  }

  /// SHA-256 of a token, in hexadecimal digits.
  package static func hash(_ token: some Collection<UInt8>) -> String {
    SHA256.hexadecimal(token)
  }
}
