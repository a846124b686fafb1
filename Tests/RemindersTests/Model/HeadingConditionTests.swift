import Testing

@testable import Reminders

@Suite struct HeadingConditionTests {
  @Test(arguments: [
    ("toward", 90.0, true), ("toward", 149, true), ("toward", 151, false), ("toward", 29, false),
    ("Towards", 90, true), ("away", 270, true), ("away", 90, false), ("away", 211, true),
    ("350-20", 0, true), ("350-20", 21, false), ("n..e", 45, true),
  ])
  func aCourseIsComparedWithTheBearingOfThePlace(
    text: String, course: Double, holds: Bool
  ) throws {
    let heading = try HeadingCondition(parsing: text)
    #expect(heading.contains(course, bearing: 90) == holds)
    #expect(try HeadingCondition(parsing: "\(heading)") == heading)
  }

  @Test func withoutABearingNothingIsTowardIt() throws {
    #expect(try !HeadingCondition(parsing: "toward").contains(90, bearing: nil))
    #expect(try !HeadingCondition(parsing: "away").contains(90, bearing: nil))
    #expect(throws: ReminderError.self) { try HeadingCondition(parsing: "around") }
  }
}
