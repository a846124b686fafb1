import CivilTime
import Departure
import Geodesy
import JSONText
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// What own trips have taught is worth weeks of trips: it outlives the daemon.
@Suite struct TravelExperienceTests {
  private func cycling(_ rig: Rig) throws -> JSONValue? {
    try rig.client().call("Status")["status"]?["travel"]?["cycling"]
  }

  private func trip(_ ratio: Double, by profile: TravelProfile) -> Trip {
    Trip(
      goal: Coordinate(clampingLatitude: 1, wrappingLongitude: 2.01), distance: 1_112,
      seconds: profile.seconds(1_112) * ratio, time: TimeOfWeek(hour: 9.25, isWeekend: true),
      routed: 300)
  }

  @Test func learntTripsSurviveARestartUntilForgotten() throws {
    let folder = try TemporaryFolder()
    var experience = TravelExperience()
    for ratio in [1.4, 1.5, 1.6] { experience.add(trip(ratio, by: .cycling), by: .cycling) }
    experience.add(trip(2, by: .walking), by: .walking)
    do {
      let rig = try Rig(folder: folder)
      try rig.daemon.store.state.keep(experience)
      #expect(try rig.daemon.store.state.experience() == experience)
    }
    do {
      let rig = try Rig(folder: folder)
      #expect(try cycling(rig)?["factor"]?.double == 1.5)
      #expect(try cycling(rig)?["punctual_factor"]?.double == 1.6)
      // 1112 m by 1.3 at 15 km/h and two minutes, by nearly the slowest of the three.
      try rig.see(latitude: 1, longitude: 2)
      _ = try rig.client().call(
        "AddPlace", #"{"name":"There","latitude":1,"longitude":2.01}"#)
      let nearest = try rig.client().call("Where")["nearest"]?.array?.first
      let seconds = try #require(nearest?["travel_s"]?["cycling"]?.double)
      #expect((1.55 * 467...1.6 * 467 + 1).contains(seconds), "\(seconds)")
      _ = try rig.client().call("ForgetTrips", #"{"transport":"cycling"}"#)
      #expect(try cycling(rig)?["trips"]?.int == 0)
    }
    let rig = try Rig(folder: folder)
    #expect(try cycling(rig)?["trips"]?.int == 0)
    #expect(try cycling(rig)?["factor"] == nil)
    let walking = try rig.client().call("Status")["status"]?["travel"]?["walking"]
    #expect(walking?["trips"]?.int == 1, "another mode's trips stay")
  }
}
