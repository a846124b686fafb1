package import CivilTime
package import Departure
package import Geodesy
import Positioning

/// Preemptive reminders: the time to leave.
extension Engine {
  struct Departure {
    /// The last moment to leave, less the next lead.
    let moment: Instant
    /// The last moment to leave.
    let target: Instant
    /// nil where neither a position nor the user's own travel time is known.
    let estimate: TravelEstimate?
    /// Metres from the last fix to the centre of the place; nil without a position.
    let distance: Double?
    let occurrence: Instant

    var travel: TimeSpan? { estimate?.time }
  }

  /// The current leaving time for the next lead: due − lead − travel time from the last fix.
  func leaving(_ slot: Slot, at now: Instant) -> Departure? {
    let leads = slot.reminder.effectiveLeads
    guard let occurrence = slot.progress.occurrence, let place = slot.reminder.place else {
      return nil
    }
    let lead = leads[min(slot.progress.leadsFired, leads.count - 1)]
    let way = departures.way(
      slot.index, to: place.position, radius: place.radius, fixed: slot.reminder.travel,
      by: slot.reminder.transport, at: now)
    let estimate = way.map {
      TravelEstimate(time: $0.time, basis: basis(of: $0.source, slot.reminder.transport, at: now))
    }
    let target = occurrence - (way?.time ?? .zero)
    return Departure(
      moment: target - lead, target: target, estimate: estimate,
      distance: departures.odometer.position?.distance(to: place.position), occurrence: occurrence)
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
      if let trips = experience.factor(of: transport)?.trips { return .learnt(trips: trips) }
      return departures.pace(of: transport).trip == .usual ? .formula : .measured
    }
  }

  /// Next decision about a preemptive reminder: the time to leave or, after it, the end of the
  /// occurrence; nil if none.
  func nextMoment(ofLeaving slot: Slot, at now: Instant) -> Instant? {
    switch slot.progress.state {
    case .armed where slot.progress.leadsFired < slot.reminder.effectiveLeads.count:
      leaving(slot, at: now)?.moment
    case .armed, .fired: slot.progress.occurrence
    case .snoozed, .done, .expired: nil
    }
  }

  // MARK: - Deciding

  mutating func evaluateLeaving(_ slot: Slot, at now: Instant, isFirst: Bool) {
    let index = slot.index
    guard let departure = leaving(slot, at: now) else { return }
    let leads = slot.reminder.effectiveLeads
    if slot.progress.leadsFired >= leads.count || slot.progress.state == .fired {
      evaluateAfterLeaving(index, departure, at: now)
      return
    }
    guard slot.progress.state == .armed, departure.moment <= now, !awaitsFirstFix(at: now),
      admits(departure.occurrence, of: slot.reminder)
    else { return }
    let from = slot.reminder.from.map { resolve($0) } ?? departure.moment
    guard from <= now else { return }
    // Of several leads that have passed, only the last fires.
    let passed = passedLeads(of: slot, departure, at: now)
    let moment = max(from, departure.target - leads[max(0, passed - 1)])
    let late = now - moment
    if let limit = settings.skipOlderThan, late > limit, departure.occurrence < now {
      advance(index, after: now, spent: .expired)
      return
    }
    guard cooldown(of: slot, at: now) == .holds else {
      change(index) {
        $0.leadsFired = max(passed, slot.progress.leadsFired + 1)
        if $0.leadsFired >= leads.count { $0.state = .fired }
      }
      return
    }
    noteExcursion(slot)
    let tolerance = isFirst ? settings.lateAfter : settings.leaveLateAfter
    fire(
      slot, leaveFiring(slot, departure, at: now, late: late > tolerance ? late : nil), at: now,
      leadsFired: max(passed, slot.progress.leadsFired + 1))
    if settings.learnsFromTrips, let here = departures.odometer.here,
      let place = slot.reminder.place
    {
      trips.begin(
        by: slot.reminder.transport, from: here, to: place.position, radius: place.radius,
        due: departure.occurrence, metres: departures.odometer.metres)
    }
    // Fired at the due time by a device at the place: the occurrence is complete.
    if departure.occurrence <= now, let fired = slots.slot(index), fired.progress.state == .fired {
      advance(index, after: now, spent: .fired)
    }
  }

  /// After "leave": re-arms the reminder if much slack has come back, or moves to the next
  /// occurrence when this one ends.
  private mutating func evaluateAfterLeaving(
    _ index: Int32, _ departure: Departure, at now: Instant
  ) {
    if departure.occurrence <= now {
      advance(index, after: now, spent: .fired)
    } else if departure.travel != nil, departure.moment - now > settings.leaveAgainSlack,
      !awaitsFirstFix(at: now)
    {
      let passed = slots.slot(index).map { passedLeads(of: $0, departure, at: now) } ?? 0
      change(index) { $0.leadsFired = passed }
      armAgain(index)
    }
  }

  /// Arms a time to leave that has fired.
  mutating func armAgain(_ index: Int32) {
    change(index) { $0.state = .armed }
    slots.set(.preemptive, true, index)
  }

  /// Number of leads, longest first, whose time has passed.
  private func passedLeads(of slot: Slot, _ departure: Departure, at now: Instant) -> Int {
    slot.reminder.effectiveLeads.prefix { departure.target - $0 <= now }.count
  }

  /// The end of a snooze stands for the moments to leave that have passed.
  mutating func wakeBeforeLeaving(_ index: Int32, at now: Instant) {
    if slots.progress(index).occurrence.map({ $0 <= now }) ?? false {
      advance(index, after: now, spent: .fired)
    }
    guard let slot = slots.slot(index), slot.progress.state == .armed,
      let departure = leaving(slot, at: now)
    else { return }
    let passed = max(slot.progress.leadsFired, passedLeads(of: slot, departure, at: now))
    change(index) {
      $0.leadsFired = passed
      if passed >= slot.reminder.effectiveLeads.count { $0.state = .fired }
    }
    activate(index, at: now)
  }

  // MARK: - When to decide

  /// Whether the position comes from an earlier run, and a fix may come soon.
  func awaitsFirstFix(at now: Instant) -> Bool {
    lastSample == nil && firstFixBy.map { now < $0 } ?? false
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
      evaluate(at: index, now: now)
    }
  }

  /// Updates a reminder in the departure queue; returns the next time at which its timer is needed.
  mutating func scheduleLeaving(_ slot: Slot, at now: Instant) -> Instant? {
    let leads = slot.reminder.effectiveLeads
    let state = slot.progress.state
    let leadsFired = slot.progress.leadsFired
    let waits = state == .armed && leadsFired < leads.count
    guard state == .armed || state == .fired, let place = slot.reminder.place,
      let occurrence = slot.progress.occurrence, !waits || admits(occurrence, of: slot.reminder)
    else {
      departures.remove(slot.index)
      return nil
    }
    if let from = slot.reminder.from.map({ resolve($0) }), from > now {
      departures.remove(slot.index)
      return from
    }
    if !waits, occurrence <= now {
      departures.remove(slot.index)
      return nextOccurrence(of: slot, after: now) == nil ? nil : now
    }
    let lead = leads[min(leadsFired, leads.count - 1)]
    departures.set(
      slot.index,
      DepartureEntry(
        place: place.position, radius: place.radius, moment: occurrence - lead,
        fixed: slot.reminder.travel, transport: slot.reminder.transport,
        stage: waits ? .waiting : .notified),
      at: now)
    // A notified reminder that does not repeat needs no timer at its due time.
    return waits || !slot.reminder.repeats ? nil : occurrence
  }

  /// Updates the departure queue and the current trips with a position.
  mutating func travel(to position: Coordinate, at now: Instant) {
    departures.follow(position)
    let metres = departures.odometer.metres
    guard let here = departures.odometer.here, trips.isDue(metres) else { return }
    let paces = trips.paces
    let learnt = trips.follow(to: here, at: now, metres: metres, settings.travel)
    for (transport, ratio) in learnt where settings.learnsFromTrips {
      hasLearnt = experience.add(ratio, by: transport) || hasLearnt
    }
    if !learnt.isEmpty || trips.paces != paces { usePaces() }
  }

  /// Gives the current pace of each mode to the queue.
  /// - Complexity: O(1) if none has changed.
  mutating func usePaces() {
    for transport in Reminder.Transport.allCases {
      let learnt = experience.factor(of: transport)?.factor
      let pace = TravelPace(
        profile: settings.travel.profile(of: transport), learnt: learnt ?? 1,
        trip: learnt == nil ? trips.pace(of: transport) : .usual,
        isRouted: settings.asksRoutes && transport.hasRoads)
      departures.use(pace, for: transport)
    }
  }

  // MARK: - Experience

  /// Restores the travel times learnt by an earlier run.
  package mutating func remember(_ experience: TravelExperience, at now: Instant) {
    self.experience = experience
    usePaces()
  }

  mutating func forgetTrips(by transport: Reminder.Transport?, at now: Instant) {
    experience.forget(transport)
    hasLearnt = true
    usePaces()
  }
}
