import CivilTime
import Containers
import Geodesy
import Geofencing
import Positioning

extension Engine {
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

  /// Evaluates one reminder's timers and schedules its next check.
  /// - Parameter isFirst: the reminder was just added or loaded, so past deadlines were missed.
  mutating func evaluate(at index: Int32, now: Instant, isFirst: Bool = false) {
    guard let slot = slots.slot(index), !hold(slot, index, at: now) else { return }
    switch slot.progress.state {
    case .done, .expired:
      break
    case .snoozed:
      guard let end = slot.progress.snoozedUntil, end <= now else { break }
      wake(index, from: end, at: now)
      // A visit that it kept silent until then is not made up for.
      if slots.state(index) == .armed, slot.reminder.until.map({ resolve($0) < end }) ?? false {
        expire(index)
      }
    case .armed, .fired:
      if !hasExpired(slot, at: now) {
        decide(slot, at: now, isFirst: isFirst)
      } else if let until = slot.reminder.until.map({ resolve($0) }) {
        // A timer comes a little late: a firing that was due by `until` counts.
        if now - until <= settings.lateAfter { decide(slot, at: until, isFirst: isFirst) }
        if slots.state(index) == .armed { expire(index) }
      }
    }
    // A firing of its own has started a new round.
    nag(index, at: now)
    schedule(index, at: now)
  }

  private mutating func decide(_ slot: Slot, at now: Instant, isFirst: Bool) {
    switch slot.reminder.kind {
    case .location: evaluateAtPlace(slot.index, at: now)
    case .date: evaluateDue(slot.index, at: now)
    case .preemptive: evaluateLeaving(slot, at: now, isFirst: isFirst)
    }
  }

  @inline(__always)
  func hasExpired(_ slot: Slot, at now: Instant) -> Bool {
    guard isClockTrusted, slot.progress.state == .armed, let until = slot.reminder.until else {
      return false
    }
    return resolve(until) < now
  }

  mutating func expire(_ index: Int32) {
    guard let slot = slots.slot(index) else { return }
    change(index) { $0.state = .expired }
    deactivate(index)
    if slot.progress.lastFired == nil {
      notices.append(.expired(id: slot.reminder.id, title: slot.reminder.title))
    }
  }

  /// Ends a snooze: the reminder fires again and continues where it was snoozed. A location
  /// reminder that had not fired yet is armed again.
  private mutating func wake(_ index: Int32, from until: Instant, at now: Instant) {
    guard let slot = slots.slot(index) else { return }
    let reminder = slot.reminder
    let isReported = reminder.kind != .location || slot.progress.lastFired != nil
    if isReported {
      turn.firings += 1
      firings.append(snoozeFiring(slot, until: until, at: now, late: now - until))
      startNagging(slot, at: now)
    }
    change(index) {
      $0.snoozedUntil = nil
      $0.state = .armed
      if isReported {
        $0.lastFired = now
        $0.isUnacknowledged = true
      }
    }
    switch reminder.kind {
    case .location: wakeAtPlace(index, isReported: isReported, at: now)
    case .date: wakeBeforeDue(index, at: now)
    case .preemptive: wakeBeforeLeaving(index, at: now)
    }
  }

  /// The end of a snooze stands for all leads that have passed, of later occurrences as well.
  private mutating func wakeBeforeDue(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else { return }
    let leads = slot.reminder.effectiveLeads
    // All leads of an occurrence up to this have passed.
    let reached = now + (leads.last ?? .zero)
    if slot.progress.leadsFired >= leads.count
      || slot.progress.occurrence.map({ $0 <= reached }) ?? true
    {
      change(index) { $0.leadsFired = leads.count }
      advance(index, after: reached, spent: .fired)
    }
    change(index) { progress in
      let passed = leads.prefix { lead in progress.occurrence.map { $0 - lead <= now } ?? true }
      progress.leadsFired = max(progress.leadsFired, passed.count)
    }
  }

  /// The end of a snooze inside reports this visit, but no due time that is still to come. A
  /// reminder that had fired for its last due time has fired again.
  private mutating func wakeAtPlace(_ index: Int32, isReported: Bool, at now: Instant) {
    activate(index, at: now)
    rollOver(index, at: now)
    guard isReported, let slot = slots.slot(index), slot.progress.state == .armed else { return }
    let usesVisit = slot.progress.presence == .inside && !waitsForDue(slot, at: now)
    if usesVisit || slot.progress.presence == .outside { change(index) { $0.endVisit() } }
    let isSpent = usesVisit || !slot.reminder.repeats || slot.progress.leadsFired > 0
    guard !slot.reminder.everyVisit, isSpent else { return }
    advance(index, after: now, spent: .fired)
  }

  /// Sets a reminder's timer to its next check.
  mutating func schedule(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else {
      timers.cancel(slot: index)
      return
    }
    var next = nextCheck(slot, now: now)
    switch slot.reminder.kind {
    case .location: markWaiting(slot)
    case .date: break
    case .preemptive: next = sooner(next, scheduleLeaving(slot, at: now))
    }
    if let next {
      timers.push(slot: index, at: next.microseconds)
    } else {
      timers.cancel(slot: index)
    }
  }

  /// Marks a stay that speed or course may let fire at any fix.
  private mutating func markWaiting(_ slot: Slot) {
    let waits = openStay(slot) != nil && slot.reminder.asksMotion
    guard waits != slots.marks(slot.index).contains(.waiting) else { return }
    slots.set(.waiting, waits, slot.index)
    if waits { waiting.insert(slot.index) } else { waiting.remove(slot.index) }
  }

  /// The next moment at which time alone may change something: now, where something is due.
  @inline(__always)
  func nextCheck(_ slot: Slot, now: Instant) -> Instant? {
    let next = nextCheckUnprompted(slot, now: now)
    guard let nag = nextRepetition(slot, at: now), isClockTrusted || nag > now else { return next }
    return sooner(next, nag)
  }

  /// Time of the next check, without repetitions and times to leave (`scheduleLeaving`).
  @inline(__always)
  private func nextCheckUnprompted(_ slot: Slot, now: Instant) -> Instant? {
    let reminder = slot.reminder
    let progress = slot.progress
    switch progress.state {
    case .done, .expired: return nil
    case .snoozed: return progress.snoozedUntil
    case .fired: return nil
    case .armed: break
    }
    var next: Instant?
    switch reminder.kind {
    case .location:
      next = sooner(nextCheckWhileInside(slot, now: now), departureEnd(slot))
      next = sooner(next, anchorDeadline(slot))
      if isClockTrusted { next = sooner(next, occurrenceEnd(slot)) }
    case .date:
      next = nextLead(slot)
      // Missed outside its hours, it waits for them.
      if let missed = next, missed <= now, reminder.hours != nil {
        next = Window(reminder, in: zone).nextHours(after: now)
      }
    case .preemptive: break
    }
    guard let stamp = reminder.until else { return next }
    let end = resolve(stamp) + TimeSpan(microseconds: 1)
    return !isClockTrusted && end <= now ? next : sooner(next, end)
  }

  @inline(__always)
  private func nextCheckWhileInside(_ slot: Slot, now: Instant) -> Instant? {
    guard let start = openStay(slot) else { return nil }
    guard start <= now else { return start }
    switch condition(of: slot, at: now) {
    case .holds: return now
    case .failsUntil(let opening): return opening
    }
  }

  // MARK: - Date

  /// Time of the next lead of the current occurrence; nil if none fires.
  func nextLead(_ slot: Slot) -> Instant? {
    let leads = slot.reminder.effectiveLeads
    guard let occurrence = slot.progress.occurrence, slot.progress.leadsFired < leads.count else {
      return nil
    }
    return release(of: leads[slot.progress.leadsFired], before: occurrence, slot.reminder)
  }

  /// Time at which a lead of an occurrence may fire; nil for never.
  private func release(
    of lead: TimeSpan, before occurrence: Instant, _ reminder: Reminder
  ) -> Instant? {
    let moment = occurrence - lead
    guard reminder.kind == .date, reminder.hasWindow else { return moment }
    guard admits(occurrence, of: reminder) else { return nil }
    return Window(reminder, in: zone).release(of: moment)
  }

  private mutating func evaluateDue(_ index: Int32, at now: Instant) {
    guard var slot = slots.slot(index), slot.progress.state == .armed, let first = nextLead(slot),
      first <= now, slot.reminder.hours == nil || Window(slot.reminder, in: zone).isOpen(at: now)
    else { return }
    // Missed firings are reported once: for the last occurrence and lead that have passed.
    let leads = slot.reminder.effectiveLeads
    if let current = slot.progress.occurrence,
      let latest = seekLatest(
        of: slot.reminder, after: current, upTo: now + (leads.last ?? .zero))
    {
      slot.progress.occurrence = latest
      slot.progress.leadsFired = 0
    }
    var last = slot.progress.leadsFired
    guard let occurrence = slot.progress.occurrence else { return }
    func moment(_ number: Int) -> Instant {
      release(of: leads[number], before: occurrence, slot.reminder) ?? Instant(microseconds: .max)
    }
    while last + 1 < leads.count, moment(last + 1) <= now { last += 1 }
    let late = now - moment(last)
    let isWaiting = late < .zero
    let fired = isWaiting ? last : last + 1
    let reached = slot.progress
    change(index) {
      $0 = reached
      $0.leadsFired = fired
    }
    guard let current = slots.slot(index), !isWaiting else { return }
    let isTooOld = settings.skipOlderThan.map { late > $0 } ?? false
    if isTooOld || cooldown(of: current, at: now) != .holds {
      if fired >= leads.count { advance(index, after: now, spent: isTooOld ? .expired : .fired) }
      return
    }
    fire(
      current,
      dueFiring(current, lead: leads[last], at: now, late: late > settings.lateAfter ? late : nil),
      at: now)
  }
}

/// The lesser of two optional times.
func sooner<Time: Comparable>(_ a: Time?, _ b: Time?) -> Time? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
