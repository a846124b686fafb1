/// Seconds since 1970-01-01T00:00:00Z.
package typealias Moment = Int

/// A reading of the clock on the wall, in seconds since that clock read 1970-01-01T00:00:00.
package struct LocalTime: Hashable, Comparable, Sendable {
  package var seconds: Int

  package init(seconds: Int) { self.seconds = seconds }

  package init(day: Int, second: Int) { seconds = day * 86_400 + second }

  package static func < (a: LocalTime, b: LocalTime) -> Bool { a.seconds < b.seconds }

  /// Days since 1970-01-01.
  package var day: Int { seconds.quotient(86_400) }

  package var secondOfDay: Int { seconds - day * 86_400 }

  /// 0 is Monday; 1970-01-01 was a Thursday.
  package static func weekday(ofDay day: Int) -> Int { (day + 3).remainder(7) }

  /// `2026-03-28T07:00:00`.
  package var text: String {
    let (year, month, day) = civil(ofDay: self.day)
    let second = secondOfDay
    return "\(year)-\(two(month))-\(two(day))T"
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
  }
}

extension Int {
  /// The quotient rounded down.
  func quotient(_ divisor: Int) -> Int { (self - remainder(divisor)) / divisor }

  /// Always 0..<divisor.
  func remainder(_ divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}

func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

private func isLeap(_ year: Int) -> Bool {
  year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

private func length(ofMonth month: Int, _ year: Int) -> Int {
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
}

/// The date of a day since 1970-01-01; only for days from then on.
func civil(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
  var (year, month, rest) = (1970, 1, day)
  while rest >= (isLeap(year) ? 366 : 365) {
    rest -= isLeap(year) ? 366 : 365
    year += 1
  }
  while rest >= length(ofMonth: month, year) {
    rest -= length(ofMonth: month, year)
    month += 1
  }
  return (year, month, rest + 1)
}

/// Days since 1970-01-01 of a date; nil for a date that does not exist.
func day(year: Int, month: Int, day: Int) -> Int? {
  guard day <= length(ofMonth: month, year) else { return nil }
  let years = (1970..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
  return (1..<month).reduce(years + day - 1) { $0 + length(ofMonth: $1, year) }
}

/// A time zone with the changes of 2026 and 2027, written down by hand.
package struct Zone: Equatable, Sendable {
  package let name: String
  /// The same zone as a POSIX rule.
  package let posix: String
  /// Seconds east of UTC at the beginning of 2026.
  private let offset: Int
  private let changes: [Change]

  private struct Change: Equatable { let moment: Moment, offset: Int }

  private init(_ name: String, _ posix: String, _ offset: Int, _ changes: [(Moment, Int)] = []) {
    self.name = name
    self.posix = posix
    self.offset = offset
    self.changes = changes.map { Change(moment: $0.0, offset: $0.1) }
  }

  package static let utc = Zone("UTC", "UTC0", 0)
  package static let all = [
    utc,
    // 2026-03-29, 2026-10-25, 2027-03-28 and 2027-10-31, 01:00Z.
    Zone(
      "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", 3600,
      [(1_774_746_000, 7200), (1_792_890_000, 3600), (1_806_195_600, 7200), (1_824_944_400, 3600)]),
    // 2026-03-08T07:00Z and 2026-11-01T06:00Z, 2027-03-14T07:00Z and 2027-11-07T06:00Z.
    Zone(
      "America/New_York", "EST5EDT,M3.2.0,M11.1.0", -18_000,
      [
        (1_772_953_200, -14_400), (1_793_512_800, -18_000), (1_805_007_600, -14_400),
        (1_825_567_200, -18_000),
      ]),
    Zone("Asia/Kolkata", "IST-5:30", 19_800),
    // Half an hour: 2026-04-04 and 2027-04-03, 15:00Z, 2026-10-03 and 2027-10-02, 15:30Z.
    Zone(
      "Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 39_600,
      [
        (1_775_314_800, 37_800), (1_791_041_400, 39_600), (1_806_764_400, 37_800),
        (1_822_491_000, 39_600),
      ]),
  ]

  package func offset(at moment: Moment) -> Int {
    changes.last { $0.moment <= moment }?.offset ?? offset
  }

  package func local(at moment: Moment) -> LocalTime {
    LocalTime(seconds: moment + offset(at: moment))
  }

  /// The moment at which the clock has this reading: the first of two; a reading in the gap of
  /// spring counts with the offset before the gap.
  package func moment(of local: LocalTime) -> Moment {
    moments(of: local).min() ?? local.seconds - offset(at: local.seconds - 86_400)
  }

  /// The moments at which the clock has this reading: none in the gap of spring, two in the hour
  /// that comes twice.
  func moments(of local: LocalTime) -> [Moment] {
    let offsets = [offset(at: local.seconds - 86_400), offset(at: local.seconds + 86_400)]
    return Set(offsets).map { local.seconds - $0 }.filter { self.local(at: $0) == local }
  }

  /// The changes of the clock.
  package var changeMoments: [Moment] { changes.map(\.moment) }
}
