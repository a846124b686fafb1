import CivilTime
import Geodesy
import Testing

@testable import Geofencing

/// Fences that lie between the fixes of a slow receiver.
@Suite struct PassIntervalTests {
  private static let home = coordinate(53.55, 9.99)

  /// Drives east at 20 m/s past a small circle in the middle of each leg; returns the circles that
  /// were passed.
  private func passes(_ intervals: [Double], _ policy: MonitorPolicy = MonitorPolicy()) -> [FenceID]
  {
    var rig = Rig(policy: policy)
    var east = 0.0
    for (number, interval) in intervals.enumerated() {
      let middle = Self.home.moved(east: east + 10 * interval, north: 0)
      rig.monitor.add(.circle(circle(middle, 40)), id: FenceID(number), presence: .outside)
      east += 20 * interval
    }
    east = 0
    rig.feed(Self.home, speed: 20)
    for interval in intervals {
      east += 20 * interval
      rig.feed(Self.home.moved(east: east, north: 0), after: interval, speed: 20)
    }
    #expect(rig.transitions.allSatisfy { $0.kind == .pass })
    return rig.transitions.map(\.fence)
  }

  /// A receiver that reports once a minute is late now and then.
  @Test func jitterOfASlowReceiverLosesNoPass() {
    let intervals = [60.0, 60, 61, 66, 58, 75, 63, 60.5, 90, 61, 60]
    // Two legs show that the device moves; the last one has no sample behind it.
    #expect(Set(passes(intervals)).isSuperset(of: (2..<10).map { FenceID($0) }))
  }

  /// One leg is lost, for nothing shows yet that it is no gap.
  @Test func aReceiverThatSlowsDownLosesOneLeg() {
    let intervals = Array(repeating: 5.0, count: 10) + Array(repeating: 60, count: 10)
    let found = Set(passes(intervals))
    #expect(found.isSuperset(of: [5, 6, 7, 8, 12, 13, 14, 15, 16, 17]))
    #expect(!found.contains(10))
  }

  @Test func threeIntervalsAreTheLimitAndFiveMinutes() {
    func passes(gap: Double, of interval: Double) -> Bool {
      let usual = Array(repeating: interval, count: 12)
      return self.passes(usual + [gap] + usual).contains(12)
    }
    #expect(passes(gap: 15, of: 5))
    #expect(!passes(gap: 16, of: 5))
    #expect(passes(gap: 170, of: 60))
    #expect(!passes(gap: 200, of: 60))
    #expect(passes(gap: 295, of: 120))
    #expect(!passes(gap: 310, of: 120))
  }

  @Test func theSettingTurnsPassesOff() {
    var policy = MonitorPolicy()
    policy.longestLeg = .zero
    #expect(passes(Array(repeating: 60, count: 12), policy) == [])
  }
}
