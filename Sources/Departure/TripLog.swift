package import CivilTime
package import Containers
package import Geodesy

/// The motion of the device, as far as times to leave ask for it: where it rested, when it left,
/// the trip since then, and the places where a trip may end.
///
/// A trip begins where the device has left the circle of `restRadius` in which it stayed for
/// `restTime`, and ends where it stays again. It is a pure function of the positions; whether a
/// "leave" has fired does not matter to it, nor whether somebody leaves early.
package struct TripLog: Sendable {
  private struct Point: Sendable {
    var place: Vector
    var time: Instant

    static let blank = Point(place: Vector(.origin), time: Instant(microseconds: 0))

    mutating func pass(_ tape: inout StateTape) {
      tape.pass(&place)
      tape.pass(&time)
    }
  }

  private enum Motion: Equatable, Sendable {
    case resting
    /// - Parameter hasStart: whether it was seen to begin. After a start of the daemon it was not.
    case moving(hasStart: Bool)
  }

  private struct Goal: Sendable {
    var goal: TripGoal
    var routed: RouteBook.Answer?

    static let blank = Goal(
      goal: TripGoal(
        place: .origin, radius: 0, by: .driving, due: Instant(microseconds: 0),
        time: TimeOfWeek(hour: 0, isWeekend: false)))
  }

  /// A device that stays for `restTime` within `restRadius` metres rests: neither a traffic light
  /// nor the trembling of a receiver indoors begins or ends a trip.
  package static let (restRadius, restTime) = (200.0, TimeSpan.minutes(10))
  static let maximumGoals = 8
  /// A goal counts until this long after its due time.
  private static let lateness = TimeSpan.hours(2)
  /// An approach takes at least this long, and no more than so many times the formula's time: a
  /// slower one would be no trip by this mode.
  private static let approachTime = TimeSpan.minutes(2)
  private static let slowest = TravelExperience.plausible.upperBound
  /// A jump by more metres a second is no motion: 360 km/h.
  private static let maximumSpeed = 100.0
  private static let maximumTrack = 64
  /// An approach may begin within the circle of the rest.
  private static let approachLead = TimeSpan.minutes(3)
  /// Metres nearer to the edge of that circle that are motion.
  private static let step = 10.0

  private var motion = Motion.moving(hasStart: false)
  /// The last point from which the device has moved less than `restRadius`, and when.
  private var stop: Point?
  /// Where the trip began.
  private var start: Point?
  /// The trip and `approachLead` before it, thinned to `maximumTrack` points.
  private var track: [Point] = []
  /// Seconds between two points of the track.
  private var spacing = TimeSpan.seconds(15)
  private var latest: Point?
  private var goals: [Goal] = []

  package init() {}

  /// Follows the device.
  /// - Returns: whether a trip begins here.
  /// - Complexity: O(1).
  package mutating func follow(to here: Vector, at now: Instant) -> Bool {
    let point = Point(place: here, time: now)
    let before = latest
    latest = point
    guard let stop, let before, case let gap = now - before.time, gap >= .zero,
      here.distance(to: before.place) <= Self.maximumSpeed * max(1, gap.seconds)
    else {
      begin(at: point)
      return false
    }
    if here.distance(to: stop.place) <= Self.restRadius {
      if now - stop.time >= Self.restTime, motion != .resting {
        (motion, track, spacing) = (.resting, [], .seconds(15))
      }
      extendTrack(to: point)
      return false
    }
    self.stop = point
    if motion == .resting {
      // The idle time before is left out.
      while track.count > 1,
        track[1].place.distance(to: here) > track[0].place.distance(to: here) - Self.step
      {
        track.removeFirst()
      }
      (motion, start) = (.moving(hasStart: true), point)
      extendTrack(to: point)
      return true
    }
    extendTrack(to: point)
    // Nobody knows what happened in a long silence.
    if gap > Self.restTime { motion = .moving(hasStart: false) }
    return false
  }

  private mutating func begin(at point: Point) {
    motion = .moving(hasStart: false)
    (stop, track, spacing) = (point, [point], .seconds(15))
  }

  private mutating func extendTrack(to point: Point) {
    if let last = track.last, point.time - last.time < spacing { return }
    track.append(point)
    if motion == .resting {
      while track.count > 1, track[1].time <= point.time - Self.approachLead { track.removeFirst() }
    } else if track.count >= Self.maximumTrack {
      track = track.indices.filter { $0 % 2 == 0 }.map { track[$0] }
      spacing = .seconds(2 * spacing.seconds)
    }
  }

  // MARK: - On the way

  /// When the trip that approaches a place was seen last; nil where the device rests, goes
  /// elsewhere, or has not approached for `approachTime` yet.
  ///
  /// The whole trip and its last `restTime` have kept the pace, and it has not turned away.
  /// - Complexity: O(points of the track), at most 64.
  package func approach(to goal: TripGoal, _ estimator: TravelEstimator) -> Instant? {
    guard motion != .resting, let latest, let first = track.first,
      latest.time - first.time >= Self.approachTime
    else { return nil }
    let profile = estimator[goal.transport]
    func distance(_ point: Point) -> Double { point.place.distance(to: goal.vector) }
    let now = distance(latest)
    let nearest = track.map(distance).min() ?? now
    func keepsPace(since point: Point) -> Bool {
      let gained = profile.seconds(distance(point)) - profile.seconds(now)
      return gained * Self.slowest >= (latest.time - point.time).seconds
    }
    let recent = track.last { latest.time - $0.time >= Self.restTime } ?? first
    guard now <= max(1.1 * nearest, nearest + Self.restRadius), keepsPace(since: first),
      keepsPace(since: recent)
    else { return nil }
    return latest.time
  }

  // MARK: - Trips that teach

  /// Adds a place where a trip may end.
  /// - Parameter routed: a routing engine's answer for the way to it.
  package mutating func expect(_ goal: TripGoal, routed: RouteBook.Answer?) {
    // Two reminders of one trip are one trip.
    goals.removeAll {
      $0.goal.transport == goal.transport
        && $0.goal.vector.distance(to: goal.vector) < TravelExperience.shortest
    }
    if goals.count >= Self.maximumGoals { goals.removeFirst() }
    goals.append(Goal(goal: goal, routed: routed))
  }

  /// The trips that have ended at this position.
  /// - Complexity: O(goals), at most eight.
  package mutating func arrivals(
    at now: Instant, _ estimator: TravelEstimator
  ) -> [(transport: Transport, trip: Trip)] {
    guard let here = latest?.place, !goals.isEmpty else { return [] }
    var trips: [(Transport, Trip)] = []
    goals.removeAll { goal in
      if now - goal.goal.due > Self.lateness { return true }
      guard motion == .moving(hasStart: true), let start,
        here.distance(to: goal.goal.vector) <= goal.goal.radius
      else { return false }
      if let trip = Self.trip(to: goal, from: start, at: now, estimator) {
        trips.append((goal.goal.transport, trip))
      }
      return true
    }
    return trips
  }

  private static func trip(
    to goal: Goal, from start: Point, at now: Instant, _ estimator: TravelEstimator
  ) -> Trip? {
    let profile = estimator[goal.goal.transport]
    let distance = start.place.distance(to: goal.goal.vector)
    let seconds = (now - start.time).seconds
    guard distance - goal.goal.radius >= TravelExperience.shortest,
      TravelExperience.plausible.contains(seconds / profile.seconds(distance))
    else { return nil }
    return Trip(
      goal: goal.goal.place, distance: distance, seconds: seconds, time: goal.goal.time,
      routed: goal.routed.map { $0.seconds(profile, from: distance) })
  }
}

extension TripLog {
  /// Passes all of it but the answers of a routing engine.
  package mutating func pass(_ tape: inout StateTape) {
    var state = motion == .resting ? 0 : motion == .moving(hasStart: true) ? 2 : 1
    tape.pass(&state)
    motion = state == 0 ? .resting : .moving(hasStart: state == 2)
    tape.pass(&stop, blank: .blank) { $0.pass(&$1) }
    tape.pass(&start, blank: .blank) { $0.pass(&$1) }
    tape.pass(&track, blank: .blank) { $0.pass(&$1) }
    tape.pass(&spacing)
    tape.pass(&latest, blank: .blank) { $0.pass(&$1) }
    tape.pass(&goals, blank: .blank) { $0.goal.pass(&$1) }
  }
}
