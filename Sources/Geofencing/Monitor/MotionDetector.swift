import CivilTime
import Geodesy

/// Distinguishes motion from the scatter of a receiver at rest.
///
/// A device moves if its receiver claims a speed for some seconds and the positions confirm half of
/// that way, or if it is displaced by more than the error explains, even without the largest single
/// step: a jump to a reflection is one step. All is stored in place; a sample costs one or two
/// distances.
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
  /// Eight seconds, less the jitter of a receiver.
  private static let spacing = TimeSpan.seconds(7.99)
  /// A displacement counts within this time, or within 3.2 intervals of a slow receiver.
  private static let reach = TimeSpan.seconds(64)
  private static let reachInIntervals = 3.2
  /// A claimed speed counts from a metre a second on, a slow walk, after this time.
  private static let walkingSpeed = 1.0
  private static let claimTime = TimeSpan.seconds(8)
  /// The confirming way is measured over these ages, or up to 2.2 intervals.
  private static let wayAges = TimeSpan.seconds(4)...TimeSpan.seconds(16)
  private static let wayInIntervals = 2.2
  /// The confirming way, metres, and as a fraction of the claimed one.
  private static let leastWay = 4.0
  private static let wayOfClaimed = 0.5
  /// Speeds are averaged over a second, less a jitter: at 10 Hz single ones dip.
  private static let averaging = TimeSpan.seconds(0.95)
  /// The displacement, metres, and as a multiple of the error. A receiver with a speed that claims
  /// to stand is believed farther.
  private static let displacement = 50.0
  private static let displacementWithSpeed = 150.0
  private static let displacementOfError = 3.0

  private var points = InlineArray<9, TrailPoint>(repeating: TrailPoint())
  private var count = 0
  private var next = 0
  private var due = Instant(microseconds: .min)
  /// The square of the largest step since the newest point, in radii.
  private var largestStep = 0.0
  /// From the newest point to the farthest one, in radii.
  private var spread = 0.0

  private var claimedWay = 0.0
  /// When the claimed speed was last too slow or unknown.
  private var slow = Instant(microseconds: .min)
  private var averagingSince = Instant(microseconds: .min)
  private var speeds = (sum: 0.0, count: 0.0)

  /// Follows a sample; returns whether the device moves.
  ///
  /// - Parameters:
  ///   - interval: seconds since the sample before; 0 for the first.
  ///   - step: the square of the way from there in radii; 0 for the first.
  ///   - error: 95 %, metres, by the receiver's scale.
  ///   - rest: as it was before this sample.
  @inline(__always)
  mutating func follow(
    _ sample: LocatedSample, after interval: Double, step: Double, error: Double,
    rest: RestSegment
  ) -> Bool {
    let time = sample.sample.time
    if step > largestStep { largestStep = step }
    let hasSpeed = takeSpeed(sample.sample.speed, at: time, after: interval)
    let isMoving =
      (hasSpeed && hasMadeWay(sample.place, at: time, after: interval))
      || isDisplaced(
        to: sample.place, at: time, after: interval,
        by: max(
          Self.displacementOfError * error,
          hasSpeed ? Self.displacementWithSpeed : Self.displacement) / Sphere.radius, rest: rest)
    if time >= due { append(sample.place, at: time) }
    return isMoving
  }

  /// Returns whether the sample has a speed.
  @inline(__always)
  private mutating func takeSpeed(
    _ speed: Double?, at time: Instant, after interval: Double
  ) -> Bool {
    guard let speed, speed >= 0, speed < .infinity else {
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
    return true
  }

  /// Whether a walk or more has been claimed for eight seconds, and half of that way was made.
  private func hasMadeWay(_ place: Vector, at time: Instant, after interval: Double) -> Bool {
    guard time - slow >= Self.claimTime else { return false }
    let oldest = max(Self.wayAges.upperBound.seconds, Self.wayInIntervals * interval)
    for index in 0..<count {
      let point = points[index]
      let age = time - point.time
      guard point.time >= slow, age >= Self.wayAges.lowerBound, age.seconds <= oldest else {
        continue
      }
      let way = max(Self.leastWay, Self.wayOfClaimed * (claimedWay - point.claimedWay))
      let chord = way / Sphere.radius
      if point.place.chordSquared(to: place) >= chord * chord { return true }
    }
    return false
  }

  /// Whether a place is farther than `limit`, in radii, from where the device was within the last
  /// minute, without the largest step since.
  @inline(__always)
  private func isDisplaced(
    to place: Vector, at time: Instant, after interval: Double, by limit: Double, rest: RestSegment
  ) -> Bool {
    guard count > 0 else { return false }
    if rest.isSettled(at: time), rest.isNear(place, within: limit) == true { return false }
    let newest = points[next == 0 ? Self.capacity - 1 : next - 1]
    let slack = limit - spread
    // The distance to each point is at most that to the newest one, and the spread.
    if slack > 0, newest.place.chordSquared(to: place) <= slack * slack { return false }
    return isDisplacedFromTrail(place, at: time, after: interval, by: limit)
  }

  private func isDisplacedFromTrail(
    _ place: Vector, at time: Instant, after interval: Double, by limit: Double
  ) -> Bool {
    let reach = max(Self.reach.seconds, Self.reachInIntervals * interval)
    // The oldest first: on a way it is the farthest.
    var index = count < Self.capacity ? 0 : next
    for _ in 0..<count {
      let point = points[index]
      index = index + 1 == Self.capacity ? 0 : index + 1
      guard (time - point.time).seconds <= reach else { continue }
      let distance = point.place.chordSquared(to: place)
      let step = max(point.largestStep, largestStep)
      // (limit + step)² is at most twice the sum of the squares, and at least the sum.
      let squares = limit * limit + step
      if distance > 2 * squares { return true }
      if distance > squares, distance.squareRoot() - step.squareRoot() > limit { return true }
    }
    return false
  }

  @inline(never)
  private mutating func append(_ place: Vector, at time: Instant) {
    var farthest = 0.0
    points[next] = TrailPoint(time: time, place: place, claimedWay: claimedWay, largestStep: 0)
    for index in 0..<count where index != next {
      points[index].largestStep = max(points[index].largestStep, largestStep)
      farthest = max(farthest, points[index].place.chordSquared(to: place))
    }
    largestStep = 0
    spread = farthest.squareRoot()
    next = next + 1 == Self.capacity ? 0 : next + 1
    count = min(count + 1, Self.capacity)
    due = time + Self.spacing
  }
}
