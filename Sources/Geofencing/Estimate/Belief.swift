import CivilTime
import Geodesy

/// The estimate after a sample.
struct Belief {
  let place: Vector
  /// Of the place, an axis, m².
  var variance = 0.0
  /// Since when the device has been at rest; nil if it is going.
  var restSince: Instant?
  /// Whether the place owes nothing to samples before: then it decides with the one before alone.
  var isLone = false
  /// How a run of samples that contradicted the track ended with this one.
  var end: RunEnd?
  /// The usual seconds between samples before this one, or between the last two if that was longer.
  var interval = Double.infinity

  enum RunEnd {
    /// They are believed now.
    case jump
    /// This one agrees with the track.
    case outlier
  }

  /// The standard deviation of the place, an axis, metres.
  var sigma: Double { variance.squareRoot() }
  var isGoing: Bool { restSince == nil }

  /// Of a sample that is the truth.
  static func exact(_ place: Vector) -> Belief { Belief(place: place) }
}
