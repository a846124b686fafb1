import TestSupport
import Testing

@testable import CivilTime

@Suite struct SeriesTests {
  private let berlin: TimeZoneRules

  init() throws { berlin = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")) }

  private func local(_ text: String) throws -> LocalDateTime {
    guard case .floating(let local) = try TimeStamp(parsing: text) else { throw Failure() }
    return local
  }

  private struct Failure: Error {}

  /// Each start of the rule, one after the other, is the oracle.
  @Test(arguments: [
    "FREQ=DAILY", "FREQ=DAILY;COUNT=40", "FREQ=DAILY;BYHOUR=1,9;COUNT=51",
    "FREQ=WEEKLY;BYDAY=MO,FR;COUNT=9", "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3;COUNT=30", "FREQ=SECONDLY;INTERVAL=7001;COUNT=900",
    "FREQ=HOURLY;INTERVAL=1", "FREQ=MINUTELY;INTERVAL=20;BYHOUR=1,2,3",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=-1;COUNT=5", "FREQ=YEARLY;COUNT=1",
  ])
  func theSearchFindsWhatAListOfAllStartsHas(rule text: String) throws {
    let rule = try RepeatRule(parsing: text)
    var random = SeededGenerator(seed: 7)
    for round in 0..<6 {
      var series = Series(rule: rule, first: try local("2026-02-02T02:30:00"), zone: berlin)
      series.additions = [try local("2026-02-03T04:05:06"), try local("2026-01-20T00:00:00")]
      series.exceptionDays = [series.first.date.adding(days: 3), series.first.date]
      series.exceptions = [try local("2026-03-29T02:30:00"), try local("2026-02-03T02:30:00")]
      series.dueAfter =
        round % 2 == 0 ? CalendarSpan() : CalendarSpan(days: 1, microseconds: 5_400_000_000)
      let regular = rule.occurrences(from: series.first).prefix { $0.date.year == 2026 }
        .filter { $0.date.dayOfYear < 120 }
      let names = Set(regular + series.additions + [series.first]).filter { !series.excludes($0) }
        .sorted()
      for _ in 0..<40 {
        let name = round == 0 ? nil : names.randomElement(using: &random)
        let moment =
          series.occurrence(
            try #require(names.randomElement(using: &random))
          ).due + .seconds(Double(Int.random(in: -4000...4000, using: &random)))
        let later = names.filter { candidate in name.map { $0 < candidate } ?? true }
        #expect(series.next(after: name)?.name == later.first || later.isEmpty)
        let found = series.latest(after: name, dueBy: moment)
        let limit = series.lastName(dueBy: moment)
        #expect(found?.name == later.last { $0 <= limit }, "\(text) after \(name as Any)")
        // All that is due has been found, but for the hours around a change of the clock.
        let due = later.last { series.occurrence($0).due <= moment }
        if let due, found?.name != due {
          #expect(abs(due.microseconds - limit.microseconds) <= 7_200_000_000)
          #expect([3].contains(due.date.month), "\(due)")
        }
      }
    }
  }

  @Test func noNameUpToTheLimitIsDueLater() throws {
    var series = Series(rule: nil, first: try local("2026-01-01T00:00:00"), zone: berlin)
    series.dueAfter = CalendarSpan(days: 1, microseconds: 5_400_000_000)
    for day in ["2026-03-29", "2026-10-25", "2026-06-01"] {
      let noon = berlin.instant(of: try local(day + "T12:00:00"))
      for step in 0..<200 {
        let instant = noon - .hours(24) + .minutes(Double(step * 17))
        let limit = series.lastName(dueBy: instant)
        for back in 0..<30 {
          let name = limit.adding(.minutes(-Double(back * 11)))
          #expect(series.occurrence(name).due <= instant, "\(name) by \(instant)")
        }
      }
    }
  }

  @Test func daysGoByTheCalendarAndHoursByElapsedTime() throws {
    var series = Series(rule: nil, first: try local("2026-03-28T09:00:00"), zone: berlin)
    series.dueAfter = CalendarSpan(days: 1)
    #expect(series.next()?.due == (try Instant(rfc3339: "2026-03-29T07:00:00Z")))
    series.dueAfter = CalendarSpan(microseconds: 24 * 3_600_000_000)
    #expect(series.next()?.due == (try Instant(rfc3339: "2026-03-29T08:00:00Z")))
  }

  /// The due time of a whole day is a time of day, also on the day on which the clocks change.
  @Test func aWholeDayIsDueAtItsTimeOfDay() throws {
    var series = Series(
      rule: RepeatRule(.weekly), first: try local("2026-03-22T00:00:00"), zone: berlin)
    series.isWholeDay = true
    series.dueAfter = CalendarSpan(microseconds: 9 * 3_600_000_000)
    let second = try #require(series.next(after: series.first))
    #expect(second.name == (try local("2026-03-29T00:00:00")))
    #expect(second.due == (try Instant(rfc3339: "2026-03-29T07:00:00Z")))
    #expect(series.latest(dueBy: second.due) == second)
    #expect(series.latest(dueBy: second.due - TimeSpan(microseconds: 1))?.name == series.first)
  }

  /// A first start in the second turn of its hour keeps its instant.
  @Test func theFirstStartMayBeInTheSecondTurnOfItsHour() throws {
    let start = try Instant(rfc3339: "2026-10-25T01:30:00Z")
    var series = Series(
      rule: RepeatRule(.daily), first: berlin.localDateTime(at: start), zone: berlin)
    series.firstInstant = start
    #expect(series.next()?.due == start)
    #expect(series.latest(dueBy: start - .minutes(30)) == nil)
    #expect(series.next(after: series.first)?.due == start + .hours(24))
  }

  /// Starts are counted about twice, not once for each of some forty searches.
  @Test func theLatestOccurrenceIsFoundWithTwoCounts() throws {
    let rule = try RepeatRule(
      parsing: "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3;COUNT=1000000")
    let series = Series(rule: rule, first: try local("1626-01-01T00:00:00"), zone: .utc)
    let now = try local("2026-11-24T18:00:00")
    var single = SeriesSearch(series)
    _ = single.next(after: now)
    var search = SeriesSearch(series)
    let latest = search.latest(after: nil, dueBy: series.occurrence(now).due)
    #expect(latest != nil)
    #expect(search.work < 3 * single.work)
  }

  @Test func aSearchStopsAtItsLimitOfWork() throws {
    let rule = try RepeatRule(
      parsing: "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1;COUNT=1000000")
    var series = Series(rule: rule, first: try local("0001-01-01T00:00:00"), zone: .utc)
    series.includesFirst = false
    let now = try Instant(rfc3339: "2026-11-24T18:00:00Z")
    var search = SeriesSearch(series, maximumWork: 5_000)
    #expect(search.next(after: series.lastName(dueBy: now)) == nil)
    #expect(search.latest(after: nil, dueBy: now) == nil)
    #expect(search.work < 5_100)
  }

  /// A rule without an end, and an old start: nothing walks the seconds in between.
  @Test func everySecondSinceAThousandYearsIsFoundAtOnce() throws {
    let series = Series(
      rule: RepeatRule(.secondly), first: try local("1026-01-01T00:00:00"), zone: berlin)
    let now = try Instant(rfc3339: "2026-11-24T18:00:00Z")
    var search = SeriesSearch(series)
    #expect(search.latest(after: nil, dueBy: now)?.due == now)
    #expect(search.work < 500)
  }
}
