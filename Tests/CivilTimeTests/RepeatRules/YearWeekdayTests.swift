import Testing

@testable import CivilTime

/// The numbered weekdays of a year against a count of its days.
@Suite struct YearWeekdayTests {
  @Test(arguments: [1, 2, 26, 52, 53, -1, -2, -26, -52, -53])
  func aNumberedWeekdayIsCountedInTheYear(number: Int) throws {
    let first = try #require(CivilDate(year: 2024, month: 1, day: 1))
    let days = (0..<7_305).map { first.adding(days: $0) }
    for (offset, name) in ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].enumerated() {
      let weekday = first.adding(days: offset).weekday
      let years = Dictionary(grouping: days.filter { $0.weekday == weekday }, by: \.year)
      let expected = years.sorted { $0.key < $1.key }.compactMap { _, days -> CivilDate? in
        let index = number > 0 ? number - 1 : days.count + number
        return days.indices.contains(index) ? days[index] : nil
      }
      let rule = try RepeatRule(parsing: "FREQ=YEARLY;BYDAY=\(number)\(name)")
      let nine = try #require(TimeOfDay(hour: 9, minute: 0))
      let start = LocalDateTime(date: first, time: nine)
      let found = rule.occurrences(from: start).prefix(expected.count).map(\.date)
      #expect(found == expected, "\(rule)")
    }
  }
}
