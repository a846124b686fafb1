/// Writes the numbers of a state, or reads them back. A type lists its properties once, in
/// `pass(_:)`, for both directions.
///
///     mutating func pass(_ tape: inout StateTape) {
///       tape.pass(&count)
///       tape.pass(&times, blank: 0) { $1.pass(&$0) }
///     }
package struct StateTape {
  package private(set) var numbers: [Double] = []
  /// The next number to read; nil where the tape is written.
  private var position: Int?
  /// Whether a number was missing or impossible.
  package private(set) var hasFailed = false

  /// A blank tape.
  package init() {}

  /// A tape to read.
  package init(_ numbers: [Double]) { (self.numbers, position) = (numbers, 0) }

  package var isReading: Bool { position != nil }

  /// Whether all of it was read, and well.
  package var isReadWhole: Bool { !hasFailed && position == numbers.count }

  /// Notes an impossible number.
  package mutating func fail() { hasFailed = true }

  package mutating func pass(_ value: inout Double) {
    guard let position else { return numbers.append(value) }
    guard position < numbers.count, numbers[position].isFinite else { return fail() }
    value = numbers[position]
    self.position = position + 1
  }

  package mutating func pass(_ value: inout Bool) {
    var number = value ? 1.0 : 0
    pass(&number)
    value = number != 0
  }

  /// Exact up to 2⁵³.
  package mutating func pass(_ value: inout Int) {
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
  package mutating func pass<Value: RawRepresentable>(_ value: inout Value)
  where Value.RawValue == UInt8 {
    var number = Int(value.rawValue)
    pass(&number)
    if let read = UInt8(exactly: number).flatMap(Value.init) { value = read } else { fail() }
  }

  /// - Parameters:
  ///   - blank: an item to begin with where items are read.
  ///   - item: passes one, as one number at least.
  package mutating func pass<Item>(
    _ list: inout [Item], blank: @autoclosure () -> Item,
    _ item: (inout Item, inout StateTape) -> Void
  ) {
    var count = list.count
    pass(&count)
    if let position {
      guard !hasFailed, 0...(numbers.count - position) ~= count else { return fail() }
      list = (0..<count).map { _ in blank() }
    }
    for index in list.indices { item(&list[index], &self) }
  }

  package mutating func pass<Item>(
    _ value: inout Item?, blank: @autoclosure () -> Item,
    _ item: (inout Item, inout StateTape) -> Void
  ) {
    var list = value.map { [$0] } ?? []
    pass(&list, blank: blank(), item)
    value = list.first
  }

  package mutating func pass(_ value: inout Double?) { pass(&value, blank: 0) { $1.pass(&$0) } }

  package mutating func pass(_ value: inout Int64?) { pass(&value, blank: 0) { $1.pass(&$0) } }
}
