/// A length of time by the calendar: whole months and days keep the time of day, the rest is exact.
package struct CalendarSpan: Hashable, Sendable {
  package var months = 0
  package var days = 0
  package var microseconds: Int64 = 0

  package init(months: Int = 0, days: Int = 0, microseconds: Int64 = 0) {
    self.months = months
    self.days = days
    self.microseconds = microseconds
  }

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
  package func after(_ instant: Instant, in zone: TimeZoneRules) -> Instant? {
    guard months != 0 || days != 0 else { return instant + TimeSpan(microseconds: microseconds) }
    let local = zone.localDateTime(at: instant)
    guard let date = after(local.date) else { return nil }
    return zone.instant(of: LocalDateTime(date: date, time: local.time))
      + TimeSpan(microseconds: microseconds)
  }
}

// MARK: - Days and hours

/// A span of days by the calendar and of elapsed time, as before a due time.
extension CalendarSpan {
  package static let zero = CalendarSpan()

  /// Elapsed time alone.
  package init(_ span: TimeSpan) { self.init(microseconds: span.microseconds) }

  package static func seconds(_ value: Double) -> CalendarSpan { CalendarSpan(.seconds(value)) }

  package static func minutes(_ value: Double) -> CalendarSpan { CalendarSpan(.minutes(value)) }

  package static func hours(_ value: Double) -> CalendarSpan { CalendarSpan(.hours(value)) }

  /// As a `TimeSpan`, but whole days and weeks are days by the calendar: `1d` keeps the time of
  /// day, and `24h` does not.
  /// - Parameter hasMonths: whole months and years are months by the calendar, too.
  package init(
    parsing text: String, behindHours: String = "s", hasMonths: Bool = false
  ) throws(TimeSpanError) {
    var span = CalendarSpan()
    try TimeSpan.forEachPart(of: text, behindHours: behindHours) { digits, fraction, unit in
      if hasMonths, fraction.isEmpty, unit >= TimeSpan.month,
        let count = TimeSpan.product(digits, [], unit == TimeSpan.month ? 1 : 12)
      {
        let (sum, overflow) = span.months.addingReportingOverflow(Int(count))
        span.months = sum
        return !overflow
      }
      let isDays = unit == TimeOfDay.dayLength || unit == 7 * TimeOfDay.dayLength
      guard let part = TimeSpan.product(digits, fraction, unit) else { return false }
      guard isDays, fraction.isEmpty else { return span.microseconds.add(part) }
      span.days += Int(part / TimeOfDay.dayLength)
      return true
    }
    self = span
  }

  /// Its length where every day has 24 hours; months do not count.
  package var length: TimeSpan {
    let (days, overflow) = Int64(days).multipliedReportingOverflow(by: TimeOfDay.dayLength)
    var length = overflow ? Int64.max : days
    return length.add(microseconds)
      ? TimeSpan(microseconds: length) : TimeSpan(microseconds: .max)
  }

  /// The instant so much earlier by the clocks of a zone.
  package func before(_ instant: Instant, in zone: TimeZoneRules) -> Instant {
    let elapsed = TimeSpan(microseconds: microseconds)
    guard days != 0 else { return instant - elapsed }
    let local = zone.localDateTime(at: instant)
    return zone.instant(
      of: LocalDateTime(date: local.date.adding(days: -days), time: local.time)) - elapsed
  }
}

extension CalendarSpan: CustomStringConvertible {
  /// `1d`, `24h`, `1w 2h 30min`; reads back as the same value, but for months.
  package var description: String {
    let day = TimeSpan(microseconds: Int64(days) * TimeOfDay.dayLength)
    var parts = days == 0 ? [] : [day.description]
    var rest = microseconds
    if rest >= TimeOfDay.dayLength {
      parts.append("\(rest / 3_600_000_000)h")
      rest %= 3_600_000_000
    }
    if rest != 0 || parts.isEmpty { parts.append(TimeSpan(microseconds: rest).description) }
    return parts.joined(separator: " ")
  }
}
