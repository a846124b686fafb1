import CivilTime
import Testing

@testable import Reminders

/// What the clock brings of one user's reminders delays nobody else's, and waits.
@Suite struct ShareTests {
  private static func date(
    _ id: String, _ seconds: Double, owner: UInt32?, repeats: String? = nil
  ) throws -> Reminder {
    var reminder = Reminder(
      id: id, kind: .date, title: "T", due: .absolute(EngineHarness.start + .seconds(seconds)))
    reminder.owner = owner
    if let repeats { reminder.repeatRule = try RepeatRule(parsing: repeats) }
    return reminder
  }

  /// The latest firings of one user in any minute.
  private static func mostInAMinute(_ firings: [Firing]) -> Int {
    firings.indices.map { first in
      firings[first...].prefix { $0.time - firings[first].time < .minutes(1) }.count
    }.max() ?? 0
  }

  @Test(arguments: [29, 30, 31, 1_000])
  func missedDatesOfAUserFireEachOnceInOrderAndInAHandfulAtOnce(count: Int) throws {
    var harness = EngineHarness()
    for number in 0..<count {
      harness.send(.add(try Self.date("r\(number)", Double(-number - 60), owner: 1_000), nil))
    }
    #expect(harness.firings.count == min(count, 30))
    harness.wait(until: harness.now + .minutes(60))
    #expect(harness.firings.count == count)
    #expect(Set(harness.firings.map(\.reminderID)).count == count)
    #expect(Self.mostInAMinute(harness.firings) <= 90)
    let waited = harness.firings.dropFirst(30).compactMap(\.due)
    #expect(waited == waited.sorted())
    #expect(
      harness.firings.last.map { $0.time - EngineHarness.start }
        == .seconds(Double(max(0, count - 30))))
  }

  @Test func aLaterDateDoesNotOvertakeThoseThatWait() throws {
    var harness = EngineHarness()
    for number in 0..<40 { harness.send(.add(try Self.date("r\(number)", -60, owner: 1_000), nil)) }
    // There is room for one again, and the tick is yet to come.
    harness.now += .seconds(1)
    harness.send(.add(try Self.date("later", 0, owner: 1_000), nil))
    harness.wait(60)
    #expect(harness.firings.count == 41)
    #expect(harness.firings.last?.reminderID == "later")
  }

  @Test func aDateOfAnotherUserComesAtItsTime() throws {
    var harness = EngineHarness()
    for number in 0..<500 {
      harness.send(.add(try Self.date("flood\(number)", 60, owner: 1_000), nil))
    }
    harness.send(.add(try Self.date("member", 90, owner: 1_001), nil))
    harness.send(.add(try Self.date("root", 90, owner: nil), nil))
    harness.wait(until: harness.now + .minutes(2))
    for id in ["member", "root"] {
      let times = harness.firings.filter { $0.reminderID == id }.map(\.time)
      #expect(times == [EngineHarness.start + .seconds(90)])
    }
  }

  @Test func remindersWithoutAnOwnerDoNotWait() throws {
    var harness = EngineHarness()
    for number in 0..<200 { harness.send(.add(try Self.date("r\(number)", 60, owner: nil), nil)) }
    harness.wait(until: harness.now + .seconds(60))
    #expect(harness.firings.count == 200)
  }

  @Test func manySeriesOfEachSecondLeaveRoomForTheUsersOtherDates() throws {
    var harness = EngineHarness()
    for number in 0..<20 {
      harness.send(
        .add(try Self.date("s\(number)", 0, owner: 1_000, repeats: "FREQ=SECONDLY"), nil))
    }
    harness.send(.add(try Self.date("dinner", 60, owner: 1_000), nil))
    harness.wait(until: harness.now + .minutes(5))
    #expect(harness.firings.count <= 30 + 300)
    let dinner = try #require(harness.firings.first { $0.reminderID == "dinner" })
    #expect(dinner.time - EngineHarness.start < .seconds(60 + 30))
  }

  @Test func aClockThatWasSetBackDoesNotHoldThem() throws {
    var harness = EngineHarness()
    for number in 0..<31 { harness.send(.add(try Self.date("r\(number)", -60, owner: 1_000), nil)) }
    harness.now = EngineHarness.start - .hours(24)
    harness.send(.clockSet)
    harness.send(.add(try Self.date("later", -86_399, owner: 1_000), nil))
    harness.wait(until: harness.now + .seconds(2))
    #expect(harness.firings.last?.reminderID == "later")
  }

  @Test func oneThatIsRemovedWhileItWaitsDoesNotFire() throws {
    var harness = EngineHarness()
    for number in 0..<40 { harness.send(.add(try Self.date("r\(number)", -60, owner: 1_000), nil)) }
    let waiting = Set((0..<40).map { "r\($0)" }).subtracting(harness.firings.map(\.reminderID))
    #expect(waiting.count == 10)
    for id in waiting { harness.send(.remove(id: id)) }
    #expect(harness.engine.nextDeadline == nil)
    // They take the slots.
    for id in waiting { harness.send(.add(try Self.date("new\(id)", 3_600, owner: 1_001), nil)) }
    harness.wait(until: harness.now + .minutes(5))
    #expect(harness.firings.count == 30)
  }

  @Test func oneThatIsDoneWhileItWaitsDoesNotFire() throws {
    var harness = EngineHarness()
    for number in 0..<31 { harness.send(.add(try Self.date("r\(number)", -60, owner: 1_000), nil)) }
    let fired = Set(harness.firings.map(\.reminderID))
    let waiting = try #require((0..<31).map { "r\($0)" }.first { !fired.contains($0) })
    harness.send(.done(id: waiting))
    harness.wait(until: harness.now + .minutes(5))
    #expect(harness.firings.count == 30)
  }
}
