import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// Random drives with the default policy against a monitor that measures all fences at each sample.
@Suite struct MonitorOracleTests {
  static let sites = [
    coordinate(52.5, 13.4), coordinate(-16.8, 179.98), coordinate(89.95, 40), coordinate(-90, 0),
    coordinate(0, 0),
  ]

  @Test(arguments: 0..<20 as Range<UInt64>)
  func decidesAsABruteForceMonitor(seed: UInt64) {
    var random = SeededGenerator(seed: 500 + seed)
    let site = Self.sites[Int(seed) % Self.sites.count]
    var monitor = FenceMonitor()
    var reference = ReferenceMonitor()
    func region() -> Circle {
      let center = random.beside(site, distance: 12_000 * random.uniform(0...1).squareRoot())
      let exponent = random.uniform(0...(Bool.random(using: &random) ? 1.3 : 2.5))
      return circle(center, 20 * power(10, exponent))
    }
    func put(_ id: FenceID, _ presence: Presence) {
      let one = region()
      monitor.add(.circle(one), id: id, presence: presence)
      reference.add(one, id: id, presence: presence)
    }
    for id in 0..<150 { put(FenceID(id), id % 3 == 0 ? .unknown : .outside) }

    var (found, expected): ([Transition], [Transition]) = ([], [])
    var place = site
    var (heading, speed, time) = (0.0, 15.0, 1_000.0)
    for step in 0..<900 {
      let interval = [1.0, 1, 2, 5, 12, 20, 30, 70][Int.random(in: 0..<8, using: &random)]
      time += interval
      heading += (step % 150 == 0 ? 120 : 8) * random.normal()
      speed = step % 100 > 80 ? 0 : max(0, min(60, max(5, speed) + 2 * random.normal()))
      if place.distance(to: site) > 12_000 { heading = place.initialBearing(to: site) }
      place = place.destination(bearing: heading, distance: speed * interval)
      // A leap that stays, now and then, and single outliers.
      if step % 211 == 210 { place = random.beside(site, distance: 9_000 * random.uniform(0...1)) }
      let noise = step % 37 == 36 ? random.uniform(150...4_000) : 3 * abs(random.normal())
      let position = random.beside(place, distance: noise)
      let sample = PositionSample(
        time: Instant(seconds: time), position: position,
        eph: random.uniform(0...1) < 0.1 ? nil : random.uniform(3...25))
      if step % 23 == 22 {
        let id = FenceID.random(in: 0..<170, using: &random)
        if Bool.random(using: &random) {
          put(id, Bool.random(using: &random) ? .unknown : .outside)
        } else {
          monitor.remove(id)
          reference.remove(id)
        }
      }
      let start = found.count
      monitor.process(sample, into: &found)
      reference.process(sample, into: &expected)
      guard found[start...].elementsEqual(expected[min(start, expected.count)...], by: Self.agree)
      else {
        Issue.record(
          "step \(step): \(found[start...]) instead of \(expected[min(start, expected.count)...])")
        return
      }
    }
    #expect(monitor.index.checkInvariants() == nil)
    for kind in [Transition.Kind.arrive, .depart, .pass] {
      #expect(found.contains { $0.kind == kind })
    }
  }

  /// The same decision; of a pass the moment and the place to a millimetre or so.
  private static func agree(_ a: Transition, _ b: Transition) -> Bool {
    a.fence == b.fence && a.kind == b.kind && abs((a.time - b.time).seconds) < 1e-3
      && a.position.distance(to: b.position) < 0.01
      && (a.eph == b.eph)
  }
}
