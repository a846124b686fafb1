import CivilTime
import Containers
import Geodesy
import Glibc

/// Says where the device is and how sure that is, fix by fix.
///
/// It weighs two hypotheses, `MotionTrack` and `RestHypothesis`. A fix that is too far off its
/// prediction waits: a run of such fixes that agree is believed after a time, the longer the odder
/// they are. `docs/explanation/how-it-decides.md` has the model and the sources of its numbers.
struct Estimator {
  /// A fix so many standard deviations off its prediction must be borne out.
  private static let gate = 5.0
  /// The mean length of a run of wrong fixes, seconds.
  private static let runLength = 10.0
  /// Networks repeat an old place beside satellites. A fix of more than so many times the error of
  /// the one before, at most so many intervals and seconds later, must be within so many of its
  /// claims from the track.
  private static let stale = (coarser: 3.0, intervals: 2.0, seconds: 60.0, claims: 2.0)
  /// The claim, 95 %, of a fix without one, metres.
  private static let assumedClaim = 20.0
  private static let largestClaim = 1e7
  /// The largest claimed speed that counts, m/s.
  private static let fastestClaim = 1_000.0
  /// The 95 % radius of a normal distribution in the plane over its standard deviation of an axis.
  static let sigmasOfError = 2.45
  /// No standard deviation is below this, metres an axis.
  private static let leastSigma = 3.0
  /// The time of rest before its scatter counts.
  private static let learningAfter = TimeSpan(microseconds: 300_000_000)

  private var track: MotionTrack
  private var rest: RestHypothesis
  private var speed = SpeedEvidence()
  private var time: Instant
  /// The claim of the last fix that the track has taken in.
  private var formerClaim: Double
  private var step = TimeStep(1)
  /// A run of fixes that contradict the track.
  private var run: (start: Vector, since: Instant, place: Vector, time: Instant)?
  /// Whether the last fix contradicts the track, and waits for others or is stale.
  private(set) var isInDoubt = false
  /// The usual seconds between fixes, a mean of the last few; 0 before the second one.
  private var interval = 0.0
  /// Seconds between the last two fixes that the track has taken in.
  private var lastGap = 0.0

  /// Begins with a first fix.
  init(_ place: Vector, _ sample: PositionSample, _ noise: ReceiverNoise) {
    formerClaim = Self.claim(of: sample)
    let variance = Self.variance(formerClaim, noise)
    track = MotionTrack(at: place, variance: variance)
    rest = RestHypothesis(at: place, variance: variance, time: sample.time)
    time = sample.time
    if let claimed = Self.speed(of: sample) { track.correct(bySpeed: claimed) }
  }

  /// Of no fix.
  static var blank: Estimator {
    let place = Coordinate(clampingLatitude: 0, wrappingLongitude: 0)
    let sample = PositionSample(time: Instant(microseconds: 0), position: place)
    return Estimator(Vector(place), sample, ReceiverNoise())
  }

  /// The present estimate.
  var belief: Belief { belief(isLone: interval == 0) }

  @inline(__always)
  private func belief(
    isLone: Bool, end: Belief.RunEnd? = nil, interval: Double = 0
  ) -> Belief {
    let isGoing = !rest.isEstablished
    return Belief(
      place: isGoing ? track.place : rest.place,
      variance: isGoing ? track.variance : rest.variance,
      restSince: isGoing ? nil : rest.since, isLone: isLone && isGoing, end: end,
      interval: interval)
  }

  /// The error that a sample claims, or the one assumed for a sample without; metres, 95 %.
  static func claim(of sample: PositionSample) -> Double {
    guard let eph = sample.eph, eph > 0 else { return assumedClaim }
    return min(eph, largestClaim)
  }

  private static func variance(_ claim: Double, _ noise: ReceiverNoise) -> Double {
    let sigma = max(leastSigma, noise.scale * claim / sigmasOfError)
    return sigma * sigma
  }

  private static func speed(of sample: PositionSample) -> Double? {
    guard let speed = sample.speed, speed >= 0, speed <= fastestClaim else { return nil }
    return speed
  }

  /// Takes in a fix newer than the one before. Returns nil for a fix that waits for others.
  /// - Parameters:
  ///   - noise: of its receiver; learns from it.
  ///   - fastest: the fastest that the device can plausibly go, m/s.
  @inline(__always)
  mutating func follow(
    _ fix: Vector, _ sample: PositionSample, _ noise: inout ReceiverNoise, fastest: Double
  ) -> Belief? {
    let gap = (sample.time - time).seconds
    let claim = Self.claim(of: sample)
    if claim > Self.stale.coarser * formerClaim, isStale(fix, claim: claim, after: gap) {
      isInDoubt = true
      return nil
    }
    if gap != step.seconds { step = TimeStep(gap) }
    let variance = Self.variance(claim, noise)
    let before = track.place
    var next = track.predicted(after: step)
    let odd = next.oddness(of: fix, variance: variance)
    let jumps = odd.square > Self.gate * Self.gate * odd.of
    var weight = 0.0
    if jumps {
      guard let start = extendRun(fix, sample.time, odd.square / odd.of, variance, fastest)
      else {
        isInDoubt = true
        return nil
      }
      next.restart(
        at: fix, variance: variance, from: start.place, after: (sample.time - start.time).seconds)
    } else {
      weight = next.correct(by: fix, variance: variance)
    }
    let end = isInDoubt ? jumps ? Belief.RunEnd.jump : .outlier : nil
    (run, isInDoubt) = (nil, false)
    (time, formerClaim) = (sample.time, claim)
    let claimedSpeed = Self.speed(of: sample)
    if let claimedSpeed { next.correct(bySpeed: claimedSpeed) }
    track = next
    speed.add(claimedSpeed, way: next.place - before, after: step)
    let isLone = weight > 0.9 && interval < RestHypothesis.silence
    let formerInterval = max(interval, lastGap)
    lastGap = gap
    interval = interval == 0 ? gap : interval + 0.3 * (min(gap, 4 * interval) - interval)
    if jumps {
      // As many fixes as bear out a jump are more evidence than a rest needs.
      rest = RestHypothesis(at: fix, variance: variance, time: sample.time)
    } else {
      rest.weigh(
        next, speedOdds: speed.odds, fix, variance, at: sample.time, after: step,
        interval: interval)
    }
    if rest.isEstablished {
      noise.observe(
        square: (fix - rest.place).squareMetres, claim: claim, seconds: step.weight,
        counts: sample.time - rest.since > Self.learningAfter)
    } else {
      noise.interrupt()
    }
    return belief(isLone: isLone, end: end, interval: formerInterval)
  }

  /// Whether a fix that is much coarser than the one before it contradicts the track.
  private func isStale(_ fix: Vector, claim: Double, after gap: Double) -> Bool {
    let reach = Self.stale.claims * claim
    return gap <= min(Self.stale.intervals * interval, Self.stale.seconds)
      && (fix - track.place).squareMetres > reach * reach
  }

  /// Adds a fix that contradicts the track to the run of such fixes. Returns where and when the run
  /// began if it is believed now.
  @inline(never)
  private mutating func extendRun(
    _ fix: Vector, _ now: Instant, _ oddness: Double, _ variance: Double, _ fastest: Double
  ) -> (place: Vector, time: Instant)? {
    let reach = Self.gate * (variance.squareRoot() + Self.leastSigma)
    guard var run,
      (fix - run.place).squareMetres.squareRoot() <= reach + fastest * (now - run.time).seconds
    else {
      run = (fix, now, fix, now)
      return nil
    }
    (run.place, run.time) = (fix, now)
    self.run = run
    let isBorneOut = (now - run.since).seconds >= Self.runLength * log(1 + oddness)
    return isBorneOut ? (run.start, run.since) : nil
  }
}

extension Estimator {
  mutating func pass(_ tape: inout StateTape) {
    track.pass(&tape)
    rest.pass(&tape)
    speed.pass(&tape)
    tape.pass(&time)
    tape.pass(&formerClaim)
    tape.pass(&interval)
    tape.pass(&lastGap)
    tape.pass(&isInDoubt)
    tape.pass(&run, blank: (track.place, time, track.place, time)) {
      $1.pass(&$0.start)
      $1.pass(&$0.since)
      $1.pass(&$0.place)
      $1.pass(&$0.time)
    }
  }
}
