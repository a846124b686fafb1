import CivilTime
import TestSupport
import Testing

@testable import Departure

/// The formula.
@Suite struct TravelProfileTests {
  private static let profiles: [TravelProfile] = [
    .walking, .cycling, .driving, .boat,
    TravelProfile(
      bands: [
        .init(below: 2_000, kilometresPerHour: 60), .init(below: 9_000, kilometresPerHour: 20),
        .init(below: .infinity, kilometresPerHour: 45),
      ], detour: 1.5, overhead: .minutes(1), topSpeed: 70, spread: 0.2),
  ]

  @Test func eachPartOfTheWayHasItsSpeed() {
    let driving = TravelProfile.driving
    #expect(abs(driving.seconds(0) - 300) < 1e-9)
    #expect(abs(driving.seconds(4_000) - (300 + 4 * 1.35 / 30 * 3_600)) < 1e-6)
    #expect(abs(driving.seconds(8_000) - (300 + (5.0 / 30 + 3.0 / 60) * 1.35 * 3_600)) < 1e-6)
    #expect(
      abs(driving.seconds(100_000) - (300 + (5.0 / 30 + 25.0 / 60 + 0.7) * 1.35 * 3_600)) < 1e-6)
    // Six nautical miles at six knots.
    #expect(abs(TravelProfile.boat.seconds(6 * 1_852) - 3_600) < 1e-9)
  }

  /// No piece is flat, and none jumps.
  @Test(arguments: profiles.indices)
  func eachMetreMoreTakesAsLongAsOneOfTheBands(index: Int) {
    let profile = Self.profiles[index]
    let speeds = profile.bands.map { $0.speed / profile.detour }
    for distance in stride(from: 0.0, to: 60_000, by: 50) {
      let grown = profile.seconds(distance + 50) - profile.seconds(distance)
      #expect(grown >= 50 / (speeds.max() ?? 1) - 1e-6, "\(distance)")
      #expect(grown <= 50 / (speeds.min() ?? 1) + 1e-6, "\(distance)")
    }
  }
}
