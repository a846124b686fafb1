import CivilTime
import Geodesy

/// The hypothesis that the device is at rest: the fixes scatter around one place.
///
/// Rest is left when the odds of motion turn: by how far the track is from the place of rest, how
/// long, and what the receiver claims of its speed. It begins after the time in which a way at the
/// slowest pace would have shown.
struct RestHypothesis {
  /// The odds (natural logarithm) against motion.
  private static let odds = 8.5
  /// The mean reach of a reflection, metres, and the most evidence from distance alone.
  private static let reach = 15.0
  private static let reachLimit = 5.0
  /// The same of a run of so many fixes: no reflection is as long and as far.
  private static let runReach = 25.0
  private static let runLimit = 10.0
  private static let run = 3
  /// The mean length of a reflection, seconds.
  private static let duration = 30.0
  /// Seconds without a fix in which a departure may hide.
  static let silence = 300.0
  /// Wrong positions of networks are nearer than this, metres: a single fix beyond it may be true.
  private static let wild = 800.0
  /// Slower is no motion, m/s.
  private static let creep = 0.3
  /// Standard deviations of way at the slowest pace that would have shown.
  private static let settling = 1.5
  /// The mean follows the last two hours, seconds.
  private static let memory = 7_200.0

  /// The mean of the fixes, or where the track was when rest was last ruled out.
  private(set) var place: Vector
  private(set) var since: Instant
  /// Whether the device is believed to be at rest.
  private(set) var isEstablished = false
  /// The variance of a fix there, m²: what all fixes of a place have in common (reflections, a
  /// wrong claim) no averaging removes.
  private(set) var variance: Double
  /// The variance of the mean without that.
  private var spread: Double

  /// The fixes away from the place: their number, since when, seconds that the first one stands
  /// for, and the least variance of the track meanwhile.
  private var away = (count: 0, since: Instant(microseconds: 0), step: 0.0, variance: 0.0)
  /// How long the device has been away, seconds.
  private var awayFor = 0.0

  init(at place: Vector, variance: Double, time: Instant) {
    self.place = place
    self.variance = variance
    spread = variance
    since = time
  }

  /// Begins the search for a rest at another place.
  private mutating func restart(_ place: Vector, _ variance: Double, _ time: Instant) {
    self = RestHypothesis(at: place, variance: variance, time: time)
  }

  /// A fix that the track has taken in.
  struct Evidence {
    let time: Instant
    /// Seconds since the fix before it, and the usual ones.
    let gap: Double
    let interval: Double
    let fix: Vector
    /// The variance of the fix, m².
    let fixVariance: Double
    /// The logarithm of the odds of motion by claimed speeds.
    let speed: Double
  }

  /// Weighs a fix.
  mutating func weigh(_ track: MotionTrack, _ evidence: Evidence) {
    let rested = (evidence.time - since).seconds
    let distance = place.metres(to: track.place)
    let total = track.variance + variance
    let z2 = distance * distance / total
    followAbsence(distance: distance, z2: z2, track.variance, evidence)
    var far = min(distance / Self.reach, Self.reachLimit)
    if away.count >= Self.run { far = max(far, min(distance / Self.runReach, Self.runLimit)) }
    far += awayFor / Self.duration
    if isEstablished {
      if min(z2 / 2, far) + evidence.speed >= Self.odds, z2 > 2 {
        restart(track.place, evidence.fixVariance, evidence.time)
      }
    } else {
      let needed = Self.settling * total.squareRoot() / Self.creep
      if z2 > 6 && (distance > Self.creep * rested || rested < needed) || evidence.speed > 4 {
        restart(track.place, evidence.fixVariance, evidence.time)
      } else if rested >= needed, z2 < 4 {
        isEstablished = true
        away.count = 0
      }
    }
    if z2 < 9 || !isEstablished { average(evidence, rested: rested) }
  }

  /// How long the device has been away. One fix alone proves nothing, unless the receiver is slow
  /// and it is far away.
  private mutating func followAbsence(
    distance: Double, z2: Double, _ trackVariance: Double, _ evidence: Evidence
  ) {
    if away.count > 0 { away.variance = min(away.variance, trackVariance) }
    let isBack =
      away.count > 0 ? distance * distance < 4 * (away.variance + variance) : z2 < 4
    guard !isBack else {
      away.count = 0
      awayFor = 0
      return
    }
    if away.count == 0 {
      away = (1, evidence.time, min(evidence.gap, 60), trackVariance)
      let silence = min(evidence.gap, evidence.interval) - Self.silence
      awayFor = distance > Self.wild ? max(0, silence) : 0
    } else {
      away.count += 1
      awayFor = (evidence.time - away.since).seconds + away.step
    }
  }

  private mutating func average(_ evidence: Evidence, rested: Double) {
    guard rested > 0 else { return }
    let gap = max(evidence.gap, 0.1)
    let own = spread + max(0, variance - evidence.fixVariance)
    // A fix that is worse than the others moves the mean by less.
    let least = min(gap, 60) / Self.memory * min(1, variance / evidence.fixVariance)
    let k = max(own / (own + evidence.fixVariance * max(1, 60 / gap)), least)
    place = (place + k * (evidence.fix - place)).onSphere
    spread *= 1 - k
    variance += k * (evidence.fixVariance - variance)
  }
}
