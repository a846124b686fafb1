import Testing

@testable import Companion

@Suite struct DestinationNameTests {
  private let users = ServiceUsers(["hook": 990, "mqtt": 991])

  @Test(
    arguments: [
      ("hook-blink", .user(990)), ("hook-1000-blink", .user(1_000)), ("mqtt", .user(991)),
      ("mqtt-1000", .user(1_000)), ("notify-1000", .user(1_000)), ("own", .anybody),
      ("own-7-x", .anybody), ("hook", .user(990)), ("hook-n10-say", .user(990)),
      ("hook-99999999999", .user(990)), ("hooks-a", .anybody), ("-", .anybody), ("notify", .nobody),
      ("", .anybody),
      ("hook-4294967295-a", .user(.max)), ("hook-4294967296-a", .user(990)),
    ] as [(String, DestinationName.Holder)])
  func aNameSaysWhoseItIs(name: String, holder: DestinationName.Holder) {
    #expect(DestinationName.holder(of: name, users: users) == holder)
  }

  @Test(arguments: [
    ("hook-anna", "anna"), ("hook-1000-anna", "anna"), ("hook-n10-say", "n10-say"),
    ("hook-a-b", "a-b"), ("notify-1000", nil), ("mqtt", nil), ("hook", nil), ("anna", nil),
  ])
  func aHooksNameIsBehindItsUser(name: String, hook: String?) {
    #expect(DestinationName.hook(name) == hook)
  }

  @Test func withoutTheServicesUserItsNamesAreRoots() {
    #expect(DestinationName.holder(of: "hook-blink", users: ServiceUsers([:])) == .nobody)
  }

  @Test func everyUserHoldsTheirOwnName() {
    for user: UInt32 in [990, 1_000, 61_200] {
      let name = DestinationName.own("hook", "blink", user: user, users: users)
      #expect(DestinationName.holder(of: name, users: users) == .user(user))
    }
    #expect(DestinationName.own("mqtt", nil, user: 0, users: users) == "mqtt")
  }
}
