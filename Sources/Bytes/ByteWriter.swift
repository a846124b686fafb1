/// A buffer of text and numbers with reserved capacity.
///
/// A firing's journal entry has about a hundred pieces. Here each is a plain copy, without the
/// checks of an array or a `String`. The buffer is unshared and cannot be copied.
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

  /// Removes all bytes; the capacity stays.
  package mutating func removeAll() { count = 0 }

  /// Complexity: O(bytes).
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// The bytes as text, with invalid UTF-8 replaced. Complexity: O(bytes).
  package var text: String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Passes the bytes to `body`.
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

  /// Adds a literal without any check. Traps if it is stored as a single scalar.
  package mutating func add(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    unsafe place(for: count).copyMemory(from: text.utf8Start, byteCount: count)
  }

  package mutating func add(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      unsafe place(for: bytes.count).copyMemory(from: first, byteCount: bytes.count)
    }
  }

  package mutating func add(_ other: borrowing ByteWriter) {
    unsafe place(for: other.count).copyMemory(from: other.start, byteCount: other.count)
  }

  /// Adds a literal, a byte, a text and a byte, such as a name, `=`, its value and a line end.
  package mutating func add(
    _ name: StaticString, separator: UInt8, _ value: Span<UInt8>, end: UInt8
  ) {
    let nameCount = name.utf8CodeUnitCount
    unsafe value.withUnsafeBytes { value in
      let place = unsafe place(for: nameCount + value.count + 2)
      unsafe place.copyMemory(from: name.utf8Start, byteCount: nameCount)
      unsafe place.storeBytes(of: separator, toByteOffset: nameCount, as: UInt8.self)
      if let first = value.baseAddress {
        unsafe (place + nameCount + 1).copyMemory(from: first, byteCount: value.count)
      }
      unsafe place.storeBytes(of: end, toByteOffset: nameCount + 1 + value.count, as: UInt8.self)
    }
  }

  /// Adds the byte, then eight bytes, little endian.
  package mutating func add(_ byte: UInt8, littleEndian number: UInt64) {
    let place = unsafe place(for: 9)
    unsafe place.storeBytes(of: byte, as: UInt8.self)
    unsafe place.storeBytes(of: number.littleEndian, toByteOffset: 1, as: UInt64.self)
  }

  /// Adds eight bytes, little endian.
  package mutating func add(littleEndian number: UInt64) {
    unsafe place(for: 8).storeBytes(of: number.littleEndian, as: UInt64.self)
  }

  /// Replaces eight bytes, little endian. Traps beyond the bytes already written.
  package mutating func replace(littleEndian number: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset <= count - 8)
    unsafe start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Adds the number in decimal ASCII, zero-padded to `width` digits without the sign.
  package mutating func add(decimal number: Int, width: Int = 1) {
    if number < 0 { add(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var digits = 1
    // The magnitude is less than 10^19, which fits.
    var power: UInt = 10
    while power <= rest {
      power &*= 10
      digits &+= 1
    }
    digits = max(digits, width)
    let place = unsafe place(for: digits)
    var offset = digits
    while offset > 0 {
      offset &-= 1
      let quotient = rest / 10
      let digit = UInt8(ascii: "0") | UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      unsafe place.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
      rest = quotient
    }
  }

  /// Adds the number as a lower-case UUID (RFC 9562 §4).
  package mutating func add(uuid number: UInt128) {
    let place = unsafe place(for: 36)
    func put(_ digits: UInt64, at offset: Int) {
      unsafe place.storeBytes(of: digits.bigEndian, toByteOffset: offset, as: UInt64.self)
    }
    func put(_ digits: UInt32, at offset: Int) {
      unsafe place.storeBytes(of: digits.bigEndian, toByteOffset: offset, as: UInt32.self)
    }
    put(Self.hexadecimal(UInt32(truncatingIfNeeded: number >> 96)), at: 0)
    let first = Self.hexadecimal(UInt32(truncatingIfNeeded: number >> 64))
    put(UInt32(truncatingIfNeeded: first >> 32), at: 9)
    put(UInt32(truncatingIfNeeded: first), at: 14)
    let second = Self.hexadecimal(UInt32(truncatingIfNeeded: number >> 32))
    put(UInt32(truncatingIfNeeded: second >> 32), at: 19)
    put(UInt32(truncatingIfNeeded: second), at: 24)
    put(Self.hexadecimal(UInt32(truncatingIfNeeded: number)), at: 28)
    for offset in stride(from: 8, through: 23, by: 5) {
      unsafe place.storeBytes(of: UInt8(ascii: "-"), toByteOffset: offset, as: UInt8.self)
    }
  }

  /// Eight digits in ASCII, the first in the highest byte: all of them at once.
  private static func hexadecimal(_ number: UInt32) -> UInt64 {
    var digits = UInt64(number)
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    // One where it is ten or more: those are letters.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let toLetters = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* toLetters
  }

  // MARK: - Room

  /// Reserves `more` bytes, which the caller writes, and counts them as written.
  /// - Parameter more: not negative.
  private mutating func place(for more: Int) -> UnsafeMutableRawPointer {
    // None of this overflows: `count` is at most `capacity`.
    if capacity &- count < more { grow(by: more) }
    let place = unsafe start + count
    count &+= more
    return unsafe place
  }

  /// The rare path, kept apart so that `place` can be inlined.
  @inline(never)
  private mutating func grow(by more: Int) {
    capacity += max(capacity, more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    unsafe larger.copyMemory(from: start, byteCount: count)
    unsafe start.deallocate()
    unsafe start = larger
  }
}
