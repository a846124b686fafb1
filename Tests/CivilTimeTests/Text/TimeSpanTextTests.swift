import TestSupport
import Testing

@testable import CivilTime

@Suite struct TimeSpanTextTests {
  @Test(arguments: [
    ("90", 90_000_000), ("5min", 300_000_000), ("1h 30min", 5_400_000_000),
    ("1h30min", 5_400_000_000), ("1h 2min 3", 3_723_000_000), ("1h30", 3_630_000_000),
    ("2days", 172_800_000_000), ("500ms", 500_000), ("1.5h", 5_400_000_000),
    ("2 weeks", 1_209_600_000_000),
    ("1M", 2_629_800_000_000), ("1m", 60_000_000), ("1y 1month", 34_187_400_000_000),
    ("1.123456s", 1_123_456),
    ("7us", 7), ("7µs", 7), ("7\u{3BC}s", 7), ("0", 0), ("55s500ms", 55_500_000), (".5s", 500_000),
    ("3 h", 10_800_000_000),
    ("0.1234567891d", 10_666_666_569), ("9223372036854775807us", .max),
  ])
  func reads(text: String, microseconds: Int64) throws {
    #expect(try TimeSpan(parsing: text).microseconds == microseconds)
  }

  @Test(arguments: [("1h30", 5_400), ("2h 5", 7_500), ("1h 2min 3", 3_723)])
  func behindHoursPeopleMeanMinutes(text: String, seconds: Double) throws {
    #expect(try TimeSpan(typedWithUnit: text).seconds == seconds)
    #expect(TimeSpan(typed: text)?.seconds == seconds)
  }

  @Test(arguments: ["10s", "0", "1h 30s"]) func aUnitIsThere(text: String) throws {
    #expect(try TimeSpan(typedWithUnit: text) == TimeSpan(parsing: text))
  }

  @Test func aBareNumberThatIsTypedIsAskedAbout() {
    let error = #expect(throws: TimeSpanError.self) { try TimeSpan(typedWithUnit: " 10 ") }
    #expect(error?.reason == "give a unit: 10s, 10min or 10h")
  }

  @Test(arguments: [
    ("", "empty"), ("min", "a number should stand before 'min'"),
    ("5 parsec", "'parsec' is not a unit"), ("-5min", "negative"),
    ("9223372036854775808us", "too long"), ("300000y", "too long"), ("292000y 1000y", "too long"),
    ("1..5s", "behind the point"),
    ("5min,", "a number"), ("1e3", "'e' is not a unit"), ("infinity", "a number"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: TimeSpanError.self) { try TimeSpan(parsing: text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (5_400_000_000, "1h 30min"), (0, "0"), (1_500_000, "1.500s"), (500_000, "500ms"), (25, "25us"),
    (500_300, "500.300ms"),
    (5_415_500_000, "1h 30min 15.500s"), (34_187_400_000_000, "1y 1month"), (-300_000_000, "-5min"),
    (1_000_001, "1.000001s"),
    (604_800_000_000, "1w"), (172_800_000_000, "2d"),
  ])
  func prints(microseconds: Int64, text: String) throws {
    let span = TimeSpan(microseconds: microseconds)
    #expect(span.description == text)
    if microseconds >= 0 { #expect(try TimeSpan(parsing: text) == span) }
  }

  @Test func printedSpansReadBack() throws {
    var random = SeededGenerator(seed: 2)
    for shift in 0..<2000 {
      let span = TimeSpan(
        microseconds: Int64.random(in: 0 ... .max, using: &random) >> (shift % 60))
      #expect(try TimeSpan(parsing: span.description) == span)
    }
  }
}

@Suite struct HourRangeTests {
  @Test(arguments: [
    ("08:00-18:00", "08:00-18:00"), ("8:00 - 18:00", "08:00-18:00"), ("22:00-06:00", "22:00-06:00"),
    ("00:00-24:00", "00:00-24:00"), ("18:00-00:00", "18:00-24:00"),
    ("08:00:30-08:01", "08:00:30-08:01"), ("8-18", "08:00-18:00"), ("8am-6pm", "08:00-18:00"),
    ("8 am to 6 pm", "08:00-18:00"), ("22-6:30", "22:00-06:30"), ("12pm-12am", "12:00-24:00"),
  ])
  func readsAndPrints(text: String, printed: String) throws {
    #expect(try HourRange(parsing: text).description == printed)
    #expect(try HourRange(parsing: printed) == HourRange(parsing: text))
  }

  @Test(arguments: [
    "", "8", "8-", "13pm-18", "8-6x", "08:00", "08:00-25:00", "24:01-25:00", "08:00-08:00",
    "08:00-18:00x",
  ])
  func refuses(text: String) {
    #expect(throws: ClockError.self) { try HourRange(parsing: text) }
  }

  @Test func holdsFromItsStartUpToItsEnd() throws {
    let day = try HourRange(parsing: "08:00-18:00")
    let night = try HourRange(parsing: "22:00-06:00")
    for (hour, inDay, inNight) in [
      (5, false, true), (6, false, false), (8, true, false), (17, true, false), (18, false, false),
      (22, false, true),
    ] {
      let time = try #require(TimeOfDay(hour: hour, minute: 0))
      #expect(day.contains(time) == inDay)
      #expect(night.contains(time) == inNight)
    }
    let evening = try #require(LocalDateTime(year: 2026, month: 12, day: 31, hour: 19))
    #expect(day.nextOpening(from: evening).description == "2027-01-01T08:00:00")
    #expect(night.nextOpening(from: evening).description == "2026-12-31T22:00:00")
    #expect(try HourRange(parsing: "00:00-24:00").nextOpening(from: evening) == evening)
  }
}

@Suite struct WeekdaySetTests {
  @Test(arguments: [
    ("mon..fri", "mon..fri"), ("sat,sun", "sat,sun"), ("mon,wed..fri", "mon,wed..fri"),
    ("Fri..Mon", "mon,fri..sun"),
    ("Monday", "mon"), ("mon..sun", "mon..sun"), ("tue, THURSDAY", "tue,thu"), ("sun..sun", "sun"),
    ("mon-fri", "mon..fri"), ("weekdays", "mon..fri"), ("Weekends", "sat,sun"),
    ("monday to friday", "mon..fri"), ("mondays and thursdays", "mon,thu"),
    ("mon, wed, and fri", "mon,wed,fri"), ("weekend,fri", "fri..sun"),
  ])
  func readsAndPrints(text: String, printed: String) throws {
    #expect(try WeekdaySet(parsing: text).description == printed)
  }

  @Test func everySetReadsBack() throws {
    for raw in UInt8(1)...127 {
      let set = WeekdaySet(rawValue: raw)
      #expect(try WeekdaySet(parsing: set.description) == set)
    }
  }

  @Test(arguments: ["", "mon,", "mon..", "mo", "mon..fri..sun", "mon-fri-sun", "weekdays-sun"])
  func refuses(text: String) {
    #expect(throws: ClockError.self) { try WeekdaySet(parsing: text) }
  }
}
