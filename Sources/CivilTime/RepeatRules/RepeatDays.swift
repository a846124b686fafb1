/// The days that a repeat rule admits, as one bit set per month, so that years without a match cost
/// a few operations each.
struct RepeatDays: Sendable {
  /// Bit 1...12; 0 admits all.
  private var months: UInt16 = 0
  private let monthDays: [Int]
  private let yearDays: [Int]
  private let weekNumbers: [Int]
  /// Weekdays without a number, bit 0 Monday.
  private var weekdays: UInt8 = 0
  /// Weekdays with a number; weekday 0 is Monday.
  private var ordinals: [(number: Int, weekday: Int)] = []
  private let hasWeekdays: Bool
  /// Numbers of weekdays count within the year, else within the month.
  private let countsInYear: Bool
  /// 0 is Monday.
  private let weekStart: Int
  private let skip: RepeatRule.Skip

  /// The start supplies what the rule leaves open about the day.
  init(_ rule: RepeatRule, start: CivilDate) {
    var monthNumbers = rule.months
    var days = rule.days
    var monthDays = rule.monthDays
    yearDays = rule.yearDays
    weekNumbers = rule.weekNumbers
    if days.isEmpty, monthDays.isEmpty, yearDays.isEmpty {
      switch rule.frequency {
      case .yearly where !weekNumbers.isEmpty: days = [RepeatRule.Day(start.weekday)]
      case .yearly:
        if monthNumbers.isEmpty { monthNumbers = [start.month] }
        monthDays = [start.day]
      case .monthly: monthDays = [start.day]
      case .weekly: days = [RepeatRule.Day(start.weekday)]
      default: break
      }
    }
    self.monthDays = monthDays
    for month in monthNumbers { months |= 1 << UInt16(month) }
    for day in days {
      let weekday = day.weekday.rawValue - 1
      if let ordinal = day.ordinal {
        ordinals.append((ordinal, weekday))
      } else {
        weekdays |= 1 << UInt8(weekday)
      }
    }
    hasWeekdays = !days.isEmpty
    countsInYear = rule.frequency == .yearly && rule.months.isEmpty
    weekStart = rule.weekStart.rawValue - 1
    skip = rule.frequency >= .monthly ? rule.skip : .omit
  }

  /// The admitted days of a month; bit 0 is the first. The bit behind the last is the first day of
  /// the next month, where it stands for a day that this month does not have.
  func mask(year: Int, month: Int) -> UInt32 {
    guard months == 0 || months & 1 << UInt16(month) != 0 else { return 0 }
    let length = CivilDate.daysInMonth(month, year: year)
    let first = CivilDate.dayNumber(year: year, month: month)
    var mask: UInt32 = 1 << UInt32(length) - 1
    if !monthDays.isEmpty {
      mask = Self.bits(monthDays, length: length, offset: 0, of: length)
      if skip != .omit, monthDays.contains(where: { $0 > length }) {
        mask |= 1 << UInt32(skip == .forward ? length : length - 1)
      }
    }
    if hasWeekdays, mask != 0 { mask &= weekdayBits(year: year, first: first, length: length) }
    if !yearDays.isEmpty, mask != 0 {
      let newYear = CivilDate.dayNumber(year: year, month: 1)
      mask &= Self.bits(
        yearDays, length: CivilDate.isLeap(year) ? 366 : 365, offset: first - newYear, of: length)
    }
    if !weekNumbers.isEmpty, mask != 0 { mask &= weekBits(year: year, first: first, mask: mask) }
    return mask
  }

  /// The numbers, counted from 1 or from the end of something of a length, that fall in a part of
  /// it.
  private static func bits(_ numbers: [Int], length: Int, offset: Int, of count: Int) -> UInt32 {
    var result: UInt32 = 0
    for number in numbers {
      let index = (number > 0 ? number - 1 : length + number) - offset
      if (0..<count).contains(index) { result |= 1 << UInt32(index) }
    }
    return result
  }

  private func weekdayBits(year: Int, first: Int, length: Int) -> UInt32 {
    // Day 0 of the epoch was a Thursday, 3.
    let firstWeekday = (first + 3).flooredRemainder(7)
    var result: UInt32 = 0
    for weekday in 0..<7 where weekdays & 1 << UInt8(weekday) != 0 {
      result |= 0x1020_4081 << UInt32((weekday - firstWeekday).flooredRemainder(7))
    }
    guard !ordinals.isEmpty else { return result }
    let start = countsInYear ? CivilDate.dayNumber(year: year, month: 1) : first
    let span = countsInYear ? (CivilDate.isLeap(year) ? 366 : 365) : length
    let startWeekday = (start + 3).flooredRemainder(7)
    for (number, weekday) in ordinals {
      let earliest = (weekday - startWeekday).flooredRemainder(7)
      let index =
        number > 0
        ? earliest + 7 * (number - 1)
        : earliest + 7 * ((span - 1 - earliest) / 7 + number + 1)
      let inMonth = index - (first - start)
      if (0..<span).contains(index), (0..<length).contains(inMonth) {
        result |= 1 << UInt32(inMonth)
      }
    }
    return result
  }

  /// The first day of the week that holds 4 January.
  private func weekOne(of year: Int) -> Int {
    let fourth = CivilDate.dayNumber(year: year, month: 1) + 3
    return fourth - (fourth + 3 - weekStart).flooredRemainder(7)
  }

  private func weekBits(year: Int, first: Int, mask: UInt32) -> UInt32 {
    // The days of a year lie in weeks of the year before, of itself and of the year after.
    let starts = (year - 1...year + 2).map { weekOne(of: $0) }
    var result: UInt32 = 0
    var rest = mask
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      let day = first + index
      let place = day < starts[1] ? 0 : day < starts[2] ? 1 : 2
      let week = (day - starts[place]) / 7 + 1
      let weeks = (starts[place + 1] - starts[place]) / 7
      if weekNumbers.contains(week) || weekNumbers.contains(week - weeks - 1) {
        result |= 1 << UInt32(index)
      }
    }
    return result
  }
}
