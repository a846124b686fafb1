package import CivilTime
package import Geodesy

/// How fast one mode of transport gets along when nothing better is known.
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
  /// Metres a second of straight line: who claims that a trip is quicker is not believed.
  package var topSpeed: Double

  package init(bands: [Band], detour: Double, overhead: TimeSpan, topSpeed: Double) {
    self.bands = bands
    self.detour = detour
    self.overhead = overhead
    self.topSpeed = topSpeed
  }

  /// Where each band begins, in metres of straight line.
  var bandStarts: [Double] { [0] + bands.dropLast().map(\.below) }

  /// The band of a way whose straight line is so long. Complexity: O(bands).
  func band(_ distance: Double) -> Int {
    bands.firstIndex { distance < $0.below } ?? max(0, bands.count - 1)
  }

  /// How much longer the way takes for each metre that the straight line grows from there, at most;
  /// seconds.
  func growth(beyond distance: Double) -> Double {
    detour / (bands.dropFirst(band(distance)).map(\.speed).filter { $0 > 0 }.min() ?? 1)
  }

  /// Travel without the overhead. Where a faster band begins, a longer way would take less time for a
  /// while: it takes as long as the longest way of the band before instead. Where a slower one begins,
  /// only what lies beyond is slower. So it never falls and never jumps.
  func seconds(_ distance: Double) -> Double {
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

  /// How far one gets in so many seconds: the longest straight line whose way takes no longer, without
  /// the overhead. Complexity: O(bands).
  func distance(_ seconds: Double) -> Double {
    var reached = 0.0
    var start = 0.0
    for band in bands where band.speed > 0 {
      let longest = self.seconds(start)
      guard seconds >= longest else { break }
      let speed = band.speed / detour
      let way = max(seconds * speed, start + (seconds - longest) * speed)
      reached = max(reached, min(way, band.below))
      if way < band.below { break }
      start = band.below
    }
    return reached
  }

  /// Where the travel time begins to grow faster or slower, in metres of straight line, rising: between
  /// two of them it grows evenly.
  var bends: [Double] {
    var bends: [Double] = []
    var start = 0.0
    for band in bands where band.speed > 0 {
      bends.append(start)
      let level = seconds(start) * band.speed / detour
      if level > start, level < band.below { bends.append(level) }
      start = band.below
    }
    if start < .infinity { bends.append(start) }
    return bends
  }

  /// The longest that a routing engine is believed a way takes, in seconds for metres of straight line:
  /// around a bay, over a pass, with a ferry.
  func longestBelieved(_ distance: Double) -> Double {
    Self.longestDetour * seconds(distance) + 7_200
  }

  static let longestDetour = 10.0

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
}

/// Travel times by straight line, detour factor and speed of the mode.
package struct TravelEstimator: Equatable, Sendable {
  package var walking = TravelProfile.walking
  package var cycling = TravelProfile.cycling
  package var driving = TravelProfile.driving

  package init() {}

  package func profile(of transport: Reminder.Transport) -> TravelProfile {
    switch transport {
    case .walking: walking
    case .cycling: cycling
    case .driving: driving
    }
  }

  /// From `origin` to a place; 0 inside it.
  package func time(
    from origin: Coordinate, to place: Reminder.Place, by transport: Reminder.Transport
  ) -> TimeSpan {
    let distance = origin.distance(to: place.position)
    guard distance > place.radius else { return .zero }
    let profile = profile(of: transport)
    return TimeSpan(seconds: profile.seconds(distance) + profile.overhead.seconds)
  }
}

/// Where a travel time comes from, from the most to the least trusted; `there` and `fixed` are no
/// estimates.
package enum TravelBasis: Equatable, Sendable {
  /// The device is at the place.
  case there
  /// The reminder says it.
  case fixed
  /// A routing engine said it, so long ago.
  case routed(age: TimeSpan)
  /// The straight line and the pace of so many trips of one's own.
  case learnt(trips: Int)
  /// The straight line and the pace of the trip that is under way.
  case measured
  /// The straight line and the mode's usual speed.
  case formula

  /// One word for programs.
  package var name: String {
    switch self {
    case .there: "at the place"
    case .fixed: "fixed"
    case .routed: "routing engine"
    case .learnt: "own trips"
    case .measured: "this trip"
    case .formula: "straight line"
    }
  }
}

/// How long the way takes, and how that is known.
package struct TravelEstimate: Equatable, Sendable {
  package var time: TimeSpan
  package var basis: TravelBasis
}
