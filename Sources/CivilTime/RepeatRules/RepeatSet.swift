/// A rule with single times added (RDATE) and taken out (EXDATE), RFC 5545 section 3.8.5.
package struct RepeatSet: Hashable, Sendable {
  package var rule: RepeatRule?
  /// Where the rule begins; an occurrence by itself only if there is no rule.
  package var start: LocalDateTime
  package var additions: [TimeStamp]
  package var exceptions: [TimeStamp]
  /// Days on which nothing occurs (EXDATE;VALUE=DATE).
  package var exceptionDays: Set<CivilDate>

  package init(
    rule: RepeatRule?, start: LocalDateTime, additions: [TimeStamp] = [],
    exceptions: [TimeStamp] = [], exceptionDays: Set<CivilDate> = []
  ) {
    self.rule = rule
    self.start = start
    self.additions = additions
    self.exceptions = exceptions
    self.exceptionDays = exceptionDays
  }

  /// Whether an exception takes this moment out.
  package func excludes(_ instant: Instant, zone: TimeZoneRules) -> Bool {
    exceptions.contains { $0.instant(in: zone) == instant }
      || exceptionDays.contains(zone.localDateTime(at: instant).date)
  }

  /// The first occurrence later than an instant.
  ///
  /// - Complexity: linear in the lists, and one step of the rule for each exception that it meets.
  package func next(after instant: Instant, zone: TimeZoneRules) -> Instant? {
    let excluded = Set(exceptions.map { $0.instant(in: zone) })
    func isExcluded(_ candidate: Instant) -> Bool {
      excluded.contains(candidate)
        || !exceptionDays.isEmpty
          && exceptionDays.contains(zone.localDateTime(at: candidate).date)
    }
    var singles = additions.map { $0.instant(in: zone) }
    if rule == nil { singles.append(zone.instant(of: start)) }
    let single = singles.filter { $0 > instant && !isExcluded($0) }.min()
    guard let regular = nextRegular(after: instant, before: single, zone, excluded) else {
      return single
    }
    return single.map { min($0, regular) } ?? regular
  }

  /// The first occurrence of the rule that is not taken out; nil where `limit` comes before it.
  private func nextRegular(
    after instant: Instant, before limit: Instant?, _ zone: TimeZoneRules, _ excluded: Set<Instant>
  ) -> Instant? {
    guard let rule else { return nil }
    var instants = rule.instants(after: instant, start: start, zone: zone)
    var daysLeft = exceptionDays.count
    // No exception is met twice, but for clocks that are put back.
    var exceptionsLeft = 2 * excluded.count + 1
    while let candidate = instants.next() {
      if let limit, limit < candidate { return nil }
      guard candidate > instant else { continue }
      let date = zone.localDateTime(at: candidate).date
      if exceptionDays.contains(date) {
        guard daysLeft > 0 else { continue }
        // On to the end of the day, however many times of it the rule has.
        daysLeft -= 1
        let nextDay = zone.instant(of: LocalDateTime(date: date.adding(days: 1)))
        instants = rule.instants(
          after: max(candidate, nextDay - TimeSpan(microseconds: 1)), start: start, zone: zone)
      } else if excluded.contains(candidate) {
        exceptionsLeft -= 1
        guard exceptionsLeft > 0 else { return nil }
      } else {
        return candidate
      }
    }
    return nil
  }
}
