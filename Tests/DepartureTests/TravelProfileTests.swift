import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Departure

/// The bounds that the queue of departures rests on.
@Suite struct TravelProfileTests {
  private static let profiles: [TravelProfile] = [
    .walking, .cycling, .driving, .boat,
    TravelProfile(
      bands: [
        .init(below: 2_000, kilometresPerHour: 60), .init(below: 9_000, kilometresPerHour: 20),
        .init(below: .infinity, kilometresPerHour: 45),
      ], detour: 1.5, overhead: .minutes(1), topSpeed: 70),
  ]

  @Test func theDefaultsAreThoseOfTheRule() {
    let driving = TravelProfile.driving
    #expect(abs(driving.seconds(4_000) - 4_000 * 1.35 / (30 / 3.6)) < 1e-9)
    // As long as the longest way of the band before, until the quicker one takes longer.
    #expect(driving.seconds(6_000) == driving.seconds(5_000))
    #expect(abs(driving.seconds(20_000) - 20_000 * 1.35 / (50 / 3.6)) < 1e-9)
    #expect(abs(driving.seconds(100_000) - 100_000 * 1.35 / (80 / 3.6)) < 1e-9)
    // Six nautical miles at six knots.
    #expect(abs(TravelProfile.boat.seconds(6 * 1_852) - 3_600) < 1e-9)
  }

  @Test(arguments: profiles.indices)
  func aLongerWayNeverTakesLessAndGrowsNoFasterThanTheSteepest(index: Int) {
    let profile = Self.profiles[index]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let near = Double.random(in: 0...60_000, using: &random)
      let way = Double.random(in: 0...20_000, using: &random)
      let grown = profile.seconds(near + way) - profile.seconds(near)
      #expect(grown >= 0)
      #expect(grown <= way * profile.steepness + 1e-6, "\(near) + \(way)")
    }
  }

  @Test(arguments: profiles.indices)
  func theUsualPaceHasAFactorOfOne(index: Int) {
    let pace = TravelPace(profile: Self.profiles[index])
    for distance in stride(from: 0.0, to: 60_000, by: 777) {
      #expect(pace.factor(distance) == 1)
    }
  }

  /// As far ahead as it is believed the trip's pace counts, beyond that the profile's.
  @Test(arguments: profiles.indices)
  func aTripChangesNoMoreOfAWayThanItReaches(index: Int) {
    let profile = Self.profiles[index]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3_000 {
      let trip = TripPace(
        ratio: .random(in: 0.5...2, using: &random), reach: .random(in: 60...4_000, using: &random))
      let pace = TravelPace(profile: profile, trip: trip)
      let distance = Double.random(in: 0...100_000, using: &random)
      let usual = profile.seconds(distance)
      let more = pace.seconds(distance) - profile.overhead.seconds - usual
      #expect(abs(more) <= abs(trip.ratio - 1) * min(usual, trip.reach) + 1e-6)
      let grown = pace.seconds(distance + 50) - pace.seconds(distance)
      #expect(grown >= 0 && grown <= 50 * pace.steepness + 1e-6)
    }
  }

  @Test(arguments: [1.0, 2.5, 0.4, 3])
  func noPlausibleWayExceedsTheLongest(learnt: Double) {
    let pace = TravelPace(profile: .driving, learnt: learnt, isRouted: true)
    for distance in stride(from: 0.0, to: 60_000, by: 777) {
      let longest = pace.longest(distance)
      for ratio in learnt == 1 ? [0.5, 1, 2] : [1] {
        let trip = TripPace(ratio: ratio, reach: 600)
        let known = TravelPace(profile: .driving, learnt: learnt, trip: trip)
        #expect(known.seconds(distance) <= longest)
      }
      let plausible = pace.profile.longestPlausible(distance) + pace.profile.overhead.seconds
      #expect(plausible <= longest)
      let grown = pace.longest(distance + 3_000) - longest
      #expect(grown <= 3_000 * pace.longestSteepness + 1e-6)
    }
  }

  /// The rest of a routed way grows no faster than the detour of its answer allows.
  @Test(arguments: profiles.indices)
  func aRoutedWayGrowsNoFasterThanItsDetour(index: Int) {
    let profile = Self.profiles[index]
    var random = SeededGenerator(seed: 8)
    for _ in 0..<3_000 {
      let pace = TravelPace(
        profile: profile, learnt: .random(in: 0.5...2, using: &random), isRouted: true)
      let start = Double.random(in: 1...30_000, using: &random)
      let answer = RouteBook.Answer(
        origin: Vector(Coordinate(clampingLatitude: 0, wrappingLongitude: 0)), distance: start,
        seconds: profile.longestPlausible(start) * .random(in: 0.01...1, using: &random),
        time: Instant(seconds: 0))
      let distance = Double.random(in: 0...40_000, using: &random)
      let way = Double.random(in: 0...2_000, using: &random)
      let grown =
        pace.routed(answer, distance: distance + way) - pace.routed(answer, distance: distance)
      #expect(grown <= way * pace.steepness * pace.detour(answer) + 1e-6)
    }
  }
}
