/// A search among the occurrences of a `RepeatSet`, with bounded work.
package struct RepeatSearch: Sendable {
  /// Steps so far: months, intervals or days of the rule, and single searches.
  package private(set) var work = 0
  /// The search finds nothing more after so many steps.
  package let maximumWork: Int

  private let set: RepeatSet
  private let zone: TimeZoneRules
  private let excluded: Set<Instant>
  /// Single times that no exception takes out, rising.
  private let singles: [Instant]
  /// The rule from which a search starts; nil without a rule.
  private var rule: RepeatOccurrences?

  package init(_ set: RepeatSet, zone: TimeZoneRules, maximumWork: Int = .max) {
    self.set = set
    self.maximumWork = maximumWork
    self.zone = zone
    excluded = Set(set.exceptions.map { $0.instant(in: zone) })
    var singles = set.additions.map { $0.instant(in: zone) }
    if set.rule == nil { singles.append(zone.instant(of: set.start)) }
    let (excluded, days) = (excluded, set.exceptionDays)
    self.singles = singles.filter {
      !excluded.contains($0)
        && (days.isEmpty || !days.contains(zone.localDateTime(at: $0).date))
    }.sorted()
    rule = set.rule?.occurrences(from: set.start, zone: zone)
  }

  /// The first occurrence later than an instant.
  ///
  /// - Complexity: linear in the single times, and one step of the rule for each exception that it
  ///   meets. A rule with COUNT and BY parts takes a step for each interval, or each day, since its
  ///   start.
  package mutating func next(after instant: Instant) -> Instant? { found(after: instant).instant }

  /// The last occurrence that is later than `current` and not later than `moment`.
  ///
  /// - Complexity: as of some 40 searches; the intervals of a rule with COUNT are counted about
  ///   twice in all.
  package mutating func latest(after current: Instant, upTo moment: Instant) -> Instant? {
    let first = found(after: current)
    guard var latest = first.instant, latest <= moment else { return nil }
    let start = rule
    defer { rule = start }
    rule = first.rule
    var end = moment
    while end - latest > .seconds(1) {
      let middle = latest + TimeSpan(microseconds: (end - latest).microseconds / 2)
      let later = found(after: middle)
      if let instant = later.instant, instant <= moment {
        latest = instant
        rule = later.rule
      } else {
        end = middle
      }
    }
    if let instant = found(after: latest).instant, instant <= moment { latest = instant }
    return latest
  }

  /// The first occurrence after an instant, and the rule advanced to that instant.
  private mutating func found(
    after instant: Instant
  ) -> (instant: Instant?, rule: RepeatOccurrences?) {
    let single = singles.first { $0 > instant }
    guard let rule = advanced(through: instant) else { return (single, nil) }
    let regular = nextRegular(of: rule, after: instant, before: single)
    return (single.map { min($0, regular ?? $0) } ?? regular, rule)
  }

  /// The rule without the occurrences of readings up to an instant.
  private mutating func advanced(through instant: Instant) -> RepeatOccurrences? {
    guard var advanced = rule else { return nil }
    advanced.work = 0
    advanced.maximumWork = max(0, maximumWork - work)
    advanced.skip(through: zone.earliestReading(after: instant))
    work += advanced.work + 1
    advanced.work = 0
    advanced.maximumWork = max(0, maximumWork - work)
    return advanced
  }

  /// The first occurrence of the rule that is not taken out; nil where `limit` comes before it.
  private mutating func nextRegular(
    of rule: RepeatOccurrences, after instant: Instant, before limit: Instant?
  ) -> Instant? {
    var instants = RepeatInstants(rule, zone: zone)
    defer { work += instants.work }
    var daysLeft = set.exceptionDays.count
    // No exception is met twice, but for clocks that are put back.
    var exceptionsLeft = 2 * excluded.count + 1
    while let candidate = instants.next() {
      if let limit, limit < candidate { return nil }
      guard candidate > instant else { continue }
      let date = zone.localDateTime(at: candidate).date
      if set.exceptionDays.contains(date) {
        guard daysLeft > 0 else { continue }
        // On to the end of the day, however many times of it the rule has.
        daysLeft -= 1
        let nextDay = zone.instant(of: LocalDateTime(date: date.adding(days: 1)))
        let last = max(candidate, nextDay - TimeSpan(microseconds: 1))
        guard let later = advanced(through: last) else { return nil }
        work += instants.work
        instants = RepeatInstants(later, zone: zone)
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
