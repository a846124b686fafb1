package import CivilTime

/// Commands: what a person, a file or the system does to the history.
extension Schedule {
  /// A due time that passed longer than this before the first reading does not ring.
  package static let missedBeforeReading = TimeSpan.hours(24)

  /// Begins a new reminder in the state that its document says.
  /// - Parameter missed: how long ago a date of a series may have been due to ring late: zero for a
  ///   reminder that a person types now.
  package mutating func begin(
    _ state: Reminder.State, _ history: inout History, at now: Instant,
    missed: TimeSpan = missedBeforeReading
  ) {
    history.isUnread = false
    switch state {
    case .done: history.isDone = true
    case .fired:
      guard reminder.repeats else {
        history.usedUpTo = .forever
        break
      }
      passedBefore(&history, at: now)
      if reminder.kind == .preemptive, let next = next(after: history.usedUpTo) {
        use(next, leads: leads.count, &history)
      }
    case .snoozed:
      // A snooze without an end would last until someone ends it.
      if history.silence == nil, reminder.kind == .location { history.silence = .nextVisit }
      begin(.armed, &history, at: now, missed: missed)
    case .armed, .expired:
      // A date that was missed rings late; a time to leave for it is of no use.
      passedBefore(&history, missed: reminder.kind == .date ? missed : .zero, at: now)
    }
  }

  /// Uses what has passed before it is asked for. At a place, all due times of the day count.
  /// - Parameter missed: how long ago a due time of a series may have been, to ring late.
  mutating func passedBefore(_ history: inout History, missed: TimeSpan = .zero, at now: Instant) {
    if reminder.repeats, reminder.kind != .location {
      use(dueBy: (now - missed).previous, &history)
    }
    passOverLeads(&history, at: now)
  }

  /// A lead of a date that has passed when it is asked for does not ring, if the due time is still
  /// to come.
  private mutating func passOverLeads(_ history: inout History, at now: Instant) {
    guard reminder.kind == .date, let next = next(after: history.usedUpTo), next.due > now else {
      return
    }
    let passed = leads.indices.prefix { moment(of: $0, before: next.due) < now }.count
    guard passed > leadsUsed(of: next, history) else { return }
    history.leadsUsed[next.name] = passed
  }

  /// Completes what has rung or is due next, never the one after it.
  /// - Parameter isPop: the next due time is meant, whatever has rung.
  package mutating func done(_ history: inout History, isPop: Bool = false, at now: Instant) {
    let isNextMeant = isPop || !history.isUnacknowledged
    (history.isUnacknowledged, history.repetition) = (false, nil)
    guard reminder.repeats else {
      guard reminder.kind == .location, reminder.everyVisit else {
        (history.isDone, history.silence) = (true, nil)
        return
      }
      // Silent until the next visit, it stays so.
      if history.silence != .nextVisit {
        history.silence = nil
        endVisit(&history)
      }
      return
    }
    history.silence = nil
    if let next = occurrence(history, at: now) {
      let hasBegun =
        reminder.kind == .location
        ? opening(of: next) <= now : next.due <= now || leadsUsed(of: next, history) > 0
      if isNextMeant || hasBegun { use(upTo: next.name, &history) }
    }
    if reminder.kind != .location { use(dueBy: now, &history) }
    if occurrence(history, at: now) == nil { history.isDone = true }
  }

  /// Somebody has heard, elsewhere, what a date was to ring for up to an instant.
  package mutating func acknowledged(_ history: inout History, through instant: Instant) {
    guard reminder.kind == .date else { return }
    useDate(&history, to: instant)
    // Also the leads of the next due time.
    useDate(&history, to: instant)
  }

  /// Ends the present visit: neither it nor a held departure rings.
  func endVisit(_ history: inout History) {
    settleVisit(upTo: .forever, &history)
    if case .outside = history.stay { history.stay = .outside(since: nil) }
  }

  /// Keeps it silent. A span counts from the own time of a date or a time to leave that has not
  /// rung yet. A date moves later than that alone; a time to leave may be called to mind earlier.
  package mutating func snoozed(
    _ history: inout History, _ snooze: Snooze, _ surroundings: Surroundings, at now: Instant
  ) {
    let own = history.isUnacknowledged ? nil : ownTime(history, surroundings, at: now)
    switch snooze {
    case .until(let end):
      if end <= now || reminder.kind == .date && own.map({ end < $0 }) ?? false { return }
      history.silence = .until(end)
    case .untilLeave:
      guard reminder.kind == .location, history.stay.isInside else { return }
      history.silence = .untilLeave
    case .by(let span): history.silence = .until(max(own ?? now, now) + span)
    case .nextVisit:
      guard reminder.kind == .location else { return }
      history.silence = .nextVisit
      endVisit(&history)
    }
    history.repetition = nil
  }

  /// When it would ring by itself; nil for a place, and for a moment that it has missed.
  private mutating func ownTime(
    _ history: History, _ surroundings: Surroundings, at now: Instant
  ) -> Instant? {
    var awake = history
    awake.silence = nil
    guard let moment = plan(awake, surroundings, at: now).lead?.moment else { return nil }
    let own: Instant? =
      switch reminder.kind {
      case .location: nil
      case .date: window.release(of: moment)
      case .preemptive: max(moment, window.from ?? moment)
      }
    return own.flatMap { $0 > now ? $0 : nil }
  }

  /// The end of a snooze rings, and stands for all that has passed.
  mutating func woken(_ history: inout History, travel: TimeSpan, at now: Instant) {
    history.silence = nil
    switch reminder.kind {
    case .date:
      useDate(&history, to: now)
      // Also the leads of the next due time that have passed.
      useDate(&history, to: now)
    case .preemptive:
      use(dueBy: now, &history)
      if let next = next(after: history.usedUpTo) {
        useLeave(&history, travel, of: next, to: now)
      }
    case .location:
      // Outside, a due time that holds is not used by it; without one nothing else is left.
      // An absence that came meanwhile has rung by that.
      if history.stay.isInside || !reminder.repeats || reminder.trigger == .absent {
        usePlace(&history, at: now)
      } else {
        endVisit(&history)
      }
    }
    ring(&history, at: now)
  }

  // MARK: - Changes

  /// The history under a changed reminder. All that the change does not concern stays.
  /// - Parameter follows: the place was changed, and the reminder follows: a visit goes on, and
  ///   what has rung there has rung.
  package mutating func edited(
    to new: inout Schedule, _ history: inout History, follows: Bool = false, at now: Instant
  ) {
    let (old, reminder) = (reminder, new.reminder)
    if let repetition = history.repetition, !new.repeats(after: repetition.count) {
      history.repetition = nil
    }
    let hasOtherTimes = reminder.hasOtherTimes(than: old)
    let isElsewhere = !old.waitsAtTheSamePlace(as: reminder)
    // After its last due time has rung it is over, also during a snooze.
    let wasOver = occurrence(history, at: now) == nil && history.lastRung != nil
    if isElsewhere, !(follows && history.stay.isInside && reminder.trigger != .depart) {
      history.stay = .unknown
      if history.silence == .untilLeave { history.silence = nil }
    }
    // A circle that is set anew is watched.
    if reminder.watchesAnchor,
      old.place?.position != reminder.place?.position || old.place?.radius != reminder.place?.radius
    {
      history.silence = nil
    }
    if isElsewhere && !follows || old.trigger != reminder.trigger { history.there = nil }
    if !old.hasSamePlace(as: reminder) { (history.members, history.mover) = ([:], nil) }
    if hasOtherTimes {
      (history.usedUpTo, history.leadsUsed, history.early) = (nil, [:], nil)
      // The user who moves it has heard it.
      if old.due != reminder.due || old.repeatRule != reminder.repeatRule, !reminder.watchesAnchor {
        (history.isUnacknowledged, history.repetition) = (false, nil)
      }
      if history.silence != nil, !history.isDone { history.silence = nil }
      new.passedBefore(&history, at: now)
      new.findAnew(&history, at: now)
    } else if old.leads != reminder.leads {
      history.silence = nil
      changedConditions(to: &new, &history, at: now)
      new.useAnew(&history, instead: self, at: now)
      new.findAnew(&history, at: now)
    } else {
      changedConditions(to: &new, &history, at: now)
    }
    let isWantedAgain =
      isElsewhere && !follows || old.trigger != reminder.trigger
      || (reminder.everyVisit && !old.everyVisit)
    if reminder.kind == .location, reminder.everyVisit, !reminder.repeats {
      history.usedUpTo = nil
    } else if wasOver, reminder.kind == .location, isWantedAgain {
      // Of a series, the last due time holds again.
      let before = new.begun(at: now).flatMap { reminder.repeats ? $0.previous : nil }
      history.usedUpTo = history.usedUpTo.flatMap { used in before.map { min(used, $0) } }
    }
    // If it ends again, that is reported again.
    if new.plan(history, Surroundings(), at: now).state != .expired { history.hasExpired = false }
  }

  /// A visit that is on is treated as for a new reminder.
  private mutating func findAnew(_ history: inout History, at now: Instant) {
    guard case .inside(var visit) = history.stay else { return }
    visit.settledUpTo = settledIfFound(at: now)
    history.stay = .inside(visit)
  }

  /// Other leads: a lead that has passed does not ring. A due time that has rung with all of the
  /// old leads, and is still to come, rings with the new ones.
  private mutating func useAnew(
    _ history: inout History, instead old: Schedule, at now: Instant
  ) {
    for name in history.leadsUsed.keys
    where next(after: name.previous).map({ $0.name != name || $0.due > now }) ?? true {
      history.leadsUsed[name] = nil
    }
    // Of a time to leave, a due time still to come is used by `done` alone.
    let hasRung = history.isUnacknowledged && reminder.kind != .preemptive
    if let used = history.usedUpTo, hasRung || !reminder.repeats,
      let last = next(after: used.previous), last.name == used, last.due > now
    {
      history.usedUpTo = used.previous
    }
    passOverLeads(&history, at: now)
  }

  /// Other conditions hold from now on: a due time that has passed under the old ones alone does
  /// not count, and a pending due time that both admit stays.
  private mutating func changedConditions(
    to new: inout Schedule, _ history: inout History, at now: Instant
  ) {
    guard reminder.repeats else { return }
    if reminder.kind == .location {
      let (before, after) = (inForce(at: now), new.inForce(at: now))
      if after != nil, after?.name != before?.name { new.findAnew(&history, at: now) }
      return
    }
    let pending = next(after: history.usedUpTo)
    if let pending, pending.due <= now, new.next(after: history.usedUpTo) == pending { return }
    guard reminder.hasOtherWindow(than: new.reminder) else { return }
    new.passedBefore(&history, at: now)
  }

  /// In another zone: what the old one left out, and has passed in the new one, is over.
  package mutating func moved(to new: inout Schedule, _ history: inout History, at now: Instant) {
    guard reminder.repeats, reminder.kind != .location else { return }
    guard let last = new.latest(after: history.usedUpTo, dueBy: now.previous) else { return }
    if let pending = next(after: history.usedUpTo), pending.name <= last.name {
      use(upTo: pending.name.previous, &history)
    } else {
      use(upTo: last.name, &history)
    }
  }
}

extension Reminder {
  fileprivate func hasOtherWindow(than other: Reminder) -> Bool {
    days != other.days || hours != other.hours || from != other.from || until != other.until
  }
}
