import CivilTime
import Geodesy
import JSONText
import Positioning
import Reminders

/// Lets an engine with reminders of unknown make live for a while: fixes at and around a place, its
/// own deadlines, a clock that is set, another zone, and questions in between. Nothing may trap, no
/// deadline may stay behind, and no firing may come twice.
func live(_ engine: inout Engine, from begin: Instant, at place: Coordinate, ids: [String]) {
  var now = begin
  var effects: [Effect] = []
  func send(_ event: Event) {
    engine.handle(event, at: now, into: &effects)
    for case .watch(let category) in effects {
      let places = [NumberedPlace(number: 1, position: place, radius: 100)]
      engine.handle(.places(category: category, places), at: now, into: &effects)
      break
    }
  }
  func wait(_ span: TimeSpan) {
    let end = now + span
    for _ in 0..<16 {
      guard let deadline = engine.nextDeadline, deadline <= end else { break }
      now = max(now, deadline)
      send(.tick)
      require(engine.nextDeadline.map { $0 > now } ?? true, "a deadline stays behind")
    }
    now = max(now, end)
  }
  for distance in [0.0, 0, 5_000, 5_000, 0, 0] {
    wait(.seconds(1))
    let position = place.destination(bearing: 90, distance: distance)
    send(.fix(Fix(time: now, position: position, mode: .threeD, speed: 10, eph: 5)))
  }
  wait(.hours(30))
  for id in ids.prefix(2) {
    _ = engine.why(id, at: now)?.json
    send(.snooze(id: id, .until(now + .minutes(20))))
    send(.done(id: id))
  }
  _ = engine.upcoming(limit: 3, at: now)
  _ = engine.nearby(limit: 3)
  now = now - .hours(50)
  send(.clockSet)
  send(.zone(.utc))
  wait(.hours(1))
  var told: Set<String> = []
  for case .fire(let firing) in effects {
    _ = firing.json
    require(told.insert(firing.id).inserted, "\(firing.message): told twice")
  }
}
