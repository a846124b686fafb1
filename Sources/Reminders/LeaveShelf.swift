import CProcessor
import Geodesy

/// Some of those that are near their time to leave, side by side: how much slack each of them has left is
/// reckoned for four at once, in single precision, and never comes out as more than there is.
///
/// 20 bytes each.
struct LeaveShelf: Sendable {
  /// Nothing so far away belongs here, in metres: beyond it the ways are told as too short.
  static let farthest = 6_000_000.0
  /// What is lost of a way of no length: a place and the device, each rounded in three numbers, metres.
  private static let doubtfulWay: Float = 1.5
  /// What is lost of no time, seconds: half of the last digit of a moment that is two hours away.
  private static let doubtfulTime: Float = 0.01
  /// What rounding loses of a way and of a time, at most: a dozen roundings, and the arc sine.
  private static let doubtfulShare: Float = 0x1p-19

  /// Four of them. What a lane that is free says is no number, and so neither less nor more than any.
  private struct Group: Sendable {
    var x = SIMD4<Float>(repeating: .nan)
    var y = SIMD4<Float>.zero
    var z = SIMD4<Float>.zero
    /// Seconds after those that all on the shelf are told from.
    var moment = SIMD4<Float>(repeating: .nan)
  }

  /// The moment and the place of a look, in single precision.
  struct View {
    /// Seconds after those that moments are told from.
    var now: Float
    var here: SIMD3<Float>
  }

  /// Which of them stay on a shelf; the others are taken from it.
  struct Bounds {
    /// Seconds of slack.
    var least: Float
    var most: Float
    /// Metres.
    var nearest: Float
    var farthest: Float
    /// Seconds until the moment.
    var shortest = -Float.infinity
  }

  /// What a look tells of those that stay.
  struct Sight {
    /// Seconds of slack that each of them has at least; infinite where there is none.
    var least: Float
    /// Seconds of slack that one of them has at least.
    var most: Float
    /// Metres to the nearest one.
    var nearest: Float
  }

  /// One that is taken from a shelf.
  struct Taken {
    var place: Int32
    /// How much slack it has at least, seconds.
    var slack: Float
    /// Metres.
    var distance: Float
    fileprivate var number: Int
  }

  private var groups: [Group] = []
  /// Those in use come first.
  private(set) var places: [Int32] = []

  var isEmpty: Bool { places.isEmpty }

  /// Bytes of heap in use.
  var byteCount: Int {
    groups.capacity * MemoryLayout<Group>.stride + places.capacity * 4
  }

  // MARK: - Coming and going

  /// Its number on the shelf. Complexity: O(1) amortised.
  mutating func append(_ place: Int32, _ entry: LeaveEntry, moment: Float) -> Int32 {
    let number = places.count
    if number >= 4 * groups.count { groups.append(Group()) }
    places.append(place)
    set(number, entry, moment)
    return Int32(truncatingIfNeeded: number)
  }

  /// Takes one away; answers which place has its number now. Complexity: O(1).
  mutating func remove(_ number: Int32) -> Int32? {
    let last = places.count - 1
    let number = Int(number)
    let moved = places.removeLast()
    let lane = Int32(truncatingIfNeeded: last & 3)
    if number < last {
      let from = groups[last >> 2]
      let hole = Int32(truncatingIfNeeded: number & 3)
      places[number] = moved
      groups[number >> 2].x = with_number(groups[number >> 2].x, hole, from.x[last & 3])
      groups[number >> 2].y = with_number(groups[number >> 2].y, hole, from.y[last & 3])
      groups[number >> 2].z = with_number(groups[number >> 2].z, hole, from.z[last & 3])
      groups[number >> 2].moment = with_number(
        groups[number >> 2].moment, hole, from.moment[last & 3])
    }
    groups[last >> 2].x = with_number(groups[last >> 2].x, lane, .nan)
    groups[last >> 2].moment = with_number(groups[last >> 2].moment, lane, .nan)
    return number < last ? moved : nil
  }

  /// Tells moments from other seconds.
  mutating func setMoments(_ moment: (_ place: Int32) -> Float) {
    for number in places.indices {
      groups[number >> 2].moment[number & 3] = moment(places[number])
    }
  }

  private mutating func set(_ number: Int, _ entry: LeaveEntry, _ moment: Float) {
    let lane = Int32(truncatingIfNeeded: number & 3)
    groups[number >> 2].x = with_number(groups[number >> 2].x, lane, entry.x)
    groups[number >> 2].y = with_number(groups[number >> 2].y, lane, entry.y)
    groups[number >> 2].z = with_number(groups[number >> 2].z, lane, entry.z)
    groups[number >> 2].moment = with_number(groups[number >> 2].moment, lane, moment)
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

  /// Finds those that do not stay, and tells of the others.
  /// Complexity: O(count), a nanosecond or two each.
  func look(
    _ view: View, _ reckoning: LeaveReckoning, _ bounds: Bounds, into taken: inout [Taken]
  ) -> Sight {
    let nothing = reckoning.secondsOfNoWay + Self.doubtfulTime
    let diameter = Float(2 * Sphere.radius)
    let (groups, rises) = (groups.span, reckoning.rises.span)
    var least = SIMD4<Float>(repeating: .infinity)
    var nearest = least
    var most = SIMD4<Float>(repeating: -.infinity)
    // Behind those in use there may be groups that were once.
    for i in 0..<min((places.count + 3) / 4, groups.count) {
      let group = groups[i]
      let distance =
        great_circle_metres(
          group.x, group.y, group.z, view.here.x, view.here.y, view.here.z, diameter)
        * (1 + Self.doubtfulShare) + Self.doubtfulWay
      var way = SIMD4<Float>(repeating: nothing)
      for j in rises.indices {
        way += risen(distance, rises[j].starts, rises[j].lengths, rises[j].slopes)
      }
      let left = group.moment - view.now
      let slack = left * (1 - Self.doubtfulShare) - way * (1 + Self.doubtfulShare)
      let others = strays(
        slack, bounds.least, bounds.most, distance, bounds.nearest, bounds.farthest, left,
        bounds.shortest)
      if others == 0 {
        least = lesser_of(slack, least)
        most = greater_of(most, slack)
        nearest = lesser_of(distance, nearest)
      } else {
        least = lesser_of(with_numbers(slack, others, .infinity), least)
        most = greater_of(most, with_numbers(slack, others, -.infinity))
        nearest = lesser_of(with_numbers(distance, others, .infinity), nearest)
        take(others, of: i, slack, distance, into: &taken)
      }
    }
    return Sight(least: least_of(least), most: -least_of(-most), nearest: least_of(nearest))
  }

  /// Appends those of a group that have their bits set and are there.
  private func take(
    _ lanes: UInt32, of group: Int, _ slack: SIMD4<Float>, _ distance: SIMD4<Float>,
    into taken: inout [Taken]
  ) {
    var lanes = lanes
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes &- 1
      let number = 4 * group + lane
      guard number < places.count else { break }
      taken.append(
        Taken(place: places[number], slack: slack[lane], distance: distance[lane], number: number))
    }
  }

  /// Takes those away that the last look has found. Numbers change: `renumbered` hears of each.
  mutating func remove(_ taken: [Taken], renumbered: (_ place: Int32, _ number: Int32) -> Void) {
    // From the last one on: what comes in the place of one is no other that goes.
    for one in taken.reversed() {
      let number = Int32(truncatingIfNeeded: one.number)
      if let moved = remove(number) { renumbered(moved, number) }
    }
  }
}

/// Four stretches over which a way takes longer, in single precision; where there are fewer, some that add nothing.
struct Rises: Sendable {
  /// Metres.
  var starts = SIMD4<Float>.zero
  var lengths = SIMD4<Float>.zero
  /// Seconds a metre.
  var slopes = SIMD4<Float>.zero

  /// Those that add anything, by fours.
  static func all(_ stretches: [(start: Double, length: Double, slope: Double)]) -> [Rises] {
    var all: [Rises] = []
    for (number, one) in stretches.filter({ $0.slope > 0 }).enumerated() {
      if number % 4 == 0 { all.append(Rises()) }
      all[number / 4].starts[number % 4] = Float(one.start)
      all[number / 4].lengths[number % 4] = Float(one.length)
      all[number / 4].slopes[number % 4] = Float(one.slope)
    }
    return all
  }
}
