import TestSupport
import Testing

@testable import Client

/// `georemind when`, on Friday, 12 June 2026, 18:00 in Berlin.
@Suite struct WhenTests {
  @Test func aTimeIsShownWithWeekdayDateTimeAndDistance() {
    let run = Run(["when", "tomorrow", "6pm"])
    #expect(
      run.lines == [
        "when  Sat 13 Jun 2026 18:00, in 1 day", "time  2026-06-13T18:00:00+02:00",
        "zone  Europe/Berlin, and any that the system moves to",
      ])
    #expect(
      Run(["when", "in half an hour", "--json"]).lines
        == [#"{"time":"2026-06-12T16:30:00Z","floating":false,"zone":"Europe/Berlin"}"#])
  }

  @Test(arguments: ["+1 month", "1 month", "in 1 month"])
  func aMonthKeepsTheTimeOfDay(_ text: String) {
    #expect(Run(["when", text]).lines.contains("time  2026-07-12T18:00:00+02:00"))
  }

  /// The times are those of a reminder that is added now.
  @Test(arguments: [
    ("daily at 9", "2026-06-13T09:00:00+02:00"), ("every monday", "2026-06-15T09:00:00+02:00"),
    ("weekdays at 19:00", "2026-06-12T19:00:00+02:00"),
    ("every 2 weeks on monday", "2026-06-15T09:00:00+02:00"),
  ])
  func aRepeatBeginsAsItIsAdded(_ text: String, _ first: String) {
    #expect(Run(["when", text, "--count", "1"]).lines == [first])
  }

  @Test func anUnclearPhraseIsShownWithTheWayItWasRead() {
    #expect(
      Run(["when", "next", "friday"]).lines.last == "note  next friday is the friday of next week")
  }

  @Test func aRepeatIsShownInWordsAndAsARule() {
    #expect(
      Run(["when", "every last friday of the month"]).lines
        == ["repeat  every last Friday of the month", "rule    FREQ=MONTHLY;BYDAY=-1FR"])
  }

  @Test(arguments: [
    (["when", "tomorow"], "'tomorow' was not understood; did you mean 'tomorrow'?"),
    (["when", "every bananas"], "'bananas' was not understood"),
    (["when", "5/6/2027"], "it could be 5 jun 2027 or 6 may 2027; write one of them so"),
    (["when", "daily", "--count", "1", "--from", "31 feb"], "february has no day 31"),
  ])
  func whatIsNotUnderstoodIsRefused(arguments: [String], reason: String) {
    let run = Run(arguments)
    #expect(run.status == 65 && run.output.isEmpty)
    #expect(run.notes.contains(reason), "\(run.notes)")
  }

  @Test func theSettingsChooseTheTimeOfADayAlone() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("georemind.conf", "[Reminders]\nDefaultTime=07:30\n")
    let run = Run(["when", "tomorrow"], configurationFiles: [file])
    #expect(run.lines.first == "when  Sat 13 Jun 2026 07:30, in 13 hours 30 minutes")
  }
}
