import Glibc

/// The effect of the time between two fixes on an estimate.
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
  /// The share of a velocity that is left.
  let decay: Double
  /// The way that it makes, in seconds of it.
  let reach: Double
  /// The growth of the variances of place and velocity and of their covariance by changes of
  /// velocity, in parts of the variance of the velocity in the long run.
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
