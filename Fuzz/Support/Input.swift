/// The bytes that the fuzzer made up, taken off from the front: a few that choose, then the data.
struct Input {
  private(set) var bytes: ArraySlice<UInt8>

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = Array(UnsafeBufferPointer(start: start, count: count))[...]
  }

  /// The next byte, 0 behind the last one.
  mutating func choice() -> UInt8 { bytes.popFirst() ?? 0 }

  /// All that is left.
  var rest: [UInt8] { Array(bytes) }
}

/// Stops with a message where a property does not hold; the fuzzer keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}

/// Small numbers for where to cut, from a seed (Marsaglia, "Xorshift RNGs", 2003).
struct Cuts {
  private var state: UInt32

  init(seed: UInt8) { state = UInt32(seed) &* 0x9E37_79B9 | 1 }

  /// 1…`most`.
  mutating func next(most: Int) -> Int {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return 1 + Int(state % UInt32(max(1, most)))
  }
}
