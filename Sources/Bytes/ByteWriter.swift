/// Texts and numbers as bytes, one after the other, in room that is there before them.
///
/// Between a fix and its firing's entry in the journal a hundred pieces are put together: here each is a copy and
/// nothing more, where an array asks a dozen questions first, and a `String` more. It has the room to itself, and
/// cannot be copied.
@safe package struct ByteWriter: ~Copyable {
  /// `capacity` bytes, the first `count` of which are written.
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  package private(set) var count = 0

  /// - Parameter capacity: bytes that fit before it grows.
  package init(capacity: Int) {
    self.capacity = max(0, capacity)
    unsafe start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { unsafe start.deallocate() }

  /// Starts anew, in the same room.
  package mutating func removeAll() { count = 0 }

  /// Complexity: O(bytes).
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// What was written, as text; what is no UTF-8 in it is replaced. Complexity: O(bytes).
  package var text: String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Lends what was written.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  // MARK: - Pieces

  package mutating func add(_ byte: UInt8) {
    unsafe place(for: 1).storeBytes(of: byte, as: UInt8.self)
  }

  package mutating func add(_ text: String) { add(text.utf8.span) }

  package mutating func add(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      unsafe place(for: bytes.count).copyMemory(from: first, byteCount: bytes.count)
    }
  }

  package mutating func add(_ other: borrowing ByteWriter) {
    unsafe place(for: other.count).copyMemory(from: other.start, byteCount: other.count)
  }

  /// Eight bytes, little endian.
  package mutating func add(littleEndian number: UInt64) {
    unsafe place(for: 8).storeBytes(of: number.littleEndian, as: UInt64.self)
  }

  /// As `add(littleEndian:)`, in place of eight bytes that are written already. Traps where they are not.
  package mutating func replace(littleEndian number: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset <= count - 8)
    unsafe start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// The number in decimal, in ASCII, with zeros in front of fewer than `width` digits; the sign is none.
  package mutating func add(decimal number: Int, width: Int = 1) {
    if number < 0 { add(UInt8(ascii: "-")) }
    var digits = 1
    var rest = number.magnitude / 10
    while rest > 0 {
      rest /= 10
      digits += 1
    }
    digits = max(digits, width)
    rest = number.magnitude
    let place = unsafe place(for: digits)
    for offset in (0..<digits).reversed() {
      let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      unsafe place.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
      rest /= 10
    }
  }

  /// The last digits of the number in hexadecimal, in lower case.
  /// - Parameter digits: not negative; more than 16 give zeros in front.
  package mutating func add(hexadecimal number: UInt64, digits: Int) {
    var rest = number
    let place = unsafe place(for: digits)
    for offset in (0..<digits).reversed() {
      let value = UInt8(truncatingIfNeeded: rest & 0xF)
      let digit = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
      unsafe place.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
      rest >>= 4
    }
  }

  // MARK: - Room

  /// Where so many bytes come, which the caller writes. Counts them as written.
  /// - Parameter more: not negative.
  private mutating func place(for more: Int) -> UnsafeMutableRawPointer {
    // None of this overflows: `count` is at most `capacity`.
    if capacity &- count < more { grow(by: more) }
    let place = unsafe start + count
    count &+= more
    return unsafe place
  }

  /// Apart, for it is rare: so `place` is short enough to be put in where it is called.
  @inline(never)
  private mutating func grow(by more: Int) {
    capacity += max(capacity, more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    unsafe larger.copyMemory(from: start, byteCount: count)
    unsafe start.deallocate()
    unsafe start = larger
  }
}
