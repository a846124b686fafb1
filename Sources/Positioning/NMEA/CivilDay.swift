import CivilTime

/// Dates and times of day as receivers and reports give them, as numbers that are cheap to compare.
///
/// Day 0 is 1970-01-01.
enum CivilDay {
  static let millisecondsPerDay: Int64 = 86_400_000
  /// Years that a receiver may write with four digits; GPS began in the first of them.
  static let writtenYears = 1980..<2180

  /// The day number of a date, or nil where the calendar has no such date or the year is not within
  /// 1970…9999.
  static func number(year: Int, month: Int, day: Int) -> Int32? {
    guard (1970...9999).contains(year) else { return nil }
    return CivilDate(year: year, month: month, day: day).map { Int32($0.dayNumber) }
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

  /// The moment with this time of day that is nearest to another moment; milliseconds since 1970.
  static func nearest(_ timeOfDay: Int32, to moment: Int64) -> Int64 {
    moment + Int64(difference(timeOfDay, Int32(truncatingIfNeeded: Self.timeOfDay(moment))))
  }

  /// The time of day of a moment, milliseconds.
  static func timeOfDay(_ moment: Int64) -> Int64 {
    (moment % millisecondsPerDay + millisecondsPerDay) % millisecondsPerDay
  }

  /// From `b` to `a` the short way round the clock, in milliseconds.
  static func difference(_ a: Int32, _ b: Int32) -> Int32 {
    let length = Int32(millisecondsPerDay)
    let step = a &- b
    return step > length / 2 ? step &- length : step < -length / 2 ? step &+ length : step
  }
}
