import CivilTime
import Geodesy

/// Distinguishes motion from the scatter of a receiver at rest.
///
/// A device moves if its receiver claims a speed for some seconds and the positions confirm half of
/// that way. It also moves if it is displaced by more than the error explains, even without the
/// largest single step: a jump to a reflection is one step. All is stored in place; a sample costs
/// one or two distances, whether the device moves or rests.
struct MotionDetector {
  /// One each eight seconds, nine of them: a minute, and the next point while the last one ages.
  private struct TrailPoint {
    var time = Instant(microseconds: 0)
    var place = Vector(x: 0, y: 0, z: 0)
    /// The way by the claimed speeds until then, metres.
    var claimedWay = 0.0
    /// The square of the largest step after it until the newest point, in radii.
    var largestStep = 0.0
  }

  private static let capacity = 9
  /// As long as the interval is shorter, no limit in intervals counts; seconds.
  private static let shortInterval = 7.0
  /// Eight seconds, less the jitter of a receiver.
  private static let spacing = TimeSpan(microseconds: 7_990_000)
  /// A displacement counts within this time, or within 3.2 intervals of a slow receiver.
  private static let reach = TimeSpan(microseconds: 64_000_000)
  private static let reachInIntervals = 3.2
  /// A claimed speed counts from a metre a second on, a slow walk, after this time.
  private static let walkingSpeed = 1.0
  private static let claimTime = TimeSpan(microseconds: 8_000_000)
  /// The confirming way is measured over these ages, or up to 2.2 intervals.
  private static let youngestWay = TimeSpan(microseconds: 4_000_000)
  private static let oldestWay = TimeSpan(microseconds: 16_000_000)
  private static let wayInIntervals = 2.2
  /// The confirming way, metres, and as a fraction of the claimed one.
  private static let leastWay = 4.0
  private static let wayOfClaimed = 0.5
  /// Speeds are averaged over a second, less a jitter: at 10 Hz single ones dip.
  private static let averaging = TimeSpan(microseconds: 950_000)
  /// The displacement, metres, and as a multiple of the error. A receiver with a speed that claims
  /// to stand is believed farther.
  private static let displacement = 50.0
  private static let displacementWithSpeed = 150.0
  private static let displacementOfError = 3.0

  /// An array, though of a fixed length: reading an `InlineArray` copies it (Swift 6.3).
  private var points = [TrailPoint](repeating: TrailPoint(), count: MotionDetector.capacity)
  private var count = 0
  private var next = 0
  private var due = Instant(microseconds: .min)
  /// The square of the largest step since the newest point, in radii.
  private var largestStep = 0.0
  /// From the newest point to the farthest one, in radii; negative until it is needed.
  private var spread = -1.0

  private var claimedWay = 0.0
  /// When the claimed speed was last too slow or unknown.
  private var slow = Instant(microseconds: .min)
  private var averagingSince = Instant(microseconds: .min)
  private var speeds = (sum: 0.0, count: 0.0)

  /// The displacement, in radii, from which on a device moves.
  /// - Parameter error: 95 %, metres, by the receiver's scale.
  @inline(__always)
  static func limit(error: Double, hasSpeed: Bool) -> Double {
    max(displacementOfError * error, hasSpeed ? displacementWithSpeed : displacement)
      * (1 / Sphere.radius)
  }

  /// Follows a sample; returns whether the device moves.
  ///
  /// - Parameters:
  ///   - interval: seconds since the sample before; 0 for the first.
  ///   - step: the square of the way from there, in radii.
  ///   - limit: `limit(error:hasSpeed:)`.
  ///   - isAtRest: whether the device has rested for a while, and the place is within the limit.
  @inline(__always)
  mutating func follow(
    _ place: Vector, at time: Instant, speed: Double?, after interval: Double, step: Double,
    limit: Double, isAtRest: Bool
  ) -> Bool {
    if step > largestStep { largestStep = step }
    let isMoving =
      takeSpeed(speed, at: time, after: interval)
      && hasMadeWay(place, at: time, after: interval)
      || !isAtRest && isDisplaced(to: place, at: time, after: interval, by: limit)
    if time >= due { append(place, at: time) }
    return isMoving
  }

  /// Returns whether a walk or more has been claimed for eight seconds.
  @inline(__always)
  private mutating func takeSpeed(
    _ speed: Double?, at time: Instant, after interval: Double
  ) -> Bool {
    guard let speed, Self.isKnown(speed) else {
      slow = time
      averagingSince = time
      speeds = (0, 0)
      return false
    }
    if count == 0 { slow = time }
    claimedWay += speed * min(interval, 60)
    speeds.sum += speed
    speeds.count += 1
    if time - averagingSince >= Self.averaging {
      if speeds.sum < Self.walkingSpeed * speeds.count { slow = time }
      averagingSince = time
      speeds = (0, 0)
    }
    return time - slow >= Self.claimTime
  }

  @inline(__always)
  static func isKnown(_ speed: Double?) -> Bool { speed.map { $0 >= 0 && $0 < .infinity } ?? false }

  /// The longer of a time and so many intervals.
  @inline(__always)
  private static func limit(_ time: TimeSpan, _ count: Double, _ interval: Double) -> TimeSpan {
    interval < shortInterval ? time : max(time, .seconds(count * interval))
  }

  /// Whether half of the claimed way was made.
  private func hasMadeWay(_ place: Vector, at time: Instant, after interval: Double) -> Bool {
    let oldest = Self.limit(Self.oldestWay, Self.wayInIntervals, interval)
    var index = next
    for _ in 0..<count {
      index = (index == 0 ? Self.capacity : index) - 1
      let since = points[index].time
      let age = time - since
      guard age <= oldest, since >= slow else { return false }
      guard age >= Self.youngestWay else { continue }
      let claimed = claimedWay - points[index].claimedWay
      let chord = max(Self.leastWay, Self.wayOfClaimed * claimed) * (1 / Sphere.radius)
      if points[index].place.chordSquared(to: place) >= chord * chord { return true }
    }
    return false
  }

  /// Whether a place is farther than `limit`, in radii, from where the device was within the last
  /// minute, without the largest step since.
  @inline(__always)
  private mutating func isDisplaced(
    to place: Vector, at time: Instant, after interval: Double, by limit: Double
  ) -> Bool {
    guard count > 0 else { return false }
    let reach = Self.limit(Self.reach, Self.reachInIntervals, interval)
    // The oldest first: on a way it is the farthest.
    let oldest = count < Self.capacity ? 0 : next
    let second = oldest + 1 == Self.capacity ? 0 : oldest + 1
    let first = count > 1 && time - points[oldest].time > reach ? second : oldest
    if isDisplaced(to: place, from: first, at: time, within: reach, by: limit) { return true }
    if spread < 0 { measureSpread() }
    let newest = (next == 0 ? Self.capacity : next) - 1
    let slack = limit - spread
    // The distance to each point is at most that to the newest one, and the spread.
    if slack > 0, points[newest].place.chordSquared(to: place) <= slack * slack { return false }
    for index in 0..<count
    where isDisplaced(to: place, from: index, at: time, within: reach, by: limit) {
      return true
    }
    return false
  }

  @inline(__always)
  private func isDisplaced(
    to place: Vector, from index: Int, at time: Instant, within reach: TimeSpan, by limit: Double
  ) -> Bool {
    guard time - points[index].time <= reach else { return false }
    let distance = points[index].place.chordSquared(to: place)
    let step = max(points[index].largestStep, largestStep)
    // (limit + step)² is at most twice the sum of the squares, and at least the sum.
    let squares = limit * limit + step
    guard distance > squares else { return false }
    return distance > 2 * squares || distance.squareRoot() - step.squareRoot() > limit
  }

  @inline(never)
  private mutating func append(_ place: Vector, at time: Instant) {
    for index in 0..<count where points[index].largestStep < largestStep {
      points[index].largestStep = largestStep
    }
    points[next] = TrailPoint(time: time, place: place, claimedWay: claimedWay, largestStep: 0)
    largestStep = 0
    spread = -1
    next = next + 1 == Self.capacity ? 0 : next + 1
    count = min(count + 1, Self.capacity)
    due = time + Self.spacing
  }

  @inline(never)
  private mutating func measureSpread() {
    let newest = points[(next == 0 ? Self.capacity : next) - 1].place
    var farthest = 0.0
    for index in 0..<count {
      farthest = max(farthest, points[index].place.chordSquared(to: newest))
    }
    spread = farthest.squareRoot()
  }
}
