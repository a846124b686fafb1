import CivilTime
import Geodesy
import Geofencing
import Positioning
import Testing

@testable import Reminders

/// Departures of a device at rest: decided by the clock, once, also over a crash.
@Suite struct HoldTests {
  private func atHome(
    _ members: String = #""on":"depart""#, place: String? = nil
  ) throws
    -> EngineHarness
  {
    var harness = EngineHarness()
    harness.places["shop"] = [
      NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
    ]
    harness.fix(600)
    try harness.add(
      #"{"id":"a","title":"A","every_visit":true,\#(place ?? EngineHarness.place()),\#(members)}"#)
    harness.walk(from: 600, to: 90)
    for _ in 0..<60 { harness.fix(90) }
    return harness
  }

  private func gate(_ name: String, _ harness: borrowing EngineHarness) throws -> Explanation.Gate {
    let answer = harness.engine.why("a", at: harness.now)
    return try #require(answer?.gates.first { $0.name == name })
  }

  private static let shapes = [
    EngineHarness.place(), #""near_category":"shop""#,
    #""region":{"type":"Polygon","coordinates":[[[9.9885,53.5491],[9.99151,53.5491],[9.99151,53.5509],[9.9885,53.5509],[9.9885,53.5491]]]}"#,
  ]

  @Test(arguments: shapes)
  func aDepartureByRestFiresAtItsSecondWithoutAFix(shape: String) throws {
    var harness = try atHome(place: shape)
    harness.fix(135)
    let since = harness.now
    harness.fix(135)
    harness.wait(until: since + .seconds(119.9))
    #expect(harness.events == [])
    harness.wait(10)
    #expect(harness.events == ["a:depart"])
    #expect(harness.firings.first?.time == since + .minutes(2))
    #expect(harness.kept["a"]?.stay.presence == .outside)
    harness.wait(600)
    #expect(harness.firings.count == 1)
  }

  @Test func withFixesItFiresAtTheSameSecond() throws {
    var harness = try atHome()
    let since = harness.now + .seconds(1)
    for _ in 0..<130 { harness.fix(135) }
    #expect(harness.firings.map(\.time) == [since + .minutes(2)])
  }

  /// The receiver's clock is not the system's.
  @Test func theHoldIsMeasuredByTheClockOfTheReceiver() throws {
    var harness = try atHome()
    let lag = TimeSpan.seconds(7)
    for _ in 0..<2 {
      harness.wait(1)
      harness.send(
        .fix(
          Fix(
            time: harness.now + lag,
            position: EngineHarness.home.destination(bearing: 90, distance: 135),
            mode: .threeD, source: .gnss, eph: 5)))
    }
    let first = harness.now - .seconds(1)
    harness.wait(200)
    #expect(harness.firings.map(\.time) == [first + .minutes(2)])
  }

  /// `kill -9` within the hold: the departure is neither lost nor doubled.
  @Test(arguments: shapes, [0.0, 30, 400])
  func aCrashWithinAHoldNeitherLosesNorDoublesTheDeparture(shape: String, pause: Double) throws {
    var harness = try atHome(place: shape)
    for _ in 0..<60 { harness.fix(135) }
    #expect(harness.events == [])
    harness.restartByLoading(after: pause)
    for _ in 0..<300 { harness.fix(135) }
    #expect(harness.events == ["a:depart"])
    harness.restartByLoading(after: 1)
    for _ in 0..<300 { harness.fix(135) }
    #expect(harness.events == ["a:depart"])
  }

  @Test func aCrashWithinAHoldOfAVisitorWhoComesBackFiresNothing() throws {
    var harness = try atHome()
    for _ in 0..<60 { harness.fix(135) }
    harness.restartByLoading(after: 3)
    for _ in 0..<60 { harness.fix(135) }
    for _ in 0..<300 { harness.fix(90) }
    #expect(harness.events == [])
  }

  @Test func theHoldIsExplained() throws {
    var harness = try atHome()
    for _ in 0..<72 { harness.fix(131) }
    let gate = try gate("confirmation", harness)
    #expect(
      gate.says
        == "Outside by 31 m; at rest that must last 2min (1min 11s so far); the receiver is taken "
        + "to scatter 2.0 times as much as it claims")
    let end = harness.now + .seconds(49)
    #expect(gate.remedy == "you stay outside until \(end.json)")
    harness.wait(until: end - .seconds(0.1))
    #expect(harness.events == [])
    harness.wait(0.2)
    #expect(harness.events == ["a:depart"])
  }

  // MARK: - Coarse positions

  @Test func aCoarsePositionDoesNotBringThePositionBack() throws {
    var harness = try atHome()
    harness.wait(130)
    let isLost = harness.engine.isPositionLost
    #expect(isLost)
    for _ in 0..<20 { harness.fix(5_000, after: 20, eph: 2_000) }
    let (isStillLost, last) = (harness.engine.isPositionLost, harness.engine.lastFix)
    #expect(isStillLost && last?.eph == 5)
    #expect(harness.events == [])
    let gate = try gate("accuracy", harness)
    #expect(!gate.isOpen && gate.says.contains("±2"))
    harness.fix(90)
    let isBack = !harness.engine.isPositionLost
    #expect(isBack)
  }

  @Test func theSettingExcludesWorsePositions() throws {
    var harness = EngineHarness()
    harness.engine.settings.monitor.maximumError = 20
    try harness.add(#"{"id":"a","title":"A",\#(EngineHarness.place(radius: 20_000))}"#)
    for _ in 0..<2 { harness.fix(25_000) }
    for _ in 0..<10 { harness.fix(10, after: 30, eph: 21) }
    #expect(harness.events == [])
    for _ in 0..<3 { harness.fix(10, after: 30, eph: 19) }
    #expect(harness.events == ["a:arrive"])
  }

  // MARK: - Receivers

  @Test func eachReceiverHasAScale() throws {
    var harness = try atHome()
    let other = FixOrigin(feed: 7)
    let (first, unknown) = (
      harness.engine.errorScale(of: FixOrigin(feed: 0)), harness.engine.errorScale(of: other)
    )
    #expect(first?.scale == 2 && unknown == nil)
    for _ in 0..<1_300 {
      harness.wait(1)
      let place = EngineHarness.home.destination(bearing: 90, distance: 90)
      harness.send(
        .fix(
          Fix(time: harness.now, position: place, mode: .threeD, source: .gnss, eph: 5),
          from: other))
    }
    let learnt = harness.engine.errorScale(of: other)
    #expect(learnt.map { $0.scale < 2 && $0.minutes > 5 } == true)
  }
}
