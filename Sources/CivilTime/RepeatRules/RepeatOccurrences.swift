/// Walks the occurrences of a rule in local time, interval by interval.
///
/// Each call of `next()` does bounded work. A month without an admitted day costs one step. The
/// search stops after 400 years, when the calendar repeats, or with its budget; `end` says which.
package struct RepeatOccurrences: Sequence, IteratorProtocol, Sendable {
  /// Why there are no more occurrences.
  package enum End: Sendable {
    /// COUNT or UNTIL is reached.
    case bounded
    /// No day or time can match after this, or the year 9999 has passed.
    case exhausted
    /// The next occurrence, if any, was not found within the budget of steps.
    case gaveUp
  }

  /// Maximum number of months or intervals examined in one `next()`.
  static let budget = 40_000
  /// Maximum number of intervals of a week or more counted in one `skip(through:)` with COUNT: at
  /// least 1900 years, in some milliseconds.
  static let walkBudget = 100_000

  /// Maximum number of days counted: more than 4000 years.
  static let maximumDays = 1_500_000
  /// nil while there may be more.
  package internal(set) var end: End?

  let rule: RepeatRule
  let zone: TimeZoneRules
  let filter: RepeatDays
  /// Units in a day, for frequencies below a day.
  let units: Int
  let start: LocalDateTime
  /// Earlier occurrences are skipped.
  var floor: LocalDateTime
  var emitted = 0
  /// The next interval: a year, a month counted from year 0, a first day of a week, a day, or an
  /// hour, minute or second since 1970.
  var period: Int
  var stepsLeft = 0
  /// Months, intervals and days examined so far; the search gives up at `maximumWork`.
  var work = 0
  var maximumWork = Int.max

  /// The days of the current interval and the times of each of them, in rising order.
  var days: [Int] = []
  var hours: [Int]
  var minutes: [Int]
  var seconds: [Int]
  /// Minimum number of days for BYSETPOS to choose one, in intervals of a week or more.
  let leastDays: Int
  /// Indexes chosen by BYSETPOS among days times times; nil for all.
  var chosen: [Int]?
  var cursor = 0
  var limit = 0

  init(rule: RepeatRule, start: LocalDateTime, zone: TimeZoneRules) {
    self.rule = rule
    self.zone = zone
    self.start = LocalDateTime(
      microseconds: start.microseconds - start.microseconds.flooredRemainder(1_000_000))
    floor = self.start
    filter = RepeatDays(rule, start: start.date)
    units = Self.unitsInDay(rule.frequency)
    hours = rule.hours.isEmpty ? [start.time.hour] : rule.hours
    minutes = rule.minutes.isEmpty ? [start.time.minute] : rule.minutes
    seconds = rule.seconds.isEmpty ? [start.time.second] : rule.seconds
    let times = hours.count * minutes.count * seconds.count
    let leastSize = rule.positions.lazy.map { Swift.abs($0) }.min() ?? 1
    leastDays = (leastSize + times - 1) / times
    period = Self.period(of: start, rule: rule)
    if !canEverAlign || !canEverChoose { end = .exhausted }
  }

  package mutating func next() -> LocalDateTime? {
    stepsLeft = Self.budget
    while end == nil {
      if cursor < limit {
        let occurrence = value(cursor)
        cursor += 1
        if isBeyondUntil(occurrence) || emitted >= rule.count ?? .max {
          end = .bounded
          return nil
        }
        emitted += 1
        return occurrence
      }
      advance()
    }
    return nil
  }

  /// Skips all occurrences up to and including a clock reading. With COUNT they are counted by the
  /// interval or by the day, never one by one.
  mutating func skip(through local: LocalDateTime) {
    guard local >= floor, end == nil else { return }
    let target = LocalDateTime(
      microseconds: local.microseconds - local.microseconds.flooredRemainder(1_000_000)
        + 1_000_000)
    guard rule.count == nil else { return count(to: target) }
    // The last day of an interval may be in the next one.
    let last = rule.skip == .forward ? 1 : 0
    let intervals = (Self.period(of: target, rule: rule) - last - period) / stride
    if intervals > 0 {
      period += intervals * stride
      cursor = limit
    }
    floor = target
    if cursor < limit { cursor = Swift.max(cursor, lowerBound(of: floor)) }
  }

  /// Advances to the first occurrence not before `target` and counts those skipped.
  mutating func count(to target: LocalDateTime) {
    stepsLeft = Self.walkBudget
    while true {
      if cursor < limit {
        let index = lowerBound(of: target)
        emitted += Swift.max(0, index - cursor)
        cursor = Swift.max(cursor, index)
        if emitted >= rule.count ?? .max { end = .bounded }
        if end != nil || cursor < limit { return }
      }
      if rule.frequency <= .daily, limit > 0 { countDays(to: target) }
      if end == nil { advance() }
      if end != nil { return }
    }
  }

  /// Counts the intervals of a day or less up to the interval with `target`. Days on which a step
  /// falls on the same unit have the same number of them.
  mutating func countDays(to target: LocalDateTime) {
    let goal = Self.period(of: target, rule: rule)
    // All intervals are of one size.
    let size = limit
    var known: [Int: Int] = [:]
    var month = (first: 0, length: 0, mask: UInt32(0))
    for _ in 0..<Self.maximumDays {
      guard period < goal else { return }
      work += 1
      guard work <= maximumWork else { break }
      let day = period.flooredQuotient(units)
      guard day <= Self.lastDay else { return }
      if !(month.first..<month.first + month.length).contains(day) {
        let date = CivilDate(dayNumber: day)
        month = (
          day - date.day + 1, CivilDate.daysInMonth(date.month, year: date.year),
          filter.mask(year: date.year, month: date.month)
        )
      }
      let dayEnd = (day + 1) * units
      if month.mask & 1 << UInt32(day - month.first) != 0 {
        let unit = period - day * units
        let isLast = goal < dayEnd
        let found =
          (isLast ? nil : known[unit])
          ?? countIntervals(from: unit, to: isLast ? goal - day * units : units)
        if !isLast { known[unit] = found }
        emitted += found * size
        if emitted >= rule.count ?? .max {
          end = .bounded
          return
        }
      }
      period = aligned(Swift.min(dayEnd, goal))
    }
    end = .gaveUp
  }

  func isBeyondUntil(_ occurrence: LocalDateTime) -> Bool {
    switch rule.until {
    case nil: false
    case .date(let date): occurrence.date > date
    case .local(let local): occurrence > local
    case .absolute(let instant): zone.instant(of: occurrence) > instant
    }
  }
}
