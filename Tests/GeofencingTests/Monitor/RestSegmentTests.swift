import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

@Suite struct RestSegmentTests {
  let home = coordinate(52.52, 13.405)

  /// Rests for some seconds; returns what each minute showed.
  func rest(
    _ segment: inout RestSegment, from start: Int = 0, for seconds: Int, sigma: Double,
    east: Double = 0, claim: Double = 10, _ random: inout SeededGenerator
  ) -> [Double] {
    (start..<(start + seconds)).compactMap { second in
      let place = home.moved(
        east: east + sigma * random.normal(), north: sigma * random.normal())
      return segment.add(
        Vector(place), at: Instant(seconds: Double(second)), after: 1, claim: claim,
        error: 2 * claim)
    }
  }

  @Test func isSettledAfterFiveMinutes() {
    var random = SeededGenerator(seed: 1)
    var segment = RestSegment()
    _ = rest(&segment, for: 310, sigma: 3, &random)
    #expect(!segment.isSettled(at: Instant(seconds: 299)))
    #expect(segment.isSettled(at: Instant(seconds: 300)))
    segment.end(at: Instant(seconds: 310))
    #expect(!segment.isSettled(at: Instant(seconds: 609)))
    #expect(!segment.isNear(Vector(home), within: 1))
  }

  @Test func learnsTheScatterAfterTenMinutes() {
    var random = SeededGenerator(seed: 2)
    var segment = RestSegment()
    #expect(rest(&segment, for: 600, sigma: 5, &random) == [])
    let squares = rest(&segment, from: 600, for: 3_600, sigma: 5, &random)
    #expect((59...61).contains(squares.count))
    // 95 % of a normal scatter of 5 m an axis are within 12.2 m.
    let mean = squares.reduce(0, +) / Double(squares.count)
    #expect(abs(mean.squareRoot() - 1.22) < 0.1)
  }

  @Test func anotherPlaceEndsIt() {
    var random = SeededGenerator(seed: 3)
    var segment = RestSegment()
    _ = rest(&segment, for: 1_000, sigma: 2, &random)
    #expect(segment.isSettled(at: Instant(seconds: 1_000)))
    _ = rest(&segment, from: 1_000, for: 130, sigma: 2, east: 60, &random)
    #expect(!segment.isSettled(at: Instant(seconds: 1_130)))
  }

  @Test func aReflectionIsClipped() {
    var random = SeededGenerator(seed: 4)
    var segment = RestSegment()
    _ = rest(&segment, for: 660, sigma: 2, &random)
    _ = rest(&segment, from: 660, for: 3, sigma: 2, east: 3_000, &random)
    let squares = rest(&segment, from: 663, for: 60, sigma: 2, &random)
    // Three samples of sixty at three times the error of 20 m.
    #expect(squares.allSatisfy { $0 < 3 * 3 * 36 * 0.06 + 1 })
  }

  @Test func aTakeoverContinuesTheRestWithoutItsMean() {
    var random = SeededGenerator(seed: 5)
    var segment = RestSegment()
    _ = rest(&segment, for: 400, sigma: 2, &random)
    let next = RestSegment(continuing: segment)
    #expect(next.isSettled(at: Instant(seconds: 400)))
    #expect(!next.isNear(Vector(home), within: 1))
  }
}
