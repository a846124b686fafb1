import CivilTime
import Geodesy
import Positioning
import Testing

@testable import Reminders

/// What must hold at the moment of firing: hours, days, from, until, due, speed, cooldown.
@Suite struct LocationConditionTests {
  private let place = EngineHarness.place()

  private static let berlin = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc

  private func instant(_ text: String) throws -> Instant { try Instant(rfc3339: text) }

  /// Inside from `text` on: one fix, and no other.
  private func inside(
    at text: String, zone: TimeZoneRules = .utc, _ members: String...
  ) throws -> EngineHarness {
    var harness = EngineHarness(
      zone: zone, settings: EngineHarness.exact, now: try instant(text) - .seconds(10))
    for (number, members) in members.enumerated() {
      try harness.add(#"{"id":"\#(number)","title":"x",\#(members),\#(place)}"#)
    }
    for _ in 0..<9 { harness.fix(105) }
    harness.fix(0, speed: 150)
    return harness
  }

  @Test(arguments: [
    ("2026-06-12T21:00:00Z", "2026-06-12T22:00:00Z"),
    ("2026-06-12T23:59:00Z", "2026-06-12T23:59:00Z"),
    ("2026-06-13T02:00:00Z", "2026-06-13T02:00:00Z"),
    ("2026-06-13T06:00:00Z", "2026-06-13T22:00:00Z"),
  ])
  func hoursOverMidnight(arrival: String, firing: String) throws {
    var harness = try inside(at: arrival, #""hours":"22:00-06:00""#)
    harness.wait(86_400)
    #expect(harness.firings.map(\.time) == [try instant(firing)])
  }

  /// Added after the hour of the day, and reached on that day.
  @Test(arguments: ["2026-06-12T07:00:00Z", "2020-01-01T07:00:00Z"])
  func aDailyPlaceAddedAfterItsTimeRingsOnThatDay(due: String) throws {
    let harness = try inside(at: "2026-06-12T07:30:00Z", #""due":"\#(due)","repeat":"daily""#)
    #expect(harness.firings.map { $0.time.rfc3339(zone: .utc).prefix(16) } == ["2026-06-12T07:30"])
  }

  /// An occurrence belongs to its day.
  @Test func aWeeklyPlaceAddedOnAnotherDayWaits() throws {
    let harness = try inside(
      at: "2026-06-12T07:30:00Z", #""due":"2026-06-10T07:00:00Z","repeat":"weekly""#)
    #expect(harness.firings.isEmpty)
  }

  /// No fix can let it fire before the hours begin.
  @Test func aStayThatWaitsForItsHoursIsATimer() throws {
    var harness = try inside(
      at: "2026-06-12T20:00:00Z", #""hours":"21:00-22:00","max_speed_mps":5"#)
    #expect(harness.engine.waiting.isEmpty)
    harness.wait(until: try instant("2026-06-12T21:10:00Z"))
    #expect(harness.engine.waiting.count == 1 && harness.firings.isEmpty)
    harness.fix(0, speed: 2)
    #expect(harness.firings.count == 1 && harness.engine.waiting.isEmpty)
  }

  @Test func hoursAndDaysTogether() throws {
    // A Friday evening; the next Monday morning is the first moment with both.
    var harness = try inside(
      at: "2026-06-12T20:00:00Z", #""hours":"08:00-18:00","days":"mon..thu""#)
    harness.wait(7 * 86_400)
    #expect(harness.firings.map(\.time) == [try instant("2026-06-15T08:00:00Z")])
  }

  @Test func daysAlone() throws {
    // A Friday evening in Berlin; Monday begins there when it is 22:00 elsewhere.
    var harness = try inside(
      at: "2026-06-12T20:00:00Z", zone: Self.berlin, #""days":"mon..thu""#)
    harness.wait(until: try instant("2026-06-14T21:59:59Z"))
    #expect(harness.firings.isEmpty)
    harness.wait(2)
    #expect(harness.firings.map(\.time) == [try instant("2026-06-14T22:00:00Z")])
  }

  /// 02:30 does not come on one day and comes twice on another; the day itself begins as ever.
  @Test(arguments: [
    ("2026-03-29T00:50:00Z", "02:30-04:00", "sun", "2026-03-29T01:00:00Z"),
    ("2026-10-24T23:50:00Z", "02:30-04:00", "sun", "2026-10-25T00:30:00Z"),
    ("2026-03-28T12:00:00Z", "00:00-24:00", "sun", "2026-03-28T23:00:00Z"),
    ("2026-10-25T12:00:00Z", "00:00-24:00", "mon", "2026-10-25T23:00:00Z"),
    ("2026-03-29T02:00:00Z", "09:00-10:00", "sun", "2026-03-29T07:00:00Z"),
    ("2026-10-25T02:00:00Z", "09:00-10:00", "sun", "2026-10-25T08:00:00Z"),
  ])
  func hoursOnTheDaysTheClockChanges(
    arrival: String, hours: String, days: String, firing: String
  ) throws {
    var harness = try inside(
      at: arrival, zone: Self.berlin, #""hours":"\#(hours)","days":"\#(days)""#)
    harness.wait(2 * 86_400)
    #expect(harness.firings.map(\.time) == [try instant(firing)])
  }

  @Test func whatIsHeldBackSurvivesARestart() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""hours":"17:00-18:00""#, #""from":"2026-06-12T18:00:00Z""#,
      #""due":"2026-06-12T19:00:00Z""#, #""hours":"20:00-21:00","on":"dwell","dwell_s":600"#)
    #expect(harness.events.isEmpty)
    harness.restart(after: 600)
    harness.wait(until: try instant("2026-06-12T21:00:00Z"))
    #expect(harness.events == ["0:arrive", "1:arrive", "2:arrive", "3:dwell"])
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T17:00:00Z", "2026-06-12T18:00:00Z", "2026-06-12T19:00:00Z",
        "2026-06-12T20:00:00Z",
      ])
  }

  @Test func whoHasLeftBeforeTheHoursIsNotTold() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""hours":"17:00-18:00","every_visit":true"#,
      #""hours":"17:00-18:00","on":"depart""#)
    harness.walk(from: 0, to: 600)
    harness.wait(3_600)
    #expect(harness.events.isEmpty)
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == ["0:arrive", "1:depart"])
  }

  @Test func cooldownSurvivesARestart() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""every_visit":true,"cooldown_s":3600"#)
    #expect(harness.events == ["0:arrive"])
    for (pause, count) in [(600.0, 1), (600, 1), (3_600, 2)] {
      harness.walk(from: 0, to: 600)
      harness.restart(after: pause)
      harness.walk(from: 600, to: 0)
      #expect(harness.events.count == count)
      // A visit that fell into the cooldown is over with it: nothing is told later.
      harness.wait(1_500)
      #expect(harness.events.count == count)
    }
  }

  @Test func expiryIsToldOnceAndNothingFiresAfterIt() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""hours":"17:00-18:00","until":"2026-06-12T16:30:00Z""#)
    harness.wait(7_200)
    #expect(harness.notices.filter { $0 == .expired(id: "0", title: "x") }.count == 1)
    harness.restart(after: 60)
    harness.wait(86_400)
    harness.walk(from: 600, to: 0)
    #expect(harness.notices.filter { $0 == .expired(id: "0", title: "x") }.count == 1)
    #expect(harness.firings.isEmpty)
    #expect(harness.standings["0"]?.state == .expired)
  }

  @Test func whatHasFiredExpiresSilently() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""every_visit":true,"until":"2026-06-12T16:30:00Z""#)
    harness.wait(7_200)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["0:arrive"])
    #expect(harness.standings["0"]?.state == .expired)
    #expect(!harness.notices.contains(.expired(id: "0", title: "x")))
  }

  /// After a sleep the fix may be handled before the timer that would have ended the reminder.
  @Test(arguments: [#""title":"x""#, #""title":"x","on":"dwell","dwell_s":0"#])
  func aFixBeforeTheTimerOfTheExpiryFiresNothing(members: String) throws {
    var harness = EngineHarness(now: try instant("2026-06-12T16:00:00Z"))
    try harness.add(
      #"{"id":"0",\#(members),"until":"2026-06-12T16:00:10Z",\#(place)}"#)
    for _ in 0..<8 { harness.fix(300) }
    for second in [20.0, 21] {
      harness.now = try instant("2026-06-12T16:00:00Z") + .seconds(second)
      let position = EngineHarness.home
      harness.send(.fix(.init(time: harness.now, position: position, speed: 50, eph: 5)))
    }
    #expect(harness.firings.isEmpty)
    #expect(harness.notices == [.expired(id: "0", title: "x")])
  }

  @Test func tooFastToStopIsNotTold() throws {
    var harness = try inside(at: "2026-06-12T16:00:00Z", #""max_speed_mps":30,"every_visit":true"#)
    #expect(harness.events.isEmpty)
    harness.fix(10, speed: 30.1)
    #expect(harness.events.isEmpty)
    harness.fix(10, speed: 30)
    #expect(harness.events == ["0:arrive"])
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["0:arrive", "0:arrive"])
  }

  /// Inside, with a reminder for more speed and a receiver that gives none.
  private func atRest(minimumSpeed: Int) throws -> EngineHarness {
    var harness = EngineHarness()
    for _ in 0..<15 { harness.fix(0) }
    try harness.add(
      #"{"id":"0","title":"x",\#(place),"min_speed_mps":\#(minimumSpeed),"if_inside":"fire"}"#)
    return harness
  }

  @Test func aWildFixIsNoSpeed() throws {
    var harness = try atRest(minimumSpeed: 6)
    harness.fix(2_000)
    #expect(harness.events.isEmpty)
    for _ in 0..<30 { harness.fix(0) }
    #expect(harness.events.isEmpty)
  }

  @Test func anotherReceiverIsNoSpeed() throws {
    var harness = try atRest(minimumSpeed: 2)
    for second in 0..<60 {
      harness.wait(1)
      let position = EngineHarness.home.destination(bearing: 0, distance: second < 20 ? 0 : 60)
      harness.send(
        .fix(
          Fix(time: harness.now, position: position, eph: 5),
          from: FixOrigin(feed: second < 20 ? 0 : 1)))
    }
    #expect(harness.events.isEmpty)
  }

  @Test func speedIsKnownAgainAfterTheReceiversClockWasSetBack() throws {
    var harness = try atRest(minimumSpeed: 6)
    func fix(_ distance: Double) {
      harness.wait(1)
      let position = EngineHarness.home.destination(bearing: 90, distance: distance)
      harness.send(.fix(Fix(time: harness.now - .hours(1), position: position, eph: 5)))
    }
    for _ in 0..<150 { fix(0) }
    #expect(harness.events.isEmpty)
    for second in 0..<15 { fix(Double(second) * 8) }
    #expect(harness.events == ["0:arrive"])
  }

  @Test func dueAndPlaceAreBothNeeded() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"x","due":"2026-06-12T16:10:00Z","every_visit":true,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    harness.wait(until: try instant("2026-06-12T16:20:00Z"))
    #expect(harness.events.isEmpty)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["a:arrive"])
  }

  @Test func aReminderMadeInsideWaitsOverARestart() throws {
    var harness = EngineHarness()
    for _ in 0..<5 { harness.fix(0) }
    try harness.add(#"{"id":"w","title":"x",\#(place)}"#)
    try harness.add(
      #"{"id":"f","title":"x","if_inside":"fire","hours":"16:30-18:00",\#(place)}"#)
    for _ in 0..<5 { harness.fix(0) }
    harness.restart(after: 60)
    for _ in 0..<5 { harness.fix(0) }
    #expect(harness.events.isEmpty)
    harness.wait(until: try instant("2026-06-12T17:00:00Z"))
    #expect(harness.events == ["f:arrive"])
    #expect(harness.firings.first?.time == (try instant("2026-06-12T16:30:00Z")))
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["f:arrive", "w:arrive"])
  }

  @Test func hoursOpenAfterASpeedThatFailedFirst() throws {
    var harness = try inside(
      at: "2026-06-12T16:00:00Z", #""hours":"15:00-17:00","max_speed_mps":10"#)
    harness.wait(2 * 3600)
    harness.fix(0, speed: 1)
    harness.wait(2 * 86_400)
    #expect(harness.firings.map(\.time) == [try instant("2026-06-13T15:00:00Z")])
  }

  @Test func hoursOpenInTheHourThatTheClockRepeats() throws {
    var harness = try inside(
      at: "2026-10-25T00:50:00Z", zone: Self.berlin, #""hours":"02:15-02:45""#)
    harness.wait(86_400)
    #expect(harness.firings.map(\.time) == [try instant("2026-10-25T01:15:00Z")])
  }

  @Test func anotherZoneOpensTheHours() throws {
    var harness = try inside(at: "2026-06-12T16:00:00Z", #""hours":"18:00-20:00""#)
    harness.send(.zone(Self.berlin))
    #expect(harness.events == ["0:arrive"])
  }

  @Test func aPlaceWithoutADueTimeOnItsDaysDoesNotFire() throws {
    // A Saturday.
    let harness = try inside(
      at: "2026-06-12T16:00:00Z", #""due":"2026-06-06T09:00:00Z","repeat":"weekly","days":"mon""#)
    #expect(harness.events == [])
    let why = harness.engine.why("0", at: harness.now)?.summary
    #expect(why?.contains("it gets another due time or other days") == true)
  }
}
