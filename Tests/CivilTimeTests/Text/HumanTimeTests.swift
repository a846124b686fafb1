import CivilTime
import Testing

@Suite struct HumanTimeTests {
  /// Tuesday 2026-11-24 18:00 in Berlin.
  private let human: HumanTime
  private let zone: TimeZoneRules

  init() throws {
    zone = try TimeZoneRules(named: "Europe/Berlin")
    human = HumanTime(now: try Instant(rfc3339: "2026-11-24T18:00:00+01:00"), zone: zone)
  }

  @Test(arguments: [
    ("2026-11-27T18:00:00+01:00", "Fri 27 Nov 2026 18:00, in 3 days"),
    ("2026-11-24T17:05:00Z", "Tue 24 Nov 2026 18:05, in 5 minutes"),
    ("2026-11-24T18:00:00+01:00", "Tue 24 Nov 2026 18:00, now"),
    ("2027-02-05T07:30:00+01:00", "Fri 5 Feb 2027 07:30, in 2 months"),
    ("2026-06-24T10:00:00+02:00", "Wed 24 Jun 2026 10:00, 5 months ago"),
  ])
  func anAnswerHasWeekdayDateTimeAndDistance(time: String, expected: String) throws {
    #expect(human.full(try Instant(rfc3339: time)) == expected)
  }

  @Test(arguments: [
    ("2026-11-24T23:59:00+01:00", "Today 23:59", "23:59"),
    ("2026-11-25T18:00:00+01:00", "Tomorrow 18:00", "Wed 25 Nov 18:00"),
    ("2026-11-23T23:30:00Z", "Today 00:30", "00:30"),
    ("2026-11-23T18:00:00+01:00", "Yesterday 18:00", "Mon 23 Nov 18:00"),
    ("2026-12-24T18:00:00+01:00", "Thu 24 Dec 18:00", "Thu 24 Dec 18:00"),
    ("2027-01-01T18:00:00+01:00", "Fri 1 Jan 2027 18:00", "Fri 1 Jan 2027 18:00"),
  ])
  func aListingNamesNearbyDays(time: String, relative: String, absolute: String) throws {
    let instant = try Instant(rfc3339: time)
    #expect(human.relative(instant) == relative)
    #expect(human.absolute(instant) == absolute)
  }

  @Test(
    arguments: [
      (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (59.9, "1 minute"),
      (3_569, "59 minutes"), (3_600, "1 hour"), (3_660, "1 hour 1 minute"),
      (86_369, "23 hours 59 minutes"), (86_400, "1 day"), (90_000, "1 day 1 hour"),
      (170_999, "1 day 23 hours"), (171_001, "2 days"), (259_000, "3 days"),
      (5_183_000, "60 days"), (5_184_001, "2 months"), (-13_000_000, "5 months"),
      (31_557_600, "12 months"), (61_800_301, "2 years"), (70_000_000, "2 years 3 months"),
    ] as [(Double, String)])
  func aSpanHasTwoUnitsAtMost(seconds: Double, expected: String) {
    #expect(TimeSpan(seconds: seconds).words == expected)
  }
}
