package import CivilTime
package import Departure
package import Geodesy
import Positioning

/// Preemptive reminders: the time to leave.
extension Engine {
  /// The way to the place of a time to leave; nil where neither a position nor the user's own
  /// travel time is known.
  func way(of slot: Slot, at now: Instant) -> Way? {
    guard slot.reminder.kind == .preemptive, let place = slot.reminder.place else { return nil }
    return departures.way(
      slot.index, to: place.position, radius: place.radius, fixed: slot.reminder.travel,
      by: slot.reminder.transport, at: now)
  }

  /// The travel time and where it comes from; nil without one.
  func estimate(of slot: Slot, at now: Instant) -> TravelEstimate? {
    way(of: slot, at: now).map {
      TravelEstimate(time: $0.time, basis: basis(of: $0.source, slot.reminder.transport, at: now))
    }
  }

  /// Metres from the last fix to the centre of the place; nil without a position.
  func distance(of slot: Slot) -> Double? {
    slot.reminder.place.flatMap { departures.odometer.position?.distance(to: $0.position) }
  }

  /// Estimated travel time to a place by a mode of transport, without a routing engine; 0 inside.
  package func travelTime(
    from origin: Coordinate, to place: Reminder.Place, by transport: Reminder.Transport
  ) -> TimeSpan {
    let distance = origin.distance(to: place.position)
    guard distance > place.radius else { return .zero }
    return TimeSpan(seconds: departures.pace(of: transport).seconds(distance))
  }

  private func basis(
    of source: Way.Source, _ transport: Reminder.Transport, at now: Instant
  ) -> TravelBasis {
    switch source {
    case .there: return .there
    case .fixed: return .fixed
    case .routed(let answer): return .routed(age: now - answer.time)
    case .estimated:
      if let trips = learning.experience.factor(of: transport)?.trips {
        return .learnt(trips: trips)
      }
      return departures.pace(of: transport).trip == .usual ? .formula : .measured
    }
  }

  // MARK: - Deciding

  /// A lead has come; of several that have passed, the last one.
  mutating func ringLeave(_ last: Lead, _ evaluation: inout Evaluation, isFirst: Bool) {
    let (slot, now) = (evaluation.slot, evaluation.now)
    let (occurrence, travel) = (last.occurrence, evaluation.surroundings.travel ?? .zero)
    let number = max(0, evaluation.schedule.leadsPassed(of: occurrence, travel, at: now) - 1)
    let lead = Lead(
      occurrence: occurrence, number: number,
      moment: evaluation.schedule.moment(of: number, before: occurrence.due) - travel)
    let late = now - max(evaluation.schedule.window.from ?? lead.moment, lead.moment)
    if let limit = settings.skipOlderThan, late > limit, occurrence.due < now {
      missed.leftOut.append(occurrence.due)
      return change(slot.index) {
        evaluation.schedule.use(dueBy: now, &$0)
        if evaluation.schedule.next(after: $0.usedUpTo) == nil { $0.hasExpired = true }
      }
    }
    let rings = evaluation.hasCooledDown
    if rings {
      noteExcursion(slot)
      let tolerance = isFirst ? settings.lateAfter : settings.leaveLateAfter
      fire(
        evaluation, leaveFiring(evaluation, lead, late: late > tolerance ? late : nil), lead)
      beginTrip(slot, to: occurrence)
    }
    change(slot.index) {
      evaluation.schedule.useLeave(&$0, travel, of: occurrence, to: now)
      if rings { evaluation.schedule.ring(&$0, at: now) }
      if occurrence.due <= now { evaluation.schedule.use(dueBy: now, &$0) }
    }
  }

  private mutating func beginTrip(_ slot: Slot, to occurrence: Occurrence) {
    guard settings.learnsFromTrips, let here = departures.odometer.here,
      let place = slot.reminder.place
    else { return }
    learning.trips.begin(
      by: slot.reminder.transport, from: here, to: place.position, radius: place.radius,
      due: occurrence.due, metres: departures.odometer.metres)
  }

  /// After "leave": rings again if much slack has come back.
  private mutating func ringAgainWithSlack(_ slot: Slot, at now: Instant) {
    let evaluation = evaluation(of: slot, at: now)
    let schedule = evaluation.schedule
    guard let travel = evaluation.surroundings.travel,
      let occurrence = evaluation.plan.occurrence, occurrence.due > now,
      schedule.window.from.map({ $0 <= now }) ?? true
    else { return }
    let last = schedule.leads.count - 1
    let moment = schedule.moment(of: last, before: occurrence.due) - travel
    guard moment - now > settings.leaveAgainSlack else { return }
    let passed = schedule.leadsPassed(of: occurrence, travel, at: now)
    change(slot.index) {
      $0.leadsUsed = passed == 0 ? nil : .init(of: occurrence.name, count: passed)
    }
  }

  // MARK: - When to decide

  /// Whether the position comes from an earlier run, and a fix may come soon.
  func awaitsFirstFix(at now: Instant) -> Bool {
    reception.sample == nil && reception.firstFixBy.map { now < $0 } ?? false
  }

  /// Evaluates every reminder whose time to leave may have come.
  mutating func evaluateDepartures(at now: Instant) {
    departures.beginEvent(at: now)
    guard !awaitsFirstFix(at: now) else { return }
    var decided = 0
    while !turn.isFull, decided <= 4 * slots.indices.count + 64,
      let index = departures.nextDue(at: now, again: settings.leaveAgainSlack)
    {
      decided += 1
      if let slot = slots.slot(index), slot.state == .fired { ringAgainWithSlack(slot, at: now) }
      evaluate(at: index, now: now)
    }
  }

  /// Puts a reminder into the departure queue, or takes it out.
  mutating func queue(_ evaluation: Evaluation) {
    let (slot, plan, schedule) = (evaluation.slot, evaluation.plan, evaluation.schedule)
    let now = evaluation.now
    let waits = plan.state == .armed
    guard waits || plan.state == .fired, let place = slot.reminder.place,
      let occurrence = plan.occurrence, schedule.window.from.map({ $0 <= now }) ?? true,
      waits || occurrence.due > now
    else { return departures.remove(slot.index) }
    let number = plan.lead?.number ?? schedule.leads.count - 1
    departures.set(
      slot.index,
      DepartureEntry(
        place: place.position, radius: place.radius,
        moment: schedule.moment(of: number, before: occurrence.due),
        fixed: slot.reminder.travel, transport: slot.reminder.transport,
        stage: waits ? .waiting : .notified),
      at: now)
  }

  /// Updates the departure queue and the current trips with a position.
  mutating func travel(to position: Coordinate, at now: Instant) {
    departures.follow(position)
    let metres = departures.odometer.metres
    guard let here = departures.odometer.here, learning.trips.isDue(metres) else { return }
    let paces = learning.trips.paces
    let learnt = learning.trips.follow(to: here, at: now, metres: metres, settings.travel)
    for (transport, ratio) in learnt where settings.learnsFromTrips {
      learning.hasLearnt = learning.experience.add(ratio, by: transport) || learning.hasLearnt
    }
    if !learnt.isEmpty || learning.trips.paces != paces { usePaces() }
  }

  /// Gives the current pace of each mode to the queue.
  /// - Complexity: O(1) if none has changed.
  mutating func usePaces() {
    for transport in Reminder.Transport.allCases {
      let learnt = learning.experience.factor(of: transport)?.factor
      let pace = TravelPace(
        profile: settings.travel.profile(of: transport), learnt: learnt ?? 1,
        trip: learnt == nil ? learning.trips.pace(of: transport) : .usual,
        isRouted: settings.asksRoutes && transport.hasRoads)
      departures.use(pace, for: transport)
    }
  }

  // MARK: - Experience

  /// Restores the travel times learnt by an earlier run.
  package mutating func remember(_ experience: TravelExperience, at now: Instant) {
    learning.experience = experience
    usePaces()
  }

  mutating func forgetTrips(by transport: Reminder.Transport?, at now: Instant) {
    learning.experience.forget(transport)
    learning.hasLearnt = true
    usePaces()
  }
}

/// The trips under way, and the travel times learnt from them.
struct TripLearning: Sendable {
  var trips = TripLog()
  var experience = TravelExperience()
  /// Whether `experience` must be stored.
  var hasLearnt = false
  /// Whether the queues still use the speeds of earlier settings.
  var arePacesOld = false
}

extension Engine {
  /// Travel times learnt from trips.
  package var experience: TravelExperience { learning.experience }
}
