/// Writes the numbers of a state as bytes, or reads them back. A type lists its properties once, in
/// `pass(_:)`, for both directions.
///
///     mutating func pass(_ tape: inout StateTape) {
///       tape.pass(&count)
///       tape.pass(&times, blank: 0) { $1.pass(&$0) }
///     }
///
/// Its generic methods are inlinable, so that each module specialises them: else a snapshot takes
/// twice the time.
///
/// A whole number below 255 is a byte. Before another one is the byte 255, and its bits as a
/// `Double` follow, the lowest first.
@usableFromInline package struct StateTape {
  package private(set) var bytes: [UInt8] = []
  /// The next byte to read; nil where the tape is written.
  private var position: Int?
  /// Whether a number was missing or impossible.
  @usableFromInline package private(set) var hasFailed = false

  private static let mark: UInt8 = 255

  /// A blank tape.
  package init() { bytes.reserveCapacity(1_024) }

  /// A tape to read.
  package init(_ bytes: [UInt8]) { (self.bytes, position) = (bytes, 0) }

  @usableFromInline package var isReading: Bool { position != nil }

  /// Whether all of it was read, and well.
  package var isReadWhole: Bool { !hasFailed && position == bytes.count }

  /// Notes an impossible number.
  @usableFromInline package mutating func fail() { hasFailed = true }

  /// Read, it is finite.
  @usableFromInline package mutating func pass(_ value: inout Double) {
    guard position != nil else { return write(value) }
    if let read = read(), read.isFinite { value = read } else { fail() }
  }

  private mutating func write(_ value: Double) {
    let bits = value.bitPattern
    if let byte = UInt8(exactly: value), byte < Self.mark, Double(byte).bitPattern == bits {
      return bytes.append(byte)
    }
    bytes.append(Self.mark)
    for place in 0..<8 as Range<UInt64> {
      bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * place)))
    }
  }

  /// nil where there is none.
  private mutating func read() -> Double? {
    guard let start = position, start < bytes.count else { return nil }
    guard bytes[start] == Self.mark else {
      position = start + 1
      return Double(bytes[start])
    }
    guard bytes.count - start > 8 else { return nil }
    position = start + 9
    var bits: UInt64 = 0
    for index in stride(from: start + 8, to: start, by: -1) {
      bits = bits << 8 | UInt64(bytes[index])
    }
    return Double(bitPattern: bits)
  }

  @usableFromInline package mutating func pass(_ value: inout Bool) {
    var number = value ? 1.0 : 0
    pass(&number)
    value = number != 0
  }

  /// Exact up to 2⁵³.
  @usableFromInline package mutating func pass(_ value: inout Int) {
    var number = Double(value)
    pass(&number)
    if let whole = Int(exactly: number) { value = whole } else { fail() }
  }

  package mutating func pass(_ value: inout Int64) {
    var number = Int(value)
    pass(&number)
    value = Int64(number)
  }

  /// An enumeration by its number; another number is impossible.
  @inlinable
  package mutating func pass<Value: RawRepresentable>(_ value: inout Value)
  where Value.RawValue == UInt8 {
    var number = Int(value.rawValue)
    pass(&number)
    if let read = UInt8(exactly: number).flatMap(Value.init) { value = read } else { fail() }
  }

  /// - Parameters:
  ///   - blank: an item to begin with where items are read.
  ///   - item: passes one, as one byte at least.
  @inlinable
  package mutating func pass<Item>(
    _ list: inout [Item], blank: @autoclosure () -> Item,
    _ item: (inout Item, inout StateTape) -> Void
  ) {
    var count = list.count
    pass(&count)
    if isReading {
      guard !hasFailed, 0...bytesLeft ~= count else { return fail() }
      list = (0..<count).map { _ in blank() }
    }
    for index in list.indices { item(&list[index], &self) }
  }

  /// Bytes that are still to be read.
  @usableFromInline package var bytesLeft: Int { bytes.count - (position ?? 0) }

  @inlinable
  package mutating func pass<Item>(
    _ value: inout Item?, blank: @autoclosure () -> Item,
    _ item: (inout Item, inout StateTape) -> Void
  ) {
    var isPresent = value != nil
    pass(&isPresent)
    if isReading { value = isPresent && !hasFailed ? blank() : nil }
    guard var present = value else { return }
    item(&present, &self)
    value = present
  }

  package mutating func pass(_ value: inout Double?) { pass(&value, blank: 0) { $1.pass(&$0) } }

  package mutating func pass(_ value: inout Int64?) { pass(&value, blank: 0) { $1.pass(&$0) } }
}
