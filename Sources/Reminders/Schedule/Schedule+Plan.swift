package import CivilTime

extension Schedule {
  /// The next step of a reminder with this history.
  /// - Complexity: some searches among its due times; see `SeriesSearch`.
  package mutating func plan(
    _ history: History, _ surroundings: Surroundings, at now: Instant
  ) -> Plan {
    let current = occurrence(history, at: now)
    var plan = Plan(
      state(history, current, surroundings, at: now), current,
      isClockTrusted: surroundings.isClockTrusted)
    guard plan.state != .done else { return plan }
    if let silence = history.silence {
      if case .until(let end) = silence {
        plan.add(end, .wake)
        plan.rings = end
      }
      // An occurrence that has rung and is due is over, also in silence.
      if let current, reminder.kind == .preemptive,
        leadsUsed(of: current, history) >= leads.count
      {
        plan.add(current.due, .move)
      }
      return plan
    }
    if plan.state == .armed || plan.state == .fired {
      switch reminder.kind {
      case .location: addPlace(&plan, history, surroundings, at: now)
      case .date: addDate(&plan, history, at: now)
      case .preemptive: addLeave(&plan, history, surroundings, at: now)
      }
    }
    addRepetition(&plan, history, surroundings, at: now)
    if plan.state == .armed, let until = window.until {
      plan.add(until + TimeSpan(microseconds: 1), .end)
    }
    return plan
  }

  /// The due time that it waits for.
  mutating func occurrence(_ history: History, at now: Instant) -> Occurrence? {
    switch reminder.kind {
    case .location: return current(history, at: now)
    case .date: return next(after: history.usedUpTo)
    case .preemptive:
      guard let first = next(after: history.usedUpTo) else { return nil }
      // Of several that were missed, the last one counts.
      guard first.due <= now, leadsUsed(of: first, history) < leads.count else { return first }
      return passed(after: first.name, by: now) ?? first
    }
  }

  package mutating func state(
    _ history: History, _ current: Occurrence?, _ surroundings: Surroundings, at now: Instant
  ) -> Reminder.State {
    if history.isDone { return .done }
    if history.silence != nil { return .snoozed }
    let until = surroundings.isClockTrusted ? window.until : nil
    let isOver = until.map { $0 < now } ?? false
    // At a place, the day of the last due time may end after `until`.
    guard let current = current ?? until.flatMap({ isOver ? occurrence(history, at: $0) : nil })
    else {
      return history.lastRung != nil || history.usedUpTo == .forever ? .fired : .expired
    }
    if reminder.kind == .preemptive, leadsUsed(of: current, history) >= leads.count {
      return .fired
    }
    return isOver ? .expired : .armed
  }

  // MARK: - Date

  private mutating func addDate(_ plan: inout Plan, _ history: History, at now: Instant) {
    let (passed, upcoming) = dateLeads(history, plan.occurrence, at: now)
    let first = passed ?? upcoming
    plan.lead = first
    var lead = first
    // Of due times, a later one does not ring before a passed one, however long its lead.
    for _ in 0..<Self.maximumSteps {
      guard let candidate = lead, plan.rings.map({ candidate.moment < $0 }) ?? true else { return }
      if let opening = opening(of: candidate, at: now), plan.rings.map({ opening < $0 }) ?? true {
        plan.add(opening, .ring(candidate))
        (plan.rings, plan.lead) = (opening, candidate)
      }
      // While `days` hold it back, a later one may come on a night whose hours are open.
      guard window.days != nil, window.hours != nil else { return }
      lead = following(candidate, isFirst: candidate.occurrence == first?.occurrence)
    }
  }

  /// The next lead with which all before it may ring: of a later due time, the last one.
  private mutating func following(_ lead: Lead, isFirst: Bool) -> Lead? {
    if isFirst, lead.number + 1 < leads.count {
      return self.lead(lead.number + 1, of: lead.occurrence)
    }
    return next(after: lead.occurrence.name).map { self.lead(leads.count - 1, of: $0) }
  }

  /// The unused lead that rings for all that has passed, and the lead that follows.
  ///
  /// Due times whose leads have all passed count together. Without such a due time, the passed
  /// leads of the first one count.
  mutating func dateLeads(
    _ history: History, _ first: Occurrence?, at now: Instant
  ) -> (passed: Lead?, upcoming: Lead?) {
    guard var occurrence = first else { return (nil, nil) }
    var number = leadsUsed(of: occurrence, history)
    var passed: Lead?
    // Far behind, on to the last due time that has passed.
    if moment(of: number, before: occurrence.due) <= now, reminder.repeats,
      let latest = latest(
        after: occurrence.name, dueBy: horizon(of: leads.count - 1, at: now))
    {
      (occurrence, number) = (latest, 0)
    }
    for _ in 0..<Self.maximumSteps {
      let numbers = number..<max(number + 1, leads.count)
      guard let open = numbers.first(where: { lead($0, of: occurrence).moment > now }) else {
        passed = lead(numbers.upperBound - 1, of: occurrence)
        guard let next = next(after: occurrence.name) else { break }
        (occurrence, number) = (next, leadsUsed(of: next, history))
        continue
      }
      // Leads of a due time that is still to come ring apart from earlier due times.
      if passed == nil, open > number { passed = lead(open - 1, of: occurrence) }
      return (passed, lead(passed?.occurrence == occurrence ? open : number, of: occurrence))
    }
    return (passed, nil)
  }

  /// When a lead rings. A missed lead waits for the hours, and for no admitted day.
  private func opening(of lead: Lead, at now: Instant) -> Instant? {
    guard let release = window.release(of: lead.moment) else { return nil }
    if release >= now || window.isOpen(at: now) { return release }
    let at = window.nextHours(after: now)
    return window.until.map { $0 < at } == true ? nil : at
  }

  // MARK: - Time to leave

  private func addLeave(
    _ plan: inout Plan, _ history: History, _ surroundings: Surroundings, at now: Instant
  ) {
    guard let occurrence = plan.occurrence else { return }
    let number = leadsUsed(of: occurrence, history)
    guard number < leads.count else {
      return plan.add(occurrence.due, .move)
    }
    let lead = Lead(
      occurrence: occurrence, number: number,
      moment: moment(of: number, before: occurrence.due) - (surroundings.travel ?? .zero))
    // Silence ends with the due time.
    let silentUntil =
      lead.moment <= now ? surroundings.silentUntil.map { min($0, occurrence.due) } : nil
    let at = [lead.moment, window.from, surroundings.firstFixBy, silentUntil].compactMap { $0 }
      .max()
    plan.lead = lead
    plan.rings = at
    plan.add(at, .leave(lead))
  }

  // MARK: - Place

  private mutating func addPlace(
    _ plan: inout Plan, _ history: History, _ surroundings: Surroundings, at now: Instant
  ) {
    guard plan.state == .armed, let current = plan.occurrence else { return }
    plan.add(departureEnd(history), .depart, byClock: false)
    if let start = openStay(history, current, surroundings) {
      let opening: Instant? =
        if start > now { start } else {
          switch condition(current, surroundings, at: now) {
          case .holds: now
          case .failsUntil(let opening): opening
          }
        }
      let isByTime = [.absent, .silent].contains(reminder.trigger)
      plan.add(opening, .stay, byClock: isByTime)
      if reminder.trigger == .absent {
        plan.rings =
          wasThere(history, for: current, at: now)
          ? next(after: current.name).map { self.opening(of: $0) } : opening
      }
    }
    plan.add(end(of: current), .move)
  }

  // MARK: - Repetition until acknowledged

  /// A repetition comes at its time or, outside the hours and days, at the next opening.
  private func addRepetition(
    _ plan: inout Plan, _ history: History, _ surroundings: Surroundings, at now: Instant
  ) {
    guard let next = history.repetition?.next else { return }
    if let opening = window.opening(from: max(next, now)), opening <= window.until ?? opening {
      plan.add(opening, .repeatFiring)
    } else if let until = window.until {
      // A timer of a repetition at `until` may still come.
      let end = until + surroundings.lateAfter + TimeSpan(microseconds: 1)
      plan.add(max(next, end), .endRepetition)
    }
  }
}
