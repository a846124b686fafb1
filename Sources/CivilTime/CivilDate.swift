package import Bytes

/// A day of the proleptic Gregorian calendar. A value always names a day that exists.
///
/// The arithmetic is exact and in integers, with the year taken to begin in March so that the leap
/// day is its last (the method of "chrono-Compatible Low-Level Date Algorithms", H. Hinnant).
package struct CivilDate: Hashable, Comparable, Sendable {
  /// The years that can be said: all of them in which `LocalDateTime.microseconds` fits.
  package static let years = -290_000...290_000

  private let (storedYear, storedMonth, storedDay): (Int32, UInt8, UInt8)

  package var year: Int { Int(storedYear) }
  /// 1...12
  package var month: Int { Int(storedMonth) }
  /// 1...31
  package var day: Int { Int(storedDay) }

  /// Fails when there is no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month), day >= 1,
      day <= Self.daysInMonth(month, year: year)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    (storedYear, storedMonth, storedDay) = (Int32(year), UInt8(month), UInt8(day))
  }

  package static let first = CivilDate(uncheckedYear: years.lowerBound, month: 1, day: 1)

  package static let last = CivilDate(uncheckedYear: years.upperBound, month: 12, day: 31)

  /// The day so many days after 1970-01-01; beyond the range, the first or last day of it.
  package init(dayNumber: Int) {
    let number = min(max(dayNumber, Self.first.dayNumber), Self.last.dayNumber)
    // 719 468 days lie between 0000-03-01 and 1970-01-01; an era is 400 years of 146 097 days.
    let shifted = number + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      uncheckedYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// Days since 1970-01-01.
  package var dayNumber: Int { Self.dayNumber(year: year, month: month) + day - 1 }

  /// The day number of the first of a month, 1...12.
  static func dayNumber(year: Int, month: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.flooredQuotient(400)
    let yearOfEra = shiftedYear - era * 400
    let shiftedMonth = month <= 2 ? month + 9 : month - 3
    let dayOfYear = (153 * shiftedMonth + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  package static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// 28...31, for months 1...12.
  package static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// 1...366
  package var dayOfYear: Int { dayNumber - Self.dayNumber(year: year, month: 1) + 1 }

  package var weekday: Weekday { Weekday(dayNumber: dayNumber) }

  /// The day so many days later; stays within the range.
  package func adding(days: Int) -> CivilDate {
    let (sum, overflow) = dayNumber.addingReportingOverflow(days)
    return overflow ? (days < 0 ? .first : .last) : CivilDate(dayNumber: sum)
  }

  package static func < (a: CivilDate, b: CivilDate) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// `2026-11-21`; years beyond four digits as in ISO 8601's expanded form, `+012026-11-21`.
  package var description: String {
    var text = ByteWriter(capacity: 16)
    write(to: &text)
    return text.text
  }

  /// Adds the description.
  package func write(to text: inout ByteWriter) {
    if (0...9999).contains(year) {
      text.add(decimal: year, width: 4)
    } else {
      text.add(UInt8(ascii: year < 0 ? "-" : "+"))
      text.add(decimal: Int(year.magnitude), width: 6)
    }
    text.add(UInt8(ascii: "-"))
    text.add(decimal: month, width: 2)
    text.add(UInt8(ascii: "-"))
    text.add(decimal: day, width: 2)
  }
}

extension BinaryInteger {
  /// Division that rounds down, so that remainders are never negative. The divisor is positive.
  func flooredQuotient(_ divisor: Self) -> Self {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  /// The remainder that goes with `flooredQuotient`: 0..<divisor.
  func flooredRemainder(_ divisor: Self) -> Self {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }

  /// Decimal digits with zeros in front. For values that are not negative.
  package func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
