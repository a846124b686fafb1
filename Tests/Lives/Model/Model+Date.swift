/// Dates, and what they share with times to leave: the occurrences and their leads.
extension Model {
  /// Fires when the leads of an occurrence come, once for all that came together. Before `from` and
  /// outside the hours they wait.
  mutating func decideDate(_ record: inout Record) {
    let spec = record.spec
    var reached = record
    guard let moment = useLeads(of: &reached, upTo: now) else {
      return skipOccurrences(of: &record)
    }
    guard spec.isBeforeEnd(now, in: zone) else { return }
    guard let release = release(of: moment, spec, by: now), spec.isInHours(now, in: zone) else {
      return
    }
    record = reached
    fire(&record, now - release > Self.lateAfter ? .late : .due)
  }

  /// Whether the next lead may ring by then.
  func rings(_ record: Record, by limit: Moment) -> Bool {
    var record = record
    skipOccurrences(of: &record)
    guard record.next < record.occurrences.count else { return false }
    let moment = record.occurrences[record.next] - record.spec.allLeads[record.leadsUsed]
    return moment <= limit && release(of: moment, record.spec, by: limit) != nil
  }

  /// When a lead may ring: at its moment, else at `from` or, on a permitted day, when the hours
  /// open. nil where that is after `limit`.
  private func release(of moment: Moment, _ spec: ReminderSpec, by limit: Moment) -> Moment? {
    let start = max(moment, spec.from?.moment(in: zone) ?? moment)
    if spec.isInHours(start, in: zone) { return start <= limit ? start : nil }
    let days = zone.local(at: start).day...max(zone.local(at: start).day, zone.local(at: limit).day)
    let openings = days.flatMap { day in
      [0, spec.hours?.start, spec.hours?.end].compactMap { $0 }.flatMap {
        zone.moments(of: LocalTime(day: day, second: $0))
      }
    }
    return (openings + zone.changeMoments).filter { opening in
      start < opening && opening <= limit && spec.isInHours(opening, in: zone)
        && spec.isOnDays(opening, in: zone)
    }.min()
  }

  /// A firing is late when it comes more seconds than this after its moment.
  static let lateAfter = 2

  /// Uses up the leads whose moments are not after `limit`; returns the moment of the last one.
  func useLeads(of record: inout Record, upTo limit: Moment) -> Moment? {
    var last: Moment?
    let leads = record.spec.allLeads
    while true {
      skipOccurrences(of: &record)
      guard record.next < record.occurrences.count else { return last }
      let moment = record.occurrences[record.next] - leads[record.leadsUsed]
      guard moment <= limit else { return last }
      last = moment
      record.leadsUsed += 1
      if record.leadsUsed == leads.count { complete(&record) }
    }
  }

  /// Goes past the occurrences that the reminder's days or `from` leave out.
  func skipOccurrences(of record: inout Record) {
    while record.next < record.occurrences.count,
      record.spec.skips(record.occurrences[record.next], in: zone)
    {
      complete(&record)
    }
  }

  /// Goes back to the first occurrence ahead that was left out in the old zone alone: nothing has
  /// used it up.
  func recover(_ record: inout Record, leftOutOf old: [Moment], in oldZone: Zone) {
    guard record.spec.repeats != nil, !record.spec.isLocation else { return }
    let (occurrences, spec) = (record.occurrences, record.spec)
    let first = zip(old, occurrences).prefix(record.next).enumerated().first { _, times in
      times.1 >= now && spec.skips(times.0, in: oldZone) && !spec.skips(times.1, in: zone)
    }
    guard let first else { return }
    (record.next, record.leadsUsed) = (first.offset, 0)
  }

  /// The next occurrence under other conditions: one that has begun stays; the old conditions have
  /// used up those before it that they did not leave out.
  func nextOccurrence(of record: Record, replacing old: ReminderSpec) -> Int {
    let (occurrences, spec) = (record.occurrences, record.spec)
    if record.next < occurrences.count, occurrences[record.next] <= now,
      !spec.excludes(occurrences[record.next], in: zone),
      !old.excludes(occurrences[record.next], in: zone)
    {
      return record.next
    }
    let index = occurrences.indices.first { index in
      occurrences[index] >= now && !spec.skips(occurrences[index], in: zone)
        && (index >= record.next || old.excludes(occurrences[index], in: zone))
    }
    return index ?? occurrences.count
  }

  /// Goes on to the next occurrence.
  func complete(_ record: inout Record) {
    record.next += 1
    record.leadsUsed = 0
  }
}
