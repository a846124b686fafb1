import CivilTime
import Geodesy

/// Writes the numbers of a state, or reads them back. A type lists its properties once, in
/// `pass(_:)`, for both directions.
struct StateTape {
  private(set) var numbers: [Double] = []
  /// The next number to read; nil where the tape is written.
  private var position: Int?
  /// Whether a number was missing or impossible.
  private(set) var hasFailed = false

  /// A blank tape.
  init() {}

  /// A tape to read.
  init(_ numbers: [Double]) { (self.numbers, position) = (numbers, 0) }

  /// Whether all of it was read, and well.
  var isReadWhole: Bool { !hasFailed && position == numbers.count }

  /// Notes an impossible number.
  mutating func fail() { hasFailed = true }

  mutating func pass(_ value: inout Double) {
    guard let position else { return numbers.append(value) }
    guard position < numbers.count, numbers[position].isFinite else { return fail() }
    value = numbers[position]
    self.position = position + 1
  }

  mutating func pass(_ value: inout Bool) {
    var number = value ? 1.0 : 0
    pass(&number)
    value = number != 0
  }

  mutating func pass(_ value: inout Int) {
    var number = Double(value)
    pass(&number)
    if let whole = Int(exactly: number) { value = whole } else { fail() }
  }

  /// Microseconds fit for 285 years.
  mutating func pass(_ value: inout Instant) {
    var number = Int(value.microseconds)
    pass(&number)
    value = Instant(microseconds: Int64(number))
  }

  mutating func pass(_ value: inout Vector) {
    pass(&value.x)
    pass(&value.y)
    pass(&value.z)
  }
}
