package import CivilTime

/// The usual speed of one mode of transport.
package struct TravelProfile: Equatable, Sendable {
  /// Speed for trips whose straight line is shorter than a bound.
  package struct Band: Equatable, Sendable {
    /// Metres of straight line; the last band has none.
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

  package init(bands: [Band], detour: Double, overhead: TimeSpan, topSpeed: Double) {
    self.bands = bands
    self.detour = detour
    self.overhead = overhead
    self.topSpeed = topSpeed
  }

  /// The most by which a way gets longer with each metre of straight line; seconds.
  var steepness: Double { detour / (bands.map(\.speed).filter { $0 > 0 }.min() ?? 1) }

  /// Travel time without the overhead, seconds. It is monotonic and continuous. At the start of a
  /// faster band it stays at the previous band's longest time until the faster band takes longer.
  /// In a slower band only the metres beyond its start are slower.
  package func seconds(_ distance: Double) -> Double {
    var longest = 0.0
    var start = 0.0
    for band in bands where band.speed > 0 {
      let way = min(distance, band.below)
      let beyond = longest + (way - start) * detour / band.speed
      longest = max(longest, min(way * detour / band.speed, beyond))
      if distance < band.below { break }
      start = band.below
    }
    return longest
  }

  /// The longest plausible answer of a routing engine, seconds for metres of straight line: around
  /// a bay, over a pass, with a ferry.
  package func longestPlausible(_ distance: Double) -> Double {
    Self.maximumDetour * seconds(distance) + 7_200
  }

  static let maximumDetour = 10.0

  package static let walking = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 5)], detour: 1.3, overhead: .zero,
    topSpeed: 6)
  package static let cycling = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 15)], detour: 1.3, overhead: .minutes(2),
    topSpeed: 20)
  package static let driving = TravelProfile(
    bands: [
      Band(below: 5_000, kilometresPerHour: 30), Band(below: 30_000, kilometresPerHour: 50),
      Band(below: .infinity, kilometresPerHour: 80),
    ], detour: 1.35, overhead: .minutes(5), topSpeed: 70)
  /// Six knots in open water.
  package static let boat = TravelProfile(
    bands: [Band(below: .infinity, kilometresPerHour: 6 * 1.852)], detour: 1, overhead: .zero,
    topSpeed: 30)
}

/// Travel times by straight line, detour factor and speed of the mode.
package struct TravelEstimator: Equatable, Sendable {
  package var walking = TravelProfile.walking
  package var cycling = TravelProfile.cycling
  package var driving = TravelProfile.driving
  package var boat = TravelProfile.boat

  package init() {}

  package func profile(of transport: Transport) -> TravelProfile {
    switch transport {
    case .walking: walking
    case .cycling: cycling
    case .driving: driving
    case .boat: boat
    }
  }
}
