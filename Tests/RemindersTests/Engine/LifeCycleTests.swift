import CivilTime
import Departure
import JSONText
import Testing

@testable import Reminders

/// Snoozed, done, edited and read back at awkward moments.
@Suite struct LifeCycleTests {
  private let place = EngineHarness.place()

  @Test func aSnoozedRepeatingOneGoesOn() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"daily"}"#)
    harness.wait(3601)
    harness.send(.snooze(id: "r", .until(harness.now + .minutes(20))))
    harness.wait(3 * 86_400)
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T17:00:00Z", "2026-06-12T17:20:01Z", "2026-06-13T17:00:00Z",
        "2026-06-14T17:00:00Z", "2026-06-15T17:00:00Z",
      ])
  }

  @Test func aSnoozeBetweenLeadsKeepsTheNextOne() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T17:00:00Z","lead_s":[3000,0]}"#)
    harness.wait(700)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(5))))
    harness.wait(2 * 3600)
    #expect(
      harness.firings.map(\.time.json) == [
        "2026-06-12T16:10:00Z", "2026-06-12T16:16:40Z", "2026-06-12T17:00:00Z",
      ])
    #expect(harness.standings["t"]?.state == .fired)
  }

  @Test func aSnoozedTripIsStillWatched() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"p","kind":"preemptive","title":"P","due":"2026-06-12T19:00:00Z","#
        + #""transport":"walking",\#(place)}"#)
    harness.send(.snooze(id: "p", .until(harness.now + .minutes(10))))
    harness.wait(4 * 3600)
    #expect(harness.events == ["p:due", "p:leave"])
  }

  @Test func aSnoozedVisitListensAgain() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"e","kind":"location","title":"E","every_visit":true,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.send(.snooze(id: "e", .until(harness.now + .minutes(1))))
    harness.wait(120)
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["e:arrive", "e:due", "e:arrive"])
  }

  @Test func doneAfterAFiringKeepsTheNextOccurrence() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-12T17:00:00Z","repeat":"daily"}"#)
    harness.wait(3601)
    harness.send(.done(id: "r"))
    #expect(harness.standings["r"]?.due?.json == "2026-06-13T17:00:00Z")
    // Done once more, before it fires: that one is completed in advance.
    harness.send(.done(id: "r"))
    #expect(harness.standings["r"]?.due?.json == "2026-06-14T17:00:00Z")
    harness.wait(86_400)
    #expect(harness.events == ["r:due"])
    harness.send(.pop(id: "r"))
    #expect(harness.standings["r"]?.due?.json == "2026-06-15T17:00:00Z")
  }

  @Test func aFiredTripReadFromADocumentDoesNotSpin() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"p","kind":"preemptive","title":"P","due":"2026-06-12T16:30:00Z","state":"fired","#
        + #""repeat":"FREQ=DAILY","transport":"walking",\#(place)}"#)
    harness.wait(2 * 86_400)
    #expect(harness.events == ["p:leave", "p:leave"])
  }

  @Test func aLeadAsLongAsTheRepeatLosesNothing() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"r","kind":"date","title":"R","due":"2026-06-14T17:00:00Z","#
        + #""repeat":"FREQ=DAILY;COUNT=3","lead_s":[86400,0]}"#)
    harness.wait(6 * 86_400)
    let due = harness.firings.filter { $0.time == $0.due }.map(\.time.json)
    #expect(due == ["2026-06-14T17:00:00Z", "2026-06-15T17:00:00Z", "2026-06-16T17:00:00Z"])
  }

  @Test func skippingAnOldLeadKeepsTheNewOnes() throws {
    var settings = EngineSettings()
    settings.skipOlderThan = .hours(1)
    var harness = EngineHarness(settings: settings)
    try harness.add(
      #"{"id":"t","kind":"date","title":"T","due":"2026-06-12T16:00:12Z","lead_s":[86400,0]}"#)
    harness.wait(60)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:00:12Z"])
  }

  @Test(arguments: [true, false])
  func anArrivalHeldBackSurvives(isRestart: Bool) throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","kind":"location","title":"A","from":"2026-06-12T17:00:00Z",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    if isRestart {
      harness.restart(after: 10)
    } else {
      let known = harness.engine.reminder("a")
      var edited = try #require(known)
      edited.title = "B"
      harness.send(.replace(edited))
    }
    harness.wait(2 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
  }

  @Test func aFloatingTimeFollowsTheZoneOverARestart() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"t","kind":"date","title":"T","due":"2026-06-12T18:00:00"}"#)
    harness.engine = Engine(
      zone: TimeZoneRules(name: "X", fixedOffset: 3600, abbreviation: "X"))
    let reminder = try Reminder(
      json: ["id": "t", "kind": "date", "title": "T", "due": "2026-06-12T18:00:00"])
    harness.send(.add(reminder, harness.kept["t"]))
    harness.wait(3 * 3600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z"])
  }

  @Test func aDwellOfNoTimeIsAnArrival() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"d","kind":"location","title":"D","on":"dwell","dwell_s":0,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["d:dwell"])
  }

  @Test func leadsThatPassedTogetherAreToldOnce() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"p","kind":"preemptive","title":"P","due":"2026-06-12T16:40:00Z","#
        + #""lead_s":[7200,3600,1800,60],"transport":"walking",\#(place)}"#)
    #expect(harness.firings.count == 1)
    harness.wait(3600)
    #expect(harness.firings.count == 2)
    #expect(Set(harness.firings.map(\.id)).count == 2)
  }

  @Test func aClockSetBackDoesNotLengthenSilencesAndCooldowns() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"c","kind":"location","title":"C","every_visit":true,"cooldown_s":60,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.now = harness.now - .hours(5)
    harness.send(.clockSet)
    harness.wait(130)
    #expect(harness.notices == [.positionLost(after: .seconds(120))])
  }

  @Test func aGapOfAnotherDecadeIsJumped() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"m","kind":"date","title":"M","due":"2026-06-12T17:00:00Z","repeat":"FREQ=MINUTELY"}"#
    )
    var effects: [Effect] = []
    harness.engine.advance(to: Instant(seconds: 3_400_000_000), into: &effects)
    let fired = effects.filter { if case .fire = $0 { true } else { false } }.count
    #expect(fired <= 10_001)
  }

  // MARK: - Until the next visit

  @Test(arguments: [
    (#""on":"dwell","dwell_s":600"#, ["t:dwell"]), (#""hours":"17:00-18:00""#, ["t:arrive"]),
    (#""on":"depart""#, ["t:depart"]),
  ])
  func oneThatIsPutOffGoesOnAtTheNextVisit(members: String, events: [String]) throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),\#(members)}"#)
    harness.walk(from: 600, to: 0)
    harness.send(.snooze(id: "t", .nextVisit))
    harness.walk(from: 0, to: 600)
    #expect(harness.events == [])
    harness.walk(from: 600, to: 0)
    harness.wait(4_000)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == events)
  }

  // MARK: - Until one leaves

  @Test(arguments: [
    #""on":"arrive""#, #""on":"arrive","every_visit":true"#, #""on":"dwell","dwell_s":600"#,
    #""on":"depart","dwell_s":300"#,
    #""on":"arrive","due":"2026-06-12T06:30:00Z","repeat":"daily""#,
  ])
  func oneThatIsPutOffUntilOneLeavesRingsThen(members: String) throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),\#(members)}"#)
    // Who is not there leaves nothing.
    harness.send(.snooze(id: "t", .untilLeave))
    harness.walk(from: 600, to: 0)
    let before = harness.events
    harness.send(.snooze(id: "t", .untilLeave))
    let known = harness.engine.history("t")
    let history = try #require(known)
    #expect(history.silence == .untilLeave)
    #expect(try History(text: history.text) == history)
    let state = harness.engine.standing("t")?.state
    #expect(state == .snoozed)
    for _ in 0..<30 { harness.fix(0) }
    #expect(harness.events == before)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == before + ["t:depart"])
    let last = try #require(harness.firings.last)
    #expect(last.why.hasPrefix("Left ") && !last.why.contains(" ago"))
    let after = harness.engine.history("t")
    #expect(after?.silence == nil)
    for _ in 0..<30 { harness.fix(600) }
    #expect(harness.events == before + ["t:depart"])
  }

  /// After a restart no fix has told the first snooze's fence where the device is.
  @Test(arguments: ["arrive", "dwell"])
  func theNextSnoozeMayEndWithTheDeparture(trigger: String) throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(#"{"id":"t","title":"T",\#(place),"on":"\#(trigger)","dwell_s":300}"#)
    harness.walk(from: 600, to: 0)
    harness.wait(400)
    let before = harness.events
    #expect(before == ["t:\(trigger)"])
    let last = harness.engine.lastFix
    harness.restartByLoading(after: 60, remembering: last)
    harness.send(.snooze(id: "t", .until(harness.now + .hours(20))))
    harness.send(.snooze(id: "t", .untilLeave))
    for _ in 0..<3 { harness.fix(600) }
    #expect(harness.events == before + ["t:depart"])
  }

  /// The day of the snoozed due time has ended, so "done" is for the next one.
  @Test func doneDuringASnoozeAfterMidnightIsForTheNewDay() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T06:30:00Z","repeat":"daily",\#(place)}"#)
    harness.fix(600)
    harness.send(.snooze(id: "t", .until(try Instant(rfc3339: "2026-06-13T01:45:00Z"))))
    harness.wait(until: try Instant(rfc3339: "2026-06-13T01:36:00Z"))
    harness.send(.done(id: "t"))
    for day in ["13", "14"] {
      harness.wait(until: try Instant(rfc3339: "2026-06-\(day)T18:00:00Z"))
      harness.walk(from: 600, to: 0)
      harness.walk(from: 0, to: 600)
    }
    #expect(harness.firings.map { $0.time.json.prefix(10) } == ["2026-06-14"])
  }

  @Test func doneEndsADepartureThatIsHeld() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"on":"depart","dwell_s":600,"every_visit":true}"#)
    for _ in 0..<3 { harness.fix(0) }
    harness.walk(from: 0, to: 600)
    harness.send(.done(id: "t"))
    harness.wait(3600)
    #expect(harness.events == [])
  }

  @Test func doneEndsASeriesWithItsLastOccurrence() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T",\#(place),"due":"2026-06-12T15:00:00Z","repeat":"FREQ=DAILY;COUNT=1","every_visit":true}"#
    )
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
    harness.send(.done(id: "t"))
    #expect(harness.standings["t"]?.state == .done)
  }

  @Test func theEndOfASnoozeStandsForTheLeadsThatHavePassed() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":3600,"due":"2026-06-12T18:00:00Z","lead_s":[1800,0],\#(place)}"#
    )
    harness.wait(until: try Instant(rfc3339: "2026-06-12T16:31:00Z"))
    harness.send(.snooze(id: "t", .until(try Instant(rfc3339: "2026-06-12T17:10:00Z"))))
    harness.wait(86_400)
    #expect(
      harness.firings.map(\.time.json) == ["2026-06-12T16:30:00Z", "2026-06-12T17:10:00Z"])
  }

  @Test func afterItsLastDueTimeASnoozeAtAPlaceRingsOnceMoreAndNoVisitDoes() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(
      #"{"id":"t","title":"T",\#(EngineHarness.place()),"due":"2026-06-12T09:00:00Z","#
        + #""repeat":"FREQ=DAILY;COUNT=1"}"#)
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    harness.send(.snooze(id: "t", .until(harness.now + .minutes(10))))
    harness.wait(1200)
    #expect(harness.events == ["t:arrive", "t:due"])
    harness.walk(from: 600, to: 0)
    harness.wait(1200)
    #expect(harness.events == ["t:arrive", "t:due"])
  }

  /// The end of a snooze rings, whatever the conditions.
  @Test(
    arguments: [#""on":"arrive""#, #""on":"dwell","dwell_s":300"#],
    ["2026-06-12T16:59:59Z", "2026-06-12T17:00:00Z"])
  func theEndOfASnoozeRingsForAPlaceThatHasNotFired(trigger: String, until: String) throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(
      #"{"id":"t","title":"T",\#(EngineHarness.place()),\#(trigger),"until":"\#(until)"}"#)
    harness.send(.snooze(id: "t", .until(try Instant(rfc3339: "2026-06-12T17:00:00Z"))))
    harness.walk(from: 600, to: 0)
    harness.wait(2 * 3600)
    #expect(harness.events == ["t:due"])
    #expect(harness.standings["t"]?.state == .fired)
  }

  @Test func doneBeforeTheLastDueTimeOfAPlaceThatHasFiredEndsIt() throws {
    var harness = EngineHarness()
    for _ in 0..<3 { harness.fix(600) }
    try harness.add(
      #"{"id":"t","title":"T",\#(EngineHarness.place()),"due":"2026-06-12T18:00:00Z","#
        + #""lead_s":[7200],"repeat":"FREQ=DAILY;COUNT=1"}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
    harness.send(.done(id: "t"))
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["t:arrive"])
  }
}
