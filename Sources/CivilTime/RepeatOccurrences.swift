/// Walks the occurrences of a rule in local time, interval by interval.
///
/// Each call of `next()` does a bounded amount of work: it passes over months that admit no day in
/// one step each and gives up after 400 years of them, for then the calendar repeats, or when its
/// budget is spent. `end` says which it was.
package struct RepeatOccurrences: Sequence, IteratorProtocol, Sendable {
  /// Why there are no more occurrences.
  package enum End: Sendable {
    /// COUNT or UNTIL is reached.
    case bounded
    /// No day or time can match any more, or the year 9999 is over.
    case exhausted
    /// The next occurrence, if any, was not found within the budget of steps.
    case gaveUp
  }

  /// Months or intervals looked at in one `next()`.
  private static let budget = 40_000
  /// Intervals of a week or more counted through in one `skip(through:)`, with COUNT: 1900 years of
  /// them at least, in some milliseconds.
  private static let walkBudget = 100_000

  /// nil as long as there may be more.
  package private(set) var end: End?

  private let rule: RepeatRule
  private let zone: TimeZoneRules
  private let filter: RepeatDays
  private let start: LocalDateTime
  /// Occurrences before this one are passed over.
  private var floor: LocalDateTime
  private var emitted = 0
  /// The next interval: a year, a month counted from year 0, a first day of a week, a day, or an
  /// hour, minute or second since 1970.
  private var period: Int
  private var stepsLeft = 0
  /// An occurrence that was counted already but not given out.
  private var peeked: LocalDateTime?

  /// The days of the current interval and the times of each of them, in rising order.
  private var days: [Int] = []
  private var hours: [Int]
  private var minutes: [Int]
  private var seconds: [Int]
  /// With BYSETPOS what is chosen of days times times; else all of it.
  private var chosen: [Int]?
  private var cursor = 0
  private var limit = 0

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

  /// The next occurrence within the steps that are left.
  private mutating func found() -> LocalDateTime? {
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

  /// Passes over all occurrences up to and including a clock reading. With COUNT those passed over
  /// are counted, by the interval or by the day, never one by one.
  mutating func skip(through local: LocalDateTime) {
    guard local >= floor, end == nil else { return }
    if let occurrence = peeked, occurrence > local { return }
    peeked = nil
    let target = LocalDateTime(
      microseconds: local.microseconds - local.microseconds.flooredRemainder(1_000_000)
        + 1_000_000)
    guard rule.count == nil || rule.isPlain else { return count(to: target) }
    let intervals = (Self.period(of: target, rule: rule) - period) / stride
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

  /// Goes on to the first occurrence not before `target`, and counts those before it.
  private mutating func count(to target: LocalDateTime) {
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

  /// Counts the intervals of a day or less up to the one that holds `target`.
  private mutating func countDays(to target: LocalDateTime, _ counts: inout RepeatDayCounts) {
    let units = Self.unitsInDay(rule.frequency)
    let goal = Self.period(of: target, rule: rule)
    // All intervals are of one size.
    let size = limit
    var month = (first: 0, length: 0, mask: UInt32(0))
    for _ in 0..<RepeatDayCounts.mostDays {
      guard period < goal else { return }
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

  private func isBeyondUntil(_ occurrence: LocalDateTime) -> Bool {
    switch rule.until {
    case nil: false
    case .date(let date): occurrence.date > date
    case .local(let local): occurrence > local
    case .absolute(let instant): zone.instant(of: occurrence) > instant
    }
  }
}

extension RepeatOccurrences {
  private static let lastDay = CivilDate.dayNumber(year: 10_000, month: 1) - 1

  /// Units in a day, for frequencies below a day.
  static func unitsInDay(_ frequency: RepeatRule.Frequency) -> Int {
    switch frequency {
    case .hourly: 24
    case .minutely: 1440
    case .secondly: 86_400
    default: 1
    }
  }

  private static func period(of local: LocalDateTime, rule: RepeatRule) -> Int {
    switch rule.frequency {
    case .yearly: return local.date.year
    case .monthly: return local.date.year * 12 + local.date.month - 1
    case .weekly:
      let day = local.date.dayNumber
      return day - (local.date.weekday.rawValue - rule.weekStart.rawValue).flooredRemainder(7)
    default:
      let units = unitsInDay(rule.frequency)
      let length = TimeOfDay.dayLength / Int64(units)
      return local.date.dayNumber * units + Int(local.time.microseconds / length)
    }
  }

  /// From one interval to the next in units of `period`.
  private var stride: Int { rule.frequency == .weekly ? 7 * rule.interval : rule.interval }

  /// The first period of the rule not before `target`.
  private func aligned(_ target: Int) -> Int {
    target + (period - target).flooredRemainder(stride)
  }

  /// Whether steps of the interval can meet the hours, minutes and seconds asked for: a time of day t
  /// is met on some day only if it differs from the start by a multiple of gcd(interval, day).
  private static func canEverAlign(_ rule: RepeatRule, start: Int) -> Bool {
    guard rule.frequency <= .daily, rule.interval > 1 else { return true }
    let units = unitsInDay(rule.frequency)
    if rule.interval % (7 * units) == 0, !rule.days.isEmpty {
      // Steps of whole weeks stay on one weekday.
      let weekday = Weekday(dayNumber: start.flooredQuotient(units))
      if !rule.days.contains(where: { $0.weekday == weekday }) { return false }
    }
    guard rule.frequency < .daily else { return true }
    var divisor = units
    var rest = rule.interval
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let residue = start.flooredRemainder(divisor)
    let hours = rule.hours.isEmpty ? Array(0...23) : rule.hours
    let minutes = rule.minutes.isEmpty ? Array(0...59) : rule.minutes
    let seconds = rule.seconds.isEmpty ? Array(0...59) : rule.seconds
    for hour in hours {
      if units == 24 {
        if hour % divisor == residue { return true }
        continue
      }
      for minute in minutes {
        let time = hour * 60 + minute
        if units == 1440 {
          if time % divisor == residue { return true }
          continue
        }
        if seconds.contains(where: { (time * 60 + $0) % divisor == residue }) { return true }
      }
    }
    return false
  }

  /// Whether BYSETPOS finds a place in intervals of a day or less, which are all of one size.
  private static func canEverChoose(_ rule: RepeatRule) -> Bool {
    guard rule.frequency <= .daily, !rule.positions.isEmpty else { return true }
    let lists: [(values: [Int], least: RepeatRule.Frequency)] = [
      (rule.seconds, .minutely), (rule.minutes, .hourly), (rule.hours, .daily),
    ]
    let size = lists.reduce(1) { size, list in
      rule.frequency >= list.least ? size * Swift.max(1, list.values.count) : size
    }
    return !indexes(rule.positions, size: size).isEmpty
  }

  /// Moves to the next interval that has occurrences, or sets `end`.
  private mutating func advance() {
    days.removeAll(keepingCapacity: true)
    switch rule.frequency {
    case .yearly: advanceYears()
    case .monthly: advanceMonths()
    case .weekly: advanceWeeks()
    default: advanceUnits()
    }
    guard end == nil else { return }
    let size = days.count * hours.count * minutes.count * seconds.count
    if rule.positions.isEmpty {
      limit = size
    } else {
      let valid = Self.indexes(rule.positions, size: size)
      chosen = valid
      limit = valid.count
      // Choosing costs as much as looking at some months.
      stepsLeft -= 4
    }
    cursor = lowerBound()
    stepsLeft -= 1
    if stepsLeft <= 0, cursor == limit { end = .gaveUp }
  }

  /// The indexes into a list of a size that positions from either end mean, each once, rising.
  private static func indexes(_ positions: [Int], size: Int) -> [Int] {
    var result: [Int] = []
    for position in positions {
      let index = position > 0 ? position - 1 : size + position
      if (0..<size).contains(index), !result.contains(index) { result.append(index) }
    }
    return result.sorted()
  }

  /// Counts a step; at the end of the budget or of time it sets `end`.
  private mutating func mayStep(lastDay day: Int) -> Bool {
    if day > Self.lastDay { end = .exhausted }
    if stepsLeft <= 0 { end = .gaveUp }
    stepsLeft -= 1
    return end == nil
  }

  private mutating func advanceYears() {
    // In steps of any number of years the calendar repeats after 400 steps at the latest.
    for _ in 0...400 {
      guard period <= 9999, mayStep(lastDay: 0) else { break }
      for month in 1...12 { appendDays(of: month, in: period) }
      period += stride
      if !days.isEmpty { return }
    }
    if end == nil { end = .exhausted }
  }

  private mutating func advanceMonths() {
    for _ in 0...4800 {
      guard period < 120_000, mayStep(lastDay: 0) else { break }
      appendDays(of: period.flooredRemainder(12) + 1, in: period.flooredQuotient(12))
      period += stride
      if !days.isEmpty { return }
    }
    if end == nil { end = .exhausted }
  }

  private mutating func appendDays(of month: Int, in year: Int) {
    var mask = filter.mask(year: year, month: month)
    guard mask != 0 else { return }
    let first = CivilDate.dayNumber(year: year, month: month)
    while mask != 0 {
      days.append(first + mask.trailingZeroBitCount)
      mask &= mask - 1
    }
  }

  private mutating func advanceWeeks() {
    while mayStep(lastDay: period) {
      let week = period..<period + 7
      var day = period
      while let eligible = eligibleDay(from: day), week.contains(eligible) {
        days.append(eligible)
        day = eligible + 1
      }
      if end != nil { return }
      period = days.isEmpty ? aligned(Swift.max(day, week.upperBound)) : period + stride
      if !days.isEmpty { return }
      guard let eligible = eligibleDay(from: week.upperBound) else { return }
      // On to the week that holds the next day there is, or the first of the rule after it.
      period = aligned(Swift.max(week.upperBound, eligible - 6))
    }
  }

  /// Days, hours, minutes and seconds: from one eligible day to the next, and within it from one
  /// admitted hour, minute and second to the next.
  private mutating func advanceUnits() {
    let units = Self.unitsInDay(rule.frequency)
    while mayStep(lastDay: period.flooredQuotient(units)) {
      let day = period.flooredQuotient(units)
      guard let eligible = eligibleDay(from: day) else { return }
      if eligible > day {
        period = aligned(eligible * units)
        continue
      }
      let unit = period - day * units
      let admitted = admittedUnit(from: unit, units: units)
      if admitted > unit {
        period = aligned(day * units + admitted)
        continue
      }
      days.append(day)
      switch rule.frequency {
      case .hourly: hours = [unit]
      case .minutely: (hours, minutes) = ([unit / 60], [unit % 60])
      case .secondly:
        (hours, minutes, seconds) = ([unit / 3600], [unit / 60 % 60], [unit % 60])
      default: break
      }
      period += stride
      return
    }
  }

  /// The first unit of a day from `unit` on that the hours, minutes and seconds admit; the number of
  /// units where there is none, and possibly one that only opens the next hour or minute.
  private func admittedUnit(from unit: Int, units: Int) -> Int {
    guard units > 1 else { return unit }
    let perHour = units / 24
    let hour = unit / perHour
    guard rule.hours.isEmpty || rule.hours.contains(hour) else {
      return (rule.hours.first { $0 > hour } ?? 24) * perHour
    }
    guard perHour > 1 else { return unit }
    let perMinute = perHour / 60
    let minute = unit % perHour / perMinute
    guard rule.minutes.isEmpty || rule.minutes.contains(minute) else {
      return hour * perHour + (rule.minutes.first { $0 > minute } ?? 60) * perMinute
    }
    guard perMinute > 1 else { return unit }
    let second = unit % 60
    guard rule.seconds.isEmpty || rule.seconds.contains(second) else {
      return unit - second + (rule.seconds.first { $0 > second } ?? 60)
    }
    return unit
  }

  /// The first day not before `day` that the rule's day parts admit; nil, with `end` set, where there
  /// is none in 400 years.
  private mutating func eligibleDay(from day: Int) -> Int? {
    let date = CivilDate(dayNumber: day)
    var (year, month) = (date.year, date.month)
    var first = day - date.day + 1
    var mask = filter.mask(year: year, month: month) & (UInt32.max << UInt32(date.day - 1))
    for _ in 0...4800 {
      if mask != 0 { return first + mask.trailingZeroBitCount }
      guard mayStep(lastDay: first) else { return nil }
      first += CivilDate.daysInMonth(month, year: year)
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      mask = filter.mask(year: year, month: month)
    }
    end = .exhausted
    return nil
  }

  /// The occurrence at an index into the current interval.
  private func value(_ index: Int) -> LocalDateTime {
    let position = chosen.map { $0[index] } ?? index
    let times = hours.count * minutes.count * seconds.count
    let time = position % times
    let hour = hours[time / (minutes.count * seconds.count)]
    let minute = minutes[time / seconds.count % minutes.count]
    let second = seconds[time % seconds.count]
    return LocalDateTime(
      date: CivilDate(dayNumber: days[position / times]),
      time: TimeOfDay(
        clamping: Int64((hour * 60 + minute) * 60 + second) * 1_000_000))
  }

  /// The first index whose occurrence is not before the floor.
  private func lowerBound() -> Int { lowerBound(of: floor) }

  /// The first index whose occurrence is not before a clock reading.
  private func lowerBound(of reading: LocalDateTime) -> Int {
    var low = 0
    var high = limit
    while low < high {
      let middle = (low + high) / 2
      if value(middle) < reading { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
