import CProcessor

/// The lanes of a vector register that a mask has set, from the first to the last.
///
///     var lanes = Lanes(edge .<= skin)
///     while let lane = lanes.next() { … }
///
/// To ask a mask for each lane in turn costs a branch for each that is not set.
struct Lanes: IteratorProtocol {
  /// A bit for each lane still to come, the first one lowest.
  private var bits: UInt32

  @inline(__always)
  init(bits: UInt32) { self.bits = bits }

  @inline(__always)
  init(_ mask: SIMDMask<SIMD4<Int32>>) {
    bits = signs(SIMD4(repeating: 0).replacing(with: -1, where: mask))
  }

  @inline(__always)
  var isEmpty: Bool { bits == 0 }

  @inline(__always)
  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    let lane = bits.trailingZeroBitCount
    bits &= bits &- 1
    return lane
  }
}

extension SIMD4<Float> {
  @inline(__always)
  static var infinite: SIMD4<Float> { SIMD4(repeating: .infinity) }

  /// The least of all lanes.
  @inline(__always)
  var least: Float {
    let pairs = SIMD2<Float>(self[0], self[1])
    let others = SIMD2<Float>(self[2], self[3])
    let halves = pairs.replacing(with: others, where: others .< pairs)
    return Swift.min(halves[0], halves[1])
  }
}
