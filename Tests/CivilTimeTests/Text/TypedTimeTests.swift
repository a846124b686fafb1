import TestSupport
import Testing

@testable import CivilTime

/// Times as people type them: a table written by hand, and properties over random words.
@Suite struct TypedTimeTests {
  /// Saturday, 21 November 2026, 10:00 in Berlin.
  let now = Instant(microseconds: 1_795_251_600_000_000)
  let berlin = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc

  private func read(
    _ text: String, dayAlone: DayAlone = .usual
  ) throws(TimeStampError) -> TypedTime {
    try TypedTime(text, now: now, zone: berlin, dayAlone: dayAlone) { name throws(TimeZoneError) in
      throw TimeZoneError(zone: name, reason: "unknown")
    }
  }

  @Test func everyPhraseOfTheTableIsReadOrRefused() throws {
    var count = 0
    for line in try contents("\(packageRoot)/Tests/CivilTimeTests/Text/phrases.txt")
      .split(separator: "\n") where !line.hasPrefix("#")
    {
      let halves = line.components(of: " = ")
      let expected = halves[0]
      for phrase in halves.dropFirst().joined(separator: " = ").components(of: " | ") {
        count += 1
        do throws(TimeStampError) {
          let stamp = try read(phrase).stamp
          #expect("\(stamp)" == expected, "\(phrase)")
        } catch {
          #expect(expected.hasPrefix("! "), "\(error)")
          #expect(error.reason.contains(expected.dropFirst(2)), "\(error)")
        }
      }
    }
    #expect(count > 500)
  }

  /// The time of day of a repeat rule counts as if it were typed.
  @Test(arguments: [
    ("monday", "2026-11-23T18:00:00"), ("saturday", "2026-11-21T18:00:00"),
    ("today", "2026-11-21T18:00:00"), ("tomorrow", "2026-11-22T18:00:00"),
    ("2026-12-24", "2026-12-24T18:00:00"), ("next week", "2026-11-28T18:00:00"),
    ("a week from friday", "2026-12-04T18:00:00"),
    ("monday 10:00", "2026-11-23T10:00:00"), ("monday morning", "2026-11-23T09:00:00"),
    ("monday noon", "2026-11-23T12:00:00"), ("in 20 minutes", "2026-11-21T09:20:00Z"),
    ("in 2 days", "2026-11-23T09:00:00Z"),
  ])
  func aDayTakesTheTimeOfARepeat(text: String, expected: String) throws {
    let evening = try #require(TimeOfDay(hour: 18, minute: 0))
    #expect("\(try read(text, dayAlone: .clock(evening)).stamp)" == expected)
  }

  /// A time that has passed today stays one: its repeat goes on from there.
  @Test func todayTakesTheTimeOfARepeatThatHasPassed() throws {
    let early = try #require(TimeOfDay(hour: 6, minute: 30))
    let time = try read("today", dayAlone: .clock(early))
    #expect("\(time.stamp)" == "2026-11-21T06:30:00" && time.note == nil)
    #expect("\(try read("saturday", dayAlone: .clock(early)).stamp)" == "2026-11-28T06:30:00")
  }

  private func past(_ text: String, at now: Instant) throws(TimeStampError) -> Instant {
    try TypedTime(text, now: now, zone: berlin, dayAlone: .start, direction: .back).stamp
      .instant(in: berlin)
  }

  @Test(arguments: [
    ("18:00", "2026-11-20T18:00:00"), ("9:30", "2026-11-21T09:30:00"),
    ("10:00", "2026-11-21T10:00:00"), ("noon", "2026-11-20T12:00:00"),
    ("midnight", "2026-11-21T00:00:00"), ("evening", "2026-11-20T18:00:00"),
    ("friday", "2026-11-20T00:00:00"), ("saturday", "2026-11-21T00:00:00"),
    ("saturday 18:00", "2026-11-14T18:00:00"), ("last saturday", "2026-11-14T00:00:00"),
    ("last night", "2026-11-20T20:00:00"), ("last friday 7pm", "2026-11-20T19:00:00"),
    ("last week", "2026-11-14T00:00:00"), ("last month", "2026-10-21T00:00:00"),
    ("27 jan", "2026-01-27T00:00:00"), ("24 dec", "2025-12-24T00:00:00"),
    ("tue 27 jan", "2026-01-27T00:00:00"), ("29 feb", "2024-02-29T00:00:00"),
    ("30th", "2026-10-30T00:00:00"), ("last friday of the month", "2026-10-30T00:00:00"),
    ("2h", "2026-11-21T08:00:00"), ("2 hours ago", "2026-11-21T08:00:00"),
    ("-2h", "2026-11-21T08:00:00"), ("in 2 hours", "2026-11-21T12:00:00"),
    ("yesterday", "2026-11-20T00:00:00"), ("today", "2026-11-21T00:00:00"),
    ("tomorrow", "2026-11-22T00:00:00"), ("yesterday 18:00", "2026-11-20T18:00:00"),
    ("2026-11-25", "2026-11-25T00:00:00"), ("monday of this week", "2026-11-16T00:00:00"),
  ])
  func lookingBackABareTimeIsTheLastOne(text: String, expected: String) throws {
    let time = try past(text, at: now)
    #expect("\(TimeStamp.floating(berlin.localDateTime(at: time)))" == expected)
  }

  /// At each half hour of a week: the last one is at most a day, or a week, ago.
  @Test func theLastOneIsNeverAheadAndNeverPassedOver() throws {
    for step in 0..<(7 * 48) {
      let now = now + .minutes(Double(step * 30))
      let clock = now - (try past("18:00", at: now))
      #expect(clock >= .zero && clock < .hours(24))
      let day = now - (try past("friday", at: now))
      #expect(day >= .zero && day < .hours(7 * 24))
    }
  }

  @Test(arguments: ["31 feb", "last", "tue 28 jan", "last bananas"])
  func whatIsNoPastTimeIsRefused(text: String) {
    #expect(throws: TimeStampError.self) { try past(text, at: now) }
  }

  @Test func eachWordCounts() {
    var random = SeededGenerator(seed: 35)
    let words = TimeWords.all + ["18:00", "6pm", "27th", "27.1.", "2027-01-27", "2h", "3", "20"]
    var readable = 0
    for _ in 0..<60_000 {
      let count = Int.random(in: 1...8, using: &random)
      let phrase = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
      guard (try? read(phrase.joined(separator: " "))) != nil else { continue }
      readable += 1
      // In place of any one word, one without a meaning makes the phrase unreadable.
      for index in phrase.indices {
        var broken = phrase
        broken[index] = "quux"
        let text = broken.joined(separator: " ")
        #expect(throws: TimeStampError.self, "\(text)") { try read(text) }
      }
    }
    #expect(readable > 300)
  }

  @Test func noBytesAreTooMuch() {
    var random = SeededGenerator(seed: 36)
    let letters = Array("0123456789:.,-/+@ thapmonxé\u{A0}\u{2009}９")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...24, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? " "
        })
      _ = try? read(text)
    }
    #expect(throws: TimeStampError.self) { try read(String(repeating: "9", count: 10_000)) }
    #expect(throws: TimeStampError.self) {
      try read(Array(repeating: "half", count: 10_000).joined(separator: " "))
    }
  }

  @Test func whatIsPrintedForPeopleIsRead() throws {
    var random = SeededGenerator(seed: 37)
    let words = HumanTime(now: now, zone: berlin)
    for _ in 0..<2_000 {
      let minutes = Int64.random(in: 1...2_000_000, using: &random)
      let instant = now + TimeSpan(microseconds: minutes * 60_000_000)
      let full = words.full(instant).components(of: ", ")[0]
      for text in [full, words.relative(instant), words.absolute(instant)] {
        let stamp = try read(text).stamp
        #expect(words.full(stamp.instant(in: berlin)) == words.full(instant), "\(text)")
      }
      _ = try read(words.distance(instant))
      let local = berlin.localDateTime(at: instant)
      #expect(try read(local.description).stamp == .floating(local))
      #expect(try read(instant.rfc3339(zone: berlin)).stamp == .absolute(instant))
    }
  }

  @Test(arguments: ["tomorrow\u{A0}18:00", "tomorrow\u{2009}6pm", "  Tomorrow\t18:00 "])
  func anySpaceSeparatesWords(text: String) throws {
    #expect("\(try read(text).stamp)" == "2026-11-22T18:00:00")
  }

  @Test func aDayAloneIsWhatTheCallerMeans() throws {
    #expect("\(try read("tomorrow", dayAlone: .start).stamp)" == "2026-11-22T00:00:00")
    #expect("\(try read("today", dayAlone: .start).stamp)" == "2026-11-21T00:00:00")
    #expect("\(try read("tomorrow", dayAlone: .end).stamp)" == "2026-11-22T23:59:59")
    let noon = try #require(TimeOfDay(parsing: "12:00"))
    #expect("\(try read("today", dayAlone: .at(noon)).stamp)" == "2026-11-21T12:00:00")
  }

  @Test func aNoteSaysHowAPhraseWasRead() throws {
    #expect(try read("next friday").note == "next friday is the friday of next week")
    #expect(try read("next week").note == "next week is in seven days")
    #expect(try read("today").note == "09:00 has passed, so it is at once")
    #expect(try read("friday").note == nil)
  }

  /// The spans of months and days keep the time of day, through the change of clocks in March.
  @Test func monthsAndDaysGoByTheCalendar() throws {
    for (text, expected) in [
      ("in 5 months", "2027-04-21T10:00:00"), ("in 150 days", "2027-04-20T10:00:00"),
      ("in 3600 hours", "2027-04-20T11:00:00"),
    ] {
      let instant = try read(text).stamp.instant(in: berlin)
      #expect("\(berlin.localDateTime(at: instant))" == expected)
    }
  }
}

extension StringProtocol {
  /// The parts between each occurrence of a separator.
  fileprivate func components(of separator: String) -> [String] {
    var parts = [""]
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(separator) {
        parts.append("")
        rest = rest.dropFirst(separator.count)
      } else {
        parts[parts.count - 1].append(rest.removeFirst())
      }
    }
    return parts
  }
}
