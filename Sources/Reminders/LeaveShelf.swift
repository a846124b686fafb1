import CProcessor
import Geodesy

/// Some of those that are near their time to leave, side by side: how much slack each of them has left is
/// reckoned for several at once, in single precision, and never comes out as more than there is.
///
/// 20 bytes each.
struct LeaveShelf: Sendable {
  /// Nothing so far away belongs here, in metres: beyond it the ways are told as too short.
  static let farthest = 6_000_000.0
  /// What is lost of a way of no length, metres: a place and the device, each of three numbers rounded by 2⁻²⁵ of the
  /// Earth's radius at most, are 0.66 m off together.
  private static let doubtfulWay: Float = 0.7
  /// What is lost of no time, seconds: half of the last digit of a moment that is two hours away.
  private static let doubtfulTime: Float = 0.01
  /// What rounding loses of a way and of a time, at most: a dozen roundings, and the arc sine.
  private static let doubtfulShare: Float = 0x1p-19
  fileprivate static let longer = 1 + doubtfulShare

  /// Blocks of sixteen, `x`, `y`, `z`, the moment and the bits of the index by turns. Where there is none, the first and the
  /// moment are no number, and so neither less nor more than any.
  private var blocks: [Float] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Bytes of heap in use.
  var byteCount: Int { blocks.capacity * 4 }

  /// Which ones they are, by their numbers on the shelf. Complexity: O(n).
  var indices: [Int32] { (0..<count).map(index) }

  @inline(__always)
  private func index(_ number: Int) -> Int32 {
    Int32(bitPattern: blocks[Self.start(number) + Int(shelf_index)].bitPattern)
  }

  // MARK: - Coming and going

  /// Where the first field of one is.
  @inline(__always)
  private static func start(_ number: Int) -> Int {
    let lane = number & (Int(shelf_lanes) - 1)
    return (number - lane) * (Int(shelf_block) / Int(shelf_lanes)) + lane
  }

  /// Complexity: O(1) amortised.
  mutating func append(_ index: Int32, x: Float, y: Float, z: Float, moment: Float) {
    let start = Self.start(count)
    count += 1
    if start >= blocks.count {
      blocks.append(contentsOf: repeatElement(.nan, count: Int(shelf_block)))
    }
    var numbers = blocks.mutableSpan
    numbers[start + Int(shelf_x)] = x
    numbers[start + Int(shelf_y)] = y
    numbers[start + Int(shelf_z)] = z
    numbers[start + Int(shelf_moment)] = moment
    numbers[start + Int(shelf_index)] = Float(bitPattern: UInt32(bitPattern: index))
  }

  /// Takes one away; false where it is not here. Complexity: O(n).
  mutating func remove(_ index: Int32) -> Bool {
    guard let number = (0..<count).first(where: { self.index($0) == index }) else { return false }
    remove(1) { _ in number }
    return true
  }

  /// Takes those away that the last look has found, by rising numbers. Complexity: O(those).
  mutating func remove(_ strays: [shelf_stray]) {
    remove(strays.count) { Int(strays[$0].number) }
  }

  /// Takes some away, by rising numbers. From the last one on: what comes in the place of one is no other that goes.
  @inline(__always)
  private mutating func remove(_ some: Int, _ number: (Int) -> Int) {
    var last = count
    count -= some
    var numbers = blocks.mutableSpan
    for one in stride(from: some - 1, through: 0, by: -1) {
      last -= 1
      Self.move(Self.start(last), to: Self.start(number(one)), &numbers)
      Self.clear(Self.start(last), &numbers)
    }
  }

  /// Takes all away. Complexity: O(n).
  mutating func removeAll() {
    count = 0
    blocks.removeAll(keepingCapacity: true)
  }

  /// Tells moments from other seconds. Complexity: O(n).
  mutating func setMoments(_ moment: (_ index: Int32) -> Float) {
    for number in 0..<count {
      blocks[Self.start(number) + Int(shelf_moment)] = moment(index(number))
    }
  }

  /// Tells moments from so many seconds later; those that are farther away than `limit` are told anew. Complexity: O(n).
  mutating func shiftMoments(
    by shift: Float, upTo limit: Float, _ moment: (_ index: Int32) -> Float
  ) {
    let step = SIMD16<Float>(repeating: shift)
    for start in stride(from: Int(shelf_moment), to: blocks.count, by: Int(shelf_block)) {
      var moments = SIMD16<Float>()
      for lane in moments.indices { moments[lane] = blocks[start + lane] }
      let isFar = moments .> limit .| moments .< -limit
      moments -= step
      for lane in moments.indices { blocks[start + lane] = moments[lane] }
      guard any(isFar) else { continue }
      let first = start / Int(shelf_block) * Int(shelf_lanes)
      for lane in moments.indices where isFar[lane] {
        blocks[start + lane] = moment(index(first + lane))
      }
    }
  }

  // MARK: - Looks

  /// By how much a slack that is told here may be too little, in seconds.
  /// - Parameters:
  ///   - left: seconds until the moment.
  ///   - distance: metres.
  ///   - slope: seconds a metre.
  static func doubt(left: Double, distance: Double, slope: Double) -> Double {
    let way = 2 * Double(doubtfulWay) + 4 * Double(doubtfulShare) * distance
    return way * slope + 2 * Double(doubtfulTime) + 4 * Double(doubtfulShare) * left
  }

  /// Seconds, metres and shares for the kernel.
  static func rule(secondsOfNoWay: Float) -> shelf_rule {
    shelf_rule(
      radius: Float(Sphere.radius) * longer, doubtful_way: doubtfulWay, shorter: 1 - doubtfulShare,
      no_way: (secondsOfNoWay + doubtfulTime) * longer)
  }

  /// Finds those that do not stay, and tells of the others.
  /// Complexity: O(count), a nanosecond or two each, a quarter of it with wide vectors.
  @inline(__always)
  func look(
    _ view: shelf_view, _ reckoning: LeaveReckoning, _ bounds: shelf_bounds, _ kernel: ShelfKernel,
    into strays: inout [shelf_stray]
  ) -> shelf_sight {
    kernel.look(
      blocks.span, count: count, view, reckoning.shelfRule, reckoning.rises.span, bounds,
      into: &strays)
  }

  @inline(__always)
  private static func move(_ start: Int, to hole: Int, _ numbers: inout MutableSpan<Float>) {
    numbers[hole + Int(shelf_x)] = numbers[start + Int(shelf_x)]
    numbers[hole + Int(shelf_y)] = numbers[start + Int(shelf_y)]
    numbers[hole + Int(shelf_z)] = numbers[start + Int(shelf_z)]
    numbers[hole + Int(shelf_moment)] = numbers[start + Int(shelf_moment)]
    numbers[hole + Int(shelf_index)] = numbers[start + Int(shelf_index)]
  }

  /// Leaves no number where one was.
  @inline(__always)
  private static func clear(_ start: Int, _ numbers: inout MutableSpan<Float>) {
    numbers[start + Int(shelf_x)] = .nan
    numbers[start + Int(shelf_moment)] = .nan
  }
}

extension way_rises {
  /// Those stretches that add anything, by fours.
  static func all(_ stretches: [(start: Double, length: Double, slope: Double)]) -> [way_rises] {
    var all: [way_rises] = []
    for (number, one) in stretches.filter({ $0.slope > 0 }).enumerated() {
      if number % 4 == 0 { all.append(way_rises()) }
      all[number / 4].starts[number % 4] = Float(one.start)
      all[number / 4].lengths[number % 4] = Float(one.length)
      all[number / 4].slopes[number % 4] = Float(one.slope) * LeaveShelf.longer
    }
    return all
  }
}
