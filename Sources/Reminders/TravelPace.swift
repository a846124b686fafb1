import CivilTime

/// How fast one mode gets along now: its profile, and what is known beyond it.
struct TravelPace: Equatable, Sendable {
  var profile: TravelProfile
  /// What own trips take over the profile; 1 where nothing is learnt.
  var learnt = 1.0
  /// What the trip under way takes over the profile; counts where nothing is learnt.
  var measured = 1.0
  /// A routing engine is asked for these ways, and may know of a long detour.
  var isRouted = false

  var factor: Double { learnt * measured }

  /// Seconds for so many metres of straight line.
  func seconds(_ distance: Double) -> Double {
    profile.seconds(distance) * factor + profile.overhead.seconds
  }

  /// How far one gets in so many seconds, in metres of straight line; 0 where the overhead takes them all.
  func distance(_ seconds: Double) -> Double {
    let way = (seconds - profile.overhead.seconds) / factor
    return way > 0 ? profile.distance(way) : 0
  }

  /// Seconds for so many metres of straight line that no trip and no routing engine can exceed without
  /// the profile or what is learnt being another one.
  func worst(_ distance: Double) -> Double {
    let usual = profile.seconds(distance)
    let slow = usual * learnt * Self.slowest
    return (isRouted ? max(slow, profile.longestBelieved(distance)) : slow)
      + profile.overhead.seconds
  }

  /// By how much `worst` grows at most for each metre that the straight line grows from there; seconds.
  func worstGrowth(beyond distance: Double) -> Double {
    let slow = learnt * Self.slowest
    return profile.growth(beyond: distance)
      * (isRouted ? max(slow, TravelProfile.longestDetour) : slow)
  }

  /// How many times slower than known a trip under way is taken to be at most.
  private static let slowest = 2.0

  /// Seconds for a way of which a routing engine has said what it took where it began: what is left of
  /// it, by the straight line.
  func routed(_ answer: RouteBook.Answer, distance: Double) -> Double {
    let then = profile.seconds(answer.distance)
    let share = then > 0 ? profile.seconds(distance) / then : 1
    return answer.seconds * share + profile.overhead.seconds
  }
}
