/// What people do, except edits.
extension Model {
  /// - Parameter isTyped: a person types it, and means no time that has passed; else it is read from
  ///   a file, and may have been missed.
  package mutating func add(_ spec: ReminderSpec, isTyped: Bool = false) {
    var record = Record(spec: spec, zone: zone, now: now)
    if spec.isAboutSeveral { findMembers(&record) }
    list(&record)
    if spec.repeats != nil {
      switch spec.kind {
      case .date: record.use { $0.due < now - (isTyped ? 0 : 86_400) }
      case .leave: record.use { $0.due < now }
      case .location: break
      }
    }
    useFirstLeads(&record)
    store(record)
  }

  /// Leads of a date that have passed when it is made, where it is still to come.
  func useFirstLeads(_ record: inout Record) {
    guard record.spec.isDate, let next = record.next, next.due > now else { return }
    let passed = next.leads.prefix { $0.planned < now }.count
    let used = max(record.mark(next).leads, passed)
    record.marks[next.name, default: .init()].leads = used
  }

  package mutating func remove(_ id: String) { records[id] = nil }

  // MARK: - Done

  package mutating func done(_ id: String) { complete(id, isPop: false) }

  /// Done, but of the next occurrence, whatever has rung.
  package mutating func pop(_ id: String) { complete(id, isPop: true) }

  private mutating func complete(_ id: String, isPop: Bool) {
    guard var record = records[id], !record.isDone else { return }
    defer { store(record) }
    let wasAcknowledged = !record.isUnacknowledged
    record.isUnacknowledged = false
    record.round = nil
    defer { for name in record.marks.keys { record.marks[name]?.hasRung = false } }
    guard record.spec.repeats != nil else {
      if record.spec.isLocation, record.spec.everyVisit {
        settleForGood(&record, withItsEnd: false)
        if record.silence != .nextVisit { record.silence = nil }
      } else {
        record.isDone = true
      }
      return
    }
    record.silence = nil
    if let next = nextToComplete(record), isPop || wasAcknowledged || hasBegun(next, record) {
      record.use(next)
    }
    if !record.spec.isLocation { record.use { $0.due <= now } }
    if nextToComplete(record) == nil { record.isDone = true }
  }

  /// At a place the unused one in force, else the next to open.
  private func nextToComplete(_ record: Record) -> Occurrence? {
    guard record.spec.isLocation else { return record.next }
    return inForce(record) ?? record.waiting.first { $0.opens > now }
  }

  private func hasBegun(_ occurrence: Occurrence, _ record: Record) -> Bool {
    if record.spec.isLocation { return occurrence.opens <= now }
    return occurrence.due <= now || record.mark(occurrence).leads > 0
  }

  // MARK: - Snooze

  package mutating func snooze(_ id: String, until moment: Moment) {
    guard var record = records[id], !record.isDone, moment > now else { return }
    if record.spec.isDate, !record.isUnacknowledged, let next = nextMoment(of: record),
      moment < next
    {
      return
    }
    if case .inside(var visit) = record.stay {
      visit.isEndSettled = false
      record.stay = .inside(visit)
    }
    record.silence = .until(moment)
    record.round = nil
    endHold(&record)
    note(moment)
    store(record)
  }

  /// Of a date or a time to leave that has not rung or is acknowledged, from its next moment; else
  /// from now.
  package mutating func snooze(_ id: String, by span: Int) {
    guard let record = records[id] else { return }
    var start = now
    if !record.isUnacknowledged, let next = nextTime(of: record) { start = max(now, next) }
    snooze(id, until: start + span)
  }

  package mutating func snoozeToNextVisit(_ id: String) {
    guard var record = records[id], !record.isDone, record.spec.isLocation,
      record.spec.repeats == nil
    else { return }
    record.silence = .nextVisit
    record.round = nil
    follow(&record)
    settleForGood(&record, withItsEnd: true)
    record.watchedSince = now
    store(record)
  }

  /// Of a place that holds the tracker.
  package mutating func snoozeUntilLeave(_ id: String) {
    guard var record = records[id], !record.isDone, record.spec.isLocation,
      record.spec.silence == nil
    else { return }
    record.silence = .leaving
    record.round = nil
    if case .inside = record.stay {
    } else {
      record.stay = .inside(.init(since: now, isSettledForGood: true))
    }
    store(record)
  }

  /// A departure that rings whatever the reminder waits for, and stands for all that has passed.
  mutating func ringLeaving(_ record: inout Record) {
    record.silence = nil
    let spec = record.spec
    if let occurrence = inForce(record), spec.isAbsence || spec.repeats == nil && !spec.everyVisit {
      useAtPlace(&record, occurrence)
    }
    endHold(&record)
    // Where somebody else is after a departure is not said.
    ring(&record, .depart, at: spec.who == Self.machine ? positions[spec.who]?.spot : nil)
  }

  /// The end of a snooze rings once, whatever the conditions.
  mutating func wake(_ record: inout Record, from moment: Moment) {
    if record.spec.isLocation { follow(&record) }
    record.silence = nil
    switch record.spec.kind {
    case .date:
      let passed = alarms(of: record) { $0.planned <= now }
      useAlarms(&record, passed)
      for (occurrence, _) in passed { record.marks[occurrence.name]?.hasRung = true }
    case .leave: useLeaving(&record)
    case .location:
      if let occurrence = inForce(record),
        record.stay.isInside || record.spec.isAbsence
          || record.spec.repeats == nil && !record.spec.everyVisit
      {
        useAtPlace(&record, occurrence)
      }
    }
    endHold(&record)
    let late = now - moment
    ring(&record, .due, late: late > Self.tolerance ? late : nil)
  }

  /// Whether it is known and not done.
  package func isOpen(_ id: String) -> Bool { records[id].map { !$0.isDone } ?? false }
}
