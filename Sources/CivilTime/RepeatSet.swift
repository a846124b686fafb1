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
    var regular = rule?.next(after: instant, start: start, zone: zone)
    // Each step passes one exception, or one occurrence of a day that is taken out.
    var steps = 10_000
    while let candidate = regular, isExcluded(candidate) {
      if let single, single < candidate { return single }
      steps -= 1
      guard steps > 0 else { return single }
      regular = rule?.next(after: candidate, start: start, zone: zone)
    }
    guard let regular else { return single }
    return single.map { min($0, regular) } ?? regular
  }
}
