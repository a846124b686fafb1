/// From one period to the next that has occurrences, in bounded steps.
extension RepeatOccurrences {
  static let lastDay = CivilDate.dayNumber(year: 10_000, month: 1) - 1

  /// Moves to the next interval that has occurrences, or sets `end`.
  mutating func advance() {
    days.removeAll(keepingCapacity: true)
    switch rule.frequency {
    case .yearly, .monthly: advanceMonths()
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
    cursor = lowerBound(of: floor)
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

  /// Years, each of twelve months, and months.
  mutating func advanceMonths() {
    let length = rule.frequency == .yearly ? 12 : 1
    // In steps of any number of months the calendar repeats after 400 years of them at the latest.
    for _ in 0...4800 / length {
      guard period < 120_000 / length, mayStep(lastDay: 0) else { break }
      for number in period * length..<(period + 1) * length {
        let (year, month) = (number.flooredQuotient(12), number.flooredRemainder(12) + 1)
        append(filter.mask(year: year, month: month), month, in: year)
      }
      period += stride
      if days.count >= leastDays { return }
      days.removeAll(keepingCapacity: true)
    }
    if end == nil { end = .exhausted }
  }

  /// Appends the days of a month that a mask of `RepeatDays` has.
  mutating func append(_ mask: UInt32, _ month: Int, in year: Int) {
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
    while mayStep(lastDay: period.flooredQuotient(units)) {
      let day = period.flooredQuotient(units)
      guard let eligible = eligibleDay(from: day) else { return }
      if eligible > day {
        period = aligned(eligible * units)
        continue
      }
      let unit = period - day * units
      let admitted = admittedUnit(from: unit, step: rule.interval)
      if admitted > unit {
        period = admitted < units ? day * units + admitted : aligned((day + 1) * units)
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
