/// A length of time by the calendar: whole months and days keep the time of day, the rest is exact.
struct CalendarSpan: Hashable {
  var months = 0
  var days = 0
  var microseconds: Int64 = 0

  /// Whether it has a part that a calendar day cannot hold.
  var isShorterThanDays: Bool { microseconds != 0 }

  /// Whether it is a number of whole weeks.
  var isWeeks: Bool { months == 0 && microseconds == 0 && days % 7 == 0 }

  static func + (a: CalendarSpan, b: CalendarSpan) -> CalendarSpan? {
    let (months, first) = a.months.addingReportingOverflow(b.months)
    let (days, second) = a.days.addingReportingOverflow(b.days)
    let (rest, third) = a.microseconds.addingReportingOverflow(b.microseconds)
    guard !first, !second, !third else { return nil }
    return CalendarSpan(months: months, days: days, microseconds: rest)
  }

  /// So many times as long; nil where that does not fit, or is no whole number of months.
  func multiplied(by numerator: Int, over denominator: Int = 1) -> CalendarSpan? {
    let (months, first) = months.multipliedReportingOverflow(by: numerator)
    let (days, second) = days.multipliedReportingOverflow(by: numerator)
    let (rest, third) = microseconds.multipliedReportingOverflow(by: Int64(numerator))
    guard !first, !second, !third, months % denominator == 0 else { return nil }
    // A part of a day has no place on the calendar.
    let (extra, fourth) = Int64(days % denominator).multipliedReportingOverflow(
      by: TimeOfDay.dayLength)
    let (sum, fifth) = rest.addingReportingOverflow(extra)
    guard !fourth, !fifth else { return nil }
    return CalendarSpan(
      months: months / denominator, days: days / denominator,
      microseconds: sum / Int64(denominator))
  }

  /// The day so many months and days later; a day that the month lacks is its last one.
  func after(_ date: CivilDate) -> CivilDate? {
    let (sum, overflow) = (date.year * 12 + date.month - 1).addingReportingOverflow(months)
    let year = sum.flooredQuotient(12)
    let month = sum.flooredRemainder(12) + 1
    guard !overflow, CivilDate.years.contains(year) else { return nil }
    let last = CivilDate.daysInMonth(month, year: year)
    return CivilDate(year: year, month: month, day: min(date.day, last))?.adding(days: days)
  }

  /// The instant so much later by the clocks of a zone.
  func after(_ instant: Instant, in zone: TimeZoneRules) -> Instant? {
    guard months != 0 || days != 0 else { return instant + TimeSpan(microseconds: microseconds) }
    let local = zone.localDateTime(at: instant)
    guard let date = after(local.date) else { return nil }
    return zone.instant(of: LocalDateTime(date: date, time: local.time))
      + TimeSpan(microseconds: microseconds)
  }
}
