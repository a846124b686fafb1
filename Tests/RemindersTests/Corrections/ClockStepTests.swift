import CivilTime
import TestSupport
import Testing

@testable import Reminders

/// A clock that is wrong for a while: after it is right again, each reminder has its next true
/// time, and a firing that comes a second time says so.
@Suite struct ClockStepTests {
  private static let year2038 = Instant(seconds: 2_147_483_648)

  private static func date(_ id: String, _ due: String, _ more: String = "") -> String {
    #"{"id":"\#(id)","kind":"date","title":"T","due":"\#(due)"\#(more)}"#
  }

  /// The times of the firings after a moment, with a mark where they are repeated.
  private static func told(
    _ harness: borrowing EngineHarness, after moment: Instant, by id: String
  ) -> [String] {
    harness.firings.filter { $0.reminderID == id && $0.time <= Self.year2038 - .hours(1000) }
      .filter { $0.time >= moment }
      .map { $0.time.json + ($0.repeated == .clock ? " repeated" : "") }
  }

  /// The clock is wrong by `step` for `minutes`.
  private static func excursion(
    _ harness: inout EngineHarness, to time: Instant, minutes: Double
  ) {
    let right = harness.now
    harness.now = time
    harness.send(.clockSet)
    harness.wait(60 * minutes)
    harness.now = right + .minutes(minutes)
    harness.send(.clockSet)
  }

  @Test func repeatingRemindersReturnFrom2038() throws {
    var harness = EngineHarness()
    try harness.add(Self.date("d", "2026-06-12T17:00:00Z", #","repeat":"daily""#))
    try harness.add(
      Self.date("l", "2026-06-12T18:00:00Z", #","repeat":"daily","lead_s":[7200,0]"#))
    try harness.add(Self.date("e", "2026-06-12T19:00:00Z", #","repeat":"FREQ=DAILY;COUNT=3""#))
    Self.excursion(&harness, to: Self.year2038, minutes: 1)
    let right = harness.now
    #expect(harness.firings.count == 4)
    harness.wait(4 * 86_400)
    #expect(
      Self.told(harness, after: right, by: "d") == [
        "2026-06-12T17:00:00Z", "2026-06-13T17:00:00Z", "2026-06-14T17:00:00Z",
        "2026-06-15T17:00:00Z",
      ])
    #expect(
      Self.told(harness, after: right, by: "l").prefix(4) == [
        "2026-06-12T18:00:00Z", "2026-06-13T16:00:00Z", "2026-06-13T18:00:00Z",
        "2026-06-14T16:00:00Z",
      ])
    #expect(
      Self.told(harness, after: right, by: "e") == [
        "2026-06-12T19:00:00Z", "2026-06-13T19:00:00Z", "2026-06-14T19:00:00Z repeated",
      ])
  }

  /// Six minutes, 36 hours ahead: only what had fired then is repeated.
  @Test func aDayAndAHalfAheadSkipsNothing() throws {
    var harness = EngineHarness()
    try harness.add(Self.date("d", "2026-06-12T17:00:00Z", #","repeat":"daily""#))
    try harness.add(Self.date("o", "2026-06-13T10:00:00Z"))
    try harness.add(Self.date("s", "2026-06-12T16:12:00Z"))
    try harness.add(Self.date("m", "2026-06-14T04:00:00Z", #","repeat":"FREQ=MINUTELY;COUNT=5""#))
    Self.excursion(&harness, to: harness.now + .hours(36), minutes: 6)
    harness.wait(3 * 86_400)
    let later = harness.firings.filter { $0.reminderID == "d" }.map {
      "\($0.event) \($0.due?.json ?? "") \($0.repeated?.rawValue ?? "-")"
    }
    #expect(
      later == [
        "late 2026-06-13T17:00:00Z -", "due 2026-06-12T17:00:00Z -",
        "due 2026-06-13T17:00:00Z clock", "due 2026-06-14T17:00:00Z -",
      ])
    #expect(harness.firings.filter { $0.reminderID == "o" }.map(\.repeated) == [nil, .clock])
    #expect(harness.firings.filter { $0.reminderID == "s" }.map(\.repeated) == [nil])
    #expect(
      harness.firings.filter { $0.reminderID == "m" }.map(\.repeated)
        == [nil, nil, nil, nil, nil, .clock, .clock, .clock, .clock, .clock])
    #expect(harness.firings.last { $0.reminderID == "o" }?.why.contains("wrong") == true)
  }

  @Test(arguments: [1.0, 9.9]) func aSmallStepArmsNothingAgain(minutes: Double) throws {
    var harness = EngineHarness()
    try harness.add(Self.date("t", "2026-06-12T16:30:00Z"))
    try harness.add(Self.date("d", "2026-06-12T16:30:00Z", #","repeat":"FREQ=MINUTELY;COUNT=3""#))
    harness.wait(1803)
    harness.now = harness.now - .minutes(minutes)
    harness.send(.clockSet)
    harness.wait(86_400)
    #expect(harness.firings.filter { $0.reminderID == "t" }.count == 1)
    #expect(harness.firings.filter { $0.reminderID == "d" }.map(\.repeated) == [nil, nil, nil])
  }

  /// The clock was right, and goes to 1970 for a while.
  @Test(arguments: [false, true]) func aClockThatReturnsFiresNothingTwice(restart: Bool) throws {
    var harness = EngineHarness()
    try harness.add(Self.date("t", "2026-06-12T17:00:00Z"))
    try harness.add(Self.date("d", "2026-06-01T17:00:00Z", #","repeat":"daily""#))
    try harness.add(Self.date("l", "2026-06-12T18:00:00Z", #","lead_s":[3600,0]"#))
    harness.wait(5400)
    let before = harness.events
    harness.now = Instant(seconds: 1000)
    harness.send(.clockSet)
    harness.wait(300)
    harness.now = EngineHarness.start + .seconds(5700)
    if restart {
      harness.engine.settings.wasClockSet = true
      harness.restartByLoading()
    } else {
      harness.send(.clockSet)
    }
    #expect(harness.events == before)
    harness.wait(86_400)
    #expect(Array(harness.events.dropFirst(before.count)) == ["l:due", "d:due"])
    #expect(harness.firings.allSatisfy { $0.repeated == nil })
  }

  /// The clock is set right while the daemon does not run, or in the middle of its wrong time.
  @Test func aRestartChangesNothingOfIt() throws {
    var harness = EngineHarness()
    try harness.add(Self.date("d", "2026-06-12T17:00:00Z", #","repeat":"daily""#))
    try harness.add(Self.date("o", "2026-06-13T10:00:00Z"))
    harness.now += .hours(36)
    harness.send(.clockSet)
    harness.restartByLoading(after: 60)
    harness.restartByLoading(after: -36 * 3600)
    harness.wait(2 * 86_400)
    #expect(
      harness.firings.map {
        "\($0.reminderID) \($0.due?.json ?? "") \($0.repeated?.rawValue ?? "-")"
      }
        == [
          "o 2026-06-13T10:00:00Z -", "d 2026-06-13T17:00:00Z -", "d 2026-06-12T17:00:00Z -",
          "o 2026-06-13T10:00:00Z clock", "d 2026-06-13T17:00:00Z clock",
        ])
  }

  /// Time that passes in suspend, or without power, is no clock that returns to its time.
  @Test(arguments: [false, true]) func aSleepIsNoClockThatReturns(isOff: Bool) throws {
    var harness = EngineHarness()
    try harness.add(Self.date("t", "2026-06-13T10:00:00Z"))
    try harness.add(Self.date("d", "2026-06-13T11:00:00Z", #","repeat":"daily""#))
    Self.excursion(&harness, to: harness.now + .hours(36), minutes: 1)
    let before = harness.firings.count
    if isOff {
      harness.restartByLoading(after: 48 * 3600)
    } else {
      harness.now += .hours(48)
      harness.send(.resumed)
    }
    let later = harness.firings.dropFirst(before)
    #expect(later.map { "\($0.reminderID):\($0.event.rawValue)" } == ["t:late", "d:late"])
  }

  @Test func whatExpiredInAWrongTimeIsArmedAgain() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"u","kind":"location","title":"U","until":"2026-07-01T00:00:00Z",\#(EngineHarness.place())}"#
    )
    Self.excursion(&harness, to: Self.year2038, minutes: 1)
    harness.walk(from: 400, to: 10)
    #expect(harness.events == ["u:arrive"])
  }

  @Test func timesToLeaveAndPlacesWithADueTimeAreArmedAgain() throws {
    var harness = EngineHarness()
    harness.walk(from: 2_000, to: 1_970)
    for (id, more) in [("p", ""), ("r", #","repeat":"daily""#)] {
      try harness.add(
        #"{"id":"\#(id)","kind":"preemptive","title":"T","due":"2026-06-12T20:00:00Z","#
          + #""transport":"walking"\#(more),\#(EngineHarness.place())}"#)
    }
    for (id, more) in [("a", #","if_inside":"fire""#), ("b", #","repeat":"daily""#)] {
      try harness.add(
        #"{"id":"\#(id)","kind":"location","title":"T","due":"2026-06-12T20:00:00Z"\#(more),"#
          + #"\#(EngineHarness.place(radius: 5_000))}"#)
    }
    harness.walk(from: 2_000, to: 1_970)
    Self.excursion(&harness, to: harness.now + .hours(36), minutes: 1)
    let before = harness.firings.count
    #expect(Set(harness.firings.map(\.reminderID)) == ["p", "r", "a"])
    harness.walk(from: 2_000, to: 1_970)
    harness.wait(8 * 3600)
    let later = harness.firings.dropFirst(before).map {
      "\($0.reminderID):\($0.event.rawValue) \($0.repeated?.rawValue ?? "-")"
    }
    #expect(Set(later) == ["p:leave clock", "r:leave clock", "a:arrive clock", "b:arrive -"])
    #expect(later.count == 4)
  }

  /// Against plain arithmetic: after the clock is right again, each time of each reminder that is
  /// more than ten minutes away fires at its own time, once.
  @Test(arguments: 0..<200) func everyTrueTimeFiresOnce(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var harness = EngineHarness()
    var times: [String: [Instant]] = [:]
    let end = EngineHarness.start + .hours(96)
    for number in 0..<12 {
      let seconds = Int.random(in: -7_200...90_000, using: &random)
      let first = EngineHarness.start + .seconds(Double(seconds))
      let hours = [0, 1, 5, 24].randomElement(using: &random) ?? 0
      let more = hours == 0 ? "" : #","repeat":"FREQ=HOURLY;INTERVAL=\#(hours)""#
      let id = "r\(number)"
      try harness.add(Self.date(id, first.json, more))
      times[id] = stride(from: 0, through: hours == 0 ? 0 : 200, by: max(1, hours)).map {
        first + .hours(Double($0))
      }
    }
    harness.wait(Double.random(in: 0...20_000, using: &random))
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let ahead = Double.random(in: 700...400_000, using: &random)
      let minutes = Double.random(in: 1...9, using: &random)
      Self.excursion(&harness, to: harness.now + .seconds(ahead), minutes: minutes)
    }
    let right = harness.now
    let before = harness.firings.count
    harness.wait(until: end)
    let limit = right + .minutes(10)
    for (id, times) in times {
      let due = times.filter { $0 > limit && $0 <= end }
      let told = harness.firings.dropFirst(before).filter {
        $0.reminderID == id && ($0.due ?? .init(microseconds: 0)) > limit
      }
      #expect(told.compactMap(\.due) == due, "seed \(seed), \(id)")
      #expect(told.allSatisfy { $0.time == $0.due }, "seed \(seed), \(id)")
    }
  }
}
