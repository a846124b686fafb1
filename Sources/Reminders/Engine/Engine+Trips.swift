package import CivilTime
package import Departure
package import Geodesy

/// The ways to places, and the trips that teach how long they take.
extension Engine {
  /// The place to be at for a due time; nil without a place.
  func goal(of slot: Slot, due: Instant, time: TimeOfWeek) -> TripGoal? {
    slot.reminder.place.map {
      TripGoal(
        place: $0.position, radius: $0.radius, by: slot.reminder.transport, due: due, time: time)
    }
  }

  func time(of due: Instant) -> TimeOfWeek {
    let local = zone.localDateTime(at: due)
    return TimeOfWeek(
      hour: Double(local.time.microseconds) / 3.6e9,
      isWeekend: [.saturday, .sunday].contains(local.date.weekday))
  }

  /// The place to be at for the due time that it waits for.
  func goal(of slot: Slot, at now: Instant) -> TripGoal? {
    guard slot.reminder.kind == .preemptive else { return nil }
    // Without trips no hour counts more than another, and the due times need no search.
    guard !learning.experience.trips(by: slot.reminder.transport).isEmpty else {
      return goal(of: slot, due: now, time: TimeOfWeek(hour: 0, isWeekend: false))
    }
    var schedule = Schedule(slot.$reminder, in: zone)
    let due = schedule.occurrence(slot.history, at: now)?.due ?? now
    return goal(of: slot, due: due, time: time(of: due))
  }

  /// The way to the place of a time to leave; nil where neither a position nor the user's own
  /// travel time is known.
  /// - Parameter share: of trips that its time is long enough for; nil for the setting.
  func way(of slot: Slot, share: Double? = nil, at now: Instant) -> Way? {
    goal(of: slot, at: now).flatMap { way(of: slot, to: $0, share: share, at: now) }
  }

  /// The same to a known goal.
  func way(of slot: Slot, to goal: TripGoal, share: Double? = nil, at now: Instant) -> Way? {
    departures.way(slot.index, to: goal, fixed: slot.reminder.travel, share: share, at: now)
  }

  /// Metres from the last fix to the centre of the place; nil without a position.
  func distance(of slot: Slot) -> Double? {
    slot.reminder.place.flatMap { departures.position?.distance(to: $0.position) }
  }

  /// Travel time to a place by a mode of transport, without a routing engine; 0 inside.
  package func travelTime(
    from origin: Coordinate, to place: Reminder.Place, by transport: Reminder.Transport
  ) -> TimeSpan {
    let goal = Vector(place.position)
    let distance = Vector(origin).distance(to: goal)
    guard distance > place.radius else { return .zero }
    let query = TravelQuery(transport, to: goal, distance: distance)
    return TimeSpan(seconds: departures.predictor.predict(query).seconds)
  }

  // MARK: - Trips

  mutating func expectArrival(_ slot: Slot, for occurrence: Occurrence, at now: Instant) {
    guard settings.learnsFromTrips,
      let goal = goal(of: slot, due: occurrence.due, time: time(of: occurrence.due))
    else { return }
    learning.trips.expect(goal, routed: departures.answer(slot.index, at: now))
  }

  /// Updates the departure queue and the trip with a position.
  mutating func travel(to position: Coordinate, at now: Instant) {
    departures.follow(position)
    guard let here = departures.here else { return }
    if learning.trips.follow(to: here, at: now), settings.learnsFromTrips {
      for (goal, routed) in departures.goals(within: .hours(3), at: now) {
        learning.trips.expect(goal, routed: routed)
      }
    }
    let arrivals = learning.trips.arrivals(at: now, settings.travel)
    for (transport, trip) in arrivals where settings.learnsFromTrips {
      learning.hasLearnt = learning.experience.add(trip, by: transport) || learning.hasLearnt
    }
    if !arrivals.isEmpty { usePredictor() }
  }

  /// Gives the settings and the learnt trips to the queue.
  mutating func usePredictor() {
    departures.predictor = TravelPredictor(
      settings.travel, punctuality: settings.punctuality, experience: learning.experience)
  }

  // MARK: - Experience

  /// Restores the travel times learnt by an earlier run.
  package mutating func remember(_ experience: TravelExperience, at now: Instant) {
    learning.experience = experience
    usePredictor()
  }

  mutating func forgetTrips(by transport: Reminder.Transport?, at now: Instant) {
    learning.experience.forget(transport)
    learning.hasLearnt = true
    usePredictor()
  }
}

/// The trip under way, and the travel times learnt from them.
struct TripLearning: Sendable {
  var trips = TripLog()
  var experience = TravelExperience()
  /// Whether `experience` must be stored.
  var hasLearnt = false
}

extension Engine {
  /// Travel times learnt from trips.
  package var experience: TravelExperience { learning.experience }
}
