/// What an edit changes, field by field.
extension Model {
  package mutating func edit(_ spec: ReminderSpec) {
    guard var record = records[spec.id], !record.isDone else { return }
    let old = record
    record.spec = spec
    record.changedAt = now
    if spec.isFixedSeries, !old.spec.isFixedSeries { record.seriesZone = zone }
    list(&record)
    let hasNewTimes = spec.due != old.spec.due || spec.repeats != old.spec.repeats
    if hasNewTimes {
      editTimes(&record)
    } else if spec.leads != old.spec.leads {
      editLeads(&record, old)
    }
    if !hasNewTimes, spec.hasOtherLimits(than: old.spec) { editLimits(&record, old) }
    if spec.region != old.spec.region {
      record.stay = .unknown
      record.watchedSince = now
      if record.silence == .leaving { record.silence = nil }
      // Nobody has come there yet.
      record.mover = nil
      if spec.isAboutSeveral { findMembers(&record) }
    } else if spec.isAboutSeveral, !spec.kind.isSameEvent(as: old.spec.kind) {
      // The event decides how many of them make a stay.
      record.stay = .unknown
      record.watchedSince = now
      if record.silence == .leaving { record.silence = nil }
    }
    if spec.region != old.spec.region || !spec.kind.isSameEvent(as: old.spec.kind) {
      record.wasThere = nil
    }
    if spec.isLocation { armAgain(&record, old) }
    if spec.nag == nil || hasReachedLimit(record) { record.round = nil }
    store(record)
  }

  private mutating func editTimes(_ record: inout Record) {
    record.marks = [:]
    record.silence = nil
    record.isUnacknowledged = false
    record.round = nil
    if record.spec.repeats != nil, !record.spec.isLocation { record.use { $0.due < now } }
    useFirstLeads(&record)
    findAnew(&record)
    record.watchedSince = now
  }

  private mutating func editLeads(_ record: inout Record, _ old: Record) {
    record.silence = nil
    for occurrence in record.occurrences where occurrence.due > now {
      record.marks[occurrence.name]?.leads = 0
    }
    // None before one that rang. The only one rings again whatever used it.
    if let last = record.occurrences.last(where: { record.mark($0).isUsed }), last.due > now,
      record.mark(last).hasRung || record.spec.repeats == nil
    {
      record.marks[last.name] = .init()
    }
    useFirstLeads(&record)
    findAnew(&record)
  }

  /// `days`, `hours`, `from` or `until`.
  private mutating func editLimits(_ record: inout Record, _ old: Record) {
    if record.spec.isLocation {
      let before = inForceOfAll(old)
      if let now = inForceOfAll(record), now != before { findAnew(&record) }
      return
    }
    guard record.spec.repeats != nil else { return }
    if let next = old.next, next.due <= now, record.next?.name == next.name { return }
    record.use { $0.due < now }
    useFirstLeads(&record)
  }

  /// The name of the occurrence that is in force, used or not.
  private func inForceOfAll(_ record: Record) -> LocalTime? {
    record.occurrences.last { $0.counts && $0.opens <= now && now < $0.closes }?.name
  }

  /// A place that has rung and has nothing left waits again at another place, for another event, or
  /// for every visit.
  private mutating func armAgain(_ record: inout Record, _ old: Record) {
    let spec = record.spec
    let isEveryVisit = spec.everyVisit && !old.spec.everyVisit
    let hasEnded = old.waiting.isEmpty && old.lastRang != nil
    let isWantedAgain =
      isEveryVisit || spec.region != old.spec.region || !spec.kind.isSameEvent(as: old.spec.kind)
    if spec.repeats == nil, isEveryVisit || hasEnded && isWantedAgain {
      record.marks = [:]
    } else if hasEnded, isWantedAgain, let last = inForceOfAll(record) {
      record.marks[last] = nil
    }
  }
}

extension ReminderSpec {
  fileprivate func hasOtherLimits(than old: ReminderSpec) -> Bool {
    days != old.days || hours != old.hours || from != old.from || until != old.until
  }
}

extension ReminderSpec.Kind {
  fileprivate func isSameEvent(as other: Self) -> Bool {
    switch (self, other) {
    case (.location(.arrive), .location(.arrive)), (.location(.depart), .location(.depart)),
      (.location(.dwell), .location(.dwell)), (.location(.silent), .location(.silent)),
      (.location(.absent), .location(.absent)):
      true
    case (.location, .location): false
    default: true
    }
  }
}
