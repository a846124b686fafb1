/// What the user does with a reminder: add, edit, snooze, done, remove.
extension Model {
  package mutating func add(_ spec: ReminderSpec) {
    var record = Record(spec: spec, occurrences: occurrences(of: spec))
    record.changedAt = now
    record.watchedSince = now
    record.visit = visitFound(by: record, since: now)
    record.next = firstOccurrence(of: record)
    noteMoments(of: record)
    records[spec.id] = record
    evaluate()
  }

  package mutating func remove(_ id: String) { records[id] = nil }

  /// A date or a time to leave that repeats begins with the next occurrence. A place asks for
  /// those of the day that have passed already, too.
  private func firstOccurrence(of record: Record) -> Int {
    guard record.spec.repeats != nil, !record.spec.isLocation else { return 0 }
    return record.occurrences.firstIndex { $0 >= now } ?? record.occurrences.count
  }

  // MARK: - Edit

  /// Replaces the fields of a reminder. What the change does not concern stays as it is.
  package mutating func edit(_ spec: ReminderSpec) {
    guard var record = records[spec.id] else { return }
    let old = record.spec
    let hasEnded = hasEnded(record)
    record.spec = spec
    record.changedAt = now
    record.occurrences = occurrences(of: spec)
    if spec.region != old.region {
      record.visit = visitFound(by: record, since: now)
      record.awaySince = nil
      record.watchedSince = now
    }
    if spec.due != old.due || spec.repeats != old.repeats || spec.leads != old.leads {
      record.next = firstOccurrence(of: record)
      record.leadsUsed = 0
      record.watchedSince = now
      findAnew(&record, isFollowed: !hasEnded)
      record.state = .armed
    } else if spec.repeats != nil, spec.isLocation {
      let before = admittedOccurrence(of: record, under: old)
      let after = admittedOccurrence(of: record, under: spec)
      if after != nil, after != before { findAnew(&record, isFollowed: !hasEnded) }
    } else if spec.repeats != nil {
      let next = nextOccurrence(of: record, replacing: old)
      if next != record.next { (record.next, record.leadsUsed) = (next, 0) }
    } else if !spec.isLocation, record.lastFired == nil, record.next > 0 {
      // A single due time that was excluded counts again.
      (record.next, record.leadsUsed) = (0, 0)
    }
    let isElsewhere =
      spec.region != old.region || (spec.isLocation && spec.kind != old.kind)
    let isWantedAgain =
      hasEnded && record.state != .expired
      && (isElsewhere || (spec.everyVisit && !old.everyVisit))
    // Of a series, the last due time holds again.
    if isWantedAgain, spec.repeats != nil {
      record.next = min(record.next, record.occurrences.lastIndex { $0 <= now } ?? record.next)
    }
    if isWantedAgain || record.state == .expired && spec.isBeforeEnd(now, in: zone) {
      record.watchedSince = now
      findAnew(&record, isFollowed: !hasEnded)
      record.state = .armed
    }
    if spec.nag == nil { record.nag = nil }
    noteMoments(of: record)
    records[spec.id] = record
    evaluate()
  }

  /// The occurrence that is open now, on a permitted day.
  private func admittedOccurrence(of record: Record, under spec: ReminderSpec) -> Int? {
    var record = record
    record.spec = spec
    return openOccurrence(of: record).flatMap {
      spec.isOnDays(record.occurrences[$0], in: zone) ? $0 : nil
    }
  }

  /// The visit that is on is one that the changed reminder finds, as at its creation.
  /// - Parameter isFollowed: whether the reminder has followed it.
  private mutating func findAnew(_ record: inout Record, isFollowed: Bool) {
    guard let visit = record.visit else { return }
    record.visit = visitFound(by: record, since: isFollowed ? visit.since : now)
    note(dwellEnd(of: record))
  }

  /// Whether it has fired for the last time, or expired: it follows no visits.
  private func hasEnded(_ record: Record) -> Bool {
    guard record.state != .fired, record.state != .expired else { return true }
    // A snooze still has an end.
    guard record.state == .armed, record.spec.isLocation, record.spec.repeats?.count != nil
    else { return false }
    return openOccurrence(of: record) == nil
      && !record.occurrences.contains { $0 > now && record.spec.isOnDays($0, in: zone) }
  }

  // MARK: - Snooze

  /// Whether a snooze until `moment` has a meaning: something has fired, a date is moved to a later
  /// time than its own, or a place is kept silent.
  package func canSnooze(_ id: String, until moment: Moment) -> Bool {
    guard let record = records[id], record.state != .done else { return false }
    switch record.spec.kind {
    case .location: return true
    case .date:
      if record.isUnacknowledged { return true }
      if case .snoozed(let planned) = record.state { return planned <= moment }
      return rings(record, by: moment)
    case .leave: return record.isUnacknowledged
    }
  }

  package func canSnoozeToNextVisit(_ id: String) -> Bool {
    guard let record = records[id], record.state != .done else { return false }
    return record.spec.isLocation && record.spec.repeats == nil
  }

  /// Nothing rings until `moment`; positions are followed. It replaces an earlier snooze.
  package mutating func snooze(_ id: String, until moment: Moment) {
    records[id]?.state = .snoozed(until: moment)
    records[id]?.visit?.isPutAside = false
    records[id]?.nag = nil
    note(moment)
    evaluate()
  }

  /// The visit that is on, and its end, do not fire; the next visit does.
  package mutating func snoozeToNextVisit(_ id: String) {
    records[id]?.state = .snoozedToNextVisit
    records[id]?.watchedSince = now
    records[id]?.nag = nil
    records[id]?.visit?.isPutAside = true
    records[id]?.visit?.counts = false
    records[id]?.visit?.firstOccurrence = .max
    records[id]?.awaySince = nil
    evaluate()
  }

  /// The end of a snooze: the reminder rings, at the time that the user chose, and goes on from
  /// there. A place that has never fired is armed again.
  mutating func wake(_ record: inout Record) {
    record.state = .armed
    guard record.spec.isLocation else {
      if case .leave(let travel) = record.spec.kind {
        useLeaving(&record, travel: travel)
      } else {
        _ = useLeads(of: &record, upTo: now)
      }
      return ring(&record, .due)
    }
    guard record.lastFired != nil else { return decidePlace(&record) }
    ring(&record, .due)
    record.awaySince = nil
    if record.visit != nil, let occurrence = openOccurrence(of: record) {
      use(occurrence, of: &record)
    }
    if record.spec.due == nil || record.spec.repeats == nil, !record.spec.everyVisit {
      record.state = .fired
    }
  }

  // MARK: - Done

  /// Completes the current occurrence: the one that has begun, else the one that has fired, else
  /// the next one.
  package mutating func done(_ id: String) {
    guard var record = records[id], record.state != .done else { return }
    let wasFired = record.isUnacknowledged
    record.isUnacknowledged = false
    record.nag = nil
    if record.spec.repeats != nil {
      record.state = .armed
      completeCurrent(&record, wasFired: wasFired)
      // Of a series without an end, the list has the first ones alone.
      if record.spec.repeats?.count != nil, record.next >= record.occurrences.count {
        record.state = .done
      }
    } else if record.spec.everyVisit {
      record.state = .armed
      record.visit?.settled.insert(0)
      record.awaySince = nil
    } else {
      record.state = .done
    }
    records[id] = record
    evaluate()
  }

  private func completeCurrent(_ record: inout Record, wasFired: Bool) {
    if record.spec.isLocation {
      if let open = admittedOccurrence(of: record, under: record.spec) {
        record.next = open + 1
      } else if !wasFired,
        let next = record.occurrences.firstIndex(where: {
          $0 > now && record.spec.isOnDays($0, in: zone)
        })
      {
        record.next = max(record.next, next) + 1
      }
    } else {
      skipOccurrences(of: &record)
      guard record.next < record.occurrences.count else { return }
      let hasBegun = record.leadsUsed > 0 || record.occurrences[record.next] <= now
      if hasBegun || !wasFired { complete(&record) }
      while record.next < record.occurrences.count, record.occurrences[record.next] <= now {
        complete(&record)
      }
    }
  }

  /// Whether the user can snooze or edit it, or say "done".
  package func isOpen(_ id: String) -> Bool {
    records[id].map { $0.state != .done } ?? false
  }

  /// Whether it has fired and waits for an acknowledgement.
  package func isUnacknowledged(_ id: String) -> Bool { records[id]?.isUnacknowledged ?? false }
}
