import CivilTime
import Geodesy

/// A stay of the receiver at one place: since when, around which mean, and how much it scatters.
struct RestSegment {
  /// From this time on a rest is established: a halt at traffic lights is shorter.
  private static let settling = TimeSpan(microseconds: 300_000_000)
  /// From this time on the mean is good enough to measure the scatter around it.
  private static let learning = TimeSpan(microseconds: 600_000_000)
  private static let block = TimeSpan(microseconds: 60_000_000)
  /// Seconds that one sample may stand for: at 10 Hz and after a gap.
  private static let leastWeight = 0.1
  private static let largestWeight = 60.0
  /// The mean follows the last two hours, seconds.
  private static let memory = 7_200.0
  /// The 95 % radius over the standard deviation of both axes, squared: 2.45² / 2.
  private static let squareOfError = 3.0
  /// The scatter is clipped at this multiple of the error: a reflection is not noise.
  private static let clip = 3.0
  /// A block whose mean is farther than this multiple of the error from the mean of the rest shows
  /// another place.
  private static let shift = 2.0

  /// When it began; the latest time before the first sample.
  private(set) var since = Instant(microseconds: .max)
  /// The weighted mean of the places.
  private(set) var mean = Vector(x: 0, y: 0, z: 0)
  /// Seconds in the mean.
  private var weight = 0.0

  /// The block of a minute in progress; the latest time for none.
  private var blockStart = Instant(microseconds: .max)
  private var blockWeight = 0.0
  private var blockSum = Vector(x: 0, y: 0, z: 0)
  /// Sums over the block: the squares of the distances from the mean, in radii of the Earth, and of
  /// the claimed errors, in metres.
  private var scatter = 0.0
  private var claims = 0.0

  init() {}

  /// The rest that another receiver has seen: a takeover is no motion.
  init(continuing other: RestSegment) { since = other.since }

  /// Whether the device has rested for five minutes.
  @inline(__always)
  func isSettled(at time: Instant) -> Bool { time - since >= Self.settling }

  /// Whether there is a mean, and a place is within a distance of it, in radii.
  @inline(__always)
  func isNear(_ place: Vector, within chord: Double) -> Bool {
    weight > 0 && mean.chordSquared(to: place) <= chord * chord
  }

  /// Ends the rest: the device moved, or nobody knows. A new one may begin here.
  @inline(__always)
  mutating func end(at time: Instant) {
    since = time
    weight = 0
    blockStart = Instant(microseconds: .max)
  }

  /// Adds a sample at rest.
  ///
  /// - Parameters:
  ///   - interval: seconds since the sample before; 0 for the first.
  ///   - claim: the claimed error, metres, 95 %.
  ///   - error: the same by the receiver's scale.
  /// - Returns: at the end of a minute of an established rest, the square of the true error as a
  ///   multiple of the claimed one.
  mutating func add(
    _ place: Vector, at time: Instant, after interval: Double, claim: Double, error: Double
  ) -> Double? {
    if since > time { since = time }
    let seconds = min(max(interval, Self.leastWeight), Self.largestWeight)
    if weight > 0 {
      if blockStart > time { beginBlock(at: time) }
      let clip = Self.clip * error * (1 / Sphere.radius)
      blockWeight += seconds
      scatter += seconds * min(mean.chordSquared(to: place), clip * clip)
      claims += seconds * claim * claim
      blockSum = blockSum + seconds * place
    }
    weight = min(weight + seconds, Self.memory)
    mean = mean + (seconds / weight) * (place - mean)
    guard time - blockStart >= Self.block else { return nil }
    return endBlock(at: time, error: error)
  }

  private mutating func beginBlock(at time: Instant) {
    blockStart = time
    blockWeight = 0
    blockSum = Vector(x: 0, y: 0, z: 0)
    scatter = 0
    claims = 0
  }

  private mutating func endBlock(at time: Instant, error: Double) -> Double? {
    blockStart = Instant(microseconds: .max)
    let shift = ((1 / blockWeight) * blockSum - mean).length * Sphere.radius
    guard shift <= Self.shift * error else {
      end(at: time)
      return nil
    }
    guard time - since >= Self.learning else { return nil }
    return Self.squareOfError * scatter * (Sphere.radius * Sphere.radius) / claims
  }
}
