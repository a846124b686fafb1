import CivilTime
import Containers
import Departure
import Geofencing

/// Following the plans: each slot has the timer, the fence and the place in the queues that its
/// plan asks for.
extension Engine {
  func surroundings(of slot: Slot, at now: Instant) -> Surroundings {
    var surroundings = Surroundings()
    surroundings.isClockTrusted = isClockTrusted
    surroundings.speed = motion.speed
    surroundings.course = motion.course
    surroundings.lateAfter = settings.lateAfter
    if slot.reminder.kind == .preemptive {
      surroundings.travel = way(of: slot, at: now)?.time
      if awaitsFirstFix(at: now) { surroundings.firstFixBy = reception.firstFixBy }
    }
    return surroundings
  }

  func plan(of slot: Slot, at now: Instant) -> Plan {
    var schedule = Schedule(slot.reminder, in: zone)
    return schedule.plan(slot.history, surroundings(of: slot, at: now), at: now)
  }

  /// Makes the plan of a slot anew and follows it: to be called after each change of its history.
  mutating func replan(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else {
      timers.cancel(slot: index)
      return
    }
    var schedule = Schedule(slot.reminder, in: zone)
    let plan = schedule.plan(slot.history, surroundings(of: slot, at: now), at: now)
    turn.work += schedule.work
    note(plan, of: slot)
    let wantsFence =
      slot.reminder.kind == .location && (plan.state == .armed || plan.state == .snoozed)
    if wantsFence != slot.hasFence {
      if wantsFence { addFence(of: slot, at: now) } else { removeFence(index) }
      // The last fix may have decided where the device is.
      if slots.slot(index)?.history != slot.history { return replan(index, at: now) }
    }
    slots.set(
      .preemptive, slot.reminder.kind == .preemptive && plan.state == .armed, index)
    markWaiting(slot, plan, schedule)
    setTimer(slot, plan, at: now)
  }

  /// Notes the state that a plan has found, and reports an end that came before it could ring.
  private mutating func note(_ plan: Plan, of slot: Slot) {
    if slots.set(plan.standing, slot.index) { markDirty(slot.index) }
    guard plan.state == .expired, !slot.history.hasExpired else { return }
    change(slot.index) { $0.hasExpired = true }
    if slot.history.lastRung == nil {
      outcome.notices.append(.expired(id: slot.reminder.id, title: slot.reminder.title))
    }
  }

  /// Marks a stay that speed or course may let fire at any fix.
  private mutating func markWaiting(_ slot: Slot, _ plan: Plan, _ schedule: Schedule) {
    let waits =
      slot.reminder.kind == .location && plan.state == .armed && slot.reminder.asksMotion
      && plan.occurrence.map { schedule.openStay(slot.history, $0) != nil } ?? false
    guard waits != slots.marks(slot.index).contains(.waiting) else { return }
    slots.set(.waiting, waits, slot.index)
    if waits { waiting.insert(slot.index) } else { waiting.remove(slot.index) }
  }

  private mutating func setTimer(_ slot: Slot, _ plan: Plan, at now: Instant) {
    let index = slot.index
    var next = sooner(plan.at, anchorDeadline(slot))
    let isHeld = plan.heldAt.map { $0 <= now } ?? false
    if isHeld {
      held.insert(index)
    } else {
      held.remove(index)
      next = sooner(next, plan.heldAt)
    }
    if slot.reminder.kind == .preemptive {
      if isHeld { departures.remove(index) } else { queue(slot, plan, at: now) }
      // From then on the way decides.
      let from = slot.reminder.from.map { resolve($0) }
      if let from, from > now { next = sooner(next, from) }
    }
    if let next {
      timers.push(slot: index, at: next.microseconds)
    } else {
      timers.cancel(slot: index)
    }
  }

  // MARK: - Evaluating

  mutating func evaluateTimers(at now: Instant) {
    var checks = 0
    while !turn.isFull, let next = timers.peek(), next.deadline <= now.microseconds {
      _ = timers.pop()
      checks += 1
      if checks > 4 * slots.indices.count + 64 {
        // Limit of checks per event: a timer that keeps returning must not block the rest.
        timers.push(slot: next.slot, at: (now + .seconds(1)).microseconds)
        continue
      }
      evaluate(at: next.slot, now: now)
    }
  }

  /// Carries out what the plan of a slot has for now, and makes the next plan.
  /// - Parameter isFirst: the reminder was just added or loaded, so past deadlines were missed.
  mutating func evaluate(at index: Int32, now: Instant, isFirst: Bool = false) {
    guard let slot = slots.slot(index) else { return }
    var schedule = Schedule(slot.reminder, in: zone)
    let surroundings = surroundings(of: slot, at: now)
    var plan = schedule.plan(slot.history, surroundings, at: now)
    // A timer comes a little late: a moment up to `until` counts.
    if let until = schedule.window.until, until < now, now - until <= settings.lateAfter {
      let last = schedule.plan(slot.history, surroundings, at: until)
      if let at = last.at, at <= until { plan = last }
    }
    if let at = plan.at, at <= now, let action = plan.action {
      perform(action, slot, plan, &schedule, at: now, isFirst: isFirst)
    }
    evaluateAnchor(index, at: now)
    turn.work += schedule.work
    replan(index, at: now)
  }

  private mutating func perform(
    _ action: Plan.Action, _ slot: Slot, _ plan: Plan, _ schedule: inout Schedule,
    at now: Instant, isFirst: Bool
  ) {
    let index = slot.index
    switch action {
    case .ring(let lead): ringDate(slot, lead, &schedule, at: now)
    case .leave: ringLeave(slot, plan, &schedule, at: now, isFirst: isFirst)
    case .move:
      if slot.reminder.kind == .preemptive, let occurrence = plan.occurrence {
        change(index) { schedule.useAll(from: occurrence, dueBy: occurrence.due, &$0) }
      }
    case .wake: wake(slot, plan, &schedule, at: now)
    case .stay: ringStay(slot, plan, &schedule, at: now)
    case .depart: ringDeparture(slot, plan, &schedule, at: now)
    case .repeatFiring: repeatFiring(slot, plan, schedule, at: now)
    case .endRepetition: change(index) { $0.repetition = nil }
    case .end: break
    }
  }

  private mutating func ringDate(
    _ slot: Slot, _ lead: Lead, _ schedule: inout Schedule, at now: Instant
  ) {
    let release = schedule.window.release(of: lead.moment) ?? lead.moment
    let late = now - release
    let isTooOld = settings.skipOlderThan.map { late > $0 } ?? false
    let surroundings = surroundings(of: slot, at: now)
    let isSilent = isTooOld || schedule.cooldown(slot.history, surroundings, at: now) != .holds
    if isTooOld { missed.leftOut.append(lead.occurrence.due) }
    if !isSilent {
      fire(
        slot,
        dueFiring(
          slot, lead, of: schedule, at: now, late: late > settings.lateAfter ? late : nil),
        lead, at: now)
    }
    change(slot.index) {
      schedule.useDate(&$0, to: now)
      if !isSilent { schedule.ring(&$0, at: now) }
      if isTooOld, schedule.next(after: $0.usedUpTo) == nil { $0.hasExpired = true }
    }
  }

  private mutating func wake(
    _ slot: Slot, _ plan: Plan, _ schedule: inout Schedule, at now: Instant
  ) {
    guard case .until(let end) = slot.history.silence else { return }
    // A watch that has nothing to report goes on.
    if slot.reminder.watchesAnchor, !slot.history.isUnacknowledged {
      return change(slot.index) { $0.silence = nil }
    }
    let due = schedule.rungDue(slot.history, at: now)
    fire(slot, snoozeFiring(slot, due: due, until: end, at: now, late: now - end), nil, at: now)
    let travel = way(of: slot, at: now)?.time ?? .zero
    change(slot.index) { schedule.woken(&$0, travel: travel, at: now) }
  }

  private mutating func repeatFiring(
    _ slot: Slot, _ plan: Plan, _ schedule: Schedule, at now: Instant
  ) {
    var schedule = schedule
    guard slot.reminder.nag != nil, slot.history.isUnacknowledged,
      let repetition = slot.history.repetition
    else { return change(slot.index) { $0.repetition = nil } }
    turn.firings += 1
    outcome.firings.append(
      nagFiring(
        slot, due: schedule.rungDue(slot.history, at: now), count: repetition.count + 1, at: now))
    change(slot.index) { schedule.ringAgain(&$0, at: now) }
  }
}
