import TestSupport
import Testing

@testable import CivilTime

/// Phrases at many moments against GNU date, which has words of its own for the same times.
@Suite(
  .enabled(
    if: runCommand("date --version 2>/dev/null | grep -q GNU")?.code == 0,
    "GNU date is not installed"))
struct PhraseDateTests {
  /// Ends of months, a leap day, and days by chance; at 8:00 by UTC.
  private static let days: [CivilDate] = {
    var random = SeededGenerator(seed: 51)
    let ends = [
      (2026, 1, 31), (2026, 3, 31), (2026, 8, 31), (2026, 11, 30), (2026, 12, 31), (2027, 1, 30),
      (2028, 1, 31), (2028, 2, 29), (2027, 2, 28), (2026, 5, 31), (2026, 10, 31), (2027, 1, 29),
    ].compactMap { CivilDate(year: $0, month: $1, day: $2) }
    return ends
      + (0..<30).map { _ in CivilDate(dayNumber: Int.random(in: 20_000...24_000, using: &random)) }
  }()

  /// A phrase, and the words of GNU date behind the day.
  static let phrases: [(texts: [String], words: String)] = [
    (["in 10 minutes", "10min", "in ten minutes"], "08:00 UTC +10 minutes"),
    (["in 2 hours", "2h"], "08:00 UTC +2 hours"),
    (["in 1 day", "in a day", "1d"], "08:00 UTC +1 day"),
    (["in 3 weeks", "3 weeks"], "08:00 UTC +21 days"),
    (["in 40 days"], "08:00 UTC +40 days"),
    (["today 9:00", "9:00", "at 9"], "09:00 UTC"),
    (["tomorrow 9:00", "9:00 tomorrow"], "09:00 UTC +1 day"),
  ]

  private func seconds(_ lines: [String]) throws -> [Int] {
    let folder = try TemporaryFolder()
    try folder.file("lines", lines.map { $0 + "\n" }.joined())
    let ran = try #require(runCommand("TZ=UTC LC_ALL=C date -f '\(folder.path)/lines' +%s"))
    try #require(ran.code == 0)
    return ran.output.split(separator: "\n").compactMap { Int($0) }
  }

  private func found(_ text: String, on day: CivilDate) throws -> Int {
    let eight = try #require(TimeOfDay(hour: 8, minute: 0))
    let now = TimeZoneRules.utc.instant(of: LocalDateTime(date: day, time: eight))
    let stamp = try TypedTime(text, now: now, zone: .utc).stamp
    return Int(stamp.instant(in: .utc).microseconds / 1_000_000)
  }

  @Test(arguments: phrases)
  func meansTheSameAsForDate(_ texts: [String], _ words: String) throws {
    let expected = try seconds(Self.days.map { "\($0) \(words)" })
    try #require(expected.count == Self.days.count)
    for (day, expected) in zip(Self.days, expected) {
      for text in texts { #expect(try found(text, on: day) == expected, "\(text) on \(day)") }
    }
  }

  /// GNU date goes on into the month after where a month has no such day. Here it is the last day
  /// of the month: the one before the first of the next.
  @Test(arguments: [
    (["in 1 month", "in a month", "1 month"], 1), (["in 2 months"], 2), (["in 6 months"], 6),
    (["in 1 year", "in a year", "1y"], 12), (["in 13 months"], 13),
  ])
  func aMonthLaterIsInThatMonth(_ texts: [String], _ months: Int) throws {
    let firsts = Self.days.compactMap { CivilDate(year: $0.year, month: $0.month, day: 1) }
    let ends = try seconds(firsts.map { "\($0) 08:00 UTC +\(months + 1) months -1 day" })
    let starts = try seconds(firsts.map { "\($0) 08:00 UTC +\(months) months" })
    for (index, day) in Self.days.enumerated() {
      let expected = min(starts[index] + (day.day - 1) * 86_400, ends[index])
      for text in texts { #expect(try found(text, on: day) == expected, "\(text) on \(day)") }
    }
  }
}
