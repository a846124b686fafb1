import CivilTime
import Geodesy
import Testing

@testable import Reminders

/// Times to leave and positions that are not where the device is.
@Suite struct ExcursionTests {
  /// 2 km on foot: the time to leave is 31 min before.
  private static let ferry = ferry(#""transport":"walking""#)

  private static func ferry(_ way: String) -> String {
    #"{"id":"ferry","kind":"preemptive","title":"Ferry","due":"2026-06-12T19:00:00Z","#
      + way + #","place":{"name":"Pier","lat":53.55,"lon":9.99,"radius_m":100}}"#
  }
  private static let leave = EngineHarness.start + .hours(3) - .seconds(2000 * 1.3 / (5 / 3.6))

  /// A fix a second, 2 km away, and these many fixes 200 km away every two minutes.
  private static func stay(
    _ harness: inout EngineHarness, minutes: Int, outliers: Int = 0
  ) {
    for second in 0..<minutes * 60 {
      let isOutlier = second % 120 >= 60 && second % 120 < 60 + outliers
      harness.fix(isOutlier ? 200_000 : 2_000)
    }
  }

  /// The times of the firings, in seconds after the true time to leave.
  private static func delays(_ harness: borrowing EngineHarness) -> [Double] {
    harness.firings.map { ($0.time - leave).seconds }
  }

  @Test func oneWildFixStartsNobody() throws {
    var harness = EngineHarness()
    try harness.add(Self.ferry)
    Self.stay(&harness, minutes: 170, outliers: 1)
    let delays = Self.delays(harness)
    #expect(delays.count == 1 && delays.allSatisfy { (-1...2).contains($0) }, "\(delays)")
    let firing = try #require(harness.firings.first)
    #expect(firing.event == .leave && firing.distance.map { abs($0 - 2_000) < 1 } == true)
  }

  /// The moment comes while the last fix is a wild one.
  @Test func theFiringHasThePositionThatCounts() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(Self.ferry)
    harness.wait(until: Self.leave - .seconds(10))
    harness.fix(2_000)
    harness.fix(200_000)
    harness.wait(60)
    let firing = try #require(harness.firings.first)
    #expect(harness.firings.count == 1)
    #expect(firing.position.map { abs($0.distance(to: EngineHarness.home) - 2_000) < 1 } == true)
  }

  /// It lasts, so the device counts as there. After the jump back the true time is reported.
  @Test(arguments: [15.0, 40]) func aFalseTimeToLeaveIsReportedAgain(minutesBefore: Double) throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(Self.ferry)
    harness.wait(until: Self.leave - .minutes(minutesBefore))
    harness.fix(2_000)
    for _ in 0..<300 { harness.fix(200_000) }
    #expect(harness.events == ["ferry:late"])
    for _ in 0..<Int(minutesBefore) * 60 - 240 { harness.fix(2_000) }
    let delays = Self.delays(harness)
    #expect(delays.count == 2)
    #expect(delays.last.map { (-1...2).contains($0) } == true, "\(delays)")
    #expect(harness.events == ["ferry:late", "ferry:leave"])
  }

  /// Where it was for hours it was indeed, however it came and went.
  @Test func aLongStayElsewhereIsTrue() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(Self.ferry(#""transport":"walking","travel_s":1860"#))
    for _ in 0..<9_000 { harness.fix(200_000) }
    for _ in 0..<3_800 { harness.fix(2_000) }
    #expect(harness.events == ["ferry:leave"])
    let isOver = harness.engine.excursion == nil
    #expect(isOver)
  }

  /// A jump that stays, and a way back at a plausible speed, bring nothing back.
  @Test func anOrdinaryChangeTellsNothingAgain() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(Self.ferry)
    harness.wait(until: Self.leave - .minutes(2))
    harness.fix(2_000)
    // 20 m/s for four minutes: the ferry must be left for now, and then not.
    for step in 0..<120 { harness.fix(2_000 + 20 * Double(step), speed: 20) }
    for step in 0..<120 { harness.fix(4_400 - 20 * Double(step), speed: 20) }
    Self.stay(&harness, minutes: 20)
    #expect(harness.firings.count == 1)
  }
}
