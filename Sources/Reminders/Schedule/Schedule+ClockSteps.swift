import CivilTime

/// Correction of what a wrong clock has brought about.
///
/// While a clock is ahead, it rings reminders before their time, and uses due times that are still
/// to come. Once it goes back by more than `clockTolerance`, those count again. The firings that
/// then come a second time are marked.
///
/// If the clock was right and goes wrong backward, the same happens. When it is set back to its
/// time, those due times count as rung: nothing rings twice. Time that passes in suspend or while
/// the machine is off is no such return.
extension Schedule {
  /// A smaller step back, such as one of NTP, takes nothing back. A due time that is nearer than
  /// this does not ring again.
  static let clockTolerance = TimeSpan.minutes(10)

  /// The history after the clock was turned to `now`.
  /// - Parameters:
  ///   - start: when the wrong time began; nil where it is not known.
  ///   - latest: the latest time that the clock has shown.
  ///   - travel: to the place of a time to leave.
  mutating func clockTurned(
    back history: inout History, from start: Instant?, latest: Instant?, travel: TimeSpan,
    at now: Instant
  ) {
    let limit = now + Self.clockTolerance
    let rung = history.lastRung.flatMap { $0 > limit ? $0 : nil }
    let reached = latest.flatMap { $0 > limit ? $0 : nil }
    guard let end = [rung, reached].compactMap({ $0 }).max() else { return }
    if rung != nil { history.lastRung = now }
    if let nag = reminder.nag, let next = history.repetition?.next, next > now + nag {
      history.repetition?.next = now + nag
    }
    guard !history.isDone else { return }
    if history.silence != nil, rung == nil || reminder.due == nil { return }
    if history.hasExpired, window.until.map({ limit <= $0 && $0 <= end }) ?? false {
      history.hasExpired = false
    }
    guard reminder.due != nil, reminder.kind != .location || rung != nil,
      let last = usedLast(history),
      let first = firstTaken(limit, end, travel), first.occurrence.name <= last.name
    else { return }
    // Of the due time that was used last, some leads may have come after the limit.
    let isLast = first.occurrence.name == last.name
    if isLast, let count = last.leads, first.passed >= count { return }
    var from = first.occurrence.name
    if reminder.repeats, reminder.kind != .preemptive,
      let missed = self.latest(after: nil, dueBy: min(start ?? end, rung ?? end))
    {
      // Of those before the wrong time began, only the last rang, as missed.
      from = max(from, missed.name)
    }
    history.usedUpTo = first.occurrence.name.previous
    history.leadsUsed = first.passed == 0 ? [:] : [first.occurrence.name: first.passed]
    history.isUnacknowledged = false
    (history.silence, history.repetition) = (nil, nil)
    if case .inside(var visit) = history.stay {
      visit.settledUpTo = nil
      history.stay = .inside(visit)
    }
    guard let rung else { return }
    // A cooldown counts from true firings.
    history.lastRung = nil
    history.early = History.Early(
      from: from, upTo: last.name, leads: last.leads, rung: rung)
  }

  /// The last due time with a lead used, and how many leads; nil where none is.
  private func usedLast(_ history: History) -> (name: LocalDateTime, leads: Int?)? {
    if let last = history.leadsUsed.keys.max() { return (last, history.leadsUsed[last]) }
    return history.usedUpTo.map { ($0, nil) }
  }

  /// The first due time with a lead that comes after `limit` and that the clock has shown.
  private mutating func firstTaken(
    _ limit: Instant, _ end: Instant, _ travel: TimeSpan
  ) -> (occurrence: Occurrence, passed: Int)? {
    let deciding = reminder.kind == .location ? 1 : leads.count
    func moments(_ occurrence: Occurrence) -> [Instant] {
      (0..<deciding).map { moment(of: $0, before: occurrence.due) - travel }
    }
    var name: LocalDateTime?
    if reminder.repeats {
      name = latest(after: nil, dueBy: horizon(of: deciding - 1, at: limit + travel))?.name
    }
    for _ in 0..<Self.maximumSteps {
      guard let next = next(after: name) else { return nil }
      let moments = moments(next)
      let passed = moments.prefix { $0 <= limit }.count
      if passed < deciding { return moments[passed] <= end ? (next, passed) : nil }
      name = next.name
    }
    return nil
  }

  /// The history after the clock was set forward to `now`, or after a start: what had rung before
  /// it went wrong backward counts as rung.
  mutating func clockTurned(forth history: inout History, at now: Instant) {
    guard let early = history.early, early.rung <= now, !history.isDone else { return }
    history.early = nil
    let used = early.leads == nil ? early.upTo : early.upTo.previous
    guard history.usedUpTo.map({ $0 <= used }) ?? true else { return }
    history.usedUpTo = used
    history.leadsUsed = early.leads.map { [early.upTo: $0] } ?? [:]
    history.lastRung = max(history.lastRung ?? early.rung, early.rung)
  }

  /// Whether a wrong clock has rung this before.
  func isRepeated(_ lead: Lead, _ history: History) -> Bool {
    guard let early = history.early, early.from <= lead.occurrence.name,
      lead.occurrence.name <= early.upTo
    else { return false }
    return lead.occurrence.name < early.upTo || early.leads.map { lead.number < $0 } ?? true
  }
}
