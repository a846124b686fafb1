import CivilTime
import Control
import Departure
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// Where trackers are, for the callers that may know it.
extension ControlService {
  /// The tracker that a caller names; the machine itself without a name.
  /// - Throws: `notFound`, also for a tracker that the caller may not follow.
  func follow(_ name: String?) throws -> TrackerEngine {
    guard let name, name.lowercased() != Who.machine else { return daemon.host.own }
    guard case .tracker(let known)? = try? Who(parsing: name), daemon.mayFollow(known, caller),
      daemon.settings.trackers.contains(where: { $0.name == known })
    else { throw GeoremindError.notFound(id: name) }
    return daemon.host.tracker(.tracker(known))
  }

  /// The current fix of a tracker, the places that contain it, and the five nearest places.
  func whereIs(_ name: String?) throws -> JSONObject {
    let tracker = try follow(name)
    guard let fix = tracker.engine.lastFix else { return ["nearest": .array([])] }
    let nearest = try daemon.store.places.search(PlaceQuery(near: fix.position, limit: 5))
    return [
      "fix": .object(fix.tpv(device: nil)), "age_s": daemon.ageJSON(of: tracker),
      "course_deg": .double(tracker.engine.course.map { Decimal.rounded($0, digits: 1) }),
      "inside": try daemon.inside(tracker),
      "nearest": .array(nearest.map { near($0.place, $0.distance, of: tracker, from: fix) }),
    ]
  }

  private func near(
    _ place: SavedPlace, _ distance: Double?, of tracker: TrackerEngine, from fix: Fix
  ) -> JSONValue {
    let goal = Reminder.Place(name: place.name, position: place.position, radius: place.radius)
    var times = JSONObject()
    for transport in Reminder.Transport.allCases {
      let time = tracker.engine.travelTime(from: fix.position, to: goal, by: transport)
      times[transport.rawValue] = .double(time.seconds.rounded())
    }
    return [
      "name": .string(place.name),
      "distance_m": .double(Decimal.rounded(distance ?? 0, digits: 1)),
      "bearing_deg": .double(
        Decimal.rounded(fix.position.initialBearing(to: place.position), digits: 1)),
      // By learnt times where known.
      "travel_s": .object(times),
    ]
  }

  /// The trackers that the caller may follow.
  func listTrackers() throws -> JSONObject {
    let known = daemon.settings.trackers.filter { daemon.mayFollow($0.name, caller) }
    return [
      "trackers": .array(
        try known.map { settings in
          let tracker = daemon.host.tracker(.tracker(settings.name))
          return [
            "name": .string(settings.name), "owner": settings.owner.map { .int(Int($0)) },
            "shared": .bool(settings.isShared), "reminders": .int(tracker.engine.count),
            "age_s": daemon.ageJSON(of: tracker),
            "inside": try daemon.inside(tracker),
          ]
        })
    ]
  }

  /// Erases a tracker's position and trips; its reminders and its firings stay.
  func forgetTracker(_ name: String) throws -> JSONObject {
    let tracker = try follow(name)
    guard let known = tracker.name,
      let settings = daemon.settings.trackers.first(where: { $0.name == known })
    else { throw GeoremindError.notFound(id: name) }
    if !caller.isMaster, settings.owner != caller.user {
      try requireSharing("a tracker", of: settings.owner ?? 0, by: "ForgetTracker")
    }
    guard let now = daemon.clock.now else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    daemon.host.forgetPosition(of: tracker, at: now)
    try daemon.store.state.forget(tracker: known)
    return ["reminders": .int(tracker.engine.count)]
  }
}
