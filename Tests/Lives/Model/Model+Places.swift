/// Places: visits, and what rings in them or at their ends.
extension Model {
  // MARK: - The list

  /// The unused occurrence that is in force now, or at a moment.
  func inForce(_ record: Record, at moment: Moment? = nil) -> Occurrence? {
    let moment = moment ?? now
    return record.waiting.last { $0.opens <= moment && moment < $0.closes }
  }

  /// Whether an occurrence is left that is neither used nor over.
  func isWaiting(_ record: Record) -> Bool {
    record.waiting.contains { now < $0.closes }
  }

  /// The last occurrence that has opened.
  private func lastOpened(_ record: Record) -> LocalTime? {
    record.occurrences.last { $0.counts && $0.opens <= now }?.name
  }

  // MARK: - Visits

  /// A place whose occurrences are all used or over, or that has expired, follows no visits.
  func isFollowed(_ record: Record) -> Bool {
    isWaiting(record) && record.spec.isUntil(now, in: zone) || record.silence != nil
  }

  /// When it waits again, the last fix decides whether the device is inside; one from before a
  /// restart can only show that it is not.
  mutating func follow(_ record: inout Record) {
    guard isFollowed(record) else {
      record.stay = .unknown
      return
    }
    if record.spec.silence != nil { return followSilence(&record) }
    guard case .unknown = record.stay, let isInside = presence(record) else { return }
    record.watchedSince = now
    record.stay = isInside ? .inside(foundVisit(record)) : .outside(heldSince: nil)
    if isInside { record.wasThere = now }
    noteDwell(record)
  }

  /// nil while it is not known.
  private func presence(_ record: Record) -> Bool? {
    if record.spec.isAboutSeveral { return presenceOfSeveral(record) }
    let position = position(of: record)
    guard let known = position.inside ?? position.lastInside else { return nil }
    let isInside = known.contains(record.spec.region)
    return isInside && position.inside == nil ? nil : isInside
  }

  /// A visit that is on when the reminder begins to wait.
  private func foundVisit(_ record: Record) -> Record.Visit {
    let counts = record.spec.ifInside == .fire || record.spec.silence != nil
    return .init(since: now, settled: counts ? nil : lastOpened(record))
  }

  /// The present visit counts as found.
  mutating func findAnew(_ record: inout Record) {
    guard case .inside(let old) = record.stay else { return }
    var visit = foundVisit(record)
    visit.since = old.since
    record.stay = .inside(visit)
  }

  /// - Parameter withItsEnd: not even the departure rings.
  mutating func settleForGood(_ record: inout Record, withItsEnd: Bool) {
    if case .inside(var visit) = record.stay {
      visit.isSettledForGood = true
      visit.isEndSettled = withItsEnd
      record.stay = .inside(visit)
    }
    endHold(&record)
  }

  func endHold(_ record: inout Record) {
    if case .outside = record.stay { record.stay = .outside(heldSince: nil) }
  }

  mutating func noteDwell(_ record: Record) {
    if case .location(.dwell(let span)) = record.spec.kind, case .inside(let visit) = record.stay {
      note(visit.since + span)
    }
  }

  /// What a fix says about a place.
  /// - Parameter crossing: when the region was crossed before this fix.
  mutating func move(_ record: inout Record, crossing: Double?) {
    if let span = record.spec.silence { return hear(&record, span) }
    let isInside = position(of: record).inside?.contains(record.spec.region) ?? false
    switch record.stay {
    case .unknown:
      return follow(&record)
    case .outside:
      if let crossing { pass(&record, at: crossing) }
      if isInside { arrive(&record) }
    case .inside(let visit):
      if !isInside { leave(&record, visit) }
    }
  }

  mutating func arrive(_ record: inout Record) {
    endWaitForVisit(&record)
    record.wasThere = now
    record.stay = .inside(.init(since: now, settled: nil))
    noteDwell(record)
  }

  mutating func leave(_ record: inout Record, _ visit: Record.Visit?) {
    record.stay = .outside(heldSince: nil)
    record.wasThere = now
    if record.silence == .leaving { return ringLeaving(&record) }
    guard visit.map({ !$0.isEndSettled }) ?? true else { return }
    endVisit(&record, .depart, at: Double(now))
  }

  mutating func pass(_ record: inout Record, at time: Double) {
    guard time > Double(record.watchedSince) else { return }
    endWaitForVisit(&record)
    record.wasThere = Int(time.rounded(.down))
    if case .location(.arrive) = record.spec.kind { ringAtPlace(&record, .pass) }
    endVisit(&record, .pass, at: time)
  }

  /// A departure rings, or begins its hold.
  private mutating func endVisit(_ record: inout Record, _ event: Firing.Event, at time: Double) {
    guard case .location(.depart(let hold)) = record.spec.kind else { return }
    if hold == 0 {
      ringAtPlace(&record, event)
    } else if state(of: record) == .armed {
      record.stay = .outside(heldSince: time)
      note(Int((time + Double(hold)).rounded(.up)))
    }
  }

  /// An arrival or a pass ends a snooze to the next visit, also where it has rung before.
  func endWaitForVisit(_ record: inout Record) {
    guard record.silence == .nextVisit else { return }
    record.silence = nil
    record.marks = [:]
    // Of anyone, the visit of another one may go on: its end counts by itself again.
    if case .inside(var visit) = record.stay {
      visit.isEndSettled = false
      record.stay = .inside(visit)
    }
  }

  // MARK: - Ringing

  mutating func decidePlace(_ record: inout Record) {
    follow(&record)
    guard record.silence == nil else { return }
    switch (record.spec.kind, record.stay) {
    case (.location(.depart(let hold)), .outside(let since?)):
      let end = since + Double(hold)
      guard end <= Double(now) else { break }
      record.stay = .outside(heldSince: nil)
      // Within a second of its end, what held at that end counts.
      ringAtPlace(&record, .depart, asked: Double(now) - end < 1 ? Int(end.rounded(.down)) : now)
    case (.location(.arrive), .inside(let visit)):
      decideInside(&record, visit, .arrive)
    case (.location(.dwell(let span)), .inside(let visit)):
      if now >= visit.since + span { decideInside(&record, visit, .dwell) }
    case (.location(.silent(let span)), .inside(let visit)):
      if now >= silenceEnd(record, visit, span) { decideInside(&record, visit, .silent) }
    case (.location(.absent), _): decideAbsence(&record)
    default: break
    }
    follow(&record)
  }

  private mutating func decideInside(
    _ record: inout Record, _ visit: Record.Visit, _ event: Firing.Event
  ) {
    guard !visit.isSettledForGood, let occurrence = inForce(record) else { return }
    if let settled = visit.settled, occurrence.name <= settled { return }
    guard record.spec.holds(now, position(of: record).motion, in: zone) else { return }
    if isCoolingDown(record) {
      settle(&record, occurrence)
    } else {
      ringAtPlace(&record, event)
    }
  }

  /// Rings if an unused occurrence is in force, and all conditions hold.
  /// - Parameter asked: when they must hold; now unless given.
  private mutating func ringAtPlace(
    _ record: inout Record, _ event: Firing.Event, asked: Moment? = nil
  ) {
    guard record.silence == nil, let occurrence = inForce(record, at: asked),
      record.spec.holds(asked ?? now, position(of: record).motion, in: zone),
      !isCoolingDown(record)
    else { return }
    // Where somebody is after a departure is not said.
    let isSaid = event != .depart || record.spec.who == Self.machine
    let mover = record.isMoving ? record.mover : nil
    let spot = isSaid ? positions[mover ?? record.spec.who]?.spot : nil
    useAtPlace(&record, occurrence)
    ring(
      &record, event, due: occurrence.due == .min ? nil : occurrence.due,
      at: event == .pass || event == .silent ? nil : spot)
  }

  /// A firing uses the occurrence. With `every_visit` it only settles the visit.
  func useAtPlace(_ record: inout Record, _ occurrence: Occurrence) {
    if record.spec.everyVisit { settle(&record, occurrence) } else { record.use(occurrence) }
    endHold(&record)
  }

  private func settle(_ record: inout Record, _ occurrence: Occurrence) {
    guard case .inside(var visit) = record.stay else { return }
    visit.settled = max(visit.settled ?? occurrence.name, occurrence.name)
    record.stay = .inside(visit)
  }
}
