import CivilTime

/// What the trip under way has shown of its mode. It is believed for no more of the way ahead than it was
/// measured on: a slow quarter of an hour makes a way of seven hours some minutes longer, and not twice as
/// long.
struct TripPace: Equatable, Sendable {
  /// What it takes over the profile.
  var ratio = 1.0
  /// How far ahead that is believed, in seconds of the profile.
  var reach = 0.0

  /// Nothing is shown.
  static let usual = TripPace()

  /// What it adds to a way beyond its reach, in seconds of the profile; negative where it is quicker.
  private var moreBeyondReach: Double { (ratio - 1) * reach }

  /// Whether no way takes longer by this trip than by the other: neither its first metres, nor one beyond what
  /// either is believed of. In between the surplus of each is a straight line, and then stays.
  func isNowhereSlower(than other: TripPace) -> Bool {
    ratio <= other.ratio && moreBeyondReach <= other.moreBeyondReach
  }
}

/// How fast one mode gets along now: its profile, and what is known beyond it.
struct TravelPace: Equatable, Sendable {
  var profile: TravelProfile
  /// What own trips take over the profile; 1 where nothing is learnt.
  var learnt = 1.0
  /// Counts where nothing is learnt.
  var trip = TripPace.usual
  /// A routing engine is asked for these ways, and may know of a long detour.
  var isRouted = false

  /// No way grows by more than this over what the profile says.
  var steepest: Double { learnt * max(1, trip.ratio) }

  /// Where the travel time begins to grow faster or slower, in metres of straight line, rising.
  var bends: [Double] {
    guard trip != .usual else { return profile.bends }
    return (profile.bends + [profile.distance(trip.reach)]).sorted()
  }

  /// Seconds for so many metres of straight line.
  func seconds(_ distance: Double) -> Double {
    let usual = profile.seconds(distance)
    return (usual + more(usual)) * learnt + profile.overhead.seconds
  }

  /// What the trip under way adds to a way that usually takes so many seconds.
  private func more(_ usual: Double) -> Double { (trip.ratio - 1) * min(usual, trip.reach) }

  /// What so many metres take over the profile, the overhead aside.
  func factor(_ distance: Double) -> Double {
    let usual = profile.seconds(distance)
    guard usual > 0 else { return learnt * trip.ratio }
    return learnt * (1 + more(usual) / usual)
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
  /// it, by the straight line, and never more than would be believed of a way from there.
  func routed(_ answer: RouteBook.Answer, distance: Double) -> Double {
    let then = profile.seconds(answer.distance)
    let share = then > 0 ? profile.seconds(distance) / then : 1
    return min(answer.seconds * share, profile.longestBelieved(distance)) + profile.overhead.seconds
  }

  /// How many times as much such a way grows with each metre, at most, as the clocks reckon with; 1 or more.
  func detour(_ answer: RouteBook.Answer) -> Double {
    let then = profile.seconds(answer.distance) * steepest
    return then > 0 ? max(1, answer.seconds / then) : 1
  }
}
