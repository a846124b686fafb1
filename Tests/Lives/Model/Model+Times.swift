/// Dates, and times to leave.
extension Model {
  // MARK: - Dates

  mutating func decideDate(_ record: inout Record) {
    guard record.spec.isInHours(now, in: zone), record.spec.isUntil(now, in: zone) else { return }
    while let (passed, last) = firstPassed(of: record), let rings = last.1.rings, rings <= now {
      useAlarms(&record, passed)
      guard !isCoolingDown(record) else { continue }
      for (occurrence, _) in passed {
        record.marks[occurrence.name, default: .init()].hasRung = true
      }
      let late = now - rings
      ring(&record, .due, due: last.0.due, late: late > Self.tolerance ? late : nil)
    }
  }

  /// The leads that have come and ring once: those of all occurrences whose leads have all come,
  /// else of the next occurrence.
  private func firstPassed(
    of record: Record
  ) -> (all: [(Occurrence, Occurrence.Alarm)], last: (Occurrence, Occurrence.Alarm))? {
    let passed = alarms(of: record) { $0.planned <= now }
    guard var last = passed.last else { return nil }
    let isPart = passed.count { $0.0.name == last.0.name } < record.alarms(of: last.0).count
    guard isPart else { return (passed, last) }
    let before = passed.filter { $0.0.name != last.0.name }
    guard let earlier = before.last else { return (passed, last) }
    last = earlier
    return (before, last)
  }

  /// The unused moments that have passed: nothing of an occurrence before the leads of an earlier
  /// one are used.
  func alarms(
    of record: Record, while hasPassed: (Occurrence.Alarm) -> Bool
  ) -> [(Occurrence, Occurrence.Alarm)] {
    var passed: [(Occurrence, Occurrence.Alarm)] = []
    for occurrence in record.occurrences where occurrence.counts {
      guard !record.mark(occurrence).isUsed else { continue }
      for alarm in record.alarms(of: occurrence) {
        guard hasPassed(alarm) else { return passed }
        passed.append((occurrence, alarm))
      }
    }
    return passed
  }

  func useAlarms(_ record: inout Record, _ passed: [(Occurrence, Occurrence.Alarm)]) {
    for (occurrence, _) in passed {
      let used = record.mark(occurrence).leads + 1
      if used >= occurrence.leads.count {
        record.use(occurrence)
      } else {
        record.useLeads(used, of: occurrence)
      }
    }
  }

  /// The next moment of a date; it may have passed, and wait for the hours. One that waits for an
  /// admitted day may be overtaken by a later one that has its hours.
  func nextMoment(of record: Record) -> Moment? {
    let passed = firstPassed(of: record)?.last
    let first = passed?.0.name ?? record.next?.name
    let ahead = record.waiting.flatMap { occurrence in
      let alarms = record.alarms(of: occurrence).filter { $0.planned > now }
      return occurrence.name == first ? alarms : alarms.suffix(1)
    }
    return ([passed?.1].compactMap { $0 } + ahead).compactMap(\.rings).min()
  }

  // MARK: - Times to leave

  /// The next moment of a date or a time to leave.
  func nextTime(of record: Record) -> Moment? {
    switch record.spec.kind {
    case .date: nextMoment(of: record)
    case .location: nil
    case .leave: nextLeaving(of: record)
    }
  }

  private func nextLeaving(of record: Record) -> Moment? {
    // Of several that were missed, the last one counts.
    guard let next = record.waiting.last(where: { $0.due <= now }) ?? record.next,
      let moment = moments(of: next, record).dropFirst(record.mark(next).leads).first
    else { return nil }
    return max(moment, record.spec.from?.moment(in: zone) ?? moment)
  }

  private func isThere(_ record: Record) -> Bool {
    position(of: record).lastInside?.contains(record.spec.region) ?? false
  }

  /// Seconds to the place; none inside.
  private func travel(_ record: Record) -> Int {
    guard case .leave(let travel) = record.spec.kind else { return 0 }
    return isThere(record) ? 0 : travel
  }

  mutating func decideLeaving(_ record: inout Record) {
    var marks: [LocalTime: Record.Mark]
    repeat {
      marks = record.marks
      decideNextLeaving(&record)
    } while record.marks != marks
  }

  private mutating func decideNextLeaving(_ record: inout Record) {
    useWhatIsDue(&record)
    let missed = record.waiting.filter { $0.due <= now }
    if missed.count > 1 { record.use(missed[missed.count - 2]) }
    guard let next = record.next else { return }
    let from = record.spec.from?.moment(in: zone) ?? .min
    let moments = moments(of: next, record)
    let used = record.mark(next).leads
    if now >= from, record.spec.isUntil(now, in: zone), used < moments.count {
      let passed = moments.dropFirst(used).prefix { $0 <= now }
      // Who is there hears nothing: until it is due, the device may leave again.
      if isThere(record), !passed.isEmpty {
        if next.due <= now { record.marks[next.name, default: .init()].leads = moments.count }
      } else if let last = passed.last {
        record.useLeads(used + passed.count, of: next)
        let allowed = record.changedAt == now || isStarting ? Self.tolerance : 60
        if !isCoolingDown(record) {
          record.marks[next.name, default: .init()].hasRung = true
          let late = now - max(last, from)
          ring(
            &record, .leave, due: next.due, late: late > allowed ? late : nil,
            at: record.spec.who == Self.machine ? position(of: record).spot : nil)
        }
      }
    }
    useWhatIsDue(&record)
    giveBackLeads(&record)
  }

  /// When it is time to leave for each lead.
  func moments(of occurrence: Occurrence, _ record: Record) -> [Moment] {
    let alarms = occurrence.leads.isEmpty ? [occurrence.atDue] : occurrence.leads
    return alarms.map { $0.planned - travel(record) }
  }

  private func hasUsedAllLeads(_ record: Record, _ occurrence: Occurrence) -> Bool {
    record.mark(occurrence).leads >= max(1, occurrence.leads.count)
  }

  /// What is due, and whose leads are used, is used with all that is due at the same instant.
  func useWhatIsDue(_ record: inout Record) {
    while let next = record.next, next.due <= now, hasUsedAllLeads(record, next) {
      record.use { $0.due == next.due }
    }
  }

  /// The leads that are ahead again, when more than ten minutes of slack have come back.
  private func giveBackLeads(_ record: inout Record) {
    guard let next = record.next, now < next.due, hasUsedAllLeads(record, next) else { return }
    let moments = moments(of: next, record)
    let start = max(now, record.spec.from?.moment(in: zone) ?? now)
    guard let last = moments.last, last - start > 600 else { return }
    record.marks[next.name, default: .init()].leads = moments.count { $0 <= now }
  }

  /// What the end of a snooze uses.
  func useLeaving(_ record: inout Record) {
    record.use { $0.due <= now }
    guard let next = record.next else { return }
    let passed = moments(of: next, record).count { $0 <= now }
    if passed > record.mark(next).leads { record.useLeads(passed, of: next) }
    giveBackLeads(&record)
  }
}
