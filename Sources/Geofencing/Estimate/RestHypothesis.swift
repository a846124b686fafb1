import CivilTime
import Containers
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

  /// The fixes away from a place of rest: their number, since when, seconds that the first one
  /// stands for, and the least variance of the track meanwhile.
  private var away = (count: 0, since: Instant(microseconds: 0), step: 0.0, variance: 0.0)
  /// How long the device has been away, seconds.
  private var awayFor = 0.0

  init(at place: Vector, variance: Double, time: Instant) {
    self.place = place
    self.variance = variance
    spread = variance
    since = time
  }

  /// Weighs a fix that the track has taken in.
  /// - Parameters:
  ///   - speedOdds: the logarithm of the odds of motion by claimed speeds.
  ///   - fixVariance: of the fix, m².
  ///   - step: since the fix before it.
  ///   - interval: the usual seconds between fixes.
  @inline(__always)
  mutating func weigh(
    _ track: MotionTrack, speedOdds: Double, _ fix: Vector, _ fixVariance: Double,
    at time: Instant, after step: TimeStep, interval: Double
  ) {
    let rested = (time - since).seconds
    let square = (track.place - place).squareMetres
    let total = track.variance + variance
    var isRuledOut = false
    if isEstablished {
      if away.count > 0 || square >= 4 * total {
        followAbsence(square, total, track.variance, at: time, step.seconds, interval)
      }
      isRuledOut = square > 2 * total && isMotion(square, total, speedOdds)
    } else {
      // The time in which a way at the slowest pace would have shown, squared.
      let needed = Self.settling * Self.settling / (Self.creep * Self.creep) * total
      let isShort = rested * rested < needed
      let isFar = isShort || square > Self.creep * Self.creep * rested * rested
      if isFar && square > 6 * total || speedOdds > 4 {
        isRuledOut = true
      } else if !isShort, square < 4 * total {
        isEstablished = true
        away.count = 0
      }
    }
    if isRuledOut {
      // The search for a rest at another place begins.
      self = RestHypothesis(at: track.place, variance: fixVariance, time: time)
    }
    if square < 9 * total || !isEstablished { average(fix, fixVariance, step) }
  }

  /// Whether the odds of motion have turned.
  @inline(never)
  private func isMotion(_ square: Double, _ total: Double, _ speed: Double) -> Bool {
    let distance = square.squareRoot()
    var far = min(distance / Self.reach, Self.reachLimit)
    if away.count >= Self.run { far = max(far, min(distance / Self.runReach, Self.runLimit)) }
    return min(square / total / 2, far + awayFor / Self.duration) + speed >= Self.odds
  }

  /// How long the device has been away. One fix alone proves nothing, unless the receiver is slow
  /// and it is far away.
  @inline(never)
  private mutating func followAbsence(
    _ square: Double, _ total: Double, _ trackVariance: Double, at time: Instant, _ gap: Double,
    _ interval: Double
  ) {
    if away.count > 0 { away.variance = min(away.variance, trackVariance) }
    guard square >= 4 * (away.count > 0 ? away.variance + variance : total) else {
      away.count = 0
      awayFor = 0
      return
    }
    if away.count == 0 {
      away = (1, time, min(gap, 60), trackVariance)
      let silence = min(gap, interval) - Self.silence
      awayFor = square > Self.wild * Self.wild ? max(0, silence) : 0
    } else {
      away.count += 1
      awayFor = (time - away.since).seconds + away.step
    }
  }

  @inline(__always)
  private mutating func average(_ fix: Vector, _ fixVariance: Double, _ step: TimeStep) {
    let own = spread + max(0, variance - fixVariance)
    // A fix that is worse than the others moves the mean by less.
    var least = step.weight * (1 / Self.memory)
    if variance < fixVariance { least *= variance / fixVariance }
    let k = max(own / (own + fixVariance * step.perMinute), least)
    place = (place + k * (fix - place)).onSphere
    spread *= 1 - k
    variance += k * (fixVariance - variance)
  }
}

extension RestHypothesis {
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&place)
    tape.pass(&since)
    tape.pass(&isEstablished)
    tape.pass(&variance)
    tape.pass(&spread)
    tape.pass(&away.count)
    tape.pass(&away.since)
    tape.pass(&away.step)
    tape.pass(&away.variance)
    tape.pass(&awayFor)
  }
}
