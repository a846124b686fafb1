import CivilTime
import Testing

@testable import Reminders

/// Weeks of a commuter whose road is slower than the formula: 8 km at 5 m/s.
@Suite struct CommuteTests {
  private static let (distance, speed) = (8_000.0, 5.0)
  /// From the door to the edge of the place.
  private static let trueTime = (distance - 100) / speed

  /// One day after the other, leaving so many seconds after the call, or before the usual time;
  /// home again in the evening. Returns the seconds from each call to nine o'clock.
  private static func calls(days: Int, delay: Double) throws -> [Double?] {
    var harness = EngineHarness(punctuality: 0.85)
    // Due at nine, from Saturday on.
    try harness.add(
      #"{"id":"w","title":"Work","due":"2026-06-13T09:00:00Z","repeat":"daily","#
        + #""transport":"driving","# + EngineHarness.place() + "}")
    var calls: [Double?] = []
    for day in 1...days {
      let due = EngineHarness.start + .hours(24 * Double(day) - 7)
      let before = harness.firings.count
      while harness.now < due - .hours(1) { harness.fix(distance, after: 300) }
      let usual = due - .seconds(trueTime)
      while delay < 0
        ? harness.now < usual + .seconds(delay)
        : harness.firings.count == before && harness.now < due
      {
        harness.fix(distance, after: 10)
      }
      for _ in 0..<Int(max(0, delay) / 10) { harness.fix(distance, after: 10) }
      calls.append(harness.firings.dropFirst(before).first.map { (due - $0.time).seconds })
      go(&harness, from: distance, to: 0)
      // Nothing rings on the way or at work.
      #expect(harness.firings.count <= before + 1, "day \(day)")
      while harness.now < due + .hours(8) { harness.fix(0, after: 300) }
      go(&harness, from: 0, to: distance)
    }
    return calls
  }

  private static func go(_ harness: inout EngineHarness, from: Double, to: Double) {
    var way = 0.0
    while way < abs(to - from) {
      way = min(abs(to - from), way + 10 * speed)
      harness.fix(from < to ? from + way : from - way, after: 10, speed: speed)
    }
  }

  /// In time or ten minutes late: the call comes when it is time by the true way.
  @Test(arguments: [0.0, 600]) func theTrueTimeIsLearntWhenTheCallIsAnswered(delay: Double) throws {
    let calls = try Self.calls(days: 12, delay: delay)
    let last = try calls.suffix(3).map { try #require($0) }
    for call in last { #expect(abs(call - Self.trueTime) < 60, "\(calls)") }
  }

  /// Nine minutes early: no call is needed, and the day on which one is comes at the true time.
  @Test func whoLeavesEarlyTeachesTheSameAndHearsNothing() throws {
    let calls = try Self.calls(days: 12, delay: -540)
    for call in calls.suffix(3) { #expect(call == nil, "\(calls)") }
  }
}
