/// SHA-256 (FIPS 180-4), as small as it goes: for the checksums of benchmarks.
struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  private var block: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      block.append(byte)
      length &+= 8
      if block.count == 64 { compress() }
    }
  }

  /// The digest of all bytes so far in lower-case hexadecimal.
  func hexDigest() -> String {
    var copy = self
    copy.block.append(0x80)
    while copy.block.count != 56 {
      if copy.block.count == 64 { copy.compress() } else { copy.block.append(0) }
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      copy.block.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
    }
    copy.compress()
    return copy.state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private mutating func compress() {
    var w = [UInt32](repeating: 0, count: 64)
    for i in 0..<16 {
      for j in 0..<4 { w[i] = w[i] << 8 | UInt32(block[4 * i + j]) }
    }
    for i in 16..<64 {
      let (a, b) = (w[i - 15], w[i - 2])
      let s0 = Self.rotate(a, 7) ^ Self.rotate(a, 18) ^ a >> 3
      let s1 = Self.rotate(b, 17) ^ Self.rotate(b, 19) ^ b >> 10
      w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
    }
    var v = state
    for i in 0..<64 {
      let s1 = Self.rotate(v[4], 6) ^ Self.rotate(v[4], 11) ^ Self.rotate(v[4], 25)
      let choice = v[4] & v[5] ^ ~v[4] & v[6]
      let t1 = v[7] &+ s1 &+ choice &+ Self.constants[i] &+ w[i]
      let s0 = Self.rotate(v[0], 2) ^ Self.rotate(v[0], 13) ^ Self.rotate(v[0], 22)
      let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
      v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for i in 0..<8 { state[i] = state[i] &+ v[i] }
    block.removeAll(keepingCapacity: true)
  }

  private static func rotate(_ word: UInt32, _ by: UInt32) -> UInt32 {
    word >> by | word << (32 - by)
  }

  /// The fractional parts of the cube roots of the first 64 primes, by integer arithmetic.
  private static let constants: [UInt32] = primes(64).map { prime in
    // The largest r with r³ ≤ p · 2⁹⁶; its low 32 bits are the fraction.
    var root: UInt64 = 0
    for bit in stride(from: UInt64(35), through: 0, by: -1) {
      let trial = root | 1 << bit
      if UInt128(trial) * UInt128(trial) * UInt128(trial) <= UInt128(prime) << 96 { root = trial }
    }
    return UInt32(truncatingIfNeeded: root)
  }

  private static func primes(_ count: Int) -> [Int] {
    var found: [Int] = []
    var candidate = 2
    while found.count < count {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }

  /// The three examples of FIPS 180: nothing, one block, and a message that spills into two.
  static var isSound: Bool {
    let examples = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
    return examples.allSatisfy { message, digest in
      var hash = SHA256()
      hash.update(message.utf8)
      return hash.hexDigest() == digest
    }
  }
}
