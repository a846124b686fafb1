import CivilTime
import Testing

@testable import Reminders

/// Clocks that are set, stand still, or are not to be believed: each due time fires once, and says
/// by how much it is late.
@Suite struct ClockTests {
  private static let tea =
    #"{"id":"t","kind":"date","title":"Tea","due":"2026-06-12T17:00:00Z"}"#

  /// Steps of the clock before and after the due time at 17:00, from 16:00.
  @Test(
    arguments: [
      (3600.0, 0.0), (-3600, 0), (86_400, 82_800), (-86_400, 0), (3600 * 1.5, 1800),
    ] as [(Double, Double)])
  func aStepFiresOnce(step: Double, late: Double) throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    harness.now += .seconds(step)
    harness.send(.clockSet)
    harness.send(.tick)
    harness.wait(2 * 86_400)
    #expect(harness.firings.map { $0.late ?? .zero } == [.seconds(late)])
    // And the way back: it fires at its true time.
    harness.now = EngineHarness.start
    harness.send(.clockSet)
    harness.wait(3 * 86_400)
    #expect(harness.firings.map(\.repeated) == [nil, .clock])
    #expect(harness.firings.last?.time.json == "2026-06-12T17:00:00Z")
  }

  @Test func from1970ToNow() throws {
    var harness = EngineHarness(now: Instant(seconds: 60))
    harness.send(.clockTrust(false))
    try harness.add(Self.tea)
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-01T16:30:00Z","repeat":"daily"}"#)
    harness.wait(3600)
    #expect(harness.firings.isEmpty)
    harness.now = EngineHarness.start + .hours(2)
    harness.send(.clockSet)
    #expect(harness.firings.isEmpty, "The clock is not trusted yet")
    #expect(harness.engine.heldCount == 2)
    harness.send(.clockTrust(true))
    #expect(harness.events == ["r:late", "t:late"])
    #expect(harness.firings.map(\.late) == [.minutes(90), .hours(1)])
    #expect(harness.firings.first?.due?.json == "2026-06-12T16:30:00Z")
    #expect(harness.engine.heldCount == 0)
    harness.wait(86_400)
    #expect(harness.events == ["r:late", "t:late", "r:due"])
  }

  @Test func to2038AndBack() throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    try harness.add(
      #"{"id":"late","kind":"date","title":"L","due":"2039-01-01T00:00:00Z"}"#)
    harness.now = Instant(seconds: 2_147_483_648)
    harness.send(.clockSet)
    harness.send(.tick)
    #expect(harness.events == ["t:late"])
    harness.now = EngineHarness.start
    harness.send(.clockSet)
    harness.wait(until: Instant(seconds: 2_177_500_000))
    #expect(harness.events == ["t:late", "t:due", "late:due"])
  }

  /// The clock is in 2038 while it is not trusted: nothing fires, expires or moves on.
  @Test func aFutureThatIsNotTrustedChangesNothing() throws {
    var harness = EngineHarness()
    harness.send(.clockTrust(false))
    try harness.add(Self.tea)
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T16:30:00Z","repeat":"daily"}"#)
    try harness.add(
      #"{"id":"u","kind":"location","title":"U","until":"2027-01-01T00:00:00Z",\#(EngineHarness.place())}"#
    )
    harness.now = Instant(seconds: 2_147_483_648)
    harness.send(.clockSet)
    harness.wait(7200)
    #expect(harness.firings.isEmpty)
    harness.now = EngineHarness.start
    harness.send(.clockSet)
    harness.send(.clockTrust(true))
    harness.wait(2 * 3600)
    #expect(harness.events == ["r:due", "t:due"])
    #expect(harness.standings["u"]?.state != .expired)
  }

  /// Times to leave are held like dates: neither told by a wrong clock nor left out once it is
  /// right.
  @Test func leavingWaitsForATrustedClock() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    harness.send(.clockTrust(false))
    for (id, due) in [("soon", "2026-06-12T17:00:00Z"), ("later", "2026-06-12T20:00:00Z")] {
      try harness.add(
        #"{"id":"\#(id)","kind":"preemptive","title":"T","due":"\#(due)","transport":"walking","#
          + #"\#(EngineHarness.place())}"#)
    }
    #expect(harness.engine.heldCount == 0)
    // 31 minutes on foot.
    harness.wait(2_400)
    #expect(harness.firings.isEmpty && harness.engine.heldCount == 1)
    let waiting = harness.engine.waitingForClock(limit: 5, at: harness.now)
    #expect(waiting.map(\.reminder.id) == ["soon"])
    #expect(harness.engine.upcoming(limit: 5, at: harness.now).map(\.reminder.id) == ["later"])
    // Fixes and further time bring nothing about.
    harness.fix(2_500)
    harness.wait(600)
    #expect(harness.firings.isEmpty)
    harness.send(.clockTrust(true))
    #expect(harness.events == ["soon:late"])
    #expect(harness.engine.heldCount == 0)
    #expect(harness.engine.waitingForClock(limit: 5, at: harness.now).isEmpty)
    harness.wait(5 * 3_600)
    #expect(harness.events.filter { $0.hasPrefix("later") } == ["later:leave"])
  }

  /// The clock was ahead: what it had brought about too early waits for its own time.
  @Test func whatWasHeldByAClockAheadWaitsOn() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    harness.send(.clockTrust(false))
    try harness.add(
      #"{"id":"l","kind":"preemptive","title":"T","due":"2026-06-12T20:00:00Z","#
        + #""transport":"walking",\#(EngineHarness.place())}"#)
    let right = harness.now
    harness.now += .hours(24)
    harness.send(.clockSet)
    #expect(harness.firings.isEmpty && harness.engine.heldCount == 1)
    harness.now = right
    harness.send(.clockSet)
    harness.send(.clockTrust(true))
    #expect(harness.firings.isEmpty && harness.engine.heldCount == 0)
    harness.wait(4 * 3_600)
    #expect(harness.events == ["l:leave"])
  }

  /// Asleep from 16:00 to midnight, over three due times.
  @Test func suspendOverThreeDueTimes() throws {
    var harness = EngineHarness()
    for hour in [17, 19, 22] {
      try harness.add(
        #"{"id":"t\#(hour)","kind":"date","title":"T","due":"2026-06-12T\#(hour):00:00Z"}"#)
    }
    harness.now += .hours(8)
    harness.send(.tick)
    #expect(harness.events == ["t17:late", "t19:late", "t22:late"])
    #expect(harness.firings.map(\.late) == [.hours(7), .hours(5), .hours(2)])
    guard case .missed(let missed) = harness.notices.last else {
      Issue.record("no digest: \(harness.notices)")
      return
    }
    #expect(missed.reported == 3 && missed.leftOut == 0)
    #expect(missed.span.lowerBound.json == "2026-06-12T17:00:00Z")
    #expect(missed.span.upperBound.json == "2026-06-12T22:00:00Z")
    harness.wait(86_400)
    #expect(harness.firings.count == 3)
  }

  /// 02:30 every day in Berlin, over both changes of 2026.
  @Test(arguments: [
    (
      "2026-03-28T02:30:00",
      ["2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]
    ),
    (
      "2026-10-24T02:30:00",
      ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    ),
  ])
  func daylightSavingTime(due: String, expected: [String]) throws {
    let zone = try TimeZoneRules(named: "Europe/Berlin")
    let first = try TimeStamp(parsing: due).instant(in: zone)
    var harness = EngineHarness(zone: zone, now: first - .hours(1))
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"\#(due)","repeat":"FREQ=DAILY;COUNT=3"}"#)
    harness.wait(4 * 86_400)
    #expect(harness.firings.map(\.time.json) == expected)
    #expect(harness.firings.allSatisfy { $0.late == nil })
  }

  @Test func whatIsSkippedForItsAgeIsInTheDigest() throws {
    var settings = EngineSettings()
    settings.skipOlderThan = .minutes(90)
    var harness = EngineHarness(settings: settings)
    for hour in [17, 19] {
      try harness.add(
        #"{"id":"t\#(hour)","kind":"date","title":"T","due":"2026-06-12T\#(hour):00:00Z"}"#)
    }
    harness.restartByLoading(after: 4 * 3600)
    #expect(harness.events == ["t19:late"])
    guard case .missed(let missed) = harness.notices.last else {
      Issue.record("no digest: \(harness.notices)")
      return
    }
    #expect(missed.reported == 1 && missed.leftOut == 1)
  }

  @Test func aRepetitionWaitsForATrustedClock() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T16:30:00Z","nag_s":600}"#)
    harness.wait(1_800)
    #expect(harness.firings.count == 1)
    harness.send(.clockTrust(false))
    harness.wait(3_600)
    #expect(harness.firings.count == 1)
    harness.send(.clockTrust(true))
    #expect(harness.firings.count == 2)
  }

  @Test func whatComesNextNamesARepetition() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T16:30:00Z","nag_s":600}"#)
    func next() -> [String] {
      harness.engine.upcoming(limit: 5, at: harness.now).map {
        "\($0.reminder.id) \(Int(($0.moment - EngineHarness.start).seconds)) \($0.isRepeated)"
      }
    }
    #expect(next() == ["t 1800 false"])
    harness.wait(1_900)
    #expect(next() == ["t 2400 true"])
    harness.wait(600)
    #expect(next() == ["t 3000 true"] && harness.firings.count == 2)
    harness.send(.done(id: "t"))
    #expect(next().isEmpty)
  }

  /// A step of the clock makes no fix older.
  @Test func afterAStepTheAgeOfAFixCountsAnew() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(EngineHarness.place())}"#)
    harness.fix(3_000)
    harness.now += .hours(5)
    harness.send(.clockSet)
    let gates = harness.engine.why("a", at: harness.now)?.gates
    let fix = try #require(gates?.first { $0.name == "fix" })
    #expect(fix.isOpen, "\(fix)")
    #expect(harness.notices == [])
  }

  @Test func placesFireWithoutATrustedClockButNotByTheHour() throws {
    var harness = EngineHarness()
    harness.send(.clockTrust(false))
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(EngineHarness.place())}"#)
    try harness.add(
      #"{"id":"h","kind":"location","title":"H","hours":"08:00-18:00",\#(EngineHarness.place())}"#)
    harness.walk(from: 400, to: 10)
    harness.wait(5)
    #expect(harness.events == ["a:arrive"])
    harness.send(.clockTrust(true))
    #expect(harness.events == ["a:arrive", "h:arrive"])
  }
}

extension TimeZoneRules {
  /// So many hours west of UTC.
  fileprivate static func west(_ hours: Int) -> Self {
    Self(name: "W", fixedOffset: -hours * 3600, abbreviation: "W")
  }
}

@Suite struct ZoneChangeTests {
  static let east = TimeZoneRules(name: "E", fixedOffset: 3600, abbreviation: "E")
  static let floating = [
    #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T18:00:00"}"#,
    #"{"id":"t","kind":"date","title":"T","due":"2026-06-10T18:00:00","repeat":"FREQ=DAILY;INTERVAL=2"}"#,
  ]

  @Test(arguments: floating)
  func aFloatingTimeFollowsTheZoneAtOnce(json: String) throws {
    var harness = EngineHarness()
    try harness.add(json)
    harness.send(.zone(Self.east))
    harness.wait(3 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
  }

  @Test(arguments: floating)
  func andOverARestartInAnotherZone(json: String) throws {
    var harness = EngineHarness()
    try harness.add(json)
    harness.engine.zone = Self.east
    harness.restartByLoading(after: 10)
    harness.wait(3 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
  }

  /// Further west the due time is still to come.
  @Test func whatHasFiredStaysFiredOverARestartInAnotherZone() throws {
    var harness = EngineHarness()
    let place = EngineHarness.place()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T17:00:00","transport":"walking","travel_s":600,\#(place)}"#
    )
    harness.fix(3000)
    harness.wait(2 * 3600)
    harness.send(.zone(.west(4)))
    harness.restartByLoading(after: 10)
    harness.wait(86_400)
    #expect(harness.events == ["t:leave"])
  }

  /// The same while a snooze lasts.
  @Test func whatHasFiredAndIsSnoozedStaysFiredInAnotherZone() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T17:00:00","transport":"walking","travel_s":600,"#
        + #"\#(EngineHarness.place())}"#)
    harness.fix(3000)
    harness.wait(2 * 3600)
    harness.send(.snooze(id: "t", .until(harness.now + .hours(1))))
    harness.send(.zone(.west(4)))
    harness.wait(86_400)
    #expect(harness.events == ["t:leave", "t:due"])
    #expect(harness.firings.last?.time == EngineHarness.start + .seconds(3 * 3600 + 1))
  }

  /// `from` left out the morning in the old zone, and not in the new one.
  @Test func anHourThatTheOldZoneLeftOutDoesNotCountAfterALaterOneHasFired() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T00:45:00","repeat":"FREQ=HOURLY","travel_s":600,"#
        + #""transport":"walking","from":"2026-06-12T16:30:00Z",\#(EngineHarness.place())}"#)
    harness.fix(3000)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T16:40:00Z"))
    #expect(harness.events == ["t:leave"])
    harness.send(.zone(.west(12)))
    harness.wait(3600)
    #expect(harness.events == ["t:leave"])
  }

  /// Nothing is used for a later one of which no lead has come.
  @Test func whatTheOldZoneLeftOutCountsInAZoneWhereItIsLater() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T19:15:00","repeat":"FREQ=DAILY","travel_s":600,"#
        + #""transport":"walking","from":"2026-06-13T23:05:59Z",\#(EngineHarness.place())}"#)
    harness.fix(3000)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(10))))
    harness.wait(1200)
    #expect(harness.events == ["t:due"])
    harness.send(.zone(.west(4)))
    harness.wait(until: try Instant(rfc3339: "2026-06-13T23:30:00Z"))
    #expect(harness.events == ["t:due", "t:leave"])
  }

  /// The clock goes from 02:00 to 03:00, and the moment of 03:40 stands for 02:40, too.
  @Test(arguments: [
    (
      #""due":"2026-03-29T01:40:00","repeat":"hourly""#,
      ["2026-03-29T00:40:00Z", "2026-03-29T06:40:00Z", "2026-03-29T07:40:00Z"]
    ), (#""due":"2026-03-29T02:40:00""#, ["2026-03-29T06:40:00Z"]),
    (#""due":"2026-03-29T03:40:00""#, ["2026-03-29T07:40:00Z"]),
  ])
  func anHourThatTheOldZoneLeftOutIsKeptInAnother(times: String, expected: [String]) throws {
    let berlin = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    var harness = EngineHarness(zone: berlin, now: try Instant(rfc3339: "2026-03-28T20:00:00Z"))
    try harness.add(#"{"id":"t","title":"T",\#(times)}"#)
    harness.wait(until: try Instant(rfc3339: "2026-03-29T01:15:00Z"))
    harness.send(.zone(.west(4)))
    harness.wait(until: try Instant(rfc3339: "2026-03-29T08:00:00Z"))
    #expect(harness.firings.map(\.time.json) == expected)
  }

  /// The reminder of 17:00 is over in the old zone, and in the new one its hour comes again.
  @Test func anHourThatIsOverDoesNotComeBackDuringASnooze() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T17:00:00","repeat":"FREQ=HOURLY;INTERVAL=3","#
        + #""transport":"walking","travel_s":600,\#(EngineHarness.place())}"#)
    harness.fix(3000)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T16:55:00Z"))
    let end = try Instant(rfc3339: "2026-06-12T18:30:00Z")
    harness.send(.snooze(id: "t", .until(end)))
    harness.wait(until: try Instant(rfc3339: "2026-06-12T17:30:00Z"))
    harness.send(.zone(.west(4)))
    harness.wait(until: try Instant(rfc3339: "2026-06-13T00:00:00Z"))
    #expect(
      harness.firings.map(\.time.json)
        == ["2026-06-12T16:50:00Z", "2026-06-12T18:30:00Z", "2026-06-12T23:50:00Z"])
  }

  /// `from` left out the afternoon in the old zone, and not in the new one, but a later hour has
  /// rung.
  @Test func anHourThatTheOldZoneLeftOutDoesNotCountAfterASnooze() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T08:51:00","repeat":"FREQ=HOURLY;INTERVAL=3","#
        + #""from":"2026-06-12T16:30:00Z"}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T17:52:00Z"))
    let end = try Instant(rfc3339: "2026-06-12T19:00:00Z")
    harness.send(.snooze(id: "t", .until(end)))
    harness.send(.zone(.west(6)))
    harness.wait(until: try Instant(rfc3339: "2026-06-12T21:00:00Z"))
    #expect(
      harness.firings.map(\.time.json)
        == ["2026-06-12T17:51:00Z", "2026-06-12T19:00:00Z"])
  }

  @Test func anAbsoluteTimeStays() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T18:00:00Z"}"#)
    harness.engine.zone = Self.east
    harness.restartByLoading(after: 10)
    harness.wait(3 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T18:00:00Z"])
  }
}

@Suite struct NaggingTests {
  @Test func aRepetitionAfterTheEndHoldsUpNoOther() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T16:30:00Z","nag_s":900,"#
        + #""until":"2026-06-12T16:44:59Z"}"#)
    try harness.add(#"{"id":"b","title":"B","due":"2026-06-12T16:45:00Z"}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T16:45:00Z"))
    #expect(harness.events == ["a:due", "b:due"])
  }

  /// Further west the end is still to come.
  @Test func aRepetitionThatHasEndedStaysSoInAnotherZone() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:30:00Z","nag_s":600,"#
        + #""until":"2026-06-12T16:35:00"}"#)
    harness.wait(3600)
    harness.send(.zone(.west(4)))
    harness.wait(86_400)
    #expect(harness.events == ["t:due"])
  }

  /// No hour opens again before its end, and an edit takes both away.
  @Test func aRepetitionThatWaitsForTheHoursComesWhenTheyAreTakenAway() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T16:30:00Z","nag_s":3600,"hours":"16:00-18:00","#
        + #""until":"2026-06-13T14:00:00Z"}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-13T02:00:00Z"))
    let known = harness.engine.reminder("t")
    var reminder = try #require(known)
    (reminder.hours, reminder.until) = (nil, nil)
    harness.send(.replace(reminder))
    #expect(
      harness.firings.map(\.time.json)
        == ["2026-06-12T16:30:00Z", "2026-06-12T17:30:00Z", "2026-06-13T02:00:00Z"])
  }

  private static let tea =
    #"{"id":"t","kind":"date","title":"Tea","due":"2026-06-12T17:00:00Z","nag_s":600}"#

  @Test func tellsItAgainUntilItIsDone() throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    harness.wait(3600 + 1500)
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T17:00:00Z", "2026-06-12T17:10:00Z", "2026-06-12T17:20:00Z",
      ])
    #expect(Set(harness.firings.map(\.id)).count == 3)
    #expect(
      harness.firings.last?.why
        == "Not done yet, first reported at 17:00; reported again, for the 2nd time")
    harness.send(.done(id: "t"))
    harness.wait(86_400)
    #expect(harness.firings.count == 3)
    #expect(harness.engine.nextDeadline == nil)
  }

  @Test func ceasesAfterADayOfHours() throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    harness.wait(10 * 86_400)
    #expect(harness.firings.count == 25)
  }

  @Test func survivesARestartAndIsToldOnceForWhatWasMissed() throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    harness.wait(3601)
    for isLoaded in [false, true] {
      let before = harness.firings.count
      isLoaded ? harness.restartByLoading(after: 3600) : harness.restart(after: 3600)
      #expect(harness.firings.count == before + 1)
      harness.wait(601)
      #expect(harness.firings.count == before + 2)
    }
  }

  @Test func aSnoozeStopsItAndItsEndStartsItAnew() throws {
    var harness = EngineHarness()
    try harness.add(Self.tea)
    harness.wait(3601)
    harness.send(.snooze(id: "t", .until(harness.now + .hours(2))))
    harness.wait(7100)
    #expect(harness.firings.count == 1)
    harness.wait(800)
    #expect(harness.firings.count == 3)
  }

  @Test func aPlaceNagsToo() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"p","kind":"location","title":"P","nag_s":60,\#(EngineHarness.place())}"#)
    harness.walk(from: 400, to: 10)
    harness.wait(130)
    #expect(harness.events == ["p:arrive", "p:arrive", "p:arrive"])
    harness.send(.done(id: "p"))
    harness.wait(600)
    #expect(harness.firings.count == 3)
  }

  @Test func aRepeatingOneGoesOnMeanwhile() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"daily","nag_s":86400}"#
    )
    harness.wait(2 * 86_400 + 3601)
    #expect(harness.events.filter { $0 == "r:due" }.count == 3)
  }

  @Test(arguments: ["59", "86401", "-1", "\"x\""])
  func refusesSpans(value: String) {
    var harness = EngineHarness()
    #expect(throws: ReminderError.self) {
      try harness.add(
        #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z","nag_s":\#(value)}"#)
    }
  }
}
