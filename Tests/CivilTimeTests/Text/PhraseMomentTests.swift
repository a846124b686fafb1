import TestSupport
import Testing

@testable import CivilTime

/// Phrases at 30 moments against a walk over the days of a calendar.
@Suite struct PhraseMomentTests {
  typealias Day = @Sendable (_ today: CivilDate) -> CivilDate

  /// The first day from one on, or after it, that a test admits.
  private static func first(
    from day: CivilDate, after days: Int = 0, _ test: (CivilDate) -> Bool
  ) -> CivilDate {
    var day = day.adding(days: days)
    while !test(day) { day = day.adding(days: 1) }
    return day
  }

  private static func nextMonth(_ today: CivilDate) -> CivilDate {
    first(from: today) { $0.month != today.month }
  }

  static let phrases: [(texts: [String], hour: Int, day: Day)] = [
    (
      ["monday of next week", "monday next week", "next week, monday"], 9,
      { first(from: $0, after: 1) { $0.weekday == .monday } }
    ),
    (
      ["friday of next week at 6p", "next week friday 18:00"], 18,
      { first(from: first(from: $0, after: 1) { $0.weekday == .monday }) { $0.weekday == .friday } }
    ),
    (
      ["sunday of this week", "sunday this week", "this coming sunday"], 9,
      { first(from: $0) { $0.weekday == .sunday } }
    ),
    (["wed 11a", "11a wednesday"], 11, { first(from: $0) { $0.weekday == .wednesday } }),
    (
      ["1st monday next month", "first monday of next month"], 9,
      { first(from: nextMonth($0)) { $0.weekday == .monday } }
    ),
    (
      ["third thursday next month 9a", "3rd thursday of next month"], 9,
      { first(from: nextMonth($0), after: 14) { $0.weekday == .thursday } }
    ),
    (
      ["last friday next month", "last friday of next month"], 9,
      { today in
        first(from: nextMonth(today)) {
          $0.weekday == .friday && $0.adding(days: 7).month != $0.month
        }
      }
    ),
    (
      ["15 jan next year", "january 15th next year"], 9,
      { today in first(from: today) { $0.year > today.year && $0.day == 15 } }
    ),
  ]

  @Test(arguments: phrases)
  func meansThisDay(_ texts: [String], _ hour: Int, _ day: Day) throws {
    var random = SeededGenerator(seed: 48)
    let time = try #require(TimeOfDay(hour: hour, minute: 0))
    let eight = try #require(TimeOfDay(hour: 8, minute: 0))
    for _ in 0..<30 {
      let today = CivilDate(dayNumber: Int.random(in: 18_000...24_000, using: &random))
      let now = TimeZoneRules.utc.instant(of: LocalDateTime(date: today, time: eight))
      let expected = LocalDateTime(date: day(today), time: time)
      for text in texts {
        let found = try TypedTime(text, now: now, zone: .utc).stamp
        #expect(found == .floating(expected), "\(text) on \(today)")
      }
    }
  }
}
