import CivilTime
import JSONText
import Testing

@testable import Reminders

/// The state of an engine, for another one that goes on with it.
@Suite struct StateTests {
  /// In the middle of a silence and of a stay.
  private func begun() throws -> EngineHarness {
    var harness = EngineHarness()
    harness.walk(from: 600, to: 0)
    try harness.add(#"{"id":"s","kind":"location","title":"S","on":"silent","dwell_s":3600}"#)
    try harness.add(
      #"{"id":"d","title":"D","on":"dwell","dwell_s":900,"if_inside":"fire",\#(EngineHarness.place())}"#
    )
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T20:00:00Z"}"#)
    // What is heard now makes the timer of the silence come too early: it stays.
    harness.wait(300)
    harness.fix(5)
    return harness
  }

  /// - Returns: whether the state could be read.
  private func load(
    _ other: inout Engine, with state: JSONValue, of harness: borrowing EngineHarness
  ) -> Bool {
    guard other.begin(with: state) else { return false }
    var effects: [Effect] = []
    var reminders: [Reminder] = []
    for index in harness.engine.slots.indices {
      if let slot = harness.engine.slots.slot(index) { reminders.append(slot.reminder) }
    }
    other.beginLoading(count: reminders.count)
    for reminder in reminders {
      other.load(reminder, harness.kept[reminder.id] ?? History())
    }
    other.finishLoading(at: harness.now, into: &effects)
    return other.resume(with: state, at: harness.now)
  }

  @Test func whatIsReadIsTheSameState() throws {
    var harness = try begun()
    let state = harness.engine.state()
    var other = Engine(settings: harness.engine.settings, zone: harness.engine.zone)
    let isRead = load(&other, with: state, of: harness)
    let (again, deadline) = (other.state(), other.nextDeadline)
    let former = harness.engine.nextDeadline
    #expect(isRead && again == state && deadline == former)
  }

  @Test(arguments: [(0, false), (1, true), (2, false)])
  func aStateOfAnotherLayoutIsNotRead(layout: Int, isKnown: Bool) throws {
    var harness = try begun()
    var state = try #require(harness.engine.state().object)
    state["layout"] = .int(layout)
    var other = Engine(settings: harness.engine.settings, zone: harness.engine.zone)
    let isRead = load(&other, with: .object(state), of: harness)
    #expect(isRead == isKnown)
  }
}
