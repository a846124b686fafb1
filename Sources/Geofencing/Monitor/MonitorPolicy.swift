package import CivilTime

/// The use of a sample.
package enum SampleQuality: Sendable {
  case good
  /// Worse than 100 m: it counts for what it is worth, and does not show that the position is back.
  case coarse
  /// Worse than the user wants.
  case excluded
}

/// The choices behind the decisions of a `FenceMonitor`.
package struct MonitorPolicy: Equatable, Sendable {
  /// How sure it must be that the device is outside before it has departed, 0.5..<1: the ratio of
  /// two costs, of a false departure and of a late one.
  package var certainty: Double {
    didSet { departureSigmas = InsideProbability.sigmas(certainty) }
  }
  /// The standard deviations beyond the edge at which it is so sure.
  private(set) var departureSigmas: Double
  /// The fastest that a device goes, m/s, above 0; 100 m/s is 360 km/h. Fixes at a distance that a
  /// higher speed alone explains do not bear each other out, unless two claim it.
  package var plausibleSpeed = 100.0
  /// A sample with a larger error than this is ignored, metres; infinite for none.
  package var maximumError = Double.infinity
  /// A sample with a larger error than this is coarse.
  private static let coarseError = 100.0
  /// The largest error of a good sample.
  package var largestError: Double { min(Self.coarseError, maximumError) }
  /// The path between two samples is never tested for passes over a longer time than this; 0 for no
  /// passes.
  package var longestLeg = TimeSpan.minutes(5)
  /// Whether each sample is the truth: no estimate and no confirmation.
  package private(set) var isPlain = false

  package init(certainty: Double = 0.9999) {
    self.certainty = certainty
    departureSigmas = InsideProbability.sigmas(certainty)
  }

  /// Plain containment, as other programs do it.
  package static let plain: MonitorPolicy = {
    var policy = MonitorPolicy()
    policy.isPlain = true
    policy.longestLeg = .zero
    return policy
  }()

  package func quality(of eph: Double?) -> SampleQuality {
    guard let eph else { return .good }
    return eph > maximumError ? .excluded : eph > Self.coarseError ? .coarse : .good
  }
}
