import CivilTime
import Geodesy
import Testing

@testable import Geofencing

/// Decisions by the clock, and what a device at rest costs.
@Suite struct HoldTests {
  let home = coordinate(52.52, 13.405)

  func at(_ metres: Double) -> Coordinate { home.moved(east: metres, north: 0) }

  func rig(presence: Presence = .inside) -> Rig {
    var rig = Rig()
    rig.monitor.add(.circle(circle(home, 100)), id: 0, presence: presence)
    return rig
  }

  @Test func aDepartureByRestIsDecidedAtItsSecond() {
    var rig = rig()
    rig.feed(at(90))
    rig.feed(at(130))
    #expect(rig.monitor.nextDeadline == nil)
    rig.feed(at(131))
    let deadline = Instant(seconds: 1_122)
    #expect(rig.monitor.nextDeadline == deadline)
    var decided: [Transition] = []
    rig.monitor.advance(to: deadline - .seconds(0.001), into: &decided)
    #expect(decided == [])
    rig.monitor.advance(to: deadline + .seconds(60), into: &decided)
    #expect(
      decided
        == [Transition(fence: 0, kind: .depart, time: deadline, position: at(131), eph: 5)])
    #expect(rig.monitor.nextDeadline == nil)
    #expect(rig.monitor.insideFences() == [])
    #expect(rig.feed(at(131), after: 300) == [])
  }

  /// With and without a timer the transitions are the same.
  @Test func theNextSampleDecidesTheSame() {
    var rig = rig()
    for east in [90.0, 130, 131] { rig.feed(at(east)) }
    let decided = rig.feed(at(10), after: 200)
    #expect(decided.map(\.kind) == [.depart])
    #expect(decided.first?.time == Instant(seconds: 1_122))
    #expect(rig.feed(at(10)).map(\.kind) == [.arrive])
  }

  @Test func oneSampleIsNeverDecidedByTheClock() {
    var rig = rig()
    rig.feed(at(90))
    rig.feed(at(200))
    #expect(rig.monitor.nextDeadline == nil)
    #expect(rig.feed(at(90), after: 500) == [])
    #expect(rig.monitor.presence(of: 0) == .inside)
  }

  @Test func farOutsideTwentySecondsAreEnough() {
    var rig = rig()
    for east in [90.0, 180, 181] { rig.feed(at(east)) }
    #expect(rig.monitor.nextDeadline == Instant(seconds: 1_022))
    // Not so far any more.
    rig.feed(at(150))
    #expect(rig.monitor.nextDeadline == Instant(seconds: 1_122))
  }

  @Test func motionEndsTheHold() {
    var rig = rig()
    for _ in 0..<10 { rig.feed(at(90)) }
    for step in 0..<30 { rig.feed(at(125 + 0.1 * Double(step))) }
    #expect(rig.transitions == [])
    var east = 128.0
    while rig.transitions.isEmpty, east < 500 {
      east += 4
      rig.feed(at(east))
    }
    #expect(rig.transitions.map(\.kind) == [.depart])
    #expect(east < 200)
  }

  @Test func afterFiveMinutesOfRestAnArrivalMustLast() {
    var rig = rig(presence: .outside)
    for _ in 0..<400 { rig.feed(at(110)) }
    for _ in 0..<120 { #expect(rig.feed(at(95)) == []) }
    #expect(rig.feed(at(95)).map(\.kind) == [.arrive])
  }

  @Test func deepInsideTwentySecondsAreEnoughForAnArrival() {
    var rig = rig(presence: .outside)
    for _ in 0..<400 { rig.feed(at(120)) }
    for _ in 0..<20 { #expect(rig.feed(at(10)) == []) }
    #expect(rig.feed(at(10)).map(\.kind) == [.arrive])
  }

  /// A device at rest beyond the edges of very many fences.
  @Test func aRestWithinAHoldIsCoveredByTheSafeBall() {
    var rig = Rig()
    for id in 0..<500 {
      rig.monitor.add(.circle(circle(home, 100)), id: FenceID(id), presence: .inside)
    }
    for east in [90.0, 130, 131] { rig.feed(at(east)) }
    for step in 0..<100 {
      rig.feed(at(131 + Double(step % 5)), eph: 5 + 0.1 * Double(step % 7))
      #expect(rig.monitor.isSafe(Vector(at(133))))
    }
    #expect(rig.transitions == [])
    rig.feed(at(131), after: 30)
    #expect(rig.transitions.count == 500)
  }

  @Test func theHoldIsShown() {
    var rig = rig()
    for east in [90.0, 130, 131] { rig.feed(at(east)) }
    #expect(
      rig.monitor.hold(of: 0)
        == .init(
          isArrival: false, since: Instant(seconds: 1_002), end: Instant(seconds: 1_122)))
    rig.feed(at(90))
    #expect(rig.monitor.hold(of: 0) == nil)
  }
}
