/// A search among the occurrences of a series by their names, with bounded work.
package struct SeriesSearch: Sendable {
  /// Steps so far: months, intervals or days of the rule, and single searches.
  package private(set) var work = 0
  /// The search finds nothing more after so many steps.
  package let maximumWork: Int
  package let series: Series
  /// Single starts that no exception takes out, rising.
  private let singles: [LocalDateTime]
  /// The rule from which a search starts; nil without a rule.
  private var rule: RepeatOccurrences?
  /// The searches among the starts of the other rules.
  private var others: [SeriesSearch] = []

  package init(_ series: Series, maximumWork: Int = .max) {
    self.series = series
    self.maximumWork = maximumWork
    let first = series.includesFirst || series.rule == nil ? [series.first] : []
    let starts = series.additions + first
    singles =
      starts.count == 1 && series.exceptions.isEmpty && series.exceptionDays.isEmpty
        && series.exceptionRules.isEmpty
      ? starts : starts.filter { !series.excludes($0) }.sorted()
    rule = series.rule?.occurrences(from: series.first, zone: series.zone)
    others = series.otherRules.map { rule in
      var other = series
      (other.rule, other.otherRules, other.additions) = (rule, [], [])
      other.includesFirst = false
      return SeriesSearch(other, maximumWork: maximumWork)
    }
  }

  /// The first occurrence with a later name than `name`; the first of all where that is nil.
  ///
  /// - Complexity: linear in the single starts, and one step of the rule for each exception that
  ///   it meets. A rule with COUNT and BY parts takes a step for each interval, or each day, since
  ///   its start.
  package mutating func next(after name: LocalDateTime?) -> Occurrence? {
    found(after: name).map { series.occurrence($0) }
  }

  private mutating func found(after name: LocalDateTime?) -> LocalDateTime? {
    var single = name.map { name in singles.first { $0 > name } } ?? singles.first
    for index in others.indices {
      single = [single, others[index].found(after: name)].compactMap { $0 }.min()
    }
    guard let regular = nextRegular(after: name, before: single) else { return single }
    return single.map { min($0, regular) } ?? regular
  }

  /// The last occurrence with a later name than `name` that is due by an instant.
  ///
  /// - Complexity: as of some 40 searches; the intervals of a rule with COUNT are counted about
  ///   twice in all.
  package mutating func latest(after name: LocalDateTime?, dueBy instant: Instant) -> Occurrence? {
    let limit = series.lastName(dueBy: instant)
    guard name.map({ $0 < limit }) ?? true else { return nil }
    let single = singles.last { $0 <= limit }.flatMap { last in
      name.map { $0 < last } ?? true ? last : nil
    }
    var found = [single, latestRegular(after: name, upTo: limit)]
    for index in others.indices {
      found.append(others[index].latestRegular(after: name, upTo: limit))
    }
    guard let latest = found.compactMap({ $0 }).max() else { return nil }
    let occurrence = series.occurrence(latest)
    // The first start may be in the second turn of its hour.
    return occurrence.due <= instant ? occurrence : nil
  }

  private mutating func latestRegular(
    after name: LocalDateTime?, upTo limit: LocalDateTime
  ) -> LocalDateTime? {
    let all = rule
    defer { rule = all }
    guard var latest = nextRegular(after: name, before: nil), latest <= limit else { return nil }
    rule = advanced(through: latest.previous)
    var end = limit
    while end.microseconds - latest.microseconds > 1_000_000 {
      let middle = LocalDateTime(
        microseconds: latest.microseconds + (end.microseconds - latest.microseconds) / 2)
      if let later = nextRegular(after: middle, before: nil), later <= limit {
        latest = later
        rule = advanced(through: latest.previous)
      } else {
        end = middle
      }
    }
    if let last = nextRegular(after: latest, before: nil), last <= limit { latest = last }
    return latest
  }

  /// A rule of exceptions may exclude all that follows: the search ends after so many starts.
  private static let maximumExcluded = 10_000

  /// The rule without its starts up to a reading.
  private mutating func advanced(through name: LocalDateTime?) -> RepeatOccurrences? {
    guard var advanced = rule else { return nil }
    advanced.work = 0
    advanced.maximumWork = max(0, maximumWork - work)
    if let name { advanced.skip(through: name) }
    work += advanced.work + 1
    advanced.work = 0
    advanced.maximumWork = max(0, maximumWork - work)
    return advanced
  }

  /// The first start of the rule that is not taken out; nil where `limit` comes before it.
  private mutating func nextRegular(
    after name: LocalDateTime?, before limit: LocalDateTime?
  ) -> LocalDateTime? {
    guard var starts = advanced(through: name) else { return nil }
    defer { work += starts.work }
    var excluded = 0
    while excluded < Self.maximumExcluded, let start = starts.next() {
      if let limit, limit < start { return nil }
      if series.exceptionDays.contains(start.date) {
        // On to the end of the day, however many times of it the rule has.
        starts.skip(through: LocalDateTime(date: start.date.adding(days: 1)).previous)
      } else if !series.excludes(start) {
        return start
      }
      if !series.exceptionRules.isEmpty { excluded += 1 }
    }
    return nil
  }
}
