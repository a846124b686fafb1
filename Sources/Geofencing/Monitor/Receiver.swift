import CivilTime
import Geodesy

/// A receiver as the owner of the monitor numbers it.
package struct ReceiverID: Hashable, Sendable {
  package var feed: Int
  /// Of one feed: the datagram's sender, the device of gpsd; 0 where there is one only.
  package var sender: UInt64
  package var device: UInt64

  package init(feed: Int = 0, sender: UInt64 = 0, device: UInt64 = 0) {
    self.feed = feed
    self.sender = sender
    self.device = device
  }
}

/// State of a receiver: its last samples, its motion, its rest, and what its claims are worth.
struct Receiver {
  /// From such a gap on, nobody knows whether the device has rested.
  private static let longestGap = 900.0

  private(set) var noise = ReceiverNoise()
  private var motion = MotionDetector()
  private var rest = RestSegment()

  /// The newest sample that was believed.
  private(set) var last: LocatedSample?
  /// Where the believed sample before it was, and when.
  private(set) var earlier: Waypoint?
  /// Whether the leg between those two was short and plausible.
  private(set) var earlierConnected = false
  /// The usual seconds between its samples, a mean of the last few; 0 before the second one.
  private var usualInterval = 0.0
  /// Seconds between its last two samples; 0 before the second one.
  private var lastInterval = 0.0
  /// A jump at an implausible speed, until later samples bear it out or not.
  private var suspect: LocatedSample?
  private var suspectCount = 0

  /// The 95 % error of the last sample by the receiver's scale, metres.
  private(set) var error = 0.0
  private(set) var isMoving = false
  /// Whether the device has rested for five minutes.
  private(set) var isSettled = false

  init() {}

  /// A receiver that takes over, new or known from earlier, in the place of another.
  ///
  /// Its scale and its own trail stay. The way from the other receiver's last place to its own is
  /// no motion, and the device goes on resting.
  mutating func takeOver(from other: Receiver) {
    rest = RestSegment(continuing: other.rest)
    last = nil
    earlier = nil
    lastInterval = 0
    earlierConnected = false
    suspect = nil
    isMoving = other.isMoving
    isSettled = other.isSettled
    error = other.error
  }

  /// The receiver without its track, after its times disagree.
  func withoutTrack() -> Receiver {
    var fresh = Receiver()
    fresh.noise = noise
    return fresh
  }

  /// Seconds between its samples; 0 before the second one. The last interval counts if it was
  /// longer than the usual one: a phone that saves power reports less often from then on.
  var interval: Double { max(usualInterval, lastInterval) }

  /// Whether the last sample is an implausible jump that the next one has to bear out.
  var isInDoubt: Bool { suspect != nil }

  /// The judgement of a sample.
  enum Belief {
    /// It continues the way from the last one.
    case follows
    /// It is the first one, or jumps as a later one or two have borne out.
    case anew
    case setAside
  }

  /// Believes a sample at a plausible distance from the last one.
  @inline(__always)
  mutating func believe() -> Belief {
    guard last != nil else { return .anew }
    suspect = nil
    return .follows
  }

  /// Judges an implausible jump by the samples set aside before it.
  @inline(never)
  mutating func judgeJump(_ sample: LocatedSample, _ policy: MonitorPolicy) -> Belief {
    // Three in a row that agree with nothing: faster than is plausible, but no outlier.
    if let suspect, policy.isPlausible(from: suspect, to: sample) || suspectCount >= 2 {
      self.suspect = nil
      return .anew
    }
    suspectCount = suspect == nil ? 1 : suspectCount + 1
    suspect = sample
    return .setAside
  }

  /// Updates motion, rest and scale by a believed sample.
  /// - Parameters:
  ///   - claim: its claimed or assumed error, metres, 95 %.
  ///   - step: the square of the way from the last sample, in radii; 0 for the first.
  ///   - interval: seconds since then; 0 for the first.
  @inline(__always)
  mutating func follow(
    _ sample: LocatedSample, claim: Double, step: Double, after interval: Double, isAnew: Bool
  ) {
    let time = sample.sample.time
    if isAnew, last != nil { rest.end(at: time) }
    error = noise.scale * claim
    let speed = sample.sample.speed
    let limit = MotionDetector.limit(error: error, hasSpeed: MotionDetector.isKnown(speed))
    isMoving = motion.follow(
      sample.place, at: time, speed: speed, after: interval, step: step, limit: limit,
      isAtRest: rest.isSettled(at: time) && rest.isNear(sample.place, within: limit))
    if isMoving || interval > Self.longestGap {
      rest.end(at: time)
    } else if let square = rest.add(
      sample.place, at: time, after: interval, claim: claim, error: error)
    {
      noise.learn(square: square)
    }
    isSettled = rest.isSettled(at: time)
  }

  @inline(__always)
  mutating func remember(_ sample: LocatedSample, after gap: Double, connected: Bool) {
    if let last {
      earlier = Waypoint(time: last.sample.time, place: last.place)
      lastInterval = gap
      usualInterval =
        usualInterval > 0
        ? usualInterval + 0.125 * (min(gap, 3 * usualInterval) - usualInterval) : gap
    }
    earlierConnected = connected
    last = sample
  }
}

/// Where the receiver was, and when.
struct Waypoint {
  var time: Instant
  var place: Vector
}

/// A sample with the vector of its position.
struct LocatedSample {
  let sample: PositionSample
  let place: Vector

  @inline(__always)
  init(_ sample: PositionSample) {
    self.sample = sample
    place = Vector(sample.position)
  }
}

extension Vector {
  /// Whether the way on the ground between two places is longer than `metres`.
  /// - Parameter chordSquared: the square of the straight line between them, in radii.
  @inline(__always)
  static func isFarther(chordSquared: Double, than metres: Double) -> Bool {
    let squared = chordSquared * (Sphere.radius * Sphere.radius)
    if squared > metres * metres || metres <= 0 { return squared > 0 || metres < 0 }
    // Up to 300 km the way on the ground is longer than the straight line by less than a
    // ten-thousandth.
    let nearly = metres * 0.9999
    if squared <= 9e10, squared <= nearly * nearly { return false }
    return distance(chordSquared: chordSquared) > metres
  }
}
