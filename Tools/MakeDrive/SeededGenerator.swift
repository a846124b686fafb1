#if canImport(Glibc)
  import Glibc
#endif

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014): the same seed gives the same drive on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A standard normal deviate, by the method of Box and Muller.
  mutating func nextNormal() -> Double {
    let scale = 1.0 / 9_007_199_254_740_992  // 2⁻⁵³
    let a = (Double(next() >> 11) + 1) * scale
    let b = Double(next() >> 11) * scale
    return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
  }
}

/// First-order Gauss–Markov noise with standard deviation 1, one step a second: what remains of a
/// receiver's error when the quick part is filtered out.
struct GaussMarkov {
  private(set) var value: Double
  private let decay: Double
  private let drive: Double

  /// `correlationTime` in seconds, > 0.
  init(correlationTime: Double, generator: inout SeededGenerator) {
    decay = exp(-1 / correlationTime)
    drive = (1 - decay * decay).squareRoot()
    value = generator.nextNormal()
  }

  mutating func step(_ generator: inout SeededGenerator) {
    value = decay * value + drive * generator.nextNormal()
  }
}
