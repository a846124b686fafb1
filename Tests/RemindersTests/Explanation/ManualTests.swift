import JSONText
import TestSupport
import Testing

@testable import Reminders

/// The manual page georemind-reminders(7), which is written by hand.
@Suite struct ManualTests {
  private static let page =
    (try? contents("\(packageRoot)/man/georemind-reminders.7.in")) ?? ""

  /// The members of the section on JSON.
  private static var members: Set<String> {
    Set(
      page.split(separator: "\n").filter { $0.hasPrefix(".It Va ") }.flatMap {
        $0.dropFirst(7).split { $0 == " " || $0 == "," }.map(String.init)
      })
  }

  @Test func everyMemberIsInTheManualAndNoOther() {
    #expect(Self.members.symmetricDifference(ReminderField.all.map(\.key)) == [])
  }

  @Test func theExamplesAreReminders() throws {
    let begin = try #require(Self.page.firstRange(of: ".Bd -literal\n"))
    let end = try #require(Self.page[begin.upperBound...].firstRange(of: ".Ed"))
    let text = Self.page[begin.upperBound..<end.lowerBound].replacing("\\-", with: "-")
    var parser = JSONParser(Array(text.utf8))
    var kinds: [Reminder.Kind] = []
    while let value = try parser.next() {
      kinds.append(try Reminder(json: try #require(value.object), newID: "new").kind)
    }
    #expect(kinds == [.location, .location, .date, .preemptive])
  }
}
