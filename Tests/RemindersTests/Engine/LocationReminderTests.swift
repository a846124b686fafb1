import CivilTime
import Geodesy
import Geofencing
import Positioning
import Testing

@testable import Reminders

@Suite struct LocationReminderTests {
  /// The fix that shows the pass lies inside: by then the reminder has fired, and follows no visit.
  @Test func afterAPassThatWasTheLastFiringNoVisitIsFollowed() throws {
    var settings = EngineSettings()
    settings.monitor = .plain
    settings.monitor.longestLeg = .minutes(5)
    var harness = EngineHarness(settings: settings)
    func fix(_ north: Double, _ east: Double) {
      harness.wait(300)
      harness.fix(
        at: EngineHarness.home.destination(bearing: 0, distance: north)
          .destination(bearing: 90, distance: east))
    }
    fix(5_800, 0)
    try harness.add(#"{"id":"t","title":"T","on":"depart",\#(EngineHarness.place(radius: 1_500))}"#)
    fix(5_800, 100)
    fix(-3_300, -1_000)
    fix(700, 0)
    #expect(harness.events == ["t:pass"])
    fix(2_800, 2_600)
    harness.send(.snooze(id: "t", .nextVisit))
    fix(0, 0)
    fix(2_800, 2_600)
    #expect(harness.events == ["t:pass", "t:depart"])
  }

  private let place = EngineHarness.place()

  @Test func arrivesOnce() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"Milk",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["a:arrive"])
    #expect(harness.standings["a"]?.state == .fired)
    let firing = try #require(harness.firings.first)
    #expect(firing.place == "Home")
    #expect(try #require(firing.distance) <= 100)
    #expect(firing.message.hasPrefix("Milk: arrived at Home, "))
  }

  @Test func departs() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"d","kind":"location","title":"Lock","on":"depart",\#(place)}"#)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == ["d:depart"])
  }

  @Test func aNewReminderWaitsForTheNextVisitUnlessToldToFire() throws {
    var harness = EngineHarness()
    for _ in 0..<5 { harness.fix(10) }
    try harness.add(#"{"id":"w","kind":"location","title":"W",\#(place)}"#)
    try harness.add(#"{"id":"f","kind":"location","title":"F","if_inside":"fire",\#(place)}"#)
    for _ in 0..<5 { harness.fix(10) }
    #expect(harness.events == ["f:arrive"])
    harness.walk(from: 10, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["f:arrive", "w:arrive"])
  }

  /// The last position is no reason to fire: the device may have left since.
  @Test(arguments: [EngineHarness.place(), #""near_category":"shop""#])
  func aLostPositionFiresNothingForBeingInside(place: String) throws {
    func rides(from distance: Double, isLost: Bool) throws -> [String] {
      var harness = EngineHarness()
      harness.places["shop"] = [
        NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
      ]
      try harness.add(#"{"id":"w","title":"W",\#(place)}"#)
      for _ in 0..<5 { harness.fix(10) }
      harness.wait(isLost ? 600 : 60)
      try harness.add(#"{"id":"f","title":"F","if_inside":"fire",\#(place)}"#)
      let early = harness.events
      for _ in 0..<5 { harness.fix(distance) }
      return early + ["then"] + harness.events
    }
    #expect(try rides(from: 10, isLost: false) == ["f:arrive", "then", "f:arrive"])
    #expect(try rides(from: 10, isLost: true) == ["then", "f:arrive"])
    #expect(try rides(from: 1_600, isLost: true) == ["then"])
  }

  /// A position good to some kilometres puts the device nowhere.
  @Test func aCoarsePositionFiresNothingForBeingInside() throws {
    var harness = EngineHarness()
    for _ in 0..<5 { harness.fix(1_600) }
    for _ in 0..<5 { harness.fix(10, after: 20, eph: 3_000) }
    try harness.add(#"{"id":"f","title":"F","if_inside":"fire",\#(place)}"#)
    #expect(harness.events == [])
    for _ in 0..<5 { harness.fix(10) }
    #expect(harness.events == ["f:arrive"])
  }

  @Test func everyVisitFiresEachTimeButForTheCooldown() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"e","kind":"location","title":"E","every_visit":true,\#(place)}"#)
    try harness.add(
      #"{"id":"c","kind":"location","title":"C","every_visit":true,"cooldown_s":3600,\#(place)}"#)
    for _ in 0..<3 {
      harness.walk(from: 600, to: 0)
      harness.walk(from: 0, to: 600)
    }
    #expect(harness.events == ["c:arrive", "e:arrive", "e:arrive", "e:arrive"])
    harness.fix(600, after: 3600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events.suffix(2) == ["c:arrive", "e:arrive"])
  }

  @Test func dwellIsATimer() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"s","kind":"location","title":"Stay","on":"dwell","dwell_s":60,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    let arrival = try #require(harness.kept["s"]?.staySince)
    // No further fix comes: the clock alone fires it.
    harness.wait(100)
    #expect(harness.events == ["s:dwell"])
    #expect(harness.firings.first?.time == arrival + .seconds(60))
  }

  @Test func aShortStayIsNoDwell() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"s","kind":"location","title":"Stay","on":"dwell","dwell_s":60,\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.walk(from: 0, to: 600)
    harness.wait(100)
    #expect(harness.events.isEmpty)
  }

  @Test func aPassCountsAsArrivalAndDeparture() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    try harness.add(#"{"id":"d","kind":"location","title":"D","on":"depart",\#(place)}"#)
    // 1 200 m in 30 s: the fence lies between two fixes.
    harness.fix(1800, after: 30, speed: 40)
    harness.fix(600, after: 30, speed: 40)
    harness.fix(600, bearing: 270, after: 30, speed: 40)
    harness.fix(1800, bearing: 270, after: 30, speed: 40)
    #expect(harness.events == ["a:pass", "d:pass"])
    #expect(try #require(harness.firings.first?.distance) < 20)
  }

  /// The way of 1 200 m in 30 s crosses the middle of the fence after 15 s.
  @Test(arguments: [(14.0, ["a:pass"]), (16.0, [])])
  func aCrossingBeforeTheReminderIsNoPass(seconds: Double, events: [String]) throws {
    var harness = EngineHarness()
    harness.places["shop"] = [
      NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
    ]
    harness.fix(1800, after: 30, speed: 40)
    harness.fix(600, after: 30, speed: 40)
    harness.wait(seconds)
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    try harness.add(#"{"id":"c","title":"C","near_category":"shop"}"#)
    harness.fix(600, bearing: 270, after: 30 - seconds, speed: 40)
    harness.fix(1800, bearing: 270, after: 30, speed: 40)
    #expect(harness.events.filter { $0.hasPrefix("a") } == events)
    #expect(harness.events.count == 2 * events.count)
  }

  /// A title that is edited on the way changes nothing; a snooze to the next visit does.
  @Test func aPassOutlivesAnEditOfTheTitleButNoSnooze() throws {
    var harness = EngineHarness()
    for id in ["a", "s"] {
      try harness.add(#"{"id":"\#(id)","kind":"location","title":"A",\#(place)}"#)
    }
    harness.fix(1800, after: 30, speed: 40)
    harness.fix(600, after: 30, speed: 40)
    harness.wait(16)
    let found = harness.engine.reminder("a")
    var renamed = try #require(found)
    renamed.title = "B"
    harness.send(.replace(renamed))
    harness.send(.snooze(id: "s", .nextVisit))
    harness.fix(600, bearing: 270, after: 14, speed: 40)
    harness.fix(1800, bearing: 270, after: 30, speed: 40)
    #expect(harness.events == ["a:pass"])
  }

  @Test func beingInsideSurvivesARestart() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"e","kind":"location","title":"E","every_visit":true,\#(place)}"#)
    try harness.add(#"{"id":"d","kind":"location","title":"D","on":"depart",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["e:arrive"])
    harness.restart(after: 10)
    for _ in 0..<5 { harness.fix(0) }
    #expect(harness.events == ["e:arrive"])
    harness.restart(after: 600)
    for _ in 0..<25 { harness.fix(600) }
    #expect(harness.events == ["e:arrive", "d:depart"])
  }

  @Test func anArrivalWhileOffIsFoundAfterTheRestart() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    for _ in 0..<3 { harness.fix(5000) }
    #expect(harness.kept["a"]?.stay.presence == .outside)
    harness.restart(after: 3600)
    for _ in 0..<3 { harness.fix(10) }
    #expect(harness.events == ["a:arrive"])
  }

  @Test func conditionsThatBeginToHoldWhileInsideFireThen() throws {
    var harness = EngineHarness()
    // It is 16:00 UTC on a Friday.
    try harness.add(
      #"{"id":"hours","kind":"location","title":"H","hours":"16:30-18:00",\#(place)}"#)
    try harness.add(
      #"{"id":"days","kind":"location","title":"D","days":"sat","#
        + #""hours":"08:00-18:00",\#(place)}"#)
    try harness.add(
      #"{"id":"due","kind":"location","title":"U","due":"2026-06-12T16:10:00Z",\#(place)}"#)
    try harness.add(
      #"{"id":"slow","kind":"location","title":"S","max_speed_mps":5,\#(place)}"#)
    try harness.add(
      #"{"id":"over","kind":"location","title":"O","until":"2026-06-12T16:00:10Z",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events.isEmpty)
    #expect(harness.notices == [.expired(id: "over", title: "O")])
    harness.fix(0, speed: 1)
    #expect(harness.events == ["slow:arrive"])
    harness.wait(until: Instant(seconds: EngineHarness.start.seconds + 86_400))
    #expect(harness.events == ["slow:arrive", "due:arrive", "hours:arrive", "days:arrive"])
    let times = harness.firings.map(\.time.json)
    #expect(
      times.suffix(3) == [
        "2026-06-12T16:10:00Z", "2026-06-12T16:30:00Z", "2026-06-13T08:00:00Z",
      ])
  }

  @Test func departuresComeFirstThenDuePriorityAndID() throws {
    var harness = EngineHarness()
    let far = #""place":{"lat":53.55,"lon":9.9975,"radius_m":300}"#
    try harness.add(#"{"id":"arrive-b","kind":"location","title":"x","priority":5,\#(far)}"#)
    try harness.add(#"{"id":"arrive-a","kind":"location","title":"x","priority":5,\#(far)}"#)
    try harness.add(#"{"id":"urgent","kind":"location","title":"x","priority":1,\#(far)}"#)
    try harness.add(#"{"id":"leave","kind":"location","title":"x","on":"depart",\#(place)}"#)
    harness.walk(from: 0, to: 60)
    harness.fix(400, after: 20, speed: 15)
    harness.fix(440, after: 2, speed: 15)
    #expect(
      harness.events == ["leave:depart", "urgent:arrive", "arrive-a:arrive", "arrive-b:arrive"])
  }

  @Test func snoozeUntilTheNextVisit() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    harness.walk(from: 600, to: 0)
    harness.send(.snooze(id: "a", .nextVisit))
    for _ in 0..<10 { harness.fix(0) }
    #expect(harness.events == ["a:arrive"])
    harness.walk(from: 0, to: 600)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["a:arrive", "a:arrive"])
  }

  /// Promise: position-lost.
  @Test func positionLostAndBackAreSaidOnce() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    harness.fix(3000)
    harness.wait(119.999)
    #expect(harness.notices == [])
    harness.wait(0.001)
    harness.wait(1080)
    #expect(harness.notices == [.positionLost(after: .seconds(120))])
    harness.fix(3000)
    #expect(harness.notices.count == 2)
    #expect(harness.notices.last == .positionBack(after: .seconds(1201)))
  }

  @Test func noFixAtAllIsALostPositionToo() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    harness.wait(600)
    #expect(harness.notices == [.positionLost(after: .seconds(120))])
    #expect(harness.engine.nextDeadline == nil)
  }

  @Test func excludedFixesDoNotCount() throws {
    var settings = EngineSettings()
    settings.excluded = [.simulated]
    var harness = EngineHarness(settings: settings)
    try harness.add(#"{"id":"a","kind":"location","title":"A","if_inside":"fire",\#(place)}"#)
    for _ in 0..<10 { harness.fix(0, source: .simulated) }
    #expect(harness.events.isEmpty)
    for _ in 0..<3 { harness.fix(0) }
    #expect(harness.events == ["a:arrive"])
  }

  @Test func timeThatWasGuessedDoesNotCountAgainstTheReceiver() throws {
    // As gpsd does at the start, here with a recording of long ago.
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    let shift = TimeSpan.hours(50_000)
    for step in 0..<20 {
      harness.wait(1)
      let position = EngineHarness.home.destination(
        bearing: 90, distance: max(0, 300 - Double(step) * 40))
      let time = step < 3 || step == 6 ? nil : harness.now - shift
      harness.send(.fix(.init(time: time, position: position, speed: 40, eph: 5)))
    }
    #expect(harness.events == ["a:arrive"])
    #expect(harness.notices.isEmpty)
    #expect(try #require(harness.firings.first).time < EngineHarness.start + .seconds(12))
  }

  @Test func olderFixesNeverBecomeThePresent() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","kind":"location","title":"A",\#(place)}"#)
    harness.fix(600)
    let shift = TimeSpan.hours(10)
    for step in 0..<30 {
      harness.wait(1)
      let position = EngineHarness.home.destination(
        bearing: 90, distance: max(0, 600 - Double(step) * 40))
      harness.send(.fix(.init(time: harness.now - shift, position: position, speed: 40, eph: 5)))
    }
    #expect(harness.events.isEmpty)
    #expect(harness.notices.isEmpty)
  }
}
