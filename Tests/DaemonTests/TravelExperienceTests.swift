import Departure
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

  @Test func learntTimesSurviveARestartUntilForgotten() throws {
    let folder = try TemporaryFolder()
    var experience = TravelExperience()
    for ratio in [1.4, 1.5, 1.6] { _ = experience.add(ratio, by: .cycling) }
    _ = experience.add(2, by: .walking)
    do {
      let rig = try Rig(folder: folder)
      try rig.daemon.store.state.keep(experience)
    }
    do {
      let rig = try Rig(folder: folder)
      #expect(try cycling(rig)?["factor"]?.double == 1.5)
      // 1112 m by 1.3 at 15 km/h, half as much again, and two minutes.
      try rig.see(latitude: 1, longitude: 2)
      _ = try rig.client().call(
        "AddPlace", #"{"name":"There","latitude":1,"longitude":2.01}"#)
      let nearest = try rig.client().call("Where")["nearest"]?.array?.first
      #expect(nearest?["travel_s"]?["cycling"]?.double == 640)
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
