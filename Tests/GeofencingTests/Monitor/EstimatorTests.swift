import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// The estimate against one on a plane, and its properties.
@Suite struct EstimatorTests {
  private static let sites = [
    coordinate(52.5, 13.4), coordinate(-16.8, 179.99), coordinate(89.999, 40), coordinate(0, 0),
  ]

  /// A device that rests, walks, drives and jumps, with a receiver whose claims are wrong.
  @Test(arguments: 0..<16)
  func agreesWithAFilterOnAPlane(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let site = Self.sites[seed % Self.sites.count]
    var (reference, track) = (ReferenceEstimator(), Track())
    var east = 0.0
    var north = 0.0
    var time = 1_000.0
    for _ in 0..<12 {
      let interval: Double = [0.1, 1, 1, 5, 30, 300, 900].randomElement(using: &random) ?? 1
      let speed: Double = [0, 0, 1.4, 12].randomElement(using: &random) ?? 0
      let hasSpeed = Bool.random(using: &random)
      let claim = Bool.random(using: &random) ? random.uniform(4...80) : nil
      let heading = atan2(-east, -north) + random.uniform(-1...1)
      for _ in 0..<(speed == 0 ? 200 : 40) {
        time += (interval * random.uniform(0.9...1.1) * 100).rounded() / 100
        east += speed * min(interval, 30) * sin(heading)
        north += speed * min(interval, 30) * cos(heading)
        let isOdd = random.uniform(0...1) < 0.02
        let error = isOdd ? 300.0 : 6
        let seen = SIMD2(east + error * random.normal(), north + error * random.normal())
        let claimed = hasSpeed ? max(0, speed + 0.2 * random.normal()) : nil
        reference.follow(time, seen, claim: claim, speed: claimed)
        let sample = PositionSample(
          time: Instant(seconds: time), position: site.moved(east: seen.x, north: seen.y),
          eph: claim, speed: claimed)
        let belief = track.take(sample, fastest: 100)
        #expect((belief == nil) == reference.isSetAside, "at \(time) s")
        guard let now = track.belief else { continue }
        let place = now.place.coordinate
        let expected = site.moved(east: reference.place.x, north: reference.place.y)
        guard place.distance(to: expected) < 0.05 + 1e-5 * site.distance(to: place),
          abs(now.sigma / reference.sigma - 1) < 1e-3,
          now.isGoing != reference.isResting,
          belief?.isLone ?? reference.isLone == reference.isLone,
          abs(track.noise.scale - reference.scale) < 1e-6
        else {
          Issue.record(
            """
            at \(time) s: \(place.distance(to: expected)) m off, ± \(now.sigma) instead of \
            \(reference.sigma), rest \(!now.isGoing) \(reference.isResting), lone \
            \(String(describing: belief?.isLone)) \(reference.isLone), scale \(track.noise.scale) \
            \(reference.scale)
            """)
          return
        }
      }
    }
  }

  /// A track as a pilot's or a passenger's device sees it first in mid-flight or on a fast train.
  @Test(arguments: [83.0, 250], [1.0, 10, 30])
  func aFastDeviceIsFollowed(speed: Double, interval: Double) {
    var (track, setAside) = (Track(), 0)
    let start = coordinate(48, 2)
    for step in 0..<60 {
      let position = start.destination(bearing: 80, distance: speed * interval * Double(step))
      let sample = PositionSample(
        time: Instant(seconds: interval * Double(step)), position: position, eph: 8, speed: speed)
      let fastest = max(100, 1.5 * speed)
      if track.take(sample, fastest: fastest) == nil, step > 80 / Int(interval) { setAside += 1 }
    }
    #expect(setAside <= 3)
  }

  /// An error that is too large, or senseless, moves nothing and traps nothing.
  @Test(arguments: [1e9, .infinity, .nan, -1, 0, 1e300])
  func aSenselessErrorDoesNoHarm(eph: Double) throws {
    var track = Track()
    let home = coordinate(52, 13)
    for second in 0..<600 {
      let sample = PositionSample(
        time: Instant(seconds: Double(second)),
        position: second % 7 == 6 ? home.moved(east: 30, north: 0) : home,
        eph: second % 7 == 6 ? eph : 5, speed: second % 11 == 0 ? 1e300 : 0)
      _ = track.take(sample, fastest: 100)
    }
    let now = try #require(track.belief)
    #expect(now.place.coordinate.distance(to: home) < 10)
    #expect(now.sigma < 20)
  }

  /// Wrong fixes bear each other out only where a device could go from one to the next.
  @Test func wildFixesThatNoDeviceCouldFollowAreNotBelieved() {
    var track = Track()
    let home = coordinate(52, 13)
    for second in 0..<850 {
      let isWild = second >= 600
      let place = home.destination(bearing: second % 2 == 0 ? 90 : 270, distance: 20_000)
      let sample = PositionSample(
        time: Instant(seconds: Double(second)), position: isWild ? place : home, eph: 5, speed: 0)
      let belief = track.take(sample, fastest: 100)
      if isWild { #expect(belief == nil, "at \(second) s") }
    }
  }

  /// One wild fix decides nothing, at any interval: the place stays, or is known to be uncertain.
  @Test(arguments: [1.0, 10, 60, 300])
  func oneWildFixMovesARestNowhere(interval: Double) throws {
    var track = Track()
    let home = coordinate(52, 13)
    for step in 0..<2_000 {
      let isWild = step % 100 == 77
      let sample = PositionSample(
        time: Instant(seconds: interval * Double(step)),
        position: isWild ? home.destination(bearing: Double(step), distance: 700) : home, eph: 5)
      _ = track.take(sample, fastest: 100)
      let now = try #require(track.belief)
      if step > 100 { #expect(now.place.coordinate.distance(to: home) < 10) }
    }
  }
}
