import CivilTime
import Geodesy
import JSONText
import Testing

@testable import Reminders

/// Changes of a reminder: what they arm again, what they keep and what they clear.
@Suite struct EditTests {
  private let place = EngineHarness.place()

  private func edit(
    _ harness: inout EngineHarness, _ id: String, _ change: (inout Reminder) -> Void
  ) throws {
    let known = harness.engine.reminder(id)
    var reminder = try #require(known)
    change(&reminder)
    harness.send(.replace(reminder))
  }

  @Test func everyVisitArmsAReminderThatHasFired() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    try edit(&harness, "t") { $0.everyVisit = true }
    for _ in 0..<5 { harness.fix(0) }
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive", "t:arrive"])
  }

  /// The device stays where it is, and the reminder, over but for a snooze, is another one.
  @Test func aVisitGoesOnUnderATriggerThatIsGivenDuringASnooze() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.send(.snooze(id: "t", .by(.hours(5))))
    let due = TimeStamp.absolute(harness.now + .minutes(40))
    try edit(&harness, "t") {
      $0.trigger = .dwell
      $0.dwell = .minutes(30)
      $0.due = due
    }
    harness.wait(3600)
    #expect(harness.events == ["t:arrive", "t:dwell"])
  }

  /// It is over, though a snooze has kept the last of its leads from ringing.
  @Test func otherLeadsDoNotBringBackADueTimeThatIsOver() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:45:00Z","lead_s":[1200,0],"travel_s":600,"#
        + #""transport":"walking",\#(place)}"#)
    harness.fix(3000)
    harness.wait(20 * 60)
    #expect(harness.events == ["t:leave"])
    harness.send(.snooze(id: "t", .by(.hours(3))))
    harness.wait(40 * 60)
    try edit(&harness, "t") { $0.leads = [] }
    harness.wait(3600)
    #expect(harness.events == ["t:leave"])
  }

  @Test func whoMovesTheTimeHasHeardIt() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T16:10:00Z","nag_s":300}"#)
    harness.wait(17 * 60)
    #expect(harness.events == ["t:due", "t:due"])
    let later = TimeStamp.absolute(harness.now + .hours(1))
    try edit(&harness, "t") { $0.due = later }
    #expect(harness.engine.history("t")?.isUnacknowledged == false)
    harness.wait(50 * 60)
    #expect(harness.events.count == 2)
    harness.wait(12 * 60)
    #expect(harness.events == ["t:due", "t:due", "t:due"])
  }

  /// The place itself was changed: its radius, or its name.
  @Test(arguments: [50.0, 120]) func aPlaceThatIsChangedRingsNothingAgain(radius: Double) throws {
    var harness = EngineHarness()
    for (id, more) in [
      ("once", #""if_inside":"fire""#), ("each", #""every_visit":true,"if_inside":"fire""#),
      ("away", #""on":"depart","every_visit":true"#),
    ] {
      try harness.add(#"{"id":"\#(id)","title":"T",\#(more),\#(place)}"#)
    }
    harness.walk(from: 600, to: 0)
    #expect(harness.events.sorted() == ["each:arrive", "once:arrive"])
    for id in ["once", "each", "away"] {
      let known = harness.engine.reminder(id)
      var reminder = try #require(known)
      reminder.place = Reminder.Place(
        name: "Home", position: EngineHarness.home, radius: radius)
      harness.send(.replace(reminder, follows: true))
    }
    for _ in 0..<20 { harness.fix(0) }
    #expect(harness.events.count == 2)
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events.dropFirst(2).sorted() == ["away:depart", "each:arrive"])
  }

  @Test func anotherPlaceArmsAReminderThatHasFired() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    let other = EngineHarness.home.destination(bearing: 90, distance: 600)
    try edit(&harness, "t") { $0.place = Reminder.Place(position: other, radius: 50) }
    harness.walk(from: 0, to: 630)
    #expect(harness.events == ["t:arrive", "t:arrive"])
    // Another title does not.
    try edit(&harness, "t") { $0.title = "U" }
    #expect(harness.standings["t"]?.state == .fired)
  }

  @Test func aLaterUntilArmsAReminderThatHasExpired() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","until":"2026-06-12T16:30:00Z","every_visit":true,\#(place)}"#)
    try harness.add(
      #"{"id":"d","title":"D","due":"2026-06-12T16:10:00Z","hours":"08:00-12:00","until":"2026-06-12T16:30:00Z"}"#
    )
    harness.wait(3600)
    #expect(harness.standings["t"]?.state == .expired)
    let later = TimeStamp.absolute(harness.now + .hours(24))
    try edit(&harness, "t") { $0.until = later }
    try edit(&harness, "d") { $0.until = later }
    harness.walk(from: 600, to: 0)
    harness.wait(86_400)
    #expect(harness.events == ["t:arrive", "d:due"])
  }

  /// The titles of the reminders that were reported as expired.
  private func expired(_ harness: borrowing EngineHarness) -> [String] {
    harness.notices.compactMap { if case .expired(_, let title) = $0 { title } else { nil } }
  }

  @Test func anExpiredReminderIsReportedOnceAlsoWhenItsTitleChanges() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","until":"2026-06-12T16:30:00Z",\#(place)}"#)
    harness.wait(3600)
    try edit(&harness, "t") { $0.title = "U" }
    #expect(expired(harness) == ["T"])
    let soon = TimeStamp.absolute(harness.now + .hours(1))
    try edit(&harness, "t") { $0.until = soon }
    harness.wait(2 * 3600)
    #expect(expired(harness) == ["T", "U"])
  }

  /// The end of a snooze stands for the lead that it has moved.
  @Test func otherLeadsRingForADueTimeWhoseLeadRangAtTheEndOfASnooze() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T17:00:00Z","lead_s":[1800]}"#)
    harness.send(.snooze(id: "t", .by(.minutes(10))))
    harness.wait(55 * 60)
    #expect(harness.events == ["t:due"])
    try edit(&harness, "t") { $0.leads = [] }
    harness.wait(3600)
    #expect(harness.events == ["t:due", "t:due"])
  }

  @Test func otherDaysMoveARepeatingReminder() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T17:00:00Z","repeat":"daily"}"#)
    try edit(&harness, "t") { $0.days = WeekdaySet(.sunday) }
    harness.wait(4 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-14T17:00:00Z"])
  }

  @Test(arguments: [
    #""kind":"date","due":"2026-06-12T17:00:00Z""#,
    #""kind":"preemptive","due":"2026-06-12T17:00:00Z","travel_s":60,\#(EngineHarness.place())"#,
  ])
  func anUntilThatHasJustPassedArmsNoReminderThatHasFired(members: String) throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T",\#(members)}"#)
    harness.wait(7200)
    #expect(harness.firings.count == 1)
    let until = TimeStamp.absolute(harness.now - .seconds(1))
    try edit(&harness, "t") {
      $0.leads = [.seconds(600)]
      $0.until = until
    }
    harness.wait(3600)
    #expect(harness.firings.count == 1)
    #expect(harness.standings["t"]?.state == .fired)
  }

  @Test func aRepetitionThatWasTakenAwayDoesNotComeBack() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","kind":"date","due":"2026-06-12T17:00:00Z","nag_s":3600}"#)
    harness.wait(4000)
    let until = TimeStamp.absolute(harness.now - .seconds(1))
    try edit(&harness, "t") {
      $0.leads = [.seconds(600)]
      $0.until = until
      $0.nag = nil
    }
    harness.wait(7200)
    let due = TimeStamp.absolute(harness.now + .hours(5))
    try edit(&harness, "t") {
      $0.due = due
      $0.until = nil
      $0.nag = .hours(1)
    }
    harness.wait(3600)
    #expect(harness.events == ["t:due"])
  }

  @Test func aRepetitionThatUntilHasEndedDoesNotComeBack() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","kind":"date","due":"2026-06-12T17:30:00Z","nag_s":3600,"#
        + #""hours":"17:00-18:00","until":"2026-06-12T20:00:00Z"}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T22:00:00Z"))
    let due = TimeStamp.absolute(harness.now + .hours(5))
    try edit(&harness, "t") {
      $0.due = due
      $0.until = nil
      $0.hours = nil
    }
    harness.wait(7200)
    #expect(harness.events == ["t:due"])
  }

  @Test func anotherPlaceKeepsASnooze() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"due":"2026-06-12T15:00:00Z","repeat":"FREQ=DAILY;COUNT=1"}"#
    )
    harness.walk(from: 600, to: 0)
    let end = harness.now + .hours(12)
    harness.send(.snooze(id: "t", .until(end)))
    harness.wait(11 * 3600)
    let other = EngineHarness.home.destination(bearing: 90, distance: 600)
    try edit(&harness, "t") { $0.place = Reminder.Place(position: other, radius: 50) }
    harness.wait(86_400)
    #expect(harness.events == ["t:arrive", "t:due"])
    #expect(harness.firings.last?.time == end)
  }

  // MARK: - Documents

  /// Both due times of the series have rung. After the snooze the last one waits at the other place.
  @Test func anotherPlaceArmsASeriesThatHasRungAlsoDuringASnooze() throws {
    var harness = EngineHarness(settings: EngineHarness.exact)
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:00:00Z","repeat":"FREQ=DAILY;COUNT=1",\#(place)}"#
    )
    harness.walk(from: 600, to: 0)
    #expect(harness.standings["t"]?.state == .fired)
    harness.send(.snooze(id: "t", .by(.hours(1))))
    try edit(&harness, "t") {
      $0.place?.position = EngineHarness.home.destination(bearing: 0, distance: 5_000)
    }
    harness.wait(2 * 3600)
    #expect(harness.standings["t"]?.state == .armed)
  }

  /// It was in force at the end of `until`, and nothing has used it.
  @Test func aSeriesThatUntilEndsDoesNotCountAsFired() throws {
    var harness = EngineHarness(settings: EngineHarness.exact)
    try harness.add(#"{"id":"t","title":"T",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.wait(20 * 3600)

    let rule = try RepeatRule(parsing: "FREQ=DAILY;COUNT=1")
    try edit(&harness, "t") {
      $0.due = .absolute(EngineHarness.start)
      $0.repeatRule = rule
      $0.until = .absolute(EngineHarness.start + .hours(2))
      $0.place?.radius = 50
    }
    #expect(harness.standings["t"]?.state == .expired)
  }

  private func changed(_ old: String, _ changes: String) throws -> JSONObject {
    Reminder.document(
      try #require(try JSONParser.parse(old).object),
      with: try #require(try JSONParser.parse(changes).object))
  }

  @Test func ofAMemberThatIsSaidTwiceTheLastOneCounts() throws {
    let twice = #""repeat_also":["2026-06-13T09:00:00Z"],"repeat_also":["2026-06-14T09:00:00Z"]"#
    let json = #"{"title":"T","due":"2026-06-12T09:00:00Z","x":1,\#(twice),"x":2}"#
    let document = try #require(try JSONParser.parse(json).object)
    #expect(document.members.map(\.key) == ["title", "due", "x", "repeat_also"])
    let reminder = try Reminder(json: document, newID: "t")
    #expect(
      reminder.repeatChanges.additions == [.absolute(try Instant(rfc3339: "2026-06-14T09:00:00Z"))])
    #expect(reminder.unknown["x"]?.int == 2)
    #expect(
      try changed(#"{"a":1,"b":2,"c":3}"#, #"{"a":null,"b":4,"a":5,"c":null}"#)
        == (try JSONParser.parse(#"{"a":5,"b":4}"#)).object)
  }

  @Test func anotherPlaceKeepsTheRadius() throws {
    let place = #"{"place":{"lat":1,"lon":2,"radius_m":80}}"#
    #expect(
      try changed(place, #"{"place":{"lat":3,"lon":4}}"#)["place"]?["radius_m"]?.double == 80)
    #expect(
      try changed(place, #"{"place":{"lat":3,"lon":4,"radius_m":90}}"#)["place"]?["radius_m"]?
        .double
        == 90)
  }

  @Test func aNewShapeClearsTheOldOne() throws {
    let near = #"{"near_category":"shop","radius_m":60}"#
    let region = try changed(near, #"{"region":{"type":"Polygon"}}"#)
    #expect(region.members.map(\.key) == ["region"])
    let back = try changed(
      #"{"region":{"type":"LineString"},"width_m":40}"#, #"{"near_category":"shop"}"#)
    #expect(back.members.map(\.key) == ["near_category"])
  }

  @Test func anArrivalHasNoHold() throws {
    #expect(
      try changed(#"{"on":"dwell","dwell_s":600}"#, #"{"on":"arrive"}"#).members.map(\.key)
        == ["on"])
    #expect(
      try changed(#"{"on":"dwell","dwell_s":600}"#, #"{"on":"depart"}"#)["dwell_s"]?.double == 600)
  }

  // MARK: - Another due time, other hours and days

  @Test func aNewDueTimeFindsTheVisitAsANewReminderDoes() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"every_visit":true}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
    let past = harness.now - .hours(1)
    try edit(&harness, "t") { $0.due = .absolute(past) }
    harness.wait(60)
    #expect(harness.events == ["t:arrive"])
    let due = harness.now + .hours(1)
    try edit(&harness, "t") { $0.due = .absolute(due) }
    harness.wait(86_400)
    #expect(harness.events == ["t:arrive", "t:arrive"])
    #expect(harness.firings.last?.time == due)
  }

  /// A crossing counts once the device is surely outside again.
  @Test func anUndecidedPassOutlivesAnEdit() throws {
    var harness = EngineHarness()
    for id in ["a", "b", "c"] { try harness.add(#"{"id":"\#(id)","title":"T",\#(place)}"#) }
    for distance in [2474.0, 1342] {
      harness.fix(distance, bearing: distance > 2000 ? 166 : 153.4, after: 30, speed: 40)
    }
    harness.fix(600, after: 30, speed: 40)
    harness.fix(130, bearing: 300, after: 30, speed: 20, eph: 20)
    try edit(&harness, "a") { $0.title = "U" }
    let found = harness.engine.reminder("b")
    let kept = harness.engine.history("b")
    harness.send(.restore(try #require(found), try #require(kept)))
    #expect(harness.events.isEmpty)
    harness.fix(1800, bearing: 270, after: 30, speed: 40)
    #expect(harness.events.sorted() == ["a:pass", "b:pass", "c:pass"])
  }

  /// Undo of a removal: nobody has seen the device leave meanwhile.
  @Test func aStayThatTheLastFixContradictsIsNotRestored() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"on":"depart","every_visit":true}"#)
    harness.walk(from: 600, to: 0)
    let found = harness.engine.reminder("t")
    let kept = harness.engine.history("t")
    if case .inside = kept?.stay {} else { Issue.record("it is not inside") }
    harness.send(.remove(id: "t"))
    harness.walk(from: 0, to: 900)
    harness.send(.restore(try #require(found), try #require(kept)))
    for _ in 0..<30 { harness.fix(900) }
    #expect(harness.events.isEmpty)
  }

  /// What other days left out, and has passed, does not ring for the new ones.
  @Test func moreDaysDoNotBringBackThePast() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T10:00:00Z","repeat":"daily","days":"mon"}"#)
    harness.wait(2 * 86_400)
    try edit(&harness, "t") { $0.days = nil }
    harness.wait(86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-15T10:00:00Z"])
  }

  @Test func otherHoursKeepTheOccurrenceThatWaits() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:30:00Z","repeat":"daily","hours":"20:00-22:00"}"#
    )
    harness.wait(3600)
    let hours = try HourRange(parsing: "18:00-22:00")
    try edit(&harness, "t") { $0.hours = hours }
    harness.wait(until: try Instant(rfc3339: "2026-06-13T12:00:00Z"))
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T18:00:00Z"])
  }

  @Test func otherHoursDoNotFireAnOccurrenceAgain() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"due":"2026-06-12T15:00:00Z","repeat":"daily"}"#)
    harness.walk(from: 600, to: 0)
    let hours = try HourRange(parsing: "08:00-22:00")
    try edit(&harness, "t") { $0.hours = hours }
    harness.wait(3600)
    #expect(harness.events == ["t:arrive"])
  }

  /// The first of two due times has fired, and the other days leave the second one out.
  @Test func otherDaysThatLeaveOutTheLastDueTimeEndTheReminder() throws {
    var harness = EngineHarness()
    let rule = #""due":"2026-06-12T15:00:00Z","repeat":"FREQ=DAILY;COUNT=2""#
    try harness.add(#"{"id":"t","title":"T","on":"depart",\#(place),\#(rule)}"#)
    func visit() {
      harness.walk(from: 600, to: 0)
      harness.walk(from: 0, to: 600)
    }
    visit()
    #expect(harness.events == ["t:depart"])
    let days = try WeekdaySet(parsing: "fri,mon")
    try edit(&harness, "t") { $0.days = days }
    visit()
    #expect(harness.events == ["t:depart"])
    // Without them the second one counts.
    try edit(&harness, "t") { $0.days = nil }
    harness.wait(until: try Instant(rfc3339: "2026-06-13T15:30:00Z"))
    visit()
    #expect(harness.events == ["t:depart", "t:depart"])
  }

  @Test func aRepetitionFollowsOtherHours() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:00:00Z","nag_s":7200,"hours":"15:00-17:00"}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T18:30:00Z"))
    let hours = try HourRange(parsing: "15:00-20:00")
    try edit(&harness, "t") { $0.hours = hours }
    harness.wait(3600)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T16:00:00Z", "2026-06-12T18:30:00Z"])
  }
}
