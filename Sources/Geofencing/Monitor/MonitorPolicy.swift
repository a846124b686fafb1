package import CivilTime

/// The numbers behind the decisions of a `FenceMonitor`. All lengths are metres.
package struct MonitorPolicy: Equatable, Sendable {
  /// How far beyond its edge a fence is left, at least; 0 or more. A receiver that stands still
  /// wanders by four standard deviations of its error in a day, 20 m for a common one.
  package var exitMargin = 20.0
  /// The same as a fraction of the fence's size (the radius of a circle), 0…1.
  package var exitMarginOfRadius = 0.1
  /// The same as a multiple of the sample's own 95 % error; 0 or more. The largest of the three
  /// counts, but never more than the size.
  package var exitMarginOfError = 1.5
  /// The fastest a receiver is believed to move, m/s, above 0; 100 m/s is 360 km/h. A receiver's
  /// own claim of a higher speed is believed up to `fastestClaim`.
  package var plausibleSpeed = 100.0
  /// The highest speed taken from a receiver's own claim, m/s: a fast aircraft.
  package var fastestClaim = 350.0
  /// The 95 % error taken for a sample that does not know its own; above 0.
  package var assumedError = 25.0
  /// How many errors (95 %) a receiver must have moved within the last minute to count as moving;
  /// 0 or more. 2.5 of them are six standard deviations.
  package var motionOfError = 2.5
  /// The speed claimed by the receiver that counts as moving on its own, m/s. High, for receivers
  /// at rest claim two or three.
  package var motionSpeed = 10.0
  /// How deep inside, or how far outside, a single sample must be to be decisive; 0 or more. It is
  /// beyond the reach of the outliers seen in the field, which are about 200 m.
  package var doubtDistance = 250.0
  /// The longest time between two samples whose connecting path is tested for passes.
  package var longestLeg = TimeSpan.seconds(60)
  /// Whether a decision waits for a second sample that agrees.
  package var confirms = true
  /// Whether a jump at an implausible speed is set aside until the next sample bears it out or not.
  package var rejectsOutliers = true
  /// Whether fences crossed between two samples are reported.
  package var reportsPasses = true

  package init() {}

  /// Plain containment: each sample decides, without margins, confirmation and passes.
  package static let plain: MonitorPolicy = {
    var policy = MonitorPolicy()
    policy.exitMargin = 0
    policy.exitMarginOfRadius = 0
    policy.exitMarginOfError = 0
    policy.motionOfError = 0
    policy.confirms = false
    policy.rejectsOutliers = false
    policy.reportsPasses = false
    return policy
  }()

  /// How far beyond the edge a fence of `size` is left, given a sample's error (0: unknown).
  func margin(size: Double, eph: Double) -> Double {
    min(size, max(exitMargin, exitMarginOfRadius * size, exitMarginOfError * eph))
  }
}
