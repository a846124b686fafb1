/// FNV-1a, 64 bits, as 16 hexadecimal digits: names what has no name.
package struct Fingerprint: Equatable, Sendable {
  package let text: String

  package init(_ bytes: [UInt8]) {
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }
}
