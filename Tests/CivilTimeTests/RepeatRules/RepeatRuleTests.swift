import TestSupport
import Testing

@testable import CivilTime

private func local(_ text: String) throws -> LocalDateTime {
  guard case .floating(let local) = try TimeStamp(parsing: text) else {
    throw TimeStampError(text: text, reason: "it is not floating")
  }
  return local
}

@Suite struct RepeatRuleTextTests {
  @Test(arguments: [
    ("daily", "FREQ=DAILY"), ("Hourly", "FREQ=HOURLY"), ("weekly", "FREQ=WEEKLY"),
    ("rrule:freq=weekly;byday=mo,fr", "FREQ=WEEKLY;BYDAY=MO,FR"),
    ("BYDAY=+1FR,-1SU;FREQ=MONTHLY;INTERVAL=1", "FREQ=MONTHLY;BYDAY=1FR,-1SU"),
    ("FREQ=YEARLY;UNTIL=20261224;BYMONTH=12,1", "FREQ=YEARLY;UNTIL=20261224;BYMONTH=1,12"),
    ("FREQ=DAILY;UNTIL=20261224T180000Z", "FREQ=DAILY;UNTIL=20261224T180000Z"),
    ("FREQ=DAILY;UNTIL=20261224T180000", "FREQ=DAILY;UNTIL=20261224T180000"),
    ("FREQ=WEEKLY;BYDAY=MO;", "FREQ=WEEKLY;BYDAY=MO"),
    ("FREQ=YEARLY;BYWEEKNO=20,-1;WKST=SU", "FREQ=YEARLY;BYWEEKNO=-1,20;WKST=SU"),
    (
      "FREQ=DAILY;BYSECOND=60;BYMINUTE=0,30;BYHOUR=9;COUNT=3",
      "FREQ=DAILY;COUNT=3;BYSECOND=59;BYMINUTE=0,30;BYHOUR=9"
    ),
  ])
  func readsAndPrints(text: String, printed: String) throws {
    let rule = try RepeatRule(parsing: text)
    #expect(rule.description == printed)
    #expect(try RepeatRule(parsing: printed) == rule)
  }

  @Test(arguments: [
    ("", "empty"), ("fortnightly", "neither a word"), ("INTERVAL=2", "FREQ is missing"),
    ("FREQ=DAYLY", "use SECONDLY"),
    ("FREQ=DAILY;COUNT=3;UNTIL=20261224", "exclude each other"),
    ("FREQ=DAILY;;COUNT=2", "semicolon too many"),
    ("FREQ=DAILY;FREQ=DAILY", "stands twice"), ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0"),
    ("FREQ=DAILY;COUNT=99999999999", "COUNT"),
    ("FREQ=DAILY;BYMONTH=13", "BYMONTH: '13' is not 1 to 12"), ("FREQ=MONTHLY;BYMONTHDAY=0", "'0'"),
    ("FREQ=MONTHLY;BYMONTHDAY=32", "'32'"),
    ("FREQ=DAILY;BYHOUR=-1", "'-1'"), ("FREQ=DAILY;BYHOUR=", "''"),
    ("FREQ=DAILY;BYHOUR=1,,2", "''"), ("FREQ=MONTHLY;BYDAY=0MO", "'0MO'"),
    ("FREQ=WEEKLY;BYDAY=1MO", "MONTHLY or YEARLY only"),
    ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "BYWEEKNO"), ("FREQ=MONTHLY;BYWEEKNO=1", "YEARLY only"),
    ("FREQ=WEEKLY;BYMONTHDAY=1", "WEEKLY"), ("FREQ=DAILY;BYYEARDAY=1", "BYYEARDAY"),
    ("FREQ=DAILY;BYSETPOS=1", "needs another"),
    ("FREQ=DAILY;WKST=XX", "WKST=XX"), ("FREQ=DAILY;UNTIL=20260230", "UNTIL=20260230"),
    ("FREQ=DAILY;UNTIL=20261224T1800", "UNTIL"),
    ("FREQ=DAILY;X-FOO=1", "no part 'X-FOO'"), ("RSCALE=CHINESE;FREQ=DAILY", "RFC 7529"),
    ("FREQ=MONTHLY;BYDAY=+MO", "'+MO'"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: RepeatRuleError.self) { try RepeatRule(parsing: text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}

@Suite struct RepeatOccurrencesTests {
  /// Examples of RFC 5545 section 3.8.5.3 and cases at the edge of the calendar.
  @Test(arguments: [
    ("FREQ=DAILY;COUNT=3", "1997-09-02T09:00:00", "1997-09-02 1997-09-03 1997-09-04"),
    (
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05T09:00:00",
      "1997-08-05 1997-08-10 1997-08-19 1997-08-24"
    ),
    (
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05T09:00:00",
      "1997-08-05 1997-08-17 1997-08-19 1997-08-31"
    ),
    ("FREQ=MONTHLY;COUNT=3;BYDAY=1FR", "1997-09-05T09:00:00", "1997-09-05 1997-10-03 1997-11-07"),
    (
      "FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3", "1997-09-28T09:00:00",
      "1997-09-28 1997-10-29 1997-11-28"
    ),
    (
      "FREQ=YEARLY;INTERVAL=3;COUNT=5;BYYEARDAY=1,100,200", "1997-01-01T09:00:00",
      "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09"
    ),
    ("FREQ=YEARLY;BYDAY=20MO;COUNT=3", "1997-05-19T09:00:00", "1997-05-19 1998-05-18 1999-05-17"),
    (
      "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", "1997-05-12T09:00:00",
      "1997-05-12 1998-05-11 1999-05-17"
    ),
    // Without BYDAY the start supplies the weekday.
    (
      "FREQ=YEARLY;BYWEEKNO=1,2;COUNT=4", "2013-01-08T09:00:00",
      "2013-01-08 2013-12-31 2014-01-07 2014-12-30"
    ),
    (
      "FREQ=YEARLY;BYMONTH=1,2;BYWEEKNO=1,7,20;COUNT=3", "2018-01-01T09:00:00",
      "2018-01-01 2018-02-12 2019-02-11"
    ),
    ("FREQ=YEARLY;BYWEEKNO=53;COUNT=1", "2023-01-01T09:00:00", "2027-01-03"),
    (
      "FREQ=YEARLY;BYWEEKNO=1,3,4,5,8,9;BYYEARDAY=1,14,31,60;COUNT=3", "2018-01-01T09:00:00",
      "2018-01-01 2018-01-31 2018-03-01"
    ),
    (
      "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", "1997-09-02T09:00:00",
      "1998-02-13 1998-03-13 1998-11-13"
    ),
    (
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3",
      "1996-11-05T09:00:00", "1996-11-05 2000-11-07 2004-11-02"
    ),
    (
      "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04T09:00:00",
      "1997-09-04 1997-10-07 1997-11-06"
    ),
    (
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3", "1997-09-29T09:00:00",
      "1997-09-29 1997-10-30 1997-11-27"
    ),
    (
      "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15T09:00:00",
      "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30"
    ),
    ("FREQ=MONTHLY;COUNT=4", "2026-01-31T09:00:00", "2026-01-31 2026-03-31 2026-05-31 2026-07-31"),
    ("FREQ=YEARLY;COUNT=3", "1896-02-29T09:00:00", "1896-02-29 1904-02-29 1908-02-29"),
    ("FREQ=DAILY;UNTIL=20261123", "2026-11-21T09:00:00", "2026-11-21 2026-11-22 2026-11-23"),
    ("FREQ=DAILY;UNTIL=20261123T085959", "2026-11-21T09:00:00", "2026-11-21 2026-11-22"),
    ("FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1;COUNT=2", "2026-11-25T09:00:00", "2026-11-30 2026-12-07"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01T09:00:00", ""),
  ])
  func dates(rule: String, start: String, dates: String) throws {
    let found = try RepeatRule(parsing: rule).occurrences(from: local(start)).prefix(10)
    #expect(found.map(\.date.description).joined(separator: " ") == dates)
    #expect(found.allSatisfy { $0.time.hour == 9 && $0.time.microseconds % 3_600_000_000 == 0 })
  }

  @Test func untilInUTCIsLookedUpInTheZone() throws {
    let berlin = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    let rule = try RepeatRule(parsing: "FREQ=DAILY;UNTIL=20261123T080000Z")
    #expect(
      Array(rule.occurrences(from: try local("2026-11-21T09:00:00"), zone: berlin)).count == 3)
    #expect(
      Array(rule.occurrences(from: try local("2026-11-21T09:00:01"), zone: berlin)).count == 2)
  }

  @Test(arguments: [
    "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=3",
    "FREQ=HOURLY;BYMONTHDAY=31;BYMONTH=4,6",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYDAY=53MO;BYMONTH=1",
    "FREQ=DAILY;INTERVAL=7;BYDAY=SU", "FREQ=SECONDLY;INTERVAL=60;BYSECOND=30",
    "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=0;BYMINUTE=0;BYSECOND=0;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3", "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
    "FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2", "FREQ=SECONDLY;BYMONTH=1;BYSETPOS=2",
    "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6", "FREQ=WEEKLY;INTERVAL=1000000000;BYMONTH=2;BYDAY=SU",
    "FREQ=DAILY;INTERVAL=28;BYMONTHDAY=31;BYDAY=SU", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
    "FREQ=MINUTELY;INTERVAL=1439;BYHOUR=1;BYMINUTE=1;BYMONTHDAY=31;BYMONTH=2",
  ])
  func aRuleThatNeverMatchesEnds(text: String) throws {
    var occurrences = try RepeatRule(parsing: text).occurrences(from: local("2026-01-01T00:00:00"))
    #expect(occurrences.next() == nil)
    #expect(occurrences.end == .exhausted || occurrences.end == .gaveUp)
    #expect(occurrences.next() == nil)
  }

  @Test(arguments: [
    "FREQ=MONTHLY;BYMONTH=1;BYSETPOS=366", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
    "FREQ=WEEKLY;BYHOUR=1;BYSETPOS=-2",
    "FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2", "FREQ=MONTHLY;BYDAY=MO,TU;BYMONTH=2;BYSETPOS=10",
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "FREQ=YEARLY;BYMONTH=2,3;BYSETPOS=3,-4",
    "FREQ=YEARLY;BYYEARDAY=366;BYSETPOS=2", "FREQ=YEARLY;BYDAY=MO;BYHOUR=1,2;BYSETPOS=107",
  ])
  func positionsThatNoIntervalHasAreSeenToHaveNone(text: String) throws {
    var occurrences = try RepeatRule(parsing: text).occurrences(from: local("2026-01-01T00:00:00"))
    #expect(occurrences.next() == nil)
    #expect(occurrences.end == .exhausted)
  }

  @Test func positionsThatFewIntervalsHaveAreFound() throws {
    let start = try local("2026-01-01T00:00:00")
    for (text, first) in [
      // A month of 31 days that begins with a Monday, and one of 30.
      ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=10", "2026-03-31T00:00:00"),
      ("FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=15", "2027-03-31T00:00:00"),
      ("FREQ=MONTHLY;BYMONTHDAY=-31;BYHOUR=1,2;BYSETPOS=-2", "2026-01-01T01:00:00"),
      ("FREQ=YEARLY;BYDAY=TH;BYHOUR=1,2;BYSETPOS=106", "2026-12-31T02:00:00"),
      ("FREQ=YEARLY;BYYEARDAY=366;BYSETPOS=-1", "2028-12-31T00:00:00"),
    ] {
      var occurrences = try RepeatRule(parsing: text).occurrences(from: start)
      #expect(occurrences.next() == (try local(first)), "\(text)")
    }
  }

  @Test func theCalendarEndsWithTheYear9999() throws {
    var occurrences = try RepeatRule(parsing: "yearly").occurrences(
      from: local("9998-06-01T00:00:00"))
    #expect(occurrences.next() != nil)
    #expect(occurrences.next() != nil)
    #expect(occurrences.next() == nil)
    #expect(occurrences.end == .exhausted)
  }
}

@Suite struct RepeatSkippingTests {
  @Test(arguments: [
    ("FREQ=DAILY", "2036-11-22T09:00:00"), ("FREQ=SECONDLY;INTERVAL=7", "2036-11-21T09:00:06"),
    ("FREQ=WEEKLY", "2036-11-22T09:00:00"),
    ("FREQ=DAILY;COUNT=100000", "2036-11-22T09:00:00"),
    ("FREQ=YEARLY;INTERVAL=3", "2038-11-21T09:00:00"),
    ("FREQ=MINUTELY;COUNT=1000000000;INTERVAL=5", "2036-11-21T09:05:00"),
    ("FREQ=MONTHLY;COUNT=500", "2036-12-21T09:00:00"),
  ])
  func skipsTenYears(text: String, expected: String) throws {
    let rule = try RepeatRule(parsing: text)
    let start = try local("2026-11-21T09:00:00")
    let next = rule.next(after: try local("2036-11-21T09:00:00"), start: start)
    #expect(next?.description == expected)
  }

  /// Tens of thousands of occurrences or more lie before each of these; what COUNT leaves of them
  /// is counted by the day or the interval. The last occurrences are at the borders.
  @Test(arguments: [
    ("FREQ=MINUTELY;BYMINUTE=0,1,2,3,4,5,6,7;COUNT=1000000", "2011-01-01", "2011-01-01T00:00:00"),
    ("FREQ=SECONDLY;BYHOUR=3;COUNT=1000000000", "2110-01-20", "2110-01-20T03:00:00"),
    ("FREQ=SECONDLY;BYHOUR=3;COUNT=3601", "2010-01-02", "2010-01-02T03:00:00"),
    ("FREQ=SECONDLY;BYHOUR=3;COUNT=3600", "2010-01-02", nil),
    ("FREQ=SECONDLY;INTERVAL=7;BYMINUTE=0;COUNT=206", "2010-01-02", nil),
    (
      "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=0,6,12;COUNT=1000000000", "2060-01-01",
      "2060-01-01T00:00:00"
    ),
    // The ten years have 2608 weekdays and 522 Saturdays.
    ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=2609", "2020-01-01", "2020-01-01T00:00:00"),
    ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=2608", "2020-01-01", nil),
    ("FREQ=WEEKLY;BYDAY=SA,SU;BYSETPOS=1;COUNT=523", "2020-01-01", "2020-01-04T00:00:00"),
    ("FREQ=WEEKLY;BYDAY=SA,SU;BYSETPOS=1;COUNT=522", "2020-01-01", nil),
  ])
  func countsWhatItSkips(text: String, day: String, expected: String?) throws {
    var occurrences = try RepeatRule(parsing: text).occurrences(from: local("2010-01-01T00:00:00"))
    occurrences.skip(through: try local("\(day)T00:00:00").adding(.seconds(-1)))
    #expect(occurrences.next()?.description == expected)
    if expected == nil { #expect(occurrences.end == .bounded) }
  }

  /// Against the walk from the start, with a COUNT that ends somewhere on the way.
  @Test func countingAgreesWithWalking() throws {
    var random = SeededGenerator(seed: 7)
    let start = try local("2026-02-27T10:07:13")
    for text in [
      "FREQ=SECONDLY;INTERVAL=7;BYHOUR=9,10,11;BYMINUTE=0,7,59", "FREQ=SECONDLY;BYSECOND=1,2,13,50",
      "FREQ=MINUTELY;INTERVAL=50;BYSECOND=0,13,40;BYDAY=MO,WE",
      "FREQ=HOURLY;BYMINUTE=0,7,30;BYSETPOS=-1,1", "FREQ=HOURLY;INTERVAL=31;BYMONTHDAY=1,-1,13",
      "FREQ=DAILY;INTERVAL=3;BYMONTH=2,3,12;BYHOUR=1,10;BYMINUTE=7,8",
      "FREQ=WEEKLY;BYDAY=MO,TU,SU;BYHOUR=9,11;WKST=SU", "FREQ=MONTHLY;BYDAY=1MO,-1FR;BYSETPOS=2",
    ] {
      for _ in 0..<20 {
        let count = Int.random(in: 1...600, using: &random)
        let rule = try RepeatRule(parsing: "\(text);COUNT=\(count)")
        let all = Array(rule.occurrences(from: start))
        #expect(all.count == count)
        for _ in 0..<5 {
          let place = Int.random(in: 0..<count, using: &random)
          let shift = Double.random(in: -1...1, using: &random).rounded()
          let moment = all[place].adding(.seconds(shift))
          #expect(rule.next(after: moment, start: start) == all.first { $0 > moment }, "\(rule)")
        }
      }
    }
  }

  @Test func aWalkOfSomeYearsThroughACountArrives() throws {
    let rule = try RepeatRule(parsing: "FREQ=HOURLY;BYHOUR=8,20;COUNT=1000000")
    let next = rule.next(
      after: try local("2036-01-01T12:00:00"), start: try local("2010-01-01T00:00:00"))
    #expect(next?.description == "2036-01-01T20:00:00")
  }

  @Test func countEndsWhereItWouldHadNothingBeenSkipped() throws {
    let start = try local("2026-11-21T09:00:00")
    for text in ["FREQ=DAILY;COUNT=10", "FREQ=DAILY;COUNT=10;BYHOUR=9"] {
      let rule = try RepeatRule(parsing: text)
      #expect(
        rule.next(after: try local("2026-11-29T09:00:00"), start: start)?.description
          == "2026-11-30T09:00:00")
      #expect(
        rule.next(after: try local("2026-11-29T08:00:00"), start: start)?.description
          == "2026-11-29T09:00:00")
      #expect(rule.next(after: try local("2026-11-30T09:00:00"), start: start) == nil)
      #expect(rule.next(after: try local("2020-01-01T00:00:00"), start: start) == start)
    }
  }
}

@Suite struct RepeatRuleCountTests {
  @Test(arguments: [
    "FREQ=DAILY;COUNT=40", "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=9", "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=7",
    "FREQ=DAILY;BYHOUR=1,9;COUNT=51", "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3;COUNT=30",
    "FREQ=YEARLY;COUNT=2",
  ])
  func occurrencesBeforeAReadingAreCounted(text: String) throws {
    let rule = try RepeatRule(parsing: text)
    let start = try local("2026-11-21T09:00:00")
    let all = Array(rule.occurrences(from: start))
    for day in -3..<700 {
      for time in ["09:00:00", "09:00:01", "01:00:00"] {
        var name = try local("2026-11-21T\(time)")
        name.date = name.date.adding(days: day)
        #expect(rule.count(before: name, start: start) == all.count { $0 < name })
      }
    }
    #expect(rule.ending().count(before: start, start: start) == nil)
  }

  @Test func aCountThatTakesTooLongIsNone() throws {
    let rule = try RepeatRule(
      parsing: "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1;COUNT=1000000")
    let start = try local("0001-01-01T00:00:00")
    let name = try local("2026-11-21T09:00:00")
    #expect(rule.count(before: name, start: start, maximumWork: 5_000) == nil)
  }
}
