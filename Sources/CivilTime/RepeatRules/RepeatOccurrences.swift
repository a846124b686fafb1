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

  /// nil while there may be more.
  package internal(set) var end: End?

  let rule: RepeatRule
  let zone: TimeZoneRules
  let filter: RepeatDays
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
  /// An occurrence that was counted but not returned yet.
  var peeked: LocalDateTime?

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
    hours = rule.hours.isEmpty ? [start.time.hour] : rule.hours
    minutes = rule.minutes.isEmpty ? [start.time.minute] : rule.minutes
    seconds = rule.seconds.isEmpty ? [start.time.second] : rule.seconds
    let times = hours.count * minutes.count * seconds.count
    leastDays = (Self.leastSize(rule) + times - 1) / times
    period = Self.period(of: start, rule: rule)
    if !Self.canEverAlign(rule, start: period) || !Self.canEverChoose(rule) { end = .exhausted }
  }

  package mutating func next() -> LocalDateTime? {
    if let occurrence = peeked {
      peeked = nil
      return occurrence
    }
    stepsLeft = Self.budget
    return found()
  }

  /// The next occurrence within the remaining steps.
  mutating func found() -> LocalDateTime? {
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
    if let occurrence = peeked, occurrence > local { return }
    peeked = nil
    let target = LocalDateTime(
      microseconds: local.microseconds - local.microseconds.flooredRemainder(1_000_000)
        + 1_000_000)
    guard rule.count == nil || rule.isPlain else { return count(to: target) }
    // The last day of an interval may be in the next one.
    let last = rule.skip == .forward ? 1 : 0
    let intervals = (Self.period(of: target, rule: rule) - last - period) / stride
    if intervals > 0 {
      period += intervals * stride
      cursor = limit
      if rule.count != nil { emitted += intervals }
    }
    if rule.count != nil {
      // A plain rule has one occurrence an interval; the one of this interval may lie before.
      while let occurrence = next() {
        if occurrence >= target {
          peeked = occurrence
          return
        }
      }
      return
    }
    floor = target
    if cursor < limit { cursor = Swift.max(cursor, lowerBound()) }
  }

  /// Advances to the first occurrence not before `target` and counts those skipped.
  mutating func count(to target: LocalDateTime) {
    stepsLeft = Self.walkBudget
    var days = RepeatDayCounts(rule)
    while true {
      if cursor < limit {
        let index = lowerBound(of: target)
        emitted += Swift.max(0, index - cursor)
        cursor = Swift.max(cursor, index)
        if emitted >= rule.count ?? .max { end = .bounded }
        if end != nil || cursor < limit { return }
      }
      if rule.frequency <= .daily, limit > 0 { countDays(to: target, &days) }
      if end == nil { advance() }
      if end != nil { return }
    }
  }

  /// Counts the intervals of a day or less up to the interval with `target`.
  mutating func countDays(to target: LocalDateTime, _ counts: inout RepeatDayCounts) {
    let units = Self.unitsInDay(rule.frequency)
    let goal = Self.period(of: target, rule: rule)
    // All intervals are of one size.
    let size = limit
    var month = (first: 0, length: 0, mask: UInt32(0))
    for _ in 0..<RepeatDayCounts.maximumDays {
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
        let found =
          goal < dayEnd
          ? counts.count(from: unit, to: goal - day * units) : counts.count(from: unit)
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
