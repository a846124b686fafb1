package import CivilTime

/// Changes of the history when something rings or passes.
extension Schedule {
  /// Uses leads of a due time, and all of those before it.
  package func use(_ occurrence: Occurrence, leads count: Int, _ history: inout History) {
    if count >= leads.count, reminder.kind != .preemptive {
      return use(upTo: occurrence.name, &history)
    }
    use(upTo: occurrence.name.previous, &history)
    history.leadsUsed[occurrence.name] = count == 0 ? nil : count
  }

  /// Uses the due times up to a name.
  func use(upTo name: LocalDateTime, _ history: inout History) {
    history.usedUpTo = max(history.usedUpTo ?? name, name)
    history.leadsUsed = history.leadsUsed.filter { $0.key > name }
    if let early = history.early, early.upTo <= name { history.early = nil }
  }

  /// Uses the due times up to an instant, whether or not the conditions leave them out.
  mutating func use(dueBy instant: Instant, _ history: inout History) {
    let all = lastName(dueBy: instant)
    let last = passed(after: max(history.usedUpTo ?? all, all), by: instant)
    use(upTo: last?.name ?? all, &history)
  }

  /// One firing of a date stands for all leads that have passed.
  mutating func useDate(_ history: inout History, to now: Instant) {
    let first = next(after: history.usedUpTo)
    guard let passed = dateLeads(history, first, at: now).passed else { return }
    use(passed.occurrence, leads: passed.number + 1, &history)
  }

  /// Uses the leads of a time to leave whose moments have passed.
  mutating func useLeave(
    _ history: inout History, _ travel: TimeSpan, of occurrence: Occurrence, to now: Instant
  ) {
    let passed = leadsPassed(of: occurrence, travel, at: now)
    // Without one, what its conditions leave out before it is not used either.
    if passed > leadsUsed(of: occurrence, history) { use(occurrence, leads: passed, &history) }
  }

  /// How many leads of a time to leave have passed.
  func leadsPassed(of occurrence: Occurrence, _ travel: TimeSpan, at now: Instant) -> Int {
    leads.indices.prefix { moment(of: $0, before: occurrence.due) - travel <= now }.count
  }

  /// A place has rung: for this visit, if it is for every visit, else for this due time.
  mutating func usePlace(_ history: inout History, at now: Instant) {
    if case .outside = history.stay { history.stay = .outside(since: nil) }
    guard let current = current(history, at: now) else { return }
    // A due time still to come is not used.
    let name = opening(of: current) <= now ? current.name : begun(at: now)
    guard let name else { return }
    if reminder.everyVisit, reminder.trigger != .absent {
      settleVisit(upTo: name, &history)
    } else {
      use(upTo: name, &history)
    }
  }

  func settleVisit(upTo name: LocalDateTime, _ history: inout History) {
    guard case .inside(var visit) = history.stay else { return }
    visit.settledUpTo = max(visit.settledUpTo ?? name, name)
    history.stay = .inside(visit)
  }

  /// It rings now.
  func ring(_ history: inout History, at now: Instant) {
    (history.lastRung, history.lastRepeated) = (now, nil)
    history.isUnacknowledged = true
    history.hasExpired = false
    history.repetition = reminder.nag.map { History.Repetition(next: now + $0, count: 0) }
  }

  /// A repetition rings now.
  func ringAgain(_ history: inout History, at now: Instant) {
    guard let span = reminder.nag, let last = history.repetition else { return }
    let count = last.count + 1
    history.lastRepeated = now
    history.repetition =
      repeats(after: count) ? History.Repetition(next: now + span, count: count) : nil
  }

  /// A visit ends a silence until it, and rings, also where it has rung already. Until then that is
  /// used: another snooze may replace this one.
  package func visited(_ history: inout History) {
    guard history.silence == .nextVisit else { return }
    history.silence = nil
    if !reminder.repeats { history.usedUpTo = nil }
  }

  /// Whether there is another repetition after so many.
  func repeats(after count: Int) -> Bool {
    let limit = reminder.nagLimit ?? Reminder.defaultNagLimit
    return reminder.nag != nil && (limit == 0 || count < limit)
  }
}

extension Schedule {
  /// The due time that rang last, or that a snooze has moved; nil for a place without one.
  mutating func rungDue(_ history: History, at now: Instant) -> Instant? {
    guard reminder.due != nil else { return nil }
    if reminder.kind == .location {
      var settled: LocalDateTime?
      if reminder.everyVisit, case .inside(let visit) = history.stay {
        settled = visit.settledUpTo
      }
      if let name = settled ?? history.usedUpTo, let last = next(after: name.previous),
        last.name == name
      {
        return last.due
      }
      return (inForce(at: now) ?? current(history, at: now))?.due
    }
    if let used = history.leadsUsed.keys.min() ?? history.usedUpTo,
      let last = next(after: used.previous), last.name == used
    {
      return last.due
    }
    let pending = next(after: history.usedUpTo)
    if let pending, pending.due <= now || !history.isUnacknowledged { return pending.due }
    return latest(after: nil, dueBy: now)?.due
  }
}
