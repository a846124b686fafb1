/// Days and years of the proleptic Gregorian calendar, as little of it as receivers and reports need.
///
/// Day 0 is 1970-01-01. The conversions are those of Howard Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms" (days_from_civil, civil_from_days).
enum CivilDay {
  static let millisecondsPerDay: Int64 = 86_400_000

  /// The day number of a date, or nil where the calendar has no such date or the year is not within
  /// 1970…9999.
  static func number(year: Int, month: Int, day: Int) -> Int32? {
    guard year >= 1970, year <= 9999, month >= 1, month <= 12, day >= 1 else { return nil }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (leap ? 29 : 28) : 30 + ((month + month / 8) & 1)
    guard day <= length else { return nil }
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int32(truncatingIfNeeded: era * 146_097 + dayOfEra - 719_468)
  }

  /// The date of a day number.
  static func date(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let z = number &+ 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  /// Milliseconds of the day of a clock reading, or nil where a part is out of range.
  ///
  /// POSIX time has no place for a leap second. Second 60 is squeezed into the last 10 ms of second
  /// 59, so that time goes on, never back, and the next second keeps its own place.
  static func timeOfDay(hour: Int, minute: Int, second: Int, millisecond: Int) -> Int32? {
    guard hour >= 0, hour < 24, minute >= 0, minute < 60, second >= 0, second <= 60,
      millisecond >= 0, millisecond < 1000
    else { return nil }
    let inMinute = second == 60 ? 59_990 + millisecond / 100 : second * 1000 + millisecond
    return Int32(truncatingIfNeeded: (hour * 60 + minute) * 60_000 + inMinute)
  }
}
