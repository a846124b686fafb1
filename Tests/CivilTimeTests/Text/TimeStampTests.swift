import TestSupport
import Testing

@testable import CivilTime

@Suite struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-21T09:30:00Z", 1_795_253_400_000_000),
    ("2026-11-21t09:30:00z", 1_795_253_400_000_000),
    ("2026-11-21 09:30:00Z", 1_795_253_400_000_000),
    ("2026-11-21T10:30:00+01:00", 1_795_253_400_000_000),
    ("2026-11-20T21:15:00.25-12:15", 1_795_253_400_250_000),
    ("2026-11-21T09:30:00.1234569999999Z", 1_795_253_400_123_456),
    ("1969-12-31T23:59:59.5Z", -500_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
    ("2017-01-01T00:59:60.75+01:00", 1_483_228_800_000_000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
    ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
  ])
  func reads(text: String, microseconds: Int64) throws {
    #expect(try Instant(rfc3339: text).microseconds == microseconds)
  }

  @Test(arguments: [
    ("2026-11-21T09:30:00", "zone is missing"), ("2026-02-29T09:30:00Z", "has no day 29"),
    ("2026-13-01T09:30:00Z", "no month 13"), ("2026-11-21T24:00:00Z", "no hour 24"),
    ("2026-11-21T09:60:00Z", "no minute 60"), ("2026-11-21T09:30:61Z", "no second 61"),
    ("2026-11-21T09:30:60Z", "23:59:60"), ("2026-11-21T09:30:00.Z", "digits are missing"),
    ("2026-11-21T09:30:00+1:00", "offset"), ("2026-11-21T09:30:00+25:00", "offset"),
    ("2026-11-21T09:30:00Zx", "more text"), ("2026-11-21Z", "time of day is missing"),
    ("26-11-21T09:30:00Z", "a date is written"), ("", "a date is written"), ("é", "a date"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: TimeStampError.self) { try Instant(rfc3339: text) }
    #expect(error?.reason.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func prints() throws {
    let whole = Instant(microseconds: 1_795_253_400_000_000)
    let fine = Instant(microseconds: 1_795_253_400_250_750)
    #expect(whole.json == "2026-11-21T09:30:00Z")
    #expect(whole.tpv == "2026-11-21T09:30:00.000Z")
    #expect(fine.json == "2026-11-21T09:30:00.250Z")
    #expect(fine.description == "2026-11-21T09:30:00.250750Z")
    let india = TimeZoneRules(name: "x", fixedOffset: 19_800, abbreviation: "IST")
    #expect(whole.rfc3339(zone: india) == "2026-11-21T15:00:00+05:30")
    let odd = TimeZoneRules(name: "x", fixedOffset: -75, abbreviation: "LMT")
    #expect(whole.rfc3339(zone: odd) == "2026-11-21T09:29:00-00:01")
  }

  @Test func everyInstantReadsBack() throws {
    var random = SeededGenerator(seed: 1)
    for shift in 0..<2000 {
      let instant = Instant(
        microseconds: Int64.random(
          in: .min + 100_000_000_000_000_000 ... .max - 100_000_000_000_000_000, using: &random)
          >> (shift % 40))
      #expect(try TimeStamp(parsing: instant.description) == .absolute(instant))
      let local = LocalDateTime(microseconds: instant.microseconds)
      #expect(try TimeStamp(parsing: local.description) == .floating(local))
    }
  }

  @Test(arguments: ["2026-11-21T09:30:00", "2026-11-21 09:30", "2026-11-21T09:30"])
  func aStampWithoutZoneFloats(text: String) throws {
    let local = try #require(LocalDateTime(year: 2026, month: 11, day: 21, hour: 9, minute: 30))
    #expect(try TimeStamp(parsing: text) == .floating(local))
    #expect(try TimeStamp(parsing: text).description == "2026-11-21T09:30:00")
  }
}

@Suite struct TypedTimeStampTests {
  /// Saturday, 10:00 in Berlin.
  let now = Instant(microseconds: 1_795_251_600_000_000)
  let berlin = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc

  func read(_ text: String) throws(TimeStampError) -> TimeStamp {
    try TypedTime(text, now: now, zone: berlin) { name throws(TimeZoneError) in
      guard name == "Asia/Tokyo" else { throw TimeZoneError(zone: name, reason: "unknown") }
      return TimeZoneRules(name: name, fixedOffset: 32_400, abbreviation: "JST")
    }.stamp
  }

  @Test(arguments: [
    ("2026-11-21 09:30", "2026-11-21T09:30:00"),
    ("2026-11-21 09:30:15.25", "2026-11-21T09:30:15.250"),
    ("2026-11-28", "2026-11-28T09:00:00"), ("2026-11-21T09:30", "2026-11-21T09:30:00"),
    ("  2026-11-21   09:30 ", "2026-11-21T09:30:00"),
    ("10:00", "2026-11-22T10:00:00"), ("10:01", "2026-11-21T10:01:00"),
    ("9:30", "2026-11-22T09:30:00"),
    ("09:30:00", "2026-11-22T09:30:00"), ("today", "2026-11-21T09:00:00Z"),
    ("Tomorrow", "2026-11-22T09:00:00"), ("yesterday", "2026-11-20T09:00:00"),
    ("tomorrow 09:30", "2026-11-22T09:30:00"), ("today 08:00", "2026-11-21T08:00:00"),
    ("Mon 2026-11-23 09:30", "2026-11-23T09:30:00"), ("mon 09:30", "2026-11-23T09:30:00"),
    ("saturday 10:00", "2026-11-28T10:00:00"), ("sat 10:30", "2026-11-21T10:30:00"),
    ("Friday 18:00", "2026-11-27T18:00:00"), ("sun", "2026-11-22T09:00:00"),
    ("sat", "2026-11-28T09:00:00"),
    ("now", "2026-11-21T09:00:00Z"), ("+20min", "2026-11-21T09:20:00Z"),
    ("-5min", "2026-11-21T08:55:00Z"),
    ("5min ago", "2026-11-21T08:55:00Z"), ("in 2h 30min", "2026-11-21T11:30:00Z"),
    ("2h left", "2026-11-21T11:00:00Z"),
    ("@1700000000", "2023-11-14T22:13:20Z"), ("@1700000000.5", "2023-11-14T22:13:20.500Z"),
    ("@-1", "1969-12-31T23:59:59Z"),
    ("2026-11-21 09:30 UTC", "2026-11-21T09:30:00Z"),
    ("2026-11-21 09:30 Asia/Tokyo", "2026-11-21T00:30:00Z"),
    ("tomorrow 09:30 Asia/Tokyo", "2026-11-22T00:30:00Z"), ("09:30 UTC", "2026-11-21T09:30:00Z"),
    ("08:30 UTC", "2026-11-22T08:30:00Z"),
    ("Sat 2026-11-21 09:30:00 CET", "2026-11-21T08:30:00Z"),
    ("2026-07-01 12:00 CEST", "2026-07-01T10:00:00Z"),
    ("2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z"),
    ("2026-11-21T09:30+01:00", "2026-11-21T08:30:00Z"),
    ("2026-11-21 09:30 +01:00", "2026-11-21T08:30:00Z"),
    ("2026-11-21 09:30:00Z", "2026-11-21T09:30:00Z"),
  ])
  func reads(text: String, expected: String) throws {
    #expect(try read(text).description == expected)
  }

  @Test(arguments: [
    ("", "it is empty"), ("Tue 2026-11-23 09:30", "is a monday"), ("noonish", "not understood"),
    ("25:00", "no hour 25"), ("2026-11-21 09:30 Mars/Base", "unknown"), ("+", "empty"),
    ("+5parsec", "not a unit"), ("tomorrow 2026-11-21", "two days"), ("@", "seconds since 1970"),
    ("@99999999999999999999", "seconds since 1970"), ("2026-11-21 09:30Z UTC", "two zones"),
    ("26-11-21", "a date is written"),
    ("+292000y", "beyond the years"), ("2026-11-2109:30", "a date"), ("09:30 10:30", "two times"),
    ("ago", "not understood"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: TimeStampError.self) { try read(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}
