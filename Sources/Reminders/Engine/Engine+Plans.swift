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
    surroundings.heard = reception.heard
    surroundings.runSince = reception.runSince
    if slot.reminder.heading?.isRelative == true { surroundings.bearing = bearing(to: slot) }
    surroundings.lateAfter = settings.lateAfter
    if slot.reminder.kind == .preemptive {
      if let goal = goal(of: slot, at: now), let way = way(of: slot, to: goal, at: now) {
        surroundings.travel = way.time
        surroundings.silentUntil = silence(towards: goal, way, at: now)
      }
      if awaitsFirstFix(at: now) { surroundings.firstFixBy = reception.firstFixBy }
    }
    return surroundings
  }

  func plan(of slot: Slot, at now: Instant) -> Plan { evaluation(of: slot, at: now).plan }

  func evaluation(of slot: Slot, at now: Instant) -> Evaluation {
    let surroundings = surroundings(of: slot, at: now)
    var schedule = Schedule(slot.$reminder, in: zone)
    let plan = schedule.plan(slot.history, surroundings, at: now)
    return Evaluation(
      slot: slot, surroundings: surroundings, now: now, schedule: schedule, plan: plan)
  }

  /// Makes the plan of a slot anew and follows it: to be called after each change of its history.
  mutating func replan(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else {
      timers.cancel(slot: index)
      return
    }
    let evaluation = evaluation(of: slot, at: now)
    let plan = evaluation.plan
    turn.work += evaluation.schedule.work
    note(plan, of: slot)
    let wantsFence =
      slot.reminder.kind == .location && (plan.state == .armed || plan.state == .snoozed)
    if wantsFence != slot.hasFence {
      if wantsFence { addFence(of: slot, at: now) } else { removeFence(index) }
      // The last fix may have decided where the device is.
      if slots.slot(index)?.history != slot.history { return replan(index, at: now) }
    } else if !wantsFence, slot.history.stay != .unknown {
      // It was over while nobody followed the visit.
      change(index) { $0.stay = .unknown }
    }
    slots.set(
      .preemptive, slot.reminder.kind == .preemptive && plan.state == .armed, index)
    markWaiting(evaluation)
    setTimer(evaluation)
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

  /// Marks a stay that speed or course alone keep from firing: any fix may let it. A stay that
  /// waits for a time as well has a timer.
  private mutating func markWaiting(_ evaluation: Evaluation) {
    let (slot, plan) = (evaluation.slot, evaluation.plan)
    let waits =
      slot.reminder.kind == .location && plan.state == .armed && slot.reminder.asksMotion
      && plan.occurrence.map {
        evaluation.schedule.openStay(slot.history, $0, evaluation.surroundings) != nil
      } ?? false
      && evaluation.condition == .failsUntil(nil)
    guard waits != slots.marks(slot.index).contains(.waiting) else { return }
    slots.set(.waiting, waits, slot.index)
    if waits { waiting.insert(slot.index) } else { waiting.remove(slot.index) }
  }

  private mutating func setTimer(_ evaluation: Evaluation) {
    let (slot, plan, now) = (evaluation.slot, evaluation.plan, evaluation.now)
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
      if isHeld { departures.remove(index) } else { queue(evaluation) }
      // From then on the way decides.
      if let from = evaluation.schedule.window.from, from > now { next = sooner(next, from) }
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
    var evaluation = evaluation(of: slot, at: now)
    evaluation.tolerate(settings.lateAfter)
    if let at = evaluation.plan.at, at <= now {
      guard !awaitsShare(evaluation, since: at) else { return }
      perform(&evaluation, isFirst: isFirst)
    }
    evaluateAnchor(index, at: now)
    turn.work += evaluation.schedule.work
    replan(index, at: now)
  }

  private mutating func perform(_ evaluation: inout Evaluation, isFirst: Bool) {
    let index = evaluation.slot.index
    switch evaluation.plan.action {
    case .ring(let lead): ringDate(lead, &evaluation)
    case .leave(let lead): ringLeave(lead, &evaluation, isFirst: isFirst)
    case .move:
      guard evaluation.slot.reminder.kind == .preemptive,
        let occurrence = evaluation.plan.occurrence
      else { break }
      change(index) { evaluation.schedule.use(dueBy: occurrence.due, &$0) }
    case .wake: wake(&evaluation)
    case .stay: ringStay(&evaluation)
    case .depart: ringDeparture(&evaluation)
    case .repeatFiring: repeatFiring(&evaluation)
    case .endRepetition: change(index) { $0.repetition = nil }
    case .end, nil: break
    }
  }

  private mutating func ringDate(_ lead: Lead, _ evaluation: inout Evaluation) {
    let now = evaluation.now
    let late = now - (evaluation.schedule.window.release(of: lead.moment) ?? lead.moment)
    let isTooOld = settings.skipOlderThan.map { late > $0 } ?? false
    let isSilent = isTooOld || !evaluation.hasCooledDown
    if isTooOld { missed.leftOut.append(lead.occurrence.due) }
    if !isSilent {
      fire(
        evaluation,
        dueFiring(evaluation, lead, late: late > settings.lateAfter ? late : nil), lead)
    }
    change(evaluation.slot.index) {
      evaluation.schedule.useDate(&$0, to: now)
      if !isSilent { evaluation.schedule.ring(&$0, at: now) }
      if isTooOld, evaluation.schedule.next(after: $0.usedUpTo) == nil { $0.hasExpired = true }
    }
  }

  private mutating func wake(_ evaluation: inout Evaluation) {
    let (slot, now) = (evaluation.slot, evaluation.now)
    guard case .until(let end) = slot.history.silence else { return }
    // A watch that has nothing to report goes on. An acknowledged alarm rings again while it lasts.
    let isLost = anchors[slot.index]?.isLost ?? false
    let lasts = slot.history.isUnacknowledged || slot.history.stay == .outside(since: nil) || isLost
    if slot.reminder.watchesAnchor, !lasts {
      return change(slot.index) { $0.silence = nil }
    }
    let due = evaluation.schedule.rungDue(slot.history, at: now)
    fire(evaluation, snoozeFiring(slot, due: due, until: end, at: now, late: now - end), nil)
    change(slot.index) {
      evaluation.schedule.woken(&$0, travel: evaluation.surroundings.travel ?? .zero, at: now)
    }
  }

  private mutating func repeatFiring(_ evaluation: inout Evaluation) {
    let (slot, now) = (evaluation.slot, evaluation.now)
    guard slot.reminder.nag != nil, slot.history.isUnacknowledged,
      let repetition = slot.history.repetition
    else { return change(slot.index) { $0.repetition = nil } }
    turn.firings += 1
    outcome.firings.append(
      nagFiring(
        slot, due: evaluation.schedule.rungDue(slot.history, at: now),
        count: repetition.count + 1, at: now))
    change(slot.index) { evaluation.schedule.ringAgain(&$0, at: now) }
  }
}

/// A reminder at a moment, and its plan.
struct Evaluation {
  var slot: Slot
  let surroundings: Surroundings
  let now: Instant
  var schedule: Schedule
  var plan: Plan

  /// A timer comes a little late: a moment up to `until` counts.
  mutating func tolerate(_ lateness: TimeSpan) {
    guard let until = schedule.window.until, until < now, now - until <= lateness else { return }
    let last = schedule.plan(slot.history, surroundings, at: until)
    if let at = last.at, at <= until { plan = last }
  }

  /// The least time between two firings.
  var cooldown: Condition { schedule.cooldown(slot.history, surroundings, at: now) }

  var hasCooledDown: Bool { cooldown == .holds }

  /// The first condition of a place that fails, or `.holds`.
  var condition: Condition { schedule.condition(plan.occurrence, surroundings, at: now) }

  var holds: Bool { condition == .holds && hasCooledDown }
}
