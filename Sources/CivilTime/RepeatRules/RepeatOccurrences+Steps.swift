/// From one period to the next that has occurrences, in bounded steps.
extension RepeatOccurrences {
  static let lastDay = CivilDate.dayNumber(year: 10_000, month: 1) - 1

  /// Moves to the next interval that has occurrences, or sets `end`.
  mutating func advance() {
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
      // Choosing costs as much as examining some months.
      stepsLeft -= 4
    }
    cursor = lowerBound()
    stepsLeft -= 1
    if stepsLeft <= 0, cursor == limit { end = .gaveUp }
  }

  /// The indexes into a list of a size that positions from either end mean, each once, rising.
  static func indexes(_ positions: [Int], size: Int) -> [Int] {
    var result: [Int] = []
    for position in positions {
      let index = position > 0 ? position - 1 : size + position
      if (0..<size).contains(index), !result.contains(index) { result.append(index) }
    }
    return result.sorted()
  }

  /// Counts a step; at the end of the budget or of time it sets `end`.
  mutating func mayStep(lastDay day: Int) -> Bool {
    if day > Self.lastDay { end = .exhausted }
    if stepsLeft <= 0 || work >= maximumWork { end = .gaveUp }
    stepsLeft -= 1
    work += 1
    return end == nil
  }

  mutating func advanceYears() {
    // In steps of any number of years the calendar repeats after 400 steps at the latest.
    for _ in 0...400 {
      guard period <= 9999, mayStep(lastDay: 0) else { break }
      for month in 1...12 { append(filter.mask(year: period, month: month), month, in: period) }
      period += stride
      if days.count >= leastDays { return }
      days.removeAll(keepingCapacity: true)
    }
    if end == nil { end = .exhausted }
  }

  mutating func advanceMonths() {
    for _ in 0...4800 {
      guard period < 120_000, mayStep(lastDay: 0) else { break }
      let (year, month) = (period.flooredQuotient(12), period.flooredRemainder(12) + 1)
      let mask = filter.mask(year: year, month: month)
      period += stride
      if mask.nonzeroBitCount >= leastDays { return append(mask, month, in: year) }
    }
    if end == nil { end = .exhausted }
  }

  /// Appends the days of a month that a mask of `RepeatDays` has.
  mutating func append(_ mask: UInt32, _ month: Int, in year: Int) {
    guard mask != 0 else { return }
    var mask = mask
    let first = CivilDate.dayNumber(year: year, month: month)
    while mask != 0 {
      let day = first + mask.trailingZeroBitCount
      if days.last != day { days.append(day) }
      mask &= mask - 1
    }
  }

  mutating func advanceWeeks() {
    while mayStep(lastDay: period) {
      let week = period..<period + 7
      var day = period
      while let eligible = eligibleDay(from: day), week.contains(eligible) {
        days.append(eligible)
        day = eligible + 1
      }
      if end != nil { return }
      if days.count < leastDays { days.removeAll(keepingCapacity: true) }
      period = days.isEmpty ? aligned(Swift.max(day, week.upperBound)) : period + stride
      if !days.isEmpty { return }
      guard let eligible = eligibleDay(from: week.upperBound) else { return }
      // On to the week that holds the next day there is, or the first of the rule after it.
      period = aligned(Swift.max(week.upperBound, eligible - 6))
    }
  }

  /// Days, hours, minutes and seconds: from one eligible day to the next, and within it from one
  /// admitted hour, minute and second to the next.
  mutating func advanceUnits() {
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

  /// The first unit of a day from `unit` on that the hours, minutes and seconds admit. It may
  /// only open the next hour or minute. The number of units if there is none.
  func admittedUnit(from unit: Int, units: Int) -> Int {
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

  /// The first day not before `day` that the rule's day parts admit; nil, with `end` set, where
  /// there is none in 400 years.
  mutating func eligibleDay(from day: Int) -> Int? {
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
  func value(_ index: Int) -> LocalDateTime {
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
  func lowerBound() -> Int { lowerBound(of: floor) }

  /// The first index whose occurrence is not before a clock reading.
  func lowerBound(of reading: LocalDateTime) -> Int {
    var low = 0
    var high = limit
    while low < high {
      let middle = (low + high) / 2
      if value(middle) < reading { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
