/// FNV-1a, 64 bits: names what has no name.
package struct Fingerprint: Equatable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The name of no bytes.
  package init() {}

  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// 16 hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
