import Glibc

/// What the time between two fixes does to an estimate.
///
/// A receiver reports at one interval for hours, so the factors are computed once and used until
/// the interval changes. All memories are parts of one, so that one exponential serves all.
struct TimeStep {
  /// The memory of the velocity, seconds.
  private static let memory = 60.0

  let seconds: Double
  /// The seconds that the fix stands for: 0.1…60.
  let weight: Double
  /// How many such fixes make a minute.
  let perMinute: Double
  /// The share of a way that is plausible without a fix for more than a minute.
  let plausible: Double
  /// What is left of a velocity.
  let decay: Double
  /// The way that it makes, in seconds of it.
  let reach: Double
  /// What the changes of velocity add to the variances of place and velocity and to their
  /// covariance, in parts of the variance of the velocity in the long run.
  let placeGrowth: Double
  let covarianceGrowth: Double
  let velocityGrowth: Double

  init(_ seconds: Double) {
    self.seconds = seconds
    weight = min(max(seconds, 0.1), 60)
    perMinute = 60 / weight
    plausible = 60 / max(seconds, 60)
    let u = seconds / Self.memory
    let f = exp(-u)
    decay = f
    reach = Self.memory * (1 - f)
    placeGrowth = Self.memory * Self.memory * max(0, 2 * u - 3 + 4 * f - f * f)
    covarianceGrowth = Self.memory * (1 - f) * (1 - f)
    velocityGrowth = 1 - f * f
  }
}
