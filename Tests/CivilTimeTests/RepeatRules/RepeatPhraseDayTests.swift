import TestSupport
import Testing

@testable import CivilTime

/// Phrases with several days, against the days that a calendar has: each phrase is read, and its
/// occurrences after 30 moments are the next days of a walk over all days.
@Suite struct RepeatPhraseDayTests {
  typealias Days = @Sendable (CivilDate) -> Bool

  private static func isLast(_ day: CivilDate, where admits: (CivilDate) -> Bool) -> Bool {
    admits(day)
      && !(1...31).contains {
        let later = day.adding(days: $0)
        return later.month == day.month && admits(later)
      }
  }

  private static func isNth(_ day: CivilDate, _ weekday: Weekday, _ numbers: Int...) -> Bool {
    day.weekday == weekday && numbers.contains((day.day + 6) / 7)
  }

  static let phrases: [(texts: [String], days: Days)] = [
    (
      [
        "1st and 15th of every month", "every month on the 1st and 15th", "1st and 15th",
        "monthly on the 1st and the 15th", "every 1st and 15th", "every month on 1 and 15",
        "the 1st & 15th of each month", "1st, 15th of the month", "1st and 15th every month",
      ], { $0.day == 1 || $0.day == 15 }
    ),
    (
      [
        "first and third monday of the month", "1st and 3rd monday of every month",
        "every month on the first and third monday", "every first and third monday",
      ], { isNth($0, .monday, 1, 3) }
    ),
    (["every 2nd and 4th saturday", "2nd & 4th saturday"], { isNth($0, .saturday, 2, 4) }),
    (
      [
        "every third thursday", "every 3rd thursday of the month", "third thursday each month",
        "3rd thursday in the month",
      ], { isNth($0, .thursday, 3) }
    ),
    (["every first monday", "monthly on the first monday"], { isNth($0, .monday, 1) }),
    (
      [
        "every last working day of the month", "last workday of every month",
        "every last weekday of the month", "last business day of each month",
        "every month on the last working day",
      ], { isLast($0) { $0.weekday.rawValue <= 5 } }
    ),
    (
      ["first working day of the month", "every 1st weekday of the month"],
      { day in
        day.weekday.rawValue <= 5
          && !(1..<day.day).contains { day.adding(days: -$0).weekday.rawValue <= 5 }
      }
    ),
    (
      ["every last friday", "last friday of the month", "every last friday every month"],
      { isLast($0) { $0.weekday == .friday } }
    ),
    (
      ["27 jan every year", "january 27th each year", "the 27th of january every year"],
      { $0.month == 1 && $0.day == 27 }
    ),
    (
      ["last day of february every year", "every last day of february"],
      { $0.month == 2 && $0.adding(days: 1).month == 3 }
    ),
    (["monday and wednesday every week"], { [.monday, .wednesday].contains($0.weekday) }),
    (["every friday the 13th", "friday the 13th"], { $0.weekday == .friday && $0.day == 13 }),
    (
      [
        "every year on the last sunday of march", "last sunday of march",
        "every last sunday in march", "yearly on the last sunday of march",
        "last sunday of march every year",
      ], { $0.month == 3 && isLast($0) { $0.weekday == .sunday } }
    ),
    (
      ["every first monday of september", "annually on the 1st monday in september"],
      { $0.month == 9 && isNth($0, .monday, 1) }
    ),
    (
      ["every week on monday and on friday", "every monday and on friday", "mon & fri"],
      { [.monday, .friday].contains($0.weekday) }
    ),
    (
      ["every mon, wed & fri", "mon, wed and fri"],
      { [.monday, .wednesday, .friday].contains($0.weekday) }
    ),
  ]

  @Test(arguments: phrases) func meansTheseDays(_ texts: [String], _ days: Days) throws {
    var random = SeededGenerator(seed: 30)
    for text in texts {
      let rule = try RepeatRule(typed: text)
      for _ in 0..<30 {
        let start = CivilDate(dayNumber: Int.random(in: 18_000...24_000, using: &random))
        let found = rule.occurrences(from: LocalDateTime(date: start, time: .nine)).prefix(4)
        let expected = (0..<6000).lazy.map { start.adding(days: $0) }.filter(days).prefix(4)
        #expect(found.map(\.date) == Array(expected), "\(text) from \(start)")
      }
    }
  }

  /// Every other week begins with the start.
  @Test(arguments: [
    ("biweekly", nil), ("bi-weekly", nil), ("every fortnight on friday", Weekday.friday),
    ("every 2 fridays", .friday), ("biweekly on friday", .friday), ("every 2nd friday", .friday),
  ]) func meansEveryOtherWeek(_ text: String, _ weekday: Weekday?) throws {
    let rule = try RepeatRule(typed: text)
    #expect(rule.interval == 2 && rule.frequency == .weekly)
    #expect(rule.days.map(\.weekday) == (weekday.map { [$0] } ?? []))
  }
}
