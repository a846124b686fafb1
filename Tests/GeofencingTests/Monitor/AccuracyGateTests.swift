import CivilTime
import Geodesy
import Geofencing
import TestSupport
import Testing

/// Samples that are too inaccurate, and takeovers between receivers.
@Suite struct AccuracyGateTests {
  let home = coordinate(52.52, 13.405)

  func at(_ metres: Double) -> Coordinate { home.moved(east: metres, north: 0) }

  func rig(
    radius: Double = 100, presence: Presence, policy: MonitorPolicy = MonitorPolicy()
  )
    -> Rig
  {
    var rig = Rig(policy: policy)
    rig.monitor.add(.circle(circle(home, radius)), id: 0, presence: presence)
    return rig
  }

  @Test func anErrorOfMoreThan100MetresIsCoarse() {
    var policy = MonitorPolicy()
    #expect(policy.quality(of: nil) == .good && policy.quality(of: 100) == .good)
    #expect(policy.quality(of: 100.1) == .coarse && policy.largestError == 100)
    policy.maximumError = 50
    #expect(policy.quality(of: 50) == .good && policy.quality(of: 50.1) == .excluded)
    #expect(policy.largestError == 50)
  }

  /// ±120 m, ±2 km and ±25 km, jumping between.
  @Test(arguments: [(0.0, Presence.inside), (400, .outside)])
  func positionsByNetworksDecideNothingAboutASmallPlace(place: Double, presence: Presence) {
    var random = SeededGenerator(seed: 1)
    var rig = rig(presence: presence)
    for _ in 0..<2_000 {
      let eph = [120.0, 2_000, 25_000][Int.random(in: 0..<3, using: &random)]
      let position = at(place).destination(
        bearing: random.uniform(0...360), distance: eph * random.uniform(0...1))
      #expect(rig.feed(position, after: 20, eph: eph) == [])
    }
  }

  @Test func aStayOfFiveMinutesIsFoundBySamplesOf60Metres() {
    var found = 0
    for seed in 0..<40 {
      var random = SeededGenerator(seed: UInt64(seed))
      var rig = rig(presence: .outside)
      for second in stride(from: 0, to: 900, by: 20) {
        let place = second < 300 || second >= 600 ? 900.0 : 20
        let noisy = at(place).moved(
          east: 60 / 2.45 * random.normal(), north: 60 / 2.45 * random.normal())
        rig.feed(noisy, after: 20, eph: 60)
      }
      if rig.transitions.first?.kind == .arrive { found += 1 }
    }
    #expect(found == 40)
  }

  /// It weighs as much as its error says.
  @Test func aCoarseSampleMovesNoGoodTrack() throws {
    var rig = rig(presence: .outside)
    for step in 0..<30 {
      let place = at(3_000 - 20 * Double(step))
      rig.feed(place)
      rig.feed(at(-8_000), after: 0.5, eph: step % 2 == 0 ? 500 : 20_000)
      rig.seconds -= 0.5
      let estimate = try #require(rig.monitor.estimate)
      #expect(step < 5 || estimate.position.distance(to: place) < 30)
    }
    #expect(rig.transitions == [])
  }

  @Test func aLargeRegionIsDecidedByCoarseSamples() {
    var rig = rig(radius: 20_000, presence: .outside)
    for _ in 0..<10 { #expect(rig.feed(at(29_000), after: 30, eph: 2_000) == []) }
    for _ in 0..<20 { rig.feed(at(5_000), after: 60, eph: 2_000) }
    #expect(rig.transitions.map(\.kind) == [.arrive])
    // Not sure to be outside yet.
    for _ in 0..<20 { rig.feed(at(20_500), after: 60, eph: 2_000) }
    #expect(rig.transitions.count == 1)
    for _ in 0..<30 { rig.feed(at(32_000), after: 60, eph: 2_000) }
    #expect(rig.transitions.map(\.kind) == [.arrive, .depart])
  }

  @Test func aMaximumErrorExcludesWorseSamples() {
    var policy = MonitorPolicy()
    policy.maximumError = 30
    var rig = rig(radius: 20_000, presence: .outside, policy: policy)
    for eph in [31.0, 200, 5_000] {
      for _ in 0..<5 { #expect(rig.feed(at(0), after: 30, eph: eph) == []) }
    }
    #expect(rig.monitor.lastSample == nil)
    #expect(rig.feed(at(0), eph: 30) == [])
    #expect(rig.feed(at(0), eph: 30).map(\.kind) == [.arrive])
  }

  // MARK: - Takeovers

  /// Two receivers 50 m apart with drop-outs, parked at the edge.
  @Test func aTakeoverIsNoMotion() {
    var random = SeededGenerator(seed: 3)
    var rig = rig(presence: .unknown)
    var wander = Wander(sigma: 2, using: &random)
    var current = 0
    for second in 0..<20_000 {
      if second % 37 == 36 { current = 1 - current }
      rig.monitor.follow(ReceiverID(feed: current))
      rig.feed(wander.step(from: at(current == 0 ? 85 : 135), using: &random))
    }
    #expect(rig.transitions.count <= 2)
  }

  @Test func eachReceiverHasAScaleOfItsOwn() throws {
    var random = SeededGenerator(seed: 4)
    var rig = rig(presence: .inside)
    for (feed, sigma) in [(1, 2.0), (2, 10)] {
      rig.monitor.follow(ReceiverID(feed: feed))
      for _ in 0..<7_200 {
        rig.feed(home.moved(east: sigma * random.normal(), north: sigma * random.normal()), eph: 10)
      }
    }
    let first = try #require(rig.monitor.scale(of: ReceiverID(feed: 1)))
    let second = try #require(rig.monitor.scale(of: ReceiverID(feed: 2)))
    #expect(first.scale < 1.4 && first.minutes > 100)
    #expect(second.scale > 2.1)
    #expect(rig.monitor.scale(of: ReceiverID(feed: 3)) == nil)
  }

  @Test func aDriveGoesOnWithTheOtherReceiver() {
    var rig = rig(presence: .inside)
    for step in 0..<60 {
      if step % 10 == 0 { rig.monitor.follow(ReceiverID(feed: step / 10 % 2)) }
      rig.feed(at(-90 + 10 * Double(step)).moved(east: 0, north: step / 10 % 2 == 0 ? 0 : 30))
    }
    #expect(rig.transitions.map(\.kind) == [.depart])
  }
}
