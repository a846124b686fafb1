package import CivilTime

/// The usual speed of one mode of transport, and how much single trips differ from it.
package struct TravelProfile: Equatable, Sendable {
  /// The speed on a part of the way.
  package struct Band: Equatable, Sendable {
    /// Metres of straight line at which the part ends; the last band has no end.
    package var below: Double
    /// Metres a second.
    package var speed: Double

    package init(below: Double, kilometresPerHour: Double) {
      self.below = below
      self.speed = kilometresPerHour / 3.6
    }
  }

  /// In order of distance; the last one holds for all beyond.
  package var bands: [Band]
  /// Length of the road over the straight line: 1.3 ± 0.1 for road networks world-wide
  /// (arXiv 2406.06490).
  package var detour: Double
  /// To find the keys, or a place to park.
  package var overhead: TimeSpan
  /// Metres a second of straight line. Answers of a routing engine that are quicker are rejected.
  package var topSpeed: Double
  /// Standard deviation of the natural logarithm of a trip's time over the formula's, before any
  /// own trip. By car 0.27 in a simulated town with rush hours, over people, goals and days; on
  /// foot little more than the scatter of the detour.
  package var spread: Double
  /// The median of a trip's time over a routing engine's answer with the overhead. Engines give
  /// times on empty roads.
  package var routedDelay = 1.0

  /// The formula: seconds for metres of straight line, with the overhead.
  ///
  /// Each part of the way takes its band's speed, so a longer way always takes longer.
  /// - Complexity: O(bands).
  package func seconds(_ distance: Double) -> Double {
    var seconds = 0.0
    var start = 0.0
    for band in bands where band.speed > 0 {
      seconds += max(0, min(distance, band.below) - start) * detour / band.speed
      if distance < band.below { break }
      start = max(start, band.below)
    }
    return seconds + overhead.seconds
  }

  /// The longest plausible answer of a routing engine, seconds for metres of straight line: around
  /// a bay, over a pass, with a ferry.
  package func longestPlausible(_ distance: Double) -> Double {
    10 * (seconds(distance) - overhead.seconds) + 7_200
  }

  package static let walking = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 5)], detour: 1.3, overhead: .zero,
    topSpeed: 6, spread: 0.15)
  package static let cycling = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 15)], detour: 1.3, overhead: .minutes(2),
    topSpeed: 20, spread: 0.2)
  package static let driving = TravelProfile(
    bands: [
      Band(below: 5_000, kilometresPerHour: 30), Band(below: 30_000, kilometresPerHour: 60),
      Band(below: .infinity, kilometresPerHour: 100),
    ], detour: 1.35, overhead: .minutes(5), topSpeed: 70, spread: 0.25, routedDelay: 1.1)
  /// Six knots in open water.
  package static let boat = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 6 * 1.852)], detour: 1, overhead: .zero,
    topSpeed: 30, spread: 0.25)
}

/// The profiles of all modes.
package struct TravelEstimator: Equatable, Sendable {
  private static let usual: [TravelProfile] = Transport.allCases.map {
    switch $0 {
    case .walking: .walking
    case .cycling: .cycling
    case .driving: .driving
    case .boat: .boat
    }
  }

  /// In the order of `Transport.allCases`; copies share them.
  private var profiles = usual

  package init() {}

  package subscript(transport: Transport) -> TravelProfile {
    get { profiles[transport.index] }
    set { profiles[transport.index] = newValue }
  }
}
