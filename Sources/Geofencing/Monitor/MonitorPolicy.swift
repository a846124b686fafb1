package import CivilTime
import Geodesy

/// How soon a departure or an arrival is believed: the one choice of people.
package enum Sensitivity: String, CaseIterable, Sendable {
  /// Half the holds, and a margin as narrow as the error.
  case quick
  case normal
  /// Twice the holds and a wider margin: for a receiver indoors or between tall houses.
  case calm
}

/// The numbers behind the decisions of a `FenceMonitor`. All lengths are metres.
package struct MonitorPolicy: Equatable, Sendable {
  package var sensitivity = Sensitivity.normal
  /// How far beyond its edge a fence is left, at least; 0 or more. A good receiver that stands
  /// still wanders by four standard deviations of its error in a day, which is 20 m.
  package var exitMargin = 20.0
  /// The same as a fraction of the fence's size (the radius of a circle), 0…1: a large fence needs
  /// no sharp edge.
  package var exitMarginOfRadius = 0.1
  /// The same as a multiple of the 95 % error by the receiver's scale. The largest of the three
  /// counts. 1.5 of them are nearly four standard deviations.
  var exitMarginOfError = 1.5
  /// Far outside or deep inside, where a short hold is enough: metres, and as a multiple of the
  /// error. Reflections reach 60 m.
  var farMargin = 75.0
  var farMarginOfError = 3.0
  /// How long a device at rest must be outside; inside only after a rest of five minutes. The
  /// scatter of a receiver at rest returns within a minute or two.
  var hold = TimeSpan.minutes(2)
  /// The same far outside or deep inside.
  var farHold = TimeSpan.seconds(20)
  /// Two samples agree if they are at least this far apart: a second, less the jitter of a
  /// receiver. No single sample decides, and ten of one second are no more than one.
  package var agreement = TimeSpan.seconds(0.95)
  /// The fastest a receiver is believed to move, m/s, above 0; 100 m/s is 360 km/h. Claims of a
  /// higher speed by two samples in a row are believed up to `fastestClaim`.
  package var plausibleSpeed = 100.0
  /// The highest speed taken from a receiver's own claims, m/s: a fast aircraft.
  var fastestClaim = 350.0
  /// The 95 % error taken for a sample that does not know its own.
  var assumedError = 25.0
  /// A sample with a larger error than this is coarse. It is no part of the track, and decides only
  /// fences larger than its error, while there is nothing better.
  var trackError = 100.0
  /// How long after the last good sample a coarse one counts.
  var coarseAfter = TimeSpan.minutes(2)
  /// A sample with a larger error than this is ignored; infinite for none.
  package var maximumError = Double.infinity
  /// The largest error of a sample that is part of the track.
  package var largestError: Double { min(trackError, maximumError) }
  /// The path between two samples is tested for passes up to so many of the receiver's intervals: a
  /// receiver is late now and then, but the way over a gap is unknown.
  var legInIntervals = 3.0
  /// It is never tested over a longer time than this; 0 for no passes.
  package var longestLeg = TimeSpan.minutes(5)
  /// Whether a jump at an implausible speed is set aside until the next sample bears it out or not.
  package var rejectsOutliers = true
  /// Whether fences crossed between two samples are reported.
  package var reportsPasses = true
  /// Whether motion, rest and scale of the receiver are followed.
  var followsReceiver = true

  package init(_ sensitivity: Sensitivity = .normal) { apply(sensitivity) }

  /// Sets the numbers that depend on the sensitivity.
  package mutating func apply(_ sensitivity: Sensitivity) {
    self.sensitivity = sensitivity
    switch sensitivity {
    case .quick: (hold, farHold, exitMarginOfError) = (.minutes(1), .seconds(10), 1)
    case .normal: (hold, farHold, exitMarginOfError) = (.minutes(2), .seconds(20), 1.5)
    case .calm: (hold, farHold, exitMarginOfError) = (.minutes(5), .seconds(60), 2)
    }
  }

  /// Plain containment: each sample decides, without margins, confirmation and passes.
  package static let plain: MonitorPolicy = {
    var policy = MonitorPolicy()
    policy.exitMargin = 0
    policy.exitMarginOfRadius = 0
    policy.exitMarginOfError = 0
    policy.hold = .zero
    policy.agreement = .zero
    policy.trackError = .infinity
    policy.rejectsOutliers = false
    policy.reportsPasses = false
    policy.followsReceiver = false
    return policy
  }()

  /// How far beyond the edge a fence of `size` is left, with a true error.
  @inline(__always)
  func margin(size: Double, error: Double) -> Double {
    max(exitMargin, exitMarginOfRadius * size, exitMarginOfError * error)
  }

  /// How deep inside a short hold is enough.
  @inline(__always)
  func farMargin(error: Double) -> Double { max(farMargin, farMarginOfError * error) }

  /// How far beyond the edge a short hold is enough: never nearer than the margin.
  @inline(__always)
  func farMargin(size: Double, error: Double) -> Double {
    max(margin(size: size, error: error), farMargin(error: error))
  }

  /// The error that a sample claims, or the one assumed for a sample without.
  @inline(__always)
  func claim(of sample: PositionSample) -> Double {
    if let eph = sample.eph, eph > 0 { return eph }
    return assumedError
  }

  /// Whether the way over a time between two samples is known.
  /// - Parameters:
  ///   - seconds: the same time.
  ///   - interval: seconds between the receiver's samples; 0 for unknown.
  @inline(__always)
  func isLeg(_ gap: TimeSpan, seconds: Double, interval: Double) -> Bool {
    gap <= longestLeg && seconds <= legInIntervals * interval
  }

  /// Whether the way from one sample to another is possible, their errors included.
  @inline(__always)
  func isPlausible(from a: LocatedSample, to b: LocatedSample) -> Bool {
    isPlausible(
      from: a, to: b, step: a.place.chordSquared(to: b.place),
      after: (b.sample.time - a.sample.time).seconds)
  }

  /// - Parameters:
  ///   - step: the square of the way between them, in radii.
  ///   - seconds: the time between them.
  @inline(__always)
  func isPlausible(
    from a: LocatedSample, to b: LocatedSample, step: Double, after seconds: Double
  ) -> Bool {
    var speed = plausibleSpeed
    // A spike's own claim does not excuse it.
    if let first = a.sample.speed, let second = b.sample.speed {
      speed = max(speed, min(min(first, second) * 1.5, fastestClaim))
    }
    // An error that is large or unknown must not excuse a jump of the size of an outlier.
    let errors = min(claim(of: a.sample) + claim(of: b.sample), 2 * assumedError)
    let limit = speed * seconds + errors
    return !Vector.isFarther(chordSquared: step, than: limit)
  }
}
