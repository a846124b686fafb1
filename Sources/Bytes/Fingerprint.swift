/// FNV-1a, 64 bits: names what has no name.
package struct Fingerprint: Equatable, Sendable {
  package let value: UInt64

  package init(_ bytes: some Sequence<UInt8>) {
    value = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// 16 hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
