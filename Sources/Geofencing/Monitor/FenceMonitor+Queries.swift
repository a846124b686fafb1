package import CivilTime
package import Containers
package import Geodesy

/// The estimate.
extension FenceMonitor {
  /// Where the device is believed to be.
  package struct Estimate: Equatable, Sendable {
    package let position: Coordinate
    /// The radius that holds the device with 95 %, metres.
    package let error: Double
    /// Since when the device has been at rest; nil if it is going.
    package let restSince: Instant?

    package init(position: Coordinate, error: Double, restSince: Instant? = nil) {
      self.position = position
      self.error = error
      self.restSince = restSince
    }
  }

  /// Nil before the first sample.
  package var estimate: Estimate? {
    track.belief.map {
      Estimate(
        position: $0.place.coordinate, error: $0.sigma * Estimator.sigmasOfError,
        restSince: $0.restSince)
    }
  }

  /// The comparison of the estimate with a fence.
  package struct Assessment: Equatable, Sendable {
    /// Metres from the believed place to the edge, negative inside.
    package let beyond: Double
    /// The probability that the device is inside, 0…1.
    package let probability: Double
    /// Metres beyond the edge at which a fence is left with this error.
    package let exitMargin: Double

    /// Whether a device that came to rest here would have arrived.
    package var hasArrived: Bool { probability >= InsideProbability.arrival }
    /// Whether a device that came to rest here would have departed.
    package var hasDeparted: Bool { beyond >= exitMargin }
  }

  /// - Parameter supposed: an estimate to compare instead of the device's.
  /// - Returns: nil for an unknown number, and without an estimate.
  package func assessment(
    of id: FenceID, in fences: FenceSet, at supposed: Estimate? = nil
  ) -> Assessment? {
    guard fences.index.contains(id), let estimate = supposed ?? estimate else { return nil }
    let beyond = fences.distance(to: id, from: estimate.position)
    let sigma = estimate.error / Estimator.sigmasOfError
    return Assessment(
      beyond: beyond,
      probability: InsideProbability.inside(
        beyond: beyond, sigma: sigma, size: fences.index.region(of: id).size),
      exitMargin: policy.departureSigmas * sigma)
  }

  /// The newest sample that counts; nil before the first.
  package var lastSample: PositionSample? { track.last }

  /// Whether the last sample contradicts the estimate, and waits for others that bear it out.
  package var isInDoubt: Bool { track.isInDoubt }

  /// How many runs of samples were set aside and not borne out by those after them.
  package var outlierCount: Int { track.outlierCount }

  /// How many runs of samples that contradicted the estimate were borne out.
  package var jumpCount: Int { track.jumpCount }

  /// How many times its claimed error a receiver is taken to scatter, and the minutes at rest from
  /// which that was learnt (at most a day); nil for an unknown receiver.
  package func scale(of receiver: ReceiverID) -> (scale: Double, minutes: Int)? {
    track.noise(of: receiver).map { ($0.scale, Int($0.blocks)) }
  }

  /// The same of the followed receiver.
  package var scale: (scale: Double, minutes: Int) {
    (track.noise.scale, Int(track.noise.blocks))
  }
}

/// The state between two samples.
extension FenceMonitor {
  /// Passes the track of the followed receiver.
  package mutating func passTrack(_ tape: inout StateTape) { track.pass(&tape) }

  /// Passes what the samples have shown of the fences; see `FenceSet.pass`.
  package mutating func passFences(
    _ tape: inout StateTape, name: (FenceID) -> Int64, fence: (Int64) -> FenceID?
  ) {
    fences.pass(&tape, name: name, fence: fence)
  }
}
