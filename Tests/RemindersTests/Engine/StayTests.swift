import CivilTime
import Testing

@testable import Reminders

/// Staying somewhere: due times that repeat, windows, holds, snoozes.
///
/// 2026-06-12 is a Friday; the clock starts there at 16:00.
@Suite struct StayTests {
  /// Of a silence the next sign of life is the next visit: it ends the snooze, however early.
  @Test func aSilenceThatIsPutOffBeginsAnewWithTheNextSign() throws {
    var harness = EngineHarness()
    harness.send(.heard)
    try harness.add(
      #"{"id":"s","kind":"location","title":"S","who":"anna","on":"silent","dwell_s":3600}"#)
    harness.wait(60)
    harness.send(.snooze(id: "s", .nextVisit))
    harness.wait(5)
    harness.send(.heard)
    let heard = harness.now
    harness.wait(7200)
    #expect(harness.events == ["s:silent"])
    #expect(harness.firings.last.map { $0.time - heard } == .seconds(3600))
  }

  /// A silence that is on counts, whether the reminder is added or has another due time.
  @Test func aPassedDueTimeGivenDuringASnoozeRingsInTheSameSilence() throws {
    var harness = EngineHarness()
    harness.fix(0)
    harness.wait(3 * 3600)
    let silent = #""id":"s","kind":"location","title":"S","on":"silent","dwell_s":1800"#
    try harness.add("{\(silent)}")
    #expect(harness.events == ["s:silent"])
    harness.wait(600)
    harness.send(.snooze(id: "s", .until(harness.now + .hours(3))))
    harness.wait(600)
    let due = #""due":"2026-06-12T15:00:00Z""#
    try harness.replace("{\(silent),\(due)}")
    #expect(harness.events == ["s:silent", "s:silent"])
  }

  /// It ended while the daemon was off: nobody followed the visit, which is found when a later
  /// `until` arms it again.
  @Test func aVisitIsNotFollowedPastAnEndThatCameMeanwhile() throws {
    var harness = EngineHarness(settings: EngineHarness.exact)
    let dwell =
      #""id":"d","title":"D","kind":"location","on":"dwell","dwell_s":7200,"#
      + EngineHarness.place() + #","due":"2026-06-12T15:00:00Z","repeat":"FREQ=HOURLY;INTERVAL=5""#
    harness.fix(1000)
    try harness.add("{\(dwell),\"until\":\"2026-06-12T18:00:00Z\"}")
    harness.fix(0)
    harness.wait(600)
    harness.restartByLoading(after: 8 * 3600)
    harness.wait(3600)
    harness.fix(0)
    try harness.replace("{\(dwell)}")
    harness.wait(3600)
    #expect(harness.events == [])
  }

  /// Who was at another place was not at this one.
  @Test func anAbsenceForgetsWhoWasAtTheEarlierPlace() throws {
    var harness = EngineHarness(settings: EngineHarness.exact)
    harness.fix(600)
    let away = #""id":"a","title":"A","kind":"location","on":"absent""#
    let due = #""due":"2026-06-12T17:00:00Z""#
    try harness.add("{\(away),\(EngineHarness.place(radius: 1500)),\(due)}")
    harness.wait(60)
    try harness.replace("{\(away),\(EngineHarness.place()),\(due)}")
    harness.wait(3600)
    #expect(harness.events == ["a:absent"])
  }

  /// It gives up the visit that is on, also where an earlier end takes its place.
  @Test func aSnoozeUntilTheNextVisitEndsThisOneForGood() throws {
    var harness = EngineHarness(settings: EngineHarness.exact)
    harness.fix(600)
    try harness.add(
      #"{"id":"d","title":"D","on":"dwell","dwell_s":1800,"every_visit":true,\#(place)}"#)
    harness.fix(0)
    harness.wait(300)
    harness.send(.snooze(id: "d", .nextVisit))
    harness.send(.snooze(id: "d", .by(.minutes(2))))
    let end = harness.now + .minutes(2)
    harness.wait(7200)
    #expect(harness.firings.map(\.time) == [end])
  }

  /// Of a series, too: no due time of the visit that was given up rings in it.
  @Test func aSeriesGivesTheVisitUpAsWell() throws {
    var harness = try atHome(#""due":"2026-06-12T21:00:00Z","repeat":"daily""#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T20:00:00Z"))
    harness.send(.snooze(id: "t", .nextVisit))
    harness.send(.snooze(id: "t", .by(.minutes(10))))
    harness.wait(until: try Instant(rfc3339: "2026-06-13T12:00:00Z"))
    try visit(&harness, at: "2026-06-13T21:30:00Z")
    harness.wait(until: try Instant(rfc3339: "2026-06-13T22:00:00Z"))
    #expect(
      harness.firings.map(\.time.json).map { $0.prefix(16) } == [
        "2026-06-12T20:10", "2026-06-13T21:29",
      ])
  }

  private let place = EngineHarness.place()

  /// At home from the first minute on, with a reminder added before.
  private func atHome(_ members: String, place: String? = nil) throws -> EngineHarness {
    var harness = EngineHarness()
    harness.places["shop"] = [
      NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
    ]
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place ?? self.place),\#(members)}"#)
    harness.walk(from: 600, to: 0)
    return harness
  }

  private func visit(_ harness: inout EngineHarness, at text: String) throws {
    harness.walk(from: 0, to: 600)
    harness.wait(until: try Instant(rfc3339: text) - .seconds(40))
    harness.walk(from: 600, to: 0)
  }

  private static let shapes = [
    EngineHarness.place(), #""near_category":"shop""#,
    #""region":{"type":"Polygon","coordinates":[[[9.98,53.545],[10,53.545],[10,53.555],[9.98,53.555],[9.98,53.545]]]}"#,
  ]

  @Test(arguments: shapes, [#""on":"arrive""#, #""on":"dwell","dwell_s":600"#])
  func aDailyReminderFiresEachDayWhileInside(shape: String, trigger: String) throws {
    var harness = try atHome(
      #""due":"2026-06-12T21:00:00Z","repeat":"daily",\#(trigger)"#, place: shape)
    harness.wait(until: try Instant(rfc3339: "2026-06-15T12:00:00Z"))
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T21:00:00Z", "2026-06-13T21:00:00Z", "2026-06-14T21:00:00Z",
      ])
  }

  @Test func aDailyReminderMadeInsideFiresOnTheSameDay() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(0) }
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"due":"2026-06-12T21:00:00Z","repeat":"daily"}"#)
    for _ in 0..<2 { harness.fix(0) }
    harness.restart(after: 60)
    harness.wait(2 * 86_400)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T21:00:00Z", "2026-06-13T21:00:00Z"])
  }

  @Test func anOccurrenceBelongsToItsDay() throws {
    // Only Saturday's counts, and not from midnight on.
    var harness = try atHome(#""due":"2026-06-12T21:00:00Z","repeat":"daily","days":"sat""#)
    harness.wait(3 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-13T21:00:00Z"])
    // Whoever comes home on the next day is too late for the last one.
    var late = try atHome(#""due":"2026-06-12T21:00:00Z","repeat":"daily","every_visit":true"#)
    late.walk(from: 0, to: 600)
    late.wait(until: try Instant(rfc3339: "2026-06-13T10:00:00Z"))
    late.walk(from: 600, to: 0)
    late.wait(until: try Instant(rfc3339: "2026-06-13T22:00:00Z"))
    #expect(late.firings.map(\.time.json) == ["2026-06-13T21:00:00Z"])
  }

  @Test func withEveryVisitEachVisitAfterTheDueTimeFires() throws {
    var harness = try atHome(#""due":"2026-06-12T17:00:00Z","repeat":"daily","every_visit":true"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T18:00:00Z"))
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
    try visit(&harness, at: "2026-06-12T19:00:00Z")
    #expect(harness.firings.count == 2)
    try visit(&harness, at: "2026-06-13T10:00:00Z")
    #expect(harness.firings.count == 2)
    harness.wait(until: try Instant(rfc3339: "2026-06-13T18:00:00Z"))
    #expect(harness.firings.last?.time.json == "2026-06-13T17:00:00Z")
  }

  @Test func addedAfterItsTimeItHoldsOnTheSameDay() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"due":"2026-06-12T15:00:00Z","repeat":"daily"}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
    harness.wait(86_400)
    #expect(harness.firings.last?.time.json == "2026-06-13T15:00:00Z")
  }

  @Test func hoursAloneFireOnceAVisit() throws {
    var harness = try atHome(#""hours":"18:00-20:00","every_visit":true"#)
    harness.wait(2 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T18:00:00Z"])
    try visit(&harness, at: "2026-06-14T19:00:00Z")
    #expect(harness.firings.count == 2)
  }

  @Test func aNightBelongsToTheDayOnWhichItBegins() throws {
    // Saturday at 03:00 is Friday's night.
    for (days, fires) in [("fri", "2026-06-12T22:00:00Z"), ("sat", "2026-06-13T22:00:00Z")] {
      var harness = try atHome(#""hours":"22:00-06:00","days":"\#(days)""#)
      harness.wait(3 * 86_400)
      #expect(harness.firings.map(\.time.json) == [fires])
    }
    var harness = EngineHarness(now: try Instant(rfc3339: "2026-06-13T03:00:00Z"))
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"hours":"22:00-06:00","days":"fri"}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
  }

  @Test func untilIsInclusive() throws {
    var harness = try atHome(
      #""due":"2026-06-12T21:00:00Z","repeat":"daily","until":"2026-06-13T21:00:00Z""#)
    harness.wait(4 * 86_400)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T21:00:00Z", "2026-06-13T21:00:00Z"])
    #expect(harness.standings["t"]?.state == .expired)
  }

  @Test func theCooldownSkipsAnOccurrenceOfAStay() throws {
    var harness = try atHome(#""due":"2026-06-12T17:00:00Z","repeat":"hourly","cooldown_s":7200"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T20:30:00Z"))
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z", "2026-06-12T19:00:00Z"])
  }

  @Test func doneInAdvanceSkipsOneOccurrenceOfAStay() throws {
    var harness = try atHome(#""due":"2026-06-12T21:00:00Z","repeat":"daily""#)
    harness.send(.done(id: "t"))
    harness.wait(2 * 86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-13T21:00:00Z"])
  }

  // MARK: - Departures with a hold

  @Test func aHeldDepartureFiresAfterThatLongOutside() throws {
    var harness = try atHome(#""on":"depart","dwell_s":600,"every_visit":true"#)
    harness.walk(from: 0, to: 600)
    harness.wait(300)
    harness.walk(from: 600, to: 0)
    harness.wait(1_200)
    #expect(harness.events == [])
    harness.walk(from: 0, to: 600)
    let left = harness.kept["t"]?.staySince
    harness.restart(after: 60)
    harness.wait(1_200)
    #expect(harness.events == ["t:depart"])
    #expect(harness.firings.first.map { $0.time - .minutes(10) } == left)
  }

  // MARK: - Speed and course

  @Test func speedAndCourseComeFromPositionsWhereNothingElseDoes() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"slow","title":"T",\#(place),"max_speed_mps":10}"#)
    try harness.add(#"{"id":"fast","title":"T",\#(place),"min_speed_mps":10}"#)
    try harness.add(#"{"id":"west","title":"T",\#(place),"heading":"w..n"}"#)
    try harness.add(#"{"id":"east","title":"T",\#(place),"heading":"45-135"}"#)
    // Westwards at 15 m/s, from the east.
    for distance in stride(from: 600.0, through: 0, by: -15) { harness.fix(distance) }
    #expect(harness.events == ["fast:arrive", "west:arrive"])
    for _ in 0..<30 { harness.fix(0) }
    #expect(harness.events == ["fast:arrive", "west:arrive", "slow:arrive"])
  }

  @Test func aHeadingMayBeRelativeToThePlace() throws {
    var harness = EngineHarness()
    let wide = EngineHarness.place(radius: 3_000)
    try harness.add(#"{"id":"in","title":"T",\#(wide),"heading":"toward"}"#)
    try harness.add(#"{"id":"out","title":"T",\#(wide),"heading":"away"}"#)
    for distance in stride(from: 6_000.0, through: 2_000, by: -15) { harness.fix(distance) }
    #expect(harness.events == ["in:arrive"])
    for _ in 0..<60 { harness.fix(2_000) }
    for distance in stride(from: 2_000.0, through: 2_600, by: 15) { harness.fix(distance) }
    #expect(harness.events == ["in:arrive", "out:arrive"])
    let why = harness.engine.why("out", at: harness.now)?.gates.first { $0.name == "heading" }
    #expect(why?.says.hasPrefix("It may fire on the way away from the place, and you go ") == true)
  }

  @Test func anUnknownSpeedIsNotSlow() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T",\#(place),"max_speed_mps":10,"if_inside":"fire"}"#)
    for _ in 0..<3 { harness.fix(0) }
    #expect(harness.events == [])
    harness.fix(0, speed: 1)
    #expect(harness.events == ["t:arrive"])
  }

  // MARK: - Snoozes

  @Test func aSnoozeThatEndsInsideRingsOnce() throws {
    // It rang on an earlier visit, and is snoozed outside.
    for members in [#""every_visit":true"#, #""notes":"""#] {
      var harness = try atHome(members)
      harness.walk(from: 0, to: 600)
      harness.send(.snooze(id: "t", .until(harness.now + .minutes(10))))
      harness.walk(from: 600, to: 0)
      for _ in 0..<60 { harness.fix(0, after: 20) }
      #expect(harness.events == ["t:arrive", "t:due"])
    }
    // Also where it has not rung yet.
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"every_visit":true}"#)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(10))))
    harness.walk(from: 600, to: 0)
    #expect(harness.events == [])
    for _ in 0..<60 { harness.fix(0, after: 20) }
    #expect(harness.events == ["t:due"])
  }

  @Test func aSnoozeOfADateThatIsNotDueYetMovesItLater() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T17:00:00Z"}"#)
    try harness.add(#"{"id":"u","title":"U","due":"2026-06-12T17:00:00Z"}"#)
    harness.send(.snooze(id: "t", .by(.minutes(20))))
    harness.send(.snooze(id: "u", .until(harness.now + .minutes(1))))
    harness.wait(86_400)
    #expect(
      harness.firings.map { "\($0.reminderID) \($0.time.json)" }
        == ["u 2026-06-12T17:00:00Z", "t 2026-06-12T17:20:00Z"])
  }

  // MARK: - Added outside

  @Test func oneAddedOutsideFiresAtTheNextArrivalHoweverFarApartTheFixes() throws {
    for shape in Self.shapes {
      var harness = EngineHarness()
      harness.places["shop"] = [
        NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
      ]
      for _ in 0..<3 { harness.fix(5_000) }
      try harness.add(#"{"id":"t","title":"T",\#(shape)}"#)
      harness.wait(8 * 3600)
      for _ in 0..<3 { harness.fix(0) }
      #expect(harness.events == ["t:arrive"], "\(shape)")
    }
  }

  // MARK: - Repetitions until acknowledged

  @Test func repetitionsKeepToTheHours() throws {
    var harness = try atHome(
      #""nag_s":3600,"hours":"16:00-18:00","until":"2026-06-13T17:30:00Z","every_visit":true"#)
    harness.wait(3 * 86_400)
    let first = try #require(harness.firings.first).time
    #expect(
      harness.firings.dropFirst().map(\.time) == [
        first + .hours(1), try Instant(rfc3339: "2026-06-13T16:00:00Z"),
        try Instant(rfc3339: "2026-06-13T17:00:00Z"),
      ])
  }

  /// Wherever the restarts are, there are 24 repetitions, each at its time. Promise: nag-restart.
  @Test(arguments: [1, 7, 60, 600]) func repetitionsGoOnAfterARestart(seconds: Double) throws {
    var harness = EngineHarness()
    let start = harness.now
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T16:00:30Z","nag_s":60}"#)
    for _ in 0..<Int(1_800 / seconds) {
      harness.wait(seconds)
      harness.restart()
    }
    let due = start + .seconds(30)
    #expect(harness.firings.map(\.time) == (0...24).map { due + .minutes(Double($0)) })
  }

  /// Promise: nag-24.
  @Test func repetitionsHaveTheLimitThatIsSet() throws {
    for (limit, count) in [("", 25), (#","nag_limit":3"#, 4), (#","nag_limit":"none""#, 61)] {
      var harness = EngineHarness()
      try harness.add(
        #"{"id":"t","title":"T","due":"2026-06-12T16:00:00Z","nag_s":60\#(limit)}"#)
      harness.wait(3600)
      #expect(harness.firings.count == count)
    }
  }

  @Test func aFiringOfItsOwnStandsForTheRepetitionOfTheSameMoment() throws {
    var harness = try atHome(#""due":"2026-06-12T17:00:00Z","repeat":"hourly","nag_s":3600"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T19:30:00Z"))
    #expect(harness.firings.map(\.time.json).count == 3)
  }

  @Test func theEndOfASnoozeStandsForTheDueTimeThatHasBegun() throws {
    var harness = try atHome(#""due":"2026-06-12T17:00:00Z","repeat":"hourly""#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T17:05:00Z"))
    harness.send(.snooze(id: "t", .until(try Instant(rfc3339: "2026-06-12T18:10:00Z"))))
    harness.wait(until: try Instant(rfc3339: "2026-06-12T19:30:00Z"))
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T17:00:00Z", "2026-06-12T18:10:00Z", "2026-06-12T19:00:00Z",
      ])
  }

  // MARK: - Added inside

  @Test func oneAddedInsideFiresAtItsDueTime() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(0) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"due":"2026-06-12T21:00:00Z"}"#)
    harness.wait(86_400)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T21:00:00Z"])
  }

  @Test func oneAddedInsideFiresAtTheNextDepartureHoweverFarApartTheFixes() throws {
    for shape in Self.shapes {
      var harness = EngineHarness()
      harness.places["shop"] = [
        NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
      ]
      for _ in 0..<3 { harness.fix(0) }
      try harness.add(#"{"id":"t","title":"T","on":"depart",\#(shape)}"#)
      harness.wait(8 * 3600)
      for _ in 0..<22 { harness.fix(5_000) }
      #expect(harness.events == ["t:depart"], "\(shape)")
    }
  }
}
