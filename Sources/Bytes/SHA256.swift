/// The hash SHA-256 of FIPS 180-4.
///
///     SHA256.digest(Array("abc".utf8))  // ba7816bf…
package enum SHA256 {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = fractions(64) { power in power * power * power }

  /// The same bits of the square roots of the first 8 primes.
  private static let start: [UInt32] = fractions(8) { power in power * power }

  /// The digest in 64 hexadecimal digits.
  package static func hexadecimal(_ message: some Collection<UInt8>) -> String {
    digest(Array(message)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// 32 bytes.
  /// - Complexity: O(n).
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    let bits = UInt64(message.count) &* 8
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    var state = start
    for block in stride(from: 0, to: padded.count, by: 64) {
      compress(padded[block..<block + 64], into: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      let low = turned(a, 7) ^ turned(a, 18) ^ a >> 3
      let high = turned(b, 17) ^ turned(b, 19) ^ b >> 10
      words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for (word, constant) in zip(words, constants) {
      let first = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      let choice = e & f ^ ~e & g
      let step = h &+ first &+ choice &+ constant &+ word
      let second = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      let majority = a & b ^ a & c ^ b & c
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ step, c, b, a, step &+ second &+ majority)
    }
    state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
  }

  private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  /// The first 32 bits of the fractional parts of roots of primes, by bisection: the largest
  /// `root` with `power(root) <= prime`, in steps of 2⁻³².
  private static func fractions(
    _ count: Int, _ power: (Wide) -> Wide
  ) -> [UInt32] {
    var primes: [Wide] = []
    var candidate: Wide = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    let exponent = power(2) == 4 ? 64 : 96
    return primes.map { prime in
      var root: Wide = 0
      for bit in (0..<37).reversed() where power(root | 1 << bit) <= prime << exponent {
        root |= 1 << bit
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }

  private typealias Wide = UInt128
}
