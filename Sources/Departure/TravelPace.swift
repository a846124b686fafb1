import CivilTime

/// The pace of the current trip. It counts for no more of the way ahead than it was measured on: a
/// slow quarter of an hour adds some minutes to a way of seven hours, and does not double it.
package struct TripPace: Equatable, Sendable {
  /// Time taken over the profile's.
  package var ratio = 1.0
  /// How far ahead it counts, in seconds of the profile.
  package var reach = 0.0

  /// No trip has been measured.
  package static let usual = TripPace()
}

/// The current speed of a mode: its profile, corrected by trips and routes.
package struct TravelPace: Equatable, Sendable {
  package var profile: TravelProfile
  /// Time of own trips over the profile's; 1 without enough trips.
  package var learnt = 1.0
  /// Counts without own trips.
  package var trip = TripPace.usual
  /// A routing engine is asked for these ways, and may answer with a long detour.
  package var isRouted = false

  package init(
    profile: TravelProfile, learnt: Double = 1, trip: TripPace = .usual, isRouted: Bool = false
  ) {
    self.profile = profile
    self.learnt = learnt
    self.trip = trip
    self.isRouted = isRouted
  }

  /// Seconds for metres of straight line, with the overhead.
  package func seconds(_ distance: Double) -> Double {
    let usual = profile.seconds(distance)
    return (usual + surplus(usual)) * learnt + profile.overhead.seconds
  }

  /// Seconds that the current trip adds to a way with this usual time.
  private func surplus(_ usual: Double) -> Double { (trip.ratio - 1) * min(usual, trip.reach) }

  /// The most by which `seconds` is longer than with `other`, at any distance; nil if there is no
  /// bound or if ways are routed.
  func growth(replacing other: TravelPace) -> Double? {
    guard profile == other.profile, learnt == other.learnt, !isRouted, !other.isRouted else {
      return nil
    }
    // The difference is linear between these usual times, and constant beyond them.
    let extremes = [0, trip.reach, other.trip.reach].map { surplus($0) - other.surplus($0) }
    return learnt * (extremes.max() ?? 0)
  }

  /// The most by which `seconds` grows with each metre.
  var steepness: Double { profile.steepness * learnt * max(1, trip.ratio) }

  /// Time over the profile's for metres of straight line, without the overhead.
  package func factor(_ distance: Double) -> Double {
    let usual = profile.seconds(distance)
    guard usual > 0 else { return learnt * trip.ratio }
    return learnt * (1 + surplus(usual) / usual)
  }

  // MARK: - Routing

  /// A way that no plausible answer of a routing engine, and no slow trip, exceeds; seconds.
  func longest(_ distance: Double) -> Double {
    max(profile.seconds(distance) * slowest, profile.longestPlausible(distance))
      + profile.overhead.seconds
  }

  /// The most by which `longest` grows with each metre.
  var longestSteepness: Double { profile.steepness * max(slowest, TravelProfile.maximumDetour) }

  /// A slow trip takes up to twice the known time.
  private var slowest: Double { learnt * 2 }

  /// Seconds for the rest of a way that a routing engine has answered for: in proportion to the
  /// profile's time, and never longer than plausible from here.
  func routed(_ answer: RouteBook.Answer, distance: Double) -> Double {
    let then = profile.seconds(answer.distance)
    let share = then > 0 ? profile.seconds(distance) / then : 1
    return min(answer.seconds * share, profile.longestPlausible(distance))
      + profile.overhead.seconds
  }

  /// The most by which `routed` grows with each metre, over `steepness`; 1 or more.
  func detour(_ answer: RouteBook.Answer) -> Double {
    let then = profile.seconds(answer.distance) * learnt * max(1, trip.ratio)
    return then > 0 ? max(1, answer.seconds / then) : 1
  }
}
