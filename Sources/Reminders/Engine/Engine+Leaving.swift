import CivilTime
import Departure
import Geodesy
import Positioning

/// Preemptive reminders: the time to leave.
extension Engine {
  // MARK: - Silence

  /// Until when a time to leave stays silent: always at the place, and on the way for as long as
  /// the last position may be a stop. nil where it rings.
  ///
  /// With the user's own travel time the place alone counts: the pace of that way is not known.
  func silence(towards goal: TripGoal, _ way: Way, at now: Instant) -> Instant? {
    switch way.basis {
    case .there: return Instant(microseconds: .max)
    case .fixed: return nil
    case .routed, .learnt, .formula:
      guard let seen = learning.trips.approach(to: goal, settings.travel),
        seen + TripLog.restTime > now
      else { return nil }
      return seen + TripLog.restTime
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
    if evaluation.surroundings.silentUntil != nil { return passSilently(lead, &evaluation) }
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
      expectArrival(slot, for: occurrence, at: now)
    }
    change(slot.index) {
      evaluation.schedule.useLeave(&$0, travel, of: occurrence, to: now)
      if rings { evaluation.schedule.ring(&$0, at: now) }
      if occurrence.due <= now { evaluation.schedule.use(dueBy: now, &$0) }
    }
  }

  /// It is due while the device is at the place, or on the way.
  private mutating func passSilently(_ lead: Lead, _ evaluation: inout Evaluation) {
    let (slot, now) = (evaluation.slot, evaluation.now)
    reportSilence(lead, evaluation)
    change(slot.index) {
      evaluation.schedule.use(upTo: lead.occurrence.name, &$0)
      evaluation.schedule.use(dueBy: now, &$0)
      if evaluation.schedule.next(after: $0.usedUpTo) == nil { $0.hasExpired = true }
    }
  }

  /// Says once for a due time why it does not ring.
  private mutating func reportSilence(_ lead: Lead, _ evaluation: Evaluation) {
    let slot = evaluation.slot
    if let entry = departures.entry(slot.index), entry.hasReportedSilence,
      entry.goal.due == lead.occurrence.due
    {
      return
    }
    let words = silenceWords(lead, evaluation)
    outcome.notices.append(
      .leaveSilent(id: slot.reminder.id, title: slot.reminder.title, words: words))
  }

  /// After "leave": much slack has come back, as the queue of departures found, so it rings again.
  private mutating func ringAgainWithSlack(_ slot: Slot, at now: Instant) {
    let evaluation = evaluation(of: slot, at: now)
    let schedule = evaluation.schedule
    guard let travel = evaluation.surroundings.travel,
      let occurrence = evaluation.plan.occurrence, occurrence.due > now
    else { return }
    let passed = schedule.leadsPassed(of: occurrence, travel, at: now)
    change(slot.index) {
      $0.leadsUsed[occurrence.name] = passed == 0 ? nil : passed
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
      let index = departures.nextDue(at: now)
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
    guard waits || plan.state == .fired, let occurrence = plan.occurrence,
      waits ? schedule.window.from ?? now <= now : occurrence.due > now
    else { return departures.remove(slot.index) }
    guard let goal = goal(of: slot, due: occurrence.due, time: time(of: occurrence.due)) else {
      return
    }
    let number = plan.lead?.number ?? schedule.leads.count - 1
    var entry = DepartureEntry(
      goal: goal, moment: schedule.moment(of: number, before: occurrence.due),
      fixed: slot.reminder.travel, from: schedule.window.from,
      stage: waits ? .waiting : .notified)
    if waits, let lead = plan.lead, lead.moment <= now, let until = plan.rings, until > now,
      evaluation.surroundings.silentUntil != nil
    {
      reportSilence(lead, evaluation)
      entry.stage = .silent(until: until)
      entry.hasReportedSilence = true
    } else if let old = departures.entry(slot.index), old.goal.due == occurrence.due {
      entry.hasReportedSilence = old.hasReportedSilence
    }
    departures.set(slot.index, entry, at: now)
  }
}
