import JSONText
import Reminders
import TestSupport
import Testing

@testable import Client

/// The sentence of `add`.
@Suite struct ReminderSentenceTests {
  /// Fri 12 June 2026 and later days.
  @Test(arguments: [
    ("2026-06-16T18:00:00", "FREQ=WEEKLY;BYDAY=MO,TH", true),
    ("2026-06-15T18:00:00", "FREQ=WEEKLY;BYDAY=MO,TH", false),
    ("2026-06-16T18:00:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", false),
    ("2026-06-16T18:00:00", "FREQ=WEEKLY", false),
    ("2026-06-16T18:00:00", "FREQ=MONTHLY;BYDAY=-1FR", true),
    ("2026-06-26T18:00:00", "FREQ=MONTHLY;BYDAY=-1FR", false),
    ("2026-06-30T18:00:00", "FREQ=MONTHLY;BYMONTHDAY=-1", false),
    ("2026-06-16T18:00:00", "FREQ=DAILY", false),
  ])
  func aFirstTimeOutsideTheRuleIsNoted(due: String, rule: String, isOutside: Bool) throws {
    let object = try #require(
      try JSONParser.parse(#"{"id":"r","title":"x","due":"\#(due)","repeat":"\#(rule)"}"#).object)
    let text = ReminderSentence.text(try Reminder(json: object), Run.display())
    #expect(text.hasSuffix("; this first time is none of the rule's") == isOutside, "\(text)")
  }
}
