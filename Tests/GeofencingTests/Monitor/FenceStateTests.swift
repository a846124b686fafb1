import CivilTime
import Testing

@testable import Geofencing

@Suite struct FenceStateTests {
  let policy = MonitorPolicy()

  func time(_ seconds: Double) -> Instant { Instant(seconds: seconds) }

  @Test func aRunSpansFromItsFirstToItsLastSample() {
    var run = Run()
    #expect(run.isEmpty && !run.spans(.zero))
    run.add(true, at: time(10))
    #expect(run.spans(.zero) && !run.spans(.seconds(1)))
    #expect(run.end(of: .seconds(5), .seconds(1)) == nil)
    run.add(true, at: time(11))
    #expect(run.end(of: .seconds(5), .seconds(1)) == time(15))
    run.add(false, at: time(12))
    #expect(run == Run())
  }

  func leaving(_ samples: [(Double, Double)], isMoving: Bool = false) -> Instant? {
    var leaving = Leaving(0)
    for (second, beyond) in samples {
      leaving.add(beyond: beyond, 20, 75, isMoving: isMoving, at: time(second))
    }
    return leaving.end(policy)
  }

  @Test func atRestBeyondTheMarginLastsTwoMinutes() {
    #expect(leaving([(0, 30)]) == nil)
    #expect(leaving([(0, 30), (1, 30)]) == time(120))
    #expect(leaving([(0, 30), (1, 10), (2, 30), (3, 30)]) == time(122))
  }

  @Test func farBeyondItLastsTwentySeconds() {
    #expect(leaving([(0, 80), (1, 80)]) == time(20))
    #expect(leaving([(0, 30), (50, 80), (51, 80)]) == time(70))
    #expect(leaving([(0, 30), (110, 80), (111, 80)]) == time(120))
  }

  @Test func onTheMoveTwoSamplesDecide() {
    #expect(leaving([(0, 30)], isMoving: true) == nil)
    #expect(leaving([(0, 30), (1, 30)], isMoving: true) == time(0))
  }

  @Test func anArrivalOfADeviceAtRestMustLast() {
    var entering = Entering(0)
    entering.inside.add(true, at: time(5))
    #expect(entering.end(isResting: false, policy) == nil)
    entering.inside.add(true, at: time(6))
    #expect(entering.end(isResting: false, policy) == time(5))
    #expect(entering.end(isResting: true, policy) == time(125))
    entering.isDeep = true
    #expect(entering.end(isResting: true, policy) == time(25))
  }

  @Test func thePresenceIsTheDecidedOne() {
    #expect(FenceState(phase: .entering).presence == .outside)
    for presence in [Presence.unknown, .outside, .inside] {
      #expect(FenceState(presence).presence == presence)
    }
  }

  @Test(arguments: zip(Sensitivity.allCases, [(60.0, 10.0, 1.0), (120, 20, 1.5), (300, 60, 2)]))
  func theSensitivitySetsHoldsAndMargin(
    sensitivity: Sensitivity, expected: (Double, Double, Double)
  ) {
    let policy = MonitorPolicy(sensitivity)
    #expect(policy.hold == .seconds(expected.0))
    #expect(policy.farHold == .seconds(expected.1))
    #expect(policy.margin(size: 100, error: 50) == max(20, 50 * expected.2))
  }
}
