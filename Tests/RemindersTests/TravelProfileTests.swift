import CivilTime
import TestSupport
import Testing

@testable import Reminders

/// The bounds that the schedule of leaving rests on.
@Suite struct TravelProfileTests {
  private static let profiles: [TravelProfile] = [
    .walking, .cycling, .driving,
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
  }

  @Test(arguments: profiles.indices)
  func aLongerWayNeverTakesLessAndGrowsAsToldAtMost(index: Int) {
    let profile = Self.profiles[index]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let near = Double.random(in: 0...60_000, using: &random)
      let way = Double.random(in: 0...20_000, using: &random)
      let grown = profile.seconds(near + way) - profile.seconds(near)
      #expect(grown >= 0)
      #expect(grown <= way * profile.growth(beyond: near) + 1e-6, "\(near) + \(way)")
    }
  }

  @Test(arguments: profiles.indices)
  func betweenTwoBendsTheTimeGrowsEvenly(index: Int) {
    let profile = Self.profiles[index]
    let bends = profile.bends
    #expect(bends.first == 0)
    for (start, end) in zip(bends, bends.dropFirst() + [200_000]) {
      #expect(start < end)
      let (first, last) = (profile.seconds(start), profile.seconds(end))
      for share in stride(from: 0.0, through: 1, by: 0.05) {
        let between = profile.seconds(start + (end - start) * share)
        #expect(abs(between - (first + (last - first) * share)) < 1e-6, "\(start)…\(end)")
      }
    }
  }

  @Test(arguments: profiles.indices)
  func theWayOfATimeIsTheLongest(index: Int) {
    let profile = Self.profiles[index]
    var random = SeededGenerator(seed: 6)
    for _ in 0..<5_000 {
      let seconds = Double.random(in: 0...6_000, using: &random)
      let distance = profile.distance(seconds)
      #expect(profile.seconds(distance - 0.001) <= seconds + 1e-6)
      #expect(profile.seconds(distance + 0.001) > seconds - 1e-6)
    }
    #expect(profile.distance(-5) == 0)
  }

  @Test(arguments: profiles.indices)
  func whatIsUsualIsNoFactor(index: Int) {
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
      #expect(pace.seconds(distance + 50) >= pace.seconds(distance))
    }
  }

  @Test(arguments: [(1.0, false), (2.5, false), (0.4, true), (3, true)])
  func nothingBelievedExceedsTheWorst(learnt: Double, isRouted: Bool) {
    let profile = TravelProfile.driving
    for distance in stride(from: 0.0, to: 60_000, by: 777) {
      let worst = TravelPace(profile: profile, learnt: learnt, isRouted: isRouted)
      for ratio in learnt == 1 ? [0.5, 1, 2] : [1] {
        let trip = TripPace(ratio: ratio, reach: 600)
        let known = TravelPace(profile: profile, learnt: learnt, trip: trip)
        #expect(known.seconds(distance) <= worst.worst(distance))
      }
      if isRouted {
        let believed = profile.longestBelieved(distance) + profile.overhead.seconds
        #expect(believed <= worst.worst(distance))
      }
      let grown = worst.worst(distance + 3_000) - worst.worst(distance)
      #expect(grown <= 3_000 * worst.worstGrowth(beyond: distance) + 1e-6)
    }
  }

  /// A pace is said to be nowhere slower exactly where it is that for no way.
  @Test func paceIsNowhereSlowerWhereNoWayIs() {
    var dice = SeededGenerator(seed: 21)
    var answers = [false: 0, true: 0]
    func pace() -> TravelPace { TravelPace(profile: .driving, trip: .random(&dice)) }
    for _ in 0..<2_000 {
      let (first, second) = (pace(), pace())
      let isNowhereSlower = (0..<800).allSatisfy {
        // To the other side of the globe, first in metres and then in kilometres.
        let distance = Double($0 < 400 ? 25 * $0 : 10_000 + 50_000 * ($0 - 400))
        return first.seconds(distance) <= second.seconds(distance) + 1e-6
      }
      #expect(
        first.trip.isNowhereSlower(than: second.trip) == isNowhereSlower,
        "\(first.trip), \(second.trip)")
      answers[isNowhereSlower, default: 0] += 1
    }
    #expect(answers.values.allSatisfy { $0 > 200 })
  }
}

extension TripPace {
  /// One that shows its mode to be quicker or slower, or as usual.
  static func random(_ dice: inout SeededGenerator) -> TripPace {
    TripPace(
      ratio: [0.5, 0.84, 1, 2].randomElement(using: &dice) ?? 1,
      reach: [64, 1_024, 16_384].randomElement(using: &dice) ?? 64)
  }
}
