import TestSupport
import Testing

@testable import CivilTime

@Suite struct RepeatPhraseTests {
  @Test(arguments: [
    ("every day", "FREQ=DAILY"), ("daily", "FREQ=DAILY"), ("Each Day", "FREQ=DAILY"),
    ("every other day", "FREQ=DAILY;INTERVAL=2"), ("every third day", "FREQ=DAILY;INTERVAL=3"),
    ("every 2 weeks", "FREQ=WEEKLY;INTERVAL=2"), ("every two weeks", "FREQ=WEEKLY;INTERVAL=2"),
    ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("weekends", "FREQ=WEEKLY;BYDAY=SA,SU"),
    ("every monday and thursday", "FREQ=WEEKLY;BYDAY=MO,TH"),
    ("mondays and thursdays", "FREQ=WEEKLY;BYDAY=MO,TH"),
    ("every mon, wed and fri", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
    ("every other friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("every second friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("every 2 weeks on friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("every last friday of the month", "FREQ=MONTHLY;BYDAY=-1FR"),
    ("first monday of each month", "FREQ=MONTHLY;BYDAY=1MO"),
    ("every second tuesday of the month", "FREQ=MONTHLY;BYDAY=2TU"),
    ("every month on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("every 15th", "FREQ=MONTHLY;BYMONTHDAY=15"), ("monthly on 15", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("every month on the last day", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("every year on 27 jan", "FREQ=YEARLY;BYMONTHDAY=27;BYMONTH=1"),
    ("every 27 jan", "FREQ=YEARLY;BYMONTHDAY=27;BYMONTH=1"), ("annually", "FREQ=YEARLY"),
    ("every january 27th", "FREQ=YEARLY;BYMONTHDAY=27;BYMONTH=1"),
    ("every hour", "FREQ=HOURLY"), ("every 30 minutes", "FREQ=MINUTELY;INTERVAL=30"),
    ("FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3"), ("everyday", "FREQ=DAILY"),
    ("every 2nd day", "FREQ=DAILY;INTERVAL=2"), ("every 3rd week", "FREQ=WEEKLY;INTERVAL=3"),
    ("every fortnight", "FREQ=WEEKLY;INTERVAL=2"), ("fortnightly", "FREQ=WEEKLY;INTERVAL=2"),
    ("every quarter", "FREQ=MONTHLY;INTERVAL=3"), ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
    ("every half year", "FREQ=MONTHLY;INTERVAL=6"),
    ("every half hour", "FREQ=MINUTELY;INTERVAL=30"),
    ("every half an hour", "FREQ=MINUTELY;INTERVAL=30"),
    ("every quarter of an hour", "FREQ=MINUTELY;INTERVAL=15"),
    ("once a week", "FREQ=WEEKLY"), ("once a month", "FREQ=MONTHLY"),
    ("every first of the month", "FREQ=MONTHLY;BYMONTHDAY=1"),
    ("on the 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("every last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("the last day of every month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("every 27th of january", "FREQ=YEARLY;BYMONTHDAY=27;BYMONTH=1"),
    ("every working day", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("monday to friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("every mon-fri", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("every day at 9", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    ("daily at 9:30", "FREQ=DAILY;BYHOUR=9;BYMINUTE=30"),
    ("every day at 9 and 18", "FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0"),
    ("daily at 7:30 and at 19:30", "FREQ=DAILY;BYHOUR=7,19;BYMINUTE=30"),
    ("mondays and fridays at 9 and noon", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9,12;BYMINUTE=0"),
    ("every day at 06:00, 12:00 and 18:00", "FREQ=DAILY;BYHOUR=6,12,18;BYMINUTE=0"),
    ("daily at 6, 12, and 18", "FREQ=DAILY;BYHOUR=6,12,18;BYMINUTE=0"),
    ("every mon, wed at 7:45, 19:45", "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=7,19;BYMINUTE=45"),
    ("every 12h 25min", "FREQ=MINUTELY;INTERVAL=745"), ("every 12h", "FREQ=HOURLY;INTERVAL=12"),
    ("every 12 hours and 25 minutes", "FREQ=MINUTELY;INTERVAL=745"),
    ("every 1.5h", "FREQ=MINUTELY;INTERVAL=90"),
    ("every 120 minutes", "FREQ=MINUTELY;INTERVAL=120"),
    ("every monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    ("every weekday at 8am", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0"),
    ("weekdays 18:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=18;BYMINUTE=0"),
    ("every morning", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    ("every evening at 7", "FREQ=DAILY;BYHOUR=19;BYMINUTE=0"),
    ("every friday evening", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=18;BYMINUTE=0"),
    (
      "every last friday of the month at 17:00",
      "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0"
    ),
    (
      "every year on 27 jan at noon", "FREQ=YEARLY;BYMONTHDAY=27;BYMONTH=1;BYHOUR=12;BYMINUTE=0"
    ),
  ])
  func reads(text: String, rule: String) throws {
    #expect(try RepeatRule(typed: text) == RepeatRule(parsing: rule))
  }

  @Test(arguments: [
    ("", "is empty"), ("every", "write for example"),
    ("every bananas", "'bananas' was not understood"),
    ("every munday", "did you mean 'monday'"), ("every 31 feb", "february has no day 31"),
    ("every day on friday", "'friday' does not belong there"), ("sometimes", "was not understood"),
    ("every 0 days", "out of range"), ("every 3rd working day", "'of the month' is missing"),
    ("every monday at", "'at' does not belong there"), ("every monday at 25", "no hour 25"),
    ("every monday at 9 at 10", "two times"), ("every day at 9, 18:30", "different minutes"),
    ("every 90s", "not understood"), ("every hour at 9", "'at' does not belong there"),
    ("every day at 9 and 18:30", "different minutes"), ("every day at 9 and", "'and'"),
    ("every monday 9:00 bananas", "'bananas' was not understood"),
    ("bimonthly", "not understood"), ("every 6th monday of the month", "does not belong"),
    ("first of march and april", "does not belong"), ("every month on the", "write for example"),
    ("every day at 9:00:30", "no seconds"), ("every day tonight", "'tonight' does not belong"),
    ("friday 13th", "'13th' was not understood"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: RepeatRuleError.self) { try RepeatRule(typed: text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("FREQ=DAILY;BYHOUR=7,19;BYMINUTE=45", "every day at 07:45 and 19:45"),
    ("FREQ=DAILY;BYHOUR=6,12,18;BYMINUTE=0", "every day at 06:00, 12:00 and 18:00"),
    ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=8,9;BYMINUTE=0", "every Monday at 08:00 and 09:00"),
  ])
  func severalTimesOfADayAreSaid(rule: String, words: String) throws {
    #expect(try RepeatRule(parsing: rule).words == words)
    #expect(try RepeatRule(typed: words) == RepeatRule(parsing: rule))
  }

  /// Whatever a rule is: where it has words, they mean the same rule.
  @Test func itsWordsReadBackAsTheSameRule() throws {
    var random = SeededGenerator(seed: 38)
    var worded = 0
    for _ in 0..<20_000 {
      var rule = RepeatRule(RepeatRule.Frequency.allCases.randomElement(using: &random) ?? .daily)
      rule.interval = Bool.random(using: &random) ? 1 : Int.random(in: 2...9, using: &random)
      if Bool.random(using: &random) {
        rule.days = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          RepeatRule.Day(
            Weekday.allCases.randomElement(using: &random) ?? .monday,
            ordinal: Bool.random(using: &random) ? nil : Int.random(in: -2...5, using: &random))
        }
      }
      if Int.random(in: 0...2, using: &random) == 0 {
        rule.monthDays = [Int.random(in: -3...31, using: &random)]
      }
      if Int.random(in: 0...3, using: &random) == 0 {
        rule.hours = [Int.random(in: 0...23, using: &random)]
        rule.minutes = [Int.random(in: 0...59, using: &random)]
      }
      if Int.random(in: 0...2, using: &random) == 0 {
        rule.months = [Int.random(in: 1...12, using: &random)]
      }
      guard let words = rule.words else { continue }
      worded += 1
      #expect(try RepeatRule(typed: words) == rule, "\(words)")
    }
    #expect(worded > 2_000)
  }

  // MARK: - What a rule says of its own beginning

  @Test(arguments: [
    ("every monday at 18:00", "18:00:00"), ("every morning", "09:00:00"),
    ("FREQ=DAILY;BYHOUR=18,6;BYMINUTE=45,15", "06:15:00"), ("FREQ=DAILY;BYHOUR=6", "06:00:00"),
    ("FREQ=DAILY;BYHOUR=6;BYMINUTE=1;BYSECOND=7", "06:01:07"),
    ("every monday", nil), ("FREQ=HOURLY;BYMINUTE=30", nil), ("every hour", nil),
  ])
  func aRuleMayHaveATimeOfItsOwn(text: String, expected: String?) throws {
    #expect(try RepeatRule(typed: text).timeOfDay.map { "\($0)" } == expected)
  }

  /// From Saturday, 21 November 2026, 10:00 in Berlin.
  @Test(arguments: [
    ("every monday at 9", "2026-11-23T09:00:00"), ("every saturday at 9", "2026-11-28T09:00:00"),
    ("every saturday at 18:00", "2026-11-21T18:00:00"), ("every monday", "2026-11-23T12:00:00"),
    ("daily", "2026-11-21T12:00:00"), ("weekdays at 7", "2026-11-23T07:00:00"),
    ("every other monday at 9", "2026-11-23T09:00:00"),
    ("every last friday of the month at 17:00", "2026-11-27T17:00:00"),
    ("every 15th", "2026-12-15T12:00:00"), ("every year on 27 jan", "2027-01-27T12:00:00"),
    ("FREQ=WEEKLY;BYDAY=SA;BYHOUR=9;COUNT=1", "2026-11-28T09:00:00"),
    ("FREQ=DAILY;BYHOUR=6,18", "2026-11-21T18:00:00"),
    ("FREQ=YEARLY;BYYEARDAY=1", "2027-01-01T12:00:00"),
    // It begins within the hour that is left out in spring.
    ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=28;BYHOUR=2;BYMINUTE=30", "2027-03-28T02:30:00"),
  ])
  func aRuleBeginsAtItsNextTime(text: String, expected: String) throws {
    let noon = try #require(TimeOfDay(hour: 12, minute: 0))
    let rule = try RepeatRule(typed: text)
    #expect(rule.namesItsDays)
    #expect(rule.first(after: Self.now, at: noon, zone: Self.berlin).map { "\($0)" } == expected)
  }

  @Test(arguments: [
    "every 2 weeks", "every month", "every year", "every hour", "every 20 minutes",
    "FREQ=YEARLY;BYMONTH=5", "FREQ=YEARLY;BYWEEKNO=20",
  ])
  func aRuleMayNeedABeginning(text: String) throws {
    #expect(try !RepeatRule(typed: text).namesItsDays)
  }

  @Test(arguments: ["FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;UNTIL=20261121T080000Z"])
  func aRuleMayHaveNoTimeLeft(text: String) throws {
    #expect(
      try RepeatRule(typed: text).first(after: Self.now, at: .nine, zone: Self.berlin) == nil)
  }

  private static let now = Instant(microseconds: 1_795_251_600_000_000)
  private static let berlin = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc
}
