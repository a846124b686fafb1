import CivilTime
import Geodesy
import Geofencing
import Positioning
import Testing

@testable import Reminders

/// What inaccurate positions and several receivers do.
@Suite struct PositionTests {
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

  // MARK: - Coarse positions

  @Test func aCoarsePositionDoesNotBringThePositionBack() throws {
    var harness = try atHome()
    harness.wait(130)
    let isLost = harness.engine.isPositionLost
    #expect(isLost)
    for _ in 0..<20 { harness.fix(5_000, after: 20, eph: 9_000) }
    let (isStillLost, last) = (harness.engine.isPositionLost, harness.engine.lastFix)
    #expect(isStillLost && last?.eph == 5)
    #expect(harness.events == [])
    let gate = try gate("accuracy", harness)
    #expect(!gate.isOpen && gate.says.contains("±9"))
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
