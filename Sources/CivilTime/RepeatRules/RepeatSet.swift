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

  /// The first occurrence later than an instant. See `RepeatSearch` for several of them.
  package func next(after instant: Instant, zone: TimeZoneRules) -> Instant? {
    var search = RepeatSearch(self, zone: zone)
    return search.next(after: instant)
  }
}
