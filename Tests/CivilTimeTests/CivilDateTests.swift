import Testing

@testable import CivilTime

@Suite struct CivilDateTests {
  @Test func everyDayOfTwoCenturiesFollowsTheOneBefore() throws {
    var number = try #require(CivilDate(year: 1899, month: 12, day: 31)).dayNumber
    var weekday = Weekday(dayNumber: number).rawValue
    for year in 1900...2100 {
      for month in 1...12 {
        for day in 1...CivilDate.daysInMonth(month, year: year) {
          number += 1
          weekday = weekday % 7 + 1
          let date = CivilDate(dayNumber: number)
          guard date.year == year, date.month == month, date.day == day,
            date.dayNumber == number, date.weekday.rawValue == weekday
          else {
            Issue.record("day \(number) is \(date), not \(year)-\(month)-\(day)")
            return
          }
        }
      }
    }
  }

  @Test(arguments: [
    (1970, 1, 1, 0), (2000, 3, 1, 11_017), (0, 1, 1, -719_528), (-1, 12, 31, -719_529),
  ])
  func dayNumbers(year: Int, month: Int, day: Int, number: Int) {
    #expect(CivilDate(year: year, month: month, day: day)?.dayNumber == number)
    #expect(CivilDate(dayNumber: number) == CivilDate(year: year, month: month, day: day))
  }

  @Test func refusesDaysThatDoNotExist() {
    #expect(CivilDate(year: 2025, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
    #expect(CivilDate(year: 2025, month: 13, day: 1) == nil)
    #expect(CivilDate(year: 2025, month: 4, day: 31) == nil)
    #expect(CivilDate(year: .max, month: 4, day: 1) == nil)
  }

  @Test func extremesAreClampedNotTrapped() {
    #expect(CivilDate(dayNumber: .max) == .last)
    #expect(CivilDate(dayNumber: .min) == .first)
    #expect(CivilDate.last.adding(days: .max) == .last)
    #expect(CivilDate.first.adding(days: .min) == .first)
    for microseconds in [Int64.min, -1, 0, .max] {
      let local = LocalDateTime(microseconds: microseconds)
      #expect(LocalDateTime(microseconds: local.microseconds) == local)
    }
    #expect(LocalDateTime(microseconds: -1).description == "1969-12-31T23:59:59.999999")
    #expect(LocalDateTime(microseconds: .max).adding(TimeSpan(microseconds: .max)).date == .last)
  }
}
