import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

@Suite struct MotionDetectorTests {
  let home = coordinate(52.52, 13.405)

  /// The detector with the samples that it saw.
  struct Rig {
    var detector = MotionDetector()
    var last: LocatedSample?

    mutating func feed(
      _ position: Coordinate, at seconds: Double, speed: Double? = nil, error: Double = 10
    ) -> Bool {
      let sample = LocatedSample(
        PositionSample(time: Instant(seconds: seconds), position: position, speed: speed))
      defer { last = sample }
      return detector.follow(
        sample.place, at: sample.sample.time, speed: speed,
        after: last.map { (sample.sample.time - $0.sample.time).seconds } ?? 0,
        step: last.map { $0.place.chordSquared(to: sample.place) } ?? 0,
        limit: MotionDetector.limit(error: error, hasSpeed: speed != nil), isAtRest: false)
    }
  }

  /// The seconds after which a straight way counts as motion; nil for never.
  func firstMotion(
    speed: Double, claimed: Double?, error: Double = 10, interval: Double = 1
  )
    -> Double?
  {
    var rig = Rig()
    return stride(from: 0, through: 120, by: interval).first { second in
      rig.feed(
        home.moved(east: speed * second, north: 0), at: second, speed: claimed, error: error)
    }
  }

  @Test func aWalkIsMotionAfterADisplacement() {
    // More than 50 m without the largest step.
    #expect(firstMotion(speed: 1.5, claimed: nil) == 35)
    // More than three errors.
    #expect(firstMotion(speed: 3, claimed: nil, error: 40) == 42)
  }

  @Test func aClaimedSpeedIsMotionAfterEightSeconds() {
    #expect(firstMotion(speed: 1.5, claimed: 1.5) == 8)
    #expect(firstMotion(speed: 20, claimed: 20) == 8)
    #expect(firstMotion(speed: 1.5, claimed: 1.5, interval: 0.1).map { $0 < 9.5 } == true)
  }

  @Test func aClaimedSpeedWithoutAWayIsNone() {
    #expect(firstMotion(speed: 0, claimed: 15) == nil)
    #expect(firstMotion(speed: 0.4, claimed: 1) == nil)
  }

  @Test func aReceiverThatClaimsToStandIsBelievedFor150Metres() {
    #expect(firstMotion(speed: 1.5, claimed: 0) == nil)
    #expect(firstMotion(speed: 10, claimed: 0) == 17)
  }

  @Test func oneJumpIsNoMotion() {
    var rig = Rig()
    for second in 0..<300 {
      let isFar = (100..<130).contains(second) || second == 200
      let isMoving = rig.feed(home.moved(east: isFar ? 90 : 0, north: 0), at: Double(second))
      #expect(!isMoving)
    }
  }

  @Test func singleSpeedsThatDipAreAveraged() {
    var rig = Rig()
    let isMoving = (0...200).map { tick in
      rig.feed(
        home.moved(east: 0.15 * Double(tick), north: 0), at: Double(tick) / 10,
        speed: tick % 5 == 0 ? 0.5 : 1.6)
    }
    #expect(isMoving.suffix(100).allSatisfy { $0 })
  }

  @Test(arguments: [45.0, 100, 300])
  func aSlowReceiverShowsMotionWithItsThirdPosition(interval: Double) {
    var rig = Rig()
    let isMoving = (0..<5).map { step in
      rig.feed(
        home.moved(east: 500 * Double(step), north: 0), at: interval * Double(step))
    }
    #expect(isMoving == [false, false, true, true, true])
  }

  @Test func scatterIsNoMotion() {
    var random = SeededGenerator(seed: 6)
    var rig = Rig()
    var wander = Wander(sigma: 8, using: &random)
    for second in 0..<5_000 {
      let isMoving = rig.feed(
        wander.step(from: home, using: &random), at: Double(second), error: 30)
      #expect(!isMoving)
    }
  }
}
