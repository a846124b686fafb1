import CivilTime
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
  /// The claim, 95 %, of a fix without one, metres.
  private static let assumedClaim = 20.0
  private static let largestClaim = 1e7
  /// The largest claimed speed that counts, m/s.
  private static let fastestClaim = 1_000.0
  /// The 95 % radius of a normal distribution in the plane over its standard deviation of an axis.
  static let sigmasOfError = 2.45
  /// No standard deviation is below this, metres an axis.
  private static let leastSigma = 3.0
  /// Seconds of rest before its scatter counts.
  private static let learningAfter = 300.0

  private var track: MotionTrack
  private(set) var rest: RestHypothesis
  private var speed = SpeedEvidence()
  private var time: Instant
  /// A run of fixes that contradict the track.
  private var run: Run?
  /// The usual seconds between fixes, a mean of the last few; 0 before the second one.
  private(set) var interval = 0.0
  /// Seconds between the last two fixes.
  private(set) var lastGap = 0.0
  /// Whether the place owes nothing to fixes before the last one.
  private(set) var isLone = true

  private struct Run {
    let start: Vector
    let since: Instant
    var place: Vector
    var time: Instant
  }

  /// Begins with a first fix.
  init(_ place: Vector, _ sample: PositionSample, _ noise: ReceiverNoise) {
    let variance = Self.variance(Self.claim(of: sample), noise)
    track = MotionTrack(at: place, variance: variance)
    rest = RestHypothesis(at: place, variance: variance, time: sample.time)
    time = sample.time
    if let claimed = Self.speed(of: sample) { track.correct(bySpeed: claimed) }
  }

  /// The believed place.
  var place: Vector { rest.isEstablished ? rest.place : track.place }

  /// Its standard deviation an axis, metres.
  var sigma: Double {
    (rest.isEstablished ? rest.variance : track.variance).squareRoot()
  }

  /// Whether the last fix contradicts the track and waits for others.
  var isInDoubt: Bool { run != nil }

  enum Belief {
    case follows
    /// It ends a run of fixes that contradicted the track, and are believed now.
    case jumps
    case setAside
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

  /// Takes in a fix newer than the one before.
  /// - Parameters:
  ///   - noise: of its receiver; learns from it.
  ///   - fastest: the fastest that the device can plausibly go, m/s.
  mutating func follow(
    _ fix: Vector, _ sample: PositionSample, _ noise: inout ReceiverNoise, fastest: Double
  ) -> Belief {
    let claim = Self.claim(of: sample)
    let variance = Self.variance(claim, noise)
    let gap = (sample.time - time).seconds
    let before = track.place
    var next = track.predicted(after: gap)
    let oddness = next.oddness(of: fix, variance: variance)
    var weight = 0.0
    let jumps = oddness > Self.gate * Self.gate
    if jumps {
      guard let start = extendRun(fix, sample.time, oddness, variance.squareRoot(), fastest)
      else { return .setAside }
      next.restart(
        at: fix, variance: variance, from: start.place, after: (sample.time - start.time).seconds)
    } else {
      weight = next.correct(by: fix, variance: variance)
    }
    run = nil
    time = sample.time
    track = next
    let claimedSpeed = Self.speed(of: sample)
    if let claimedSpeed { track.correct(bySpeed: claimedSpeed) }
    speed.add(claimedSpeed, step: track.place - before, after: gap)
    isLone = weight > 0.9 && interval < RestHypothesis.silence
    lastGap = gap
    interval = interval == 0 ? gap : interval + 0.3 * (min(gap, 4 * interval) - interval)
    if jumps {
      // As many fixes as bear out a jump are more evidence than a rest needs.
      rest = RestHypothesis(at: fix, variance: variance, time: sample.time)
    } else {
      rest.weigh(
        track,
        RestHypothesis.Evidence(
          time: sample.time, gap: gap, interval: interval, fix: fix, fixVariance: variance,
          speed: speed.odds))
    }
    if rest.isEstablished {
      isLone = false
      noise.observe(
        distance: fix.metres(to: rest.place), claim: claim, seconds: min(max(gap, 0.1), 60),
        counts: (sample.time - rest.since).seconds > Self.learningAfter)
    } else {
      noise.interrupt()
    }
    return jumps ? .jumps : .follows
  }

  /// Adds a fix that contradicts the track to the run of such fixes. Returns where and when the run
  /// began if it is believed now.
  private mutating func extendRun(
    _ fix: Vector, _ now: Instant, _ oddness: Double, _ sigma: Double, _ fastest: Double
  ) -> (place: Vector, time: Instant)? {
    let reach = Self.gate * (sigma + Self.leastSigma)
    guard var run, fix.metres(to: run.place) <= reach + fastest * (now - run.time).seconds else {
      run = Run(start: fix, since: now, place: fix, time: now)
      return nil
    }
    (run.place, run.time) = (fix, now)
    self.run = run
    let isBorneOut = (now - run.since).seconds >= Self.runLength * log(1 + oddness)
    return isBorneOut ? (run.start, run.since) : nil
  }
}
