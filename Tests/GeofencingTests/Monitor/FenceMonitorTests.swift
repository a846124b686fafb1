import CivilTime
import Geodesy
import Glibc
import Testing

@testable import Geofencing

@Suite struct FenceMonitorTests {
  let home = coordinate(52.52, 13.405)

  /// `metres` east of the centre.
  func at(_ metres: Double) -> Coordinate { home.moved(east: metres, north: 0) }

  func rig(radius: Double = 100, presence: Presence = .unknown) -> Rig {
    var rig = Rig()
    rig.monitor.add(.circle(circle(home, radius)), id: 0, presence: presence)
    return rig
  }

  @Test func arrivesWhereItIsRatherInside() {
    var rig = rig(presence: .outside)
    for east in [130.0, 120, 110] { #expect(rig.feed(at(east)) == []) }
    #expect(rig.feed(at(101)) == [])
    let decided = rig.feed(at(70), after: 2)
    #expect(decided.map(\.kind) == [.arrive])
    #expect(decided.first?.time == Instant(seconds: 1_006))
    #expect(decided.first.map { abs(rig.monitor.fences.distance(of: $0) - 70) < 0.01 } == true)
    #expect(decided.first?.eph == 5)
    #expect(rig.monitor.fences.presence(of: 0) == .inside)
    #expect(rig.monitor.fences.inside.sorted() == [0])
    #expect(rig.feed(at(40)) == [])
  }

  @Test func isFoundInsideOnce() {
    var rig = rig()
    #expect(rig.feed(at(10)) == [])
    #expect(rig.monitor.fences.presence(of: 0) == .unknown)
    #expect(rig.feed(at(11)).map(\.kind) == [.found])
    #expect(rig.feed(at(12)) == [])
  }

  /// Samples far off that agree are believed after a while, and then the rest before is over. No
  /// way leads there, so nothing between was passed.
  @Test func aJumpEndsARestAndHasNoWay() {
    var rig = Rig()
    rig.monitor.add(.circle(circle(at(0), 100)), id: 0)
    rig.monitor.add(.circle(circle(at(2_500), 100)), id: 1)
    rig.monitor.add(.circle(circle(at(5_000), 100)), id: 2)
    for second in 0..<300 { rig.feed(at(Double(second % 3)), after: 2) }
    for second in 0..<60 { rig.feed(at(5_000 + Double(second % 3)), after: 2) }
    #expect(
      rig.transitions.map { "\($0.kind) \($0.fence)" } == ["found 0", "depart 0", "arrive 2"])
    #expect(rig.transitions.last.map { $0.time == rig.transitions[1].time } == true)
  }

  /// One sample that is clearly outside is enough; one on the edge is not.
  @Test func aFirstArrivalAfterOneSampleOutside() {
    var far = rig()
    far.feed(at(400))
    for _ in 0..<8 { far.feed(at(20), after: 60) }
    #expect(far.transitions.map(\.kind) == [.arrive])
    var near = rig()
    near.feed(at(110))
    for _ in 0..<8 { near.feed(at(80), after: 60) }
    #expect(near.transitions.map(\.kind) == [.found])
  }

  @Test func startsOutsideSilentlyThenArrives() {
    var rig = rig()
    for east in [400.0, 390] { #expect(rig.feed(at(east)) == []) }
    #expect(rig.monitor.fences.presence(of: 0) == .outside)
    for east in stride(from: 380.0, to: 40, by: -20) { rig.feed(at(east)) }
    #expect(rig.transitions.map(\.kind) == [.arrive])
  }

  @Test func addedWhileInsideIsFound() {
    var rig = Rig()
    for i in 0..<20 { rig.feed(at(Double(i))) }
    rig.monitor.add(.circle(circle(home, 100)), id: 3)
    rig.feed(at(20))
    #expect(rig.feed(at(21)).map(\.kind) == [.found])
    rig.monitor.add(.circle(circle(at(900), 100)), id: 4)
    rig.feed(at(22))
    #expect(rig.monitor.fences.presence(of: 4) == .unknown)
    rig.feed(at(23))
    #expect(rig.monitor.fences.presence(of: 4) == .outside)
  }

  /// By 3.72 standard deviations. A receiver without a history is taken to be twice as bad as it
  /// claims, and what its fixes have in common no averaging removes.
  @Test(arguments: [(100.0, 5.0), (100, 30), (1_000, 5), (12, 5), (30, 100)])
  func departsWhereItIsSureToBeOutside(radius: Double, eph: Double) throws {
    var rig = rig(radius: radius, presence: .inside)
    for _ in 0..<1_200 { rig.feed(at(radius - 1), eph: eph) }
    let estimate = try #require(rig.monitor.estimate)
    #expect(estimate.restSince != nil)
    var east = radius
    while rig.transitions.isEmpty, east < radius + 2_000 {
      east += 1.4
      rig.feed(at(east), eph: eph, speed: 1.4)
    }
    let assessment = try #require(rig.monitor.assessment(of: 0, in: rig.monitor.fences))
    #expect(assessment.probability <= 0.001 && assessment.beyond >= assessment.exitMargin)
  }

  @Test func aPresenceFromBeforeARestartIsComparedWithTheFirstSample() {
    var monitor = FenceMonitor(policy: .plain)
    for (id, place) in [home, home, at(2_000)].enumerated() {
      monitor.add(.circle(circle(place, 300)), id: FenceID(id), presence: .inside)
    }
    var transitions: [Transition] = []
    let sample = PositionSample(time: Instant(seconds: 1), position: home)
    monitor.process(sample, into: &transitions)
    #expect(transitions.map(\.fence) == [2])
    #expect(transitions.map(\.kind) == [.depart])
    #expect(monitor.fences.inside.sorted() == [0, 1])
    let restarted = monitor.restarted(policy: MonitorPolicy()).fences
    #expect((0..<3).map { restarted.presence(of: $0) } == [.inside, .inside, .outside])
    #expect(restarted.inside.sorted() == [0, 1])
    #expect(restarted.pending.isEmpty)
  }

  @Test func aFenceAddedAfterASkippedSampleIsLeftByTheNext() {
    var monitor = FenceMonitor(policy: .plain)
    monitor.add(.circle(circle(home, 300)), id: 0, presence: .outside)
    var transitions: [Transition] = []
    for step in 1...4 {
      if step == 3 { monitor.add(.circle(circle(home, 300)), id: 1, presence: .inside) }
      let far = home.moved(east: 0, north: -200_000 * Double(step))
      monitor.process(
        PositionSample(time: Instant(seconds: Double(step)), position: far), into: &transitions)
    }
    #expect(transitions.map(\.fence) == [1])
    #expect(transitions.map(\.kind) == [.depart])
  }

  @Test func oneSampleBeyondTheMarginIsNoDeparture() {
    var rig = rig(presence: .inside)
    for east in [90.0, 140, 90, 140, 90] { #expect(rig.feed(at(east), eph: 2) == []) }
    #expect(rig.monitor.fences.presence(of: 0) == .inside)
  }

  /// Also the first one after a restart.
  @Test func noSingleSampleDecidesHoweverFar() {
    var rig = rig(radius: 2_000, presence: .outside)
    rig.feed(at(2_500))
    #expect(rig.feed(at(500), after: 2) == [])
    #expect(rig.feed(at(2_500), after: 2) == [])
    var restarted = self.rig(radius: 2_000, presence: .inside)
    #expect(restarted.feed(at(9_000)) == [])
    #expect(restarted.feed(at(500), after: 60) == [])
    #expect(restarted.monitor.fences.presence(of: 0) == .inside)
  }

  @Test func ignoresSamplesThatAreNotNewer() {
    var rig = rig(presence: .outside)
    rig.feed(at(200))
    #expect(rig.feed(at(0), after: 0) == [])
    #expect(rig.feed(at(0), after: -60) == [])
    #expect(rig.monitor.lastSample?.position == at(200))
    rig.seconds += 60
    rig.feed(at(190))
    #expect(rig.monitor.lastSample?.position == at(190))
  }

  @Test(arguments: [1.0, 2, 5, 10, 30])
  func oneOutlierDecidesNothing(interval: Double) {
    for (place, presence) in [(190.0, Presence.outside), (10, .inside), (300, .outside)] {
      var rig = rig(presence: presence)
      for i in 0..<100 {
        let isOutlier = i % 20 == 15
        let east = isOutlier ? place - 200 : place
        #expect(rig.feed(at(east), after: interval, eph: 2, speed: 0) == [], "sample \(i)")
      }
    }
  }

  @Test func believesAJumpThatLasts() {
    var rig = rig(presence: .inside)
    for _ in 0..<60 { rig.feed(at(0)) }
    // The odder it is, the longer it has to last.
    for _ in 0..<30 { #expect(rig.feed(at(3_000)) == []) }
    #expect(rig.monitor.isInDoubt)
    for _ in 0..<600 { rig.feed(at(3_001)) }
    #expect(rig.transitions.map(\.kind) == [.depart])
    #expect(rig.monitor.jumpCount == 1 && rig.monitor.outlierCount == 0)
  }

  @Test func reportsAPassBetweenSamples() {
    var rig = rig(radius: 50, presence: .outside)
    for i in -5...5 { rig.feed(at(Double(i) * 278 + 139), after: 10, eph: 8) }
    #expect(rig.transitions.map(\.kind) == [.pass])
    let pass = rig.transitions[0]
    #expect(rig.monitor.fences.distance(of: pass) < 0.1)
    #expect(pass.position.distance(to: home) < 0.1)
    #expect(abs(pass.time.seconds - (rig.seconds - 55)) < 0.01)
    #expect(rig.monitor.fences.presence(of: 0) == .outside)
  }

  /// Whichever side of the edge rounding puts the sample on.
  @Test(arguments: 0..<24)
  func aStepThatEndsOnTheEdgeIsNoPass(direction: Int) {
    let angle = Double(direction) * .pi / 12
    for radius in stride(from: 40.0, through: 200, by: 20) {
      var rig = rig(radius: radius, presence: .outside)
      for step in 0...20 {
        let left = 400 - 20 * Double(step)
        rig.feed(home.moved(east: left * sin(angle), north: left * cos(angle)), after: 1)
      }
      #expect(rig.transitions.map(\.kind) == [.arrive], "radius \(radius)")
    }
  }

  @Test func visitOfOneSampleIsAPass() {
    var rig = rig(radius: 50, presence: .outside)
    for i in -8...8 { rig.feed(at(Double(i) * 100 + 5), after: 4, eph: 8) }
    #expect(rig.transitions.map(\.kind) == [.pass])
  }

  /// Whichever of the two ways to and from it rounding calls the shorter.
  @Test(arguments: 0..<24)
  func aVisitOfOneSampleHasItsError(direction: Int) {
    let angle = Double(direction) * .pi / 12
    for latitude in stride(from: -0.02, through: 0.02, by: 0.001) {
      let center = coordinate(latitude, 0.02 * Double(direction))
      var rig = Rig()
      rig.monitor.add(.circle(circle(center, 60)), id: 0, presence: .outside)
      // To a corner 40 m beside the centre, and away at a right angle.
      for step in -3...3 {
        let (x, y) = (100 * Double(step), -40 - 100 * abs(Double(step)))
        let place = center.moved(
          east: x * cos(angle) - y * sin(angle), north: x * sin(angle) + y * cos(angle))
        rig.feed(place, after: 8, eph: step == 0 ? 7 : 5)
      }
      #expect(rig.transitions.map(\.kind) == [.pass])
      #expect(rig.transitions.first?.eph == 7)
    }
  }

  @Test func pathOverAGapIsUnknown() {
    var rig = rig(radius: 50, presence: .outside)
    for i in 1...5 { rig.feed(at(Double(i) * 278 - 2_000), after: 10) }
    #expect(rig.feed(at(700), after: 60.5) == [])
    for i in 1...5 { rig.feed(at(Double(i) * 278 + 700), after: 10) }
    #expect(rig.transitions == [])
  }

  @Test func departuresComeFirstThenArrivalsThenPasses() {
    var policy = MonitorPolicy.plain
    policy.longestLeg = .minutes(5)
    var rig = Rig(policy: policy)
    for step in 0..<5 { rig.feed(at(Double(step) * 300 - 1_400), after: 20) }
    // The last leg leaves 5 and 1, crosses 4, and ends in 3 and 0.
    rig.monitor.add(.circle(circle(at(0), 300)), id: 5, presence: .inside)
    rig.monitor.add(.circle(circle(at(0), 250)), id: 1, presence: .inside)
    rig.monitor.add(.circle(circle(at(850), 100)), id: 4, presence: .outside)
    rig.monitor.add(.circle(circle(at(1_700), 600)), id: 3, presence: .outside)
    rig.monitor.add(.circle(circle(at(1_700), 500)), id: 0, presence: .outside)
    rig.feed(at(1_700), after: 60)
    #expect(rig.transitions.map(\.fence) == [1, 5, 0, 3, 4])
    #expect(rig.transitions.map(\.kind) == [.depart, .depart, .arrive, .arrive, .pass])
  }

  @Test func rememberedPresenceMakesNoSecondArrival() {
    var inside = rig(presence: .inside)
    for _ in 0..<5 { #expect(inside.feed(at(20)) == []) }
    var gone = rig(presence: .inside)
    #expect(gone.feed(at(900)) == [])
    #expect(gone.feed(at(905)).map(\.kind) == [.depart])
  }

  @Test func removedFenceIsSilent() {
    var rig = rig(presence: .outside)
    rig.feed(at(130))
    rig.feed(at(80))
    rig.monitor.remove(0)
    rig.monitor.remove(0)
    #expect(rig.feed(at(50)) == [])
    #expect(rig.monitor.fences.presence(of: 0) == .unknown)
    #expect(rig.monitor.fences.distance(to: 0, from: home) == .infinity)
    rig.monitor.add(.circle(circle(home, 10)), id: 0)
    #expect(abs(rig.monitor.fences.distance(to: 0, from: at(35)) - 25) < 0.01)
    #expect(rig.monitor.fences.nearest(to: at(35), limit: 3, within: 30).map(\.id) == [0])
  }

  @Test(arguments: [Double.nan, -3, 0, -Double.infinity])
  func senselessErrorIsUnknown(eph: Double) {
    var rig = rig(presence: .inside)
    for east in [0.0, 10, 0, 90, 110, 110, 90] { #expect(rig.feed(at(east), eph: eph) == []) }
    #expect(rig.monitor.fences.presence(of: 0) == .inside)
  }

  @Test func hostileNumbersDoNotTrap() {
    var rig = rig()
    let values: [Double?] = [nil, .nan, .infinity, -1, 0, 1e300, -.infinity]
    for (i, value) in values.enumerated() {
      rig.feed(at(Double(i) * 60), eph: value, speed: values[values.count - 1 - i])
    }
    var transitions: [Transition] = []
    for time in [Int64.min, .max - 1, .max] {
      rig.monitor.process(
        PositionSample(time: Instant(microseconds: time), position: home), into: &transitions)
    }
    for (latitude, longitude) in [(90.0, 0.0), (-90, 180), (0, -180), (0, 180)] {
      rig.monitor.add(.circle(circle(coordinate(latitude, longitude), 5_000_000)), id: 1)
      rig.feed(coordinate(-latitude, longitude), after: 1e7)
    }
  }
}
