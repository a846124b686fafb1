import CivilTime
import Departure
import Geodesy
import TestSupport
import Testing

@testable import Reminders

@Suite struct PreemptiveReminderTests {
  private let ferry =
    #"{"id":"ferry","kind":"preemptive","title":"Ferry","due":"2026-06-12T17:00:00Z","#
    + #""transport":"walking","place":{"name":"Pier","lat":53.55,"lon":9.99,"radius_m":100}}"#

  @Test func saysWhenToLeave() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(ferry)
    harness.wait(3600)
    #expect(harness.events == ["ferry:leave"])
    let firing = try #require(harness.firings.first)
    // 2 km × 1.3 at 5 km/h.
    let travel = try #require(firing.travel).seconds
    #expect(abs(travel - 2000 * 1.3 / (5 / 3.6)) < 5)
    let wanted = Instant(seconds: EngineHarness.start.seconds + 3600 - travel)
    #expect(abs((firing.time - wanted).seconds) <= 1)
    #expect(firing.why.contains("straight line"))
  }

  /// The stored position is of hours ago. The device is at the pier meanwhile, or sends no fix.
  @Test(arguments: [false, true]) func afterAStartTheFirstFixDecides(isAtThePier: Bool) throws {
    var settings = EngineSettings()
    settings.firstFixWait = .minutes(2)
    var harness = EngineHarness(settings: settings)
    harness.fix(4000)
    let last = harness.engine.lastFix
    let old = try #require(last)
    try harness.add(ferry.replacing("17:00:00Z", with: "18:00:00Z"))
    harness.restartByLoading(after: 5400, remembering: old)
    #expect(harness.firings.isEmpty)
    if isAtThePier {
      harness.walk(from: 20, to: 5)
      harness.wait(1800)
      #expect(harness.firings.isEmpty)
      #expect(harness.silences == ["at Pier"])
    } else {
      harness.wait(119)
      #expect(harness.firings.isEmpty)
      harness.wait(1)
      #expect(harness.events == ["ferry:late"])
    }
  }

  @Test func firesAtTheFirstMomentThatTheRuleHolds() throws {
    // Against an evaluation of every second: never early, never more than one fix late.
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<40 {
      var harness = EngineHarness()
      var distance = Double.random(in: 500...40_000, using: &generator)
      let speed = Double.random(in: -30...30, using: &generator)
      let transport =
        ["walking", "cycling", "driving"].randomElement(using: &generator) ?? "walking"
      harness.fix(distance)
      try harness.add(ferry.replacing("walking", with: transport))
      let known = harness.engine.reminder("ferry")
      let reminder = try #require(known)
      let due = Instant(seconds: EngineHarness.start.seconds + 3600)
      var expected: Instant?
      for _ in 0..<3600 {
        distance = max(0, distance + speed)
        harness.fix(distance, speed: abs(speed))
        if expected == nil, let place = reminder.place, !harness.isSilent("ferry") {
          let travel = harness.engine.settings.travel.time(
            from: EngineHarness.home.destination(bearing: 90, distance: distance), to: place,
            by: reminder.transport)
          if harness.now + travel >= due { expected = harness.now }
        }
        if !harness.firings.isEmpty { break }
      }
      // Who comes nearer all the time is on the way, or there.
      #expect((expected == nil) == harness.firings.isEmpty, "\(transport) \(distance) \(speed)")
      guard let expected, let fired = harness.firings.first?.time else { continue }
      #expect(abs((fired - expected).seconds) <= 1.001, "\(transport) \(distance) \(speed)")
    }
  }

  @Test func oneWhoIsThereGoesOnToTheNextDayAtOnce() throws {
    var harness = EngineHarness()
    harness.fix(0)
    try harness.add(
      ferry.replacing(#""transport""#, with: #""repeat":"FREQ=DAILY;COUNT=3","transport""#))
    let due = EngineHarness.start + .hours(1)
    while harness.silences.isEmpty, let deadline = harness.engine.nextDeadline, deadline <= due {
      harness.now = max(harness.now, deadline)
      harness.send(.tick)
    }
    #expect(harness.now == due && harness.silences.count == 1)
    // Another tick at the same moment would have nothing to do.
    let next = harness.engine.nextDeadline
    #expect(try #require(next) > due)
    harness.wait(3 * 86_400)
    #expect(harness.silences.count == 3 && harness.firings.isEmpty)
    #expect(harness.engine.nextDeadline == nil)
  }

  /// What is over has no place in the order any more: that may be another one's by now.
  @Test func removingWhatIsOverTouchesNothingElse() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(ferry)
    harness.wait(3600)
    // What has said "leave" is looked at for the metres that the device goes.
    harness.walk(from: 2000, to: 20_000)
    harness.walk(from: 20_000, to: 2000)
    let later = (harness.now + .hours(2)).json
    try harness.add(
      ferry.replacing("ferry", with: "later").replacing("2026-06-12T17:00:00Z", with: later))
    harness.send(.remove(id: "ferry"))
    harness.wait(2 * 3600)
    #expect(harness.events == ["ferry:leave", "later:leave"])
  }

  @Test func alreadyTooLateIsSaidAtOnce() throws {
    var harness = EngineHarness()
    harness.fix(20_000)
    try harness.add(ferry)
    #expect(harness.events == ["ferry:late"])
    #expect(try #require(harness.firings.first?.late) > .hours(4))
  }

  @Test func withoutAPositionItFiresAtTheDueTime() throws {
    var harness = EngineHarness()
    try harness.add(ferry)
    harness.wait(2 * 3600)
    #expect(harness.events == ["ferry:leave"])
    #expect(harness.firings.first?.time.json == "2026-06-12T17:00:00Z")
    #expect(harness.firings.first?.why.contains("no position") == true)
  }

  @Test func theFirstPositionIsLookedAtAtOnce() throws {
    var harness = EngineHarness()
    try harness.add(ferry)
    harness.wait(1800)
    harness.fix(20_000)
    #expect(harness.events.count == 1)
  }

  @Test func saysSoAgainOnlyAfterMuchSlackCameBack() throws {
    var harness = EngineHarness()
    harness.fix(3000)
    try harness.add(ferry)
    while harness.firings.isEmpty { harness.fix(3000, after: 30) }
    for _ in 0..<10 { harness.fix(2900, after: 30) }
    #expect(harness.events == ["ferry:leave"])
    // A lift by car: an hour's walk has become a few minutes.
    harness.fix(150, after: 60)
    for _ in 0..<300 { harness.fix(150, after: 30) }
    #expect(harness.events == ["ferry:leave", "ferry:leave"])
  }

  @Test func aRepeatingOneGoesOnAndComesToItsEnd() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      ferry.replacing(#""transport""#, with: #""repeat":"FREQ=DAILY;COUNT=2","transport""#))
    harness.wait(3 * 86_400)
    #expect(harness.events == ["ferry:leave", "ferry:leave"])
    #expect(harness.firings.last?.due?.json == "2026-06-13T17:00:00Z")
    #expect(harness.engine.nextDeadline == nil)
    #expect(harness.standings["ferry"]?.state == .fired)
  }

  /// The last seconds of a way are looked at a few times, however many of them a metre may take
  /// away.
  @Test(arguments: ["", #""travel_s":600,"#])
  func slowWalkersAreNotLookedAtAgainAndAgain(fixed: String) throws {
    var settings = EngineSettings()
    settings.travel[.walking].bands = [.init(below: .infinity, kilometresPerHour: 0.7)]
    settings.travel[.walking].detour = 3
    var harness = EngineHarness(settings: settings)
    harness.fix(200)
    try harness.add(ferry.replacing(#""transport""#, with: fixed + #""transport""#))
    var ticks = 0
    while harness.firings.isEmpty, ticks < 200, let deadline = harness.engine.nextDeadline {
      harness.wait(until: max(harness.now + .seconds(0.001), deadline))
      ticks += 1
    }
    #expect(harness.events == ["ferry:leave"])
    #expect(ticks < 30)
  }

  /// Told half an hour too soon by a clock that was ahead: when it is right, it is told again.
  @Test(arguments: ["driving", "walking"]) func aClockThatStepsBackBringsItBack(mode: String) throws
  {
    var harness = EngineHarness()
    harness.fix(40_000)
    try harness.add(
      ferry.replacing("walking", with: mode).replacing("2026-06-12T17", with: "2026-06-13T17"))
    while harness.firings.isEmpty, let deadline = harness.engine.nextDeadline {
      harness.wait(until: deadline)
    }
    let moment = try #require(harness.firings.first?.time)
    harness.now = harness.now - .minutes(30)
    harness.send(.clockSet)
    harness.wait(3_600)
    #expect(harness.firings.map(\.time) == [moment, moment])
  }

  @Test func costsNothingPerFixWhileFarFromItsMoment() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(ferry.replacing("2026-06-12", with: "2026-07-12"))
    let next = harness.engine.nextDeadline
    let deadline = try #require(next)
    #expect(deadline > harness.now + .minutes(1))
  }
}

extension String {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    var result = ""
    var rest = self[...]
    while let range = rest.firstRange(of: old) {
      result += rest[..<range.lowerBound] + new
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
