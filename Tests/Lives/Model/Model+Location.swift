/// Places and regions: arrive, depart, dwell and pass.
extension Model {
  mutating func decidePlace(_ record: inout Record) {
    endOccurrences(of: &record)
    decideInside(&record)
    decideAway(&record)
  }

  /// The device has entered the region of a reminder.
  mutating func arrive(_ record: inout Record) {
    record.visit = Record.Visit(since: now, counts: true)
    record.awaySince = nil
    if record.state == .snoozedToNextVisit { record.state = .armed }
    note(dwellEnd(of: record))
  }

  /// The device has left the region.
  mutating func leave(_ record: inout Record) {
    guard let visit = record.visit else { return }
    record.visit = nil
    guard case .location(.depart(let span)) = record.spec.kind, !visit.isPutAside,
      record.state == .armed
    else { return }
    depart(&record, at: Double(now), after: span, .depart)
  }

  /// Fires a departure, or waits until the device has been away for the time that is asked for.
  private mutating func depart(
    _ record: inout Record, at time: Double, after span: Int, _ event: Firing.Event
  ) {
    if span == 0 { return decideCrossing(&record, event) }
    record.awaySince = time
    note(Int((time + Double(span)).rounded(.up)))
  }

  /// Fires a departure when the device has been away for long enough.
  private mutating func decideAway(_ record: inout Record) {
    guard case .location(.depart(let span)) = record.spec.kind, record.state == .armed,
      let since = record.awaySince, since + Double(span) <= Double(now)
    else { return }
    record.awaySince = nil
    decideCrossing(&record, .depart)
  }

  /// The device has crossed the region between two fixes: a visit without a stay.
  mutating func pass(_ record: inout Record, at time: Double) {
    guard case .location(let trigger) = record.spec.kind, record.visit == nil,
      time > Double(record.watchedSince)
    else { return }
    if record.state == .snoozedToNextVisit { record.state = .armed }
    guard record.state == .armed else { return }
    switch trigger {
    case .arrive: decideCrossing(&record, .pass)
    case .depart(let span): depart(&record, at: time, after: span, .pass)
    case .dwell: break
    }
  }

  /// Fires a departure or a pass if all conditions hold at this moment; otherwise it is dropped.
  private mutating func decideCrossing(_ record: inout Record, _ event: Firing.Event) {
    guard record.spec.permits(now, motion, in: zone),
      let occurrence = openOccurrence(of: record)
    else { return }
    if fire(&record, event) { use(occurrence, of: &record) }
  }

  /// Fires at the first moment of a visit at which all conditions hold.
  private mutating func decideInside(_ record: inout Record) {
    guard record.state == .armed, let visit = record.visit,
      !record.spec.isDeparture, dwellEnd(of: record) ?? now <= now,
      record.spec.permits(now, motion, in: zone),
      let occurrence = openOccurrence(of: record), !visit.settled.contains(occurrence),
      visit.counts || occurrence >= visit.firstOccurrence
    else { return }
    if fire(&record, record.spec.kind == .location(.arrive) ? .arrive : .dwell) {
      use(occurrence, of: &record)
    } else {
      record.visit?.settled.insert(occurrence)
    }
  }

  /// When the visit has lasted for the time that the reminder asks for; nil without such a time.
  func dwellEnd(of record: Record) -> Moment? {
    guard case .location(.dwell(let span)) = record.spec.kind else { return nil }
    return record.visit.map { $0.since + span }
  }

  /// The occurrence for which a place may fire now; 0 where it has no due time, nil where none is
  /// open. A single due time stays open. One that repeats is open until the next one, or until its
  /// day ends.
  func openOccurrence(of record: Record) -> Int? {
    guard record.spec.due != nil else { return 0 }
    guard let index = record.occurrences.lastIndex(where: { $0 <= now }), index >= record.next
    else { return nil }
    guard record.spec.repeats != nil else { return index }
    let day = record.spec.day(of: record.occurrences[index], in: zone)
    return day == record.spec.day(of: now, in: zone) ? index : nil
  }

  /// Occurrences that have ended are used up.
  private func endOccurrences(of record: inout Record) {
    guard record.spec.repeats != nil,
      let begun = record.occurrences.lastIndex(where: { $0 <= now })
    else { return }
    let isOpen = openOccurrence(of: record) == begun
    record.next = max(record.next, isOpen ? begun : begun + 1)
  }

  /// A firing uses up the visit for this occurrence and, where not every visit is meant, the
  /// occurrence.
  func use(_ occurrence: Int, of record: inout Record) {
    record.visit?.settled.insert(occurrence)
    guard !record.spec.everyVisit else { return }
    if record.spec.repeats == nil {
      record.state = .fired
    } else {
      record.next = occurrence + 1
    }
  }

  /// The visit of a reminder that is made, or armed again, now: the device may be inside already.
  /// Unless `if_inside` says so, it counts for the due times to come alone.
  func visitFound(by record: Record, since: Moment) -> Record.Visit? {
    guard inside?.contains(record.spec.region) == true else { return nil }
    let ahead = record.occurrences.firstIndex { $0 > now }
    return Record.Visit(
      since: since, counts: record.spec.ifInside == .fire, firstOccurrence: ahead ?? .max)
  }
}
