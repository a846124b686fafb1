package import CivilTime
package import Geodesy
import Positioning

/// Preemptive reminders: when it is time to leave.
extension Engine {
  struct Departure {
    /// The last moment to leave, less the lead that comes next.
    let moment: Instant
    /// The last moment to leave.
    let target: Instant
    /// nil where no position is known, and the reminder does not say it either.
    let estimate: TravelEstimate?
    /// From the last fix to the middle of the place, metres; nil where no position is known.
    let distance: Double?
    let occurrence: Instant

    var travel: TimeSpan? { estimate?.time }
  }

  /// When to leave for one more lead, as things stand: due − lead − travel time from the last fix.
  func leaving(_ slot: Slot, at now: Instant) -> Departure? {
    let leads = slot.reminder.effectiveLeads
    guard let occurrence = slot.progress.occurrence, let place = slot.reminder.place else {
      return nil
    }
    let lead = leads[min(slot.progress.leadsFired, leads.count - 1)]
    let distance = odometer.position?.distance(to: place.position)
    let estimate = travel(of: slot, to: place, distance, at: now)
    let target = occurrence - (estimate?.time ?? .zero)
    return Departure(
      moment: target - lead, target: target, estimate: estimate, distance: distance,
      occurrence: occurrence)
  }

  /// How long the way takes from the last fix: by the best that is known.
  private func travel(
    of slot: Slot, to place: Reminder.Place, _ distance: Double?, at now: Instant
  ) -> TravelEstimate? {
    guard let distance else {
      return slot.reminder.travel.map { TravelEstimate(time: $0, basis: .fixed) }
    }
    guard distance > place.radius else { return TravelEstimate(time: .zero, basis: .there) }
    if let travel = slot.reminder.travel { return TravelEstimate(time: travel, basis: .fixed) }
    let transport = slot.reminder.transport
    let pace = leaves.pace(of: transport)
    if let here = odometer.here,
      let answer = leaves.routes.answer(slot.index, from: here, at: now)
    {
      return TravelEstimate(
        time: TimeSpan(seconds: pace.routed(answer, distance: distance)),
        basis: .routed(age: now - answer.time))
    }
    return TravelEstimate(
      time: TimeSpan(seconds: pace.seconds(distance)), basis: basis(of: transport))
  }

  /// How long the way to a place takes by a mode of transport, by what is known of the mode; no routing
  /// engine is asked. 0 inside the place.
  package func travelTime(
    from origin: Coordinate, to place: Reminder.Place, by transport: Reminder.Transport
  ) -> TimeSpan {
    let distance = origin.distance(to: place.position)
    guard distance > place.radius else { return .zero }
    return TimeSpan(seconds: leaves.pace(of: transport).seconds(distance))
  }

  /// By what an estimate of this mode is made now, where no routing engine has spoken.
  private func basis(of transport: Reminder.Transport) -> TravelBasis {
    if let trips = experience.factor(of: transport)?.trips { return .learnt(trips: trips) }
    return leaves.pace(of: transport).trip == .usual ? .formula : .measured
  }

  /// When a preemptive reminder has something to decide: the time to leave, and once it has said so the
  /// end of the occurrence. nil where it waits for neither.
  func nextMoment(ofLeaving slot: Slot, at now: Instant) -> Instant? {
    switch slot.progress.state {
    case .armed where slot.progress.leadsFired < slot.reminder.effectiveLeads.count:
      leaving(slot, at: now)?.moment
    case .armed, .fired: slot.progress.occurrence
    case .snoozed, .done, .expired: nil
    }
  }

  // MARK: - Deciding

  mutating func lookAtLeaving(_ slot: Slot, at now: Instant, isFirst: Bool) {
    let index = slot.index
    guard let departure = leaving(slot, at: now) else { return }
    let leads = slot.reminder.effectiveLeads
    if slot.progress.leadsFired >= leads.count || slot.progress.state == .fired {
      lookAfterLeaving(index, departure, at: now)
      return
    }
    guard slot.progress.state == .armed, departure.moment <= now else { return }
    // Leads that have passed together are told once, as the last of them.
    let passed = passedLeads(of: slot, departure, at: now)
    let moment = departure.target - leads[max(0, passed - 1)]
    let late = now - moment
    if let limit = settings.skipOlderThan, late > limit, departure.occurrence < now {
      advance(index, after: now, spent: .expired)
      return
    }
    let tolerance = isFirst ? settings.lateAfter : settings.leaveLateAfter
    fire(
      slot, leaveFiring(slot, departure, at: now, late: late > tolerance ? late : nil), at: now,
      leadsFired: max(passed, slot.progress.leadsFired + 1))
    if settings.learnsFromTrips, let here = odometer.here, let place = slot.reminder.place {
      trips.begin(
        by: slot.reminder.transport, from: here, to: place, due: departure.occurrence,
        metres: odometer.metres)
    }
    // Said at the due time itself, by a device that is there: nothing is left to wait for.
    if departure.occurrence <= now, let fired = slots.slot(index), fired.progress.state == .fired {
      advance(index, after: now, spent: .fired)
    }
  }

  /// It has said "leave": say so again only if much slack has come back; go on to the next
  /// occurrence when this one is over.
  private mutating func lookAfterLeaving(_ index: Int32, _ departure: Departure, at now: Instant) {
    if departure.occurrence <= now {
      advance(index, after: now, spent: .fired)
    } else if departure.travel != nil, departure.moment - now > settings.leaveAgainSlack {
      let passed = slots.slot(index).map { passedLeads(of: $0, departure, at: now) } ?? 0
      change(index) {
        $0.progress.state = .armed
        $0.progress.leadsFired = passed
      }
      slots.set(.preemptive, true, index)
    }
  }

  /// How many leads, longest first, have their moment behind them.
  private func passedLeads(of slot: Slot, _ departure: Departure, at now: Instant) -> Int {
    slot.reminder.effectiveLeads.prefix { departure.target - $0 <= now }.count
  }

  // MARK: - When to look

  /// Looks at every reminder whose time to leave may have come.
  mutating func lookAtLeaves(at now: Instant) {
    let view = leaveView(at: now)
    var looks = 0
    let position = odometer.position
    while looks <= 4 * slots.indices.count + 64,
      let index = leaves.nextDue(
        view, again: settings.leaveAgainSlack,
        exactDistance: { index in
          guard let position, let place = slots.place(index) else { return nil }
          return position.distance(toPlaceAt: place.position, radius: place.radius)
        })
    {
      looks += 1
      look(at: index, now: now)
    }
  }

  func leaveView(at now: Instant) -> LeaveView {
    LeaveView(now: now.microseconds, metres: odometer.metres, here: odometer.here)
  }

  /// Puts a reminder where it waits for its time to leave, or for much slack to come back; answers the
  /// moment at which time alone brings something else about.
  mutating func scheduleLeaving(_ slot: Slot, at now: Instant) -> Instant? {
    let leads = slot.reminder.effectiveLeads
    let state = slot.progress.state
    let leadsFired = slot.progress.leadsFired
    let waits = state == .armed && leadsFired < leads.count
    guard state == .armed || state == .fired, let place = slot.reminder.place,
      let occurrence = slot.progress.occurrence
    else {
      leaves.remove(slot.index)
      return nil
    }
    if !waits, occurrence <= now {
      leaves.remove(slot.index)
      return nextOccurrence(of: slot, after: now) == nil ? nil : now
    }
    let lead = leads[min(leadsFired, leads.count - 1)]
    leaves.set(
      LeaveEntry(
        slot: slot.index, place: place.position, radius: place.radius,
        moment: occurrence - lead, fixed: slot.reminder.travel),
      waits ? .waiting : .gone, by: slot.reminder.transport,
      moment: waits ? leaving(slot, at: now)?.moment : nil, again: settings.leaveAgainSlack,
      leaveView(at: now))
    // One that does not repeat is over without anything to be done.
    return waits || !slot.reminder.repeats ? nil : occurrence
  }

  /// Follows the device: the odometer, and the trips under way.
  mutating func travel(to position: Coordinate, at now: Instant) {
    odometer.follow(position)
    guard let here = odometer.here, trips.isDue(odometer.metres) else { return }
    let paces = trips.paces
    let learnt = trips.follow(
      to: here, at: now, metres: odometer.metres, settings.travel)
    for (transport, ratio) in learnt where settings.learnsFromTrips {
      hasLearnt = experience.add(ratio, by: transport) || hasLearnt
    }
    if !learnt.isEmpty || trips.paces != paces { usePaces(at: now) }
  }

  /// Has the queues reckon with what is known of each mode now. Complexity: O(1) where nothing is new.
  mutating func usePaces(at now: Instant) {
    for transport in Reminder.Transport.allCases {
      let learnt = experience.factor(of: transport)?.factor
      let pace = TravelPace(
        profile: settings.travel.profile(of: transport), learnt: learnt ?? 1,
        trip: learnt == nil ? trips.pace(of: transport) : .usual, isRouted: settings.asksRoutes)
      leaves.use(pace, for: transport, leaveView(at: now))
    }
  }

  // MARK: - Experience

  /// What an earlier run has learnt from trips.
  package mutating func remember(_ experience: TravelExperience, at now: Instant) {
    self.experience = experience
    usePaces(at: now)
  }

  mutating func forgetTrips(by transport: Reminder.Transport?, at now: Instant) {
    experience.forget(transport)
    hasLearnt = true
    usePaces(at: now)
  }
}

extension Coordinate {
  /// Metres to the middle of a place; 0 inside it, where there is no way.
  func distance(toPlaceAt middle: Coordinate, radius: Double) -> Double {
    let distance = distance(to: middle)
    return distance > radius ? distance : 0
  }
}
