import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// Situations that phones, trackers and boats are reported to be in, in which a rule that drops
/// fixes goes wrong.
@Suite struct FieldFaultTests {
  private static let home = coordinate(48.1, 11.6)

  /// A device on a line through the centre of a circle, and what was decided of it.
  private struct Device {
    private var rig = Rig()
    private var random: SeededGenerator
    var seconds: Double { rig.seconds }
    var kinds: [Transition.Kind] { rig.transitions.map(\.kind) }

    init(radius: Double, seed: Int) {
      random = SeededGenerator(seed: UInt64(seed))
      rig.monitor.add(.circle(circle(home, radius)), id: 0)
    }

    /// A fix of the device, so many metres east of the centre.
    mutating func fix(
      _ east: Double, after: Double, error: Double = 4, eph: Double? = 10, speed: Double? = nil
    ) {
      let place = home.moved(
        east: east + error * random.normal(), north: error * random.normal())
      rig.feed(place, after: after, eph: eph, speed: speed)
    }

    /// Seconds of the first transition of a kind.
    func time(of kind: Transition.Kind) -> Double? {
      rig.transitions.first { $0.kind == kind }.map { $0.time.seconds }
    }
  }

  /// Each fifth fix is by a network, and far outside.
  @Test(arguments: 0..<10)
  func aVisitIsOneVisitThoughTheNetworkErrs(seed: Int) {
    var device = Device(radius: 100, seed: seed)
    for minute in -10..<0 { device.fix(Double(minute) * 80, after: 60) }
    for minute in 0..<60 {
      let isNetwork = minute % 5 == 4
      device.fix(isNetwork ? 260 : 0, after: 60, eph: isNetwork ? 100 : 10)
    }
    for minute in 1..<15 { device.fix(Double(minute) * 80, after: 60) }
    #expect(device.kinds == [.arrive, .depart])
  }

  /// A drive of five kilometres, a stay of half an hour, and the way back.
  @Test(arguments: 0..<10, [300.0, 600])
  func aSlowTrackerFindsAVisitOfHalfAnHour(phase: Int, interval: Double) {
    var device = Device(radius: 100, seed: phase)
    var time = Double(phase) * interval / 10
    while time < 7_200 {
      let way = time < 3_600 ? 3_600 - time : max(0, time - 5_400)
      device.fix(max(-5_000, -12 * way), after: interval)
      time += interval
    }
    #expect(device.kinds == [.arrive, .depart])
  }

  /// After silence the receiver reports where it was another day.
  @Test(arguments: 1...5, [1.0, 10])
  func aFewFixesOfAnotherDayDecideNothing(count: Int, interval: Double) {
    var device = Device(radius: 100, seed: count)
    for _ in 0..<60 { device.fix(0, after: 60) }
    for number in 0..<count { device.fix(60_000, after: number == 0 ? 1_800 : interval) }
    for _ in 0..<60 { device.fix(0, after: 60) }
    #expect(device.kinds == [.found])
  }

  /// Satellites follow a walk, and the network goes on to report home in turns with them.
  @Test(arguments: 0..<5, [40.0, 100])
  func aWalkIsADepartureBesideAStaleNetwork(seed: Int, claim: Double) throws {
    var device = Device(radius: 100, seed: seed)
    for _ in 0..<60 { device.fix(10, after: 60, error: 0, eph: claim) }
    let start = device.seconds
    for step in 1...60 {
      device.fix(1.4 * 30 * Double(step), after: 15)
      device.fix(10, after: 15, error: 0, eph: claim)
    }
    for step in 61...100 { device.fix(1.4 * 30 * Double(step), after: 30) }
    #expect(device.kinds == [.found, .depart])
    #expect(try #require(device.time(of: .depart)) - start <= 300)
  }

  /// The travel time's position and the report use the fix before it.
  @Test func aStalePositionIsInDoubt() {
    var rig = Rig()
    for step in 0..<60 {
      rig.feed(Self.home.moved(east: 1.4 * Double(step) * 5, north: 0), after: 5)
    }
    let last = rig.monitor.lastSample
    rig.feed(Self.home, after: 5, eph: 40)
    #expect(rig.monitor.isInDoubt && rig.monitor.lastSample == last)
    rig.feed(Self.home.moved(east: 430, north: 0), after: 5)
    #expect(!rig.monitor.isInDoubt && rig.monitor.outlierCount == 1)
  }

  /// At half a metre a second.
  @Test(arguments: 0..<10, [true, false])
  func aSlowWalkIsADeparture(seed: Int, hasSpeed: Bool) throws {
    var device = Device(radius: 60, seed: seed)
    for _ in 0..<1_800 { device.fix(0, after: 1, error: 2, speed: hasSpeed ? 0 : nil) }
    let edge = device.seconds + 120
    for second in 1...600 {
      device.fix(0.5 * Double(second), after: 1, error: 2, speed: hasSpeed ? 0.5 : nil)
    }
    #expect(device.kinds == [.found, .depart])
    #expect(try #require(device.time(of: .depart)) - edge <= 90)
  }

  @Test(arguments: 0..<10, [1.0, 30, 300])
  func aReceiverWithoutClaimsDeparts70MetresBeyondTheEdge(seed: Int, interval: Double) {
    var device = Device(radius: 100, seed: seed)
    for _ in 0..<120 { device.fix(0, after: interval, eph: nil) }
    for _ in 0..<120 { device.fix(170, after: interval, eph: nil) }
    #expect(device.kinds == [.found, .depart])
  }

  /// The network repeats home; the satellites see the device elsewhere, at first in turns with it.
  @Test(arguments: 0..<10, [200.0, 400, 3_000])
  func goodFixesAreBelievedAfterAStaleNetwork(seed: Int, away: Double) throws {
    var device = Device(radius: 100, seed: seed)
    for _ in 0..<60 { device.fix(10, after: 60, error: 0, eph: 40) }
    for _ in 0..<3 {
      device.fix(away, after: 60, eph: 8)
      device.fix(10, after: 60, error: 0, eph: 40)
    }
    let last = device.seconds
    for _ in 0..<30 { device.fix(away, after: 30, eph: 8) }
    #expect(device.kinds == [.found, .depart])
    #expect(try #require(device.time(of: .depart)) - last <= 150)
  }
}
