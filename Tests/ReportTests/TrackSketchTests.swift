import CivilTime
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Report

@Suite struct TrackSketchTests {
  private static func fix(
    _ second: Double, _ latitude: Double, _ longitude: Double, speed: Double? = nil,
    eph: Double? = nil
  ) -> Fix {
    Fix(
      time: Instant(seconds: 1_781_280_000 + second),
      position: Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude),
      speed: speed, eph: eph)
  }

  private static func wander(_ count: Int, from start: Coordinate, seed: UInt64) -> [Fix] {
    var dice = SeededGenerator(seed: seed)
    var (latitude, longitude) = (start.latitude, start.longitude)
    return (0..<count).map { second in
      latitude += Double.random(in: -2e-4...2e-4, using: &dice)
      longitude += Double.random(in: -2e-4...2e-4, using: &dice)
      return fix(Double(second), latitude, longitude)
    }
  }

  @Test(arguments: [(53.5, 10.0), (0, 179.999), (89.999, 0), (-17.5, -180)])
  func noFixIsFartherFromTheLineThanTheDeviation(latitude: Double, longitude: Double) throws {
    let start = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    let fixes = Self.wander(4000, from: start, seed: 7)
    var sketch = TrackSketch(maximumPoints: 500)
    for fix in fixes { sketch.add(fix) }
    sketch.finish()
    #expect(sketch.points.count <= 500 + 64)
    #expect(sketch.points.first?.time == fixes.first?.time)
    #expect(sketch.points.last?.time == fixes.last?.time)
    var next = 1
    for fix in fixes {
      while sketch.points[next].time < fix.time! { next += 1 }
      let distance = Vector(fix.position).distance(
        toSegmentFrom: Vector(sketch.points[next - 1].position),
        to: Vector(sketch.points[next].position))
      #expect(distance <= sketch.deviation + 1e-6)
    }
  }

  @Test func aStraightLineKeepsAPointEachRunForItsTimeAndSpeed() {
    var sketch = TrackSketch()
    for second in 0..<640 {
      sketch.add(Self.fix(Double(second), Double(second) * 1e-5, 0, speed: 20))
    }
    sketch.finish()
    #expect((11...13).contains(sketch.points.count))
    #expect(sketch.points.dropFirst().allSatisfy { abs($0.speed - 20) < 1e-9 })
    #expect(sketch.deviation == 1)
  }

  @Test func theNextPointCarriesSpeedAndErrorOfSkippedOnes() {
    var sketch = TrackSketch()
    sketch.add(Self.fix(0, 0, 0, speed: 0, eph: 2))
    sketch.add(Self.fix(1, 0, 1e-7, speed: 10, eph: 30))
    sketch.add(Self.fix(3, 0, 2e-7, speed: 4, eph: 3))
    sketch.finish()
    #expect(sketch.points.map(\.eph) == [2, 30])
    #expect(sketch.points.last?.speed == (10.0 + 4 * 2) / 3)
  }

  @Test func aSpeedThatIsNotGivenIsThatOfTheWay() throws {
    var sketch = TrackSketch()
    sketch.add(Self.fix(0, 0, 0))
    sketch.add(Self.fix(10, 0.001, 0))
    sketch.finish()
    #expect(abs(try #require(sketch.points.last).speed - 11.12) < 0.01)
  }

  @Test func aGapStaysAGapHoweverMuchIsThinned() {
    var sketch = TrackSketch(maximumPoints: 128)
    var second = 0.0
    for part in 0..<4 {
      for fix in Self.wander(
        300, from: Coordinate(clampingLatitude: 50, wrappingLongitude: Double(part)), seed: 3)
      {
        var fix = fix
        fix.time = Instant(seconds: 1_781_280_000 + second)
        sketch.add(fix)
        second += 1
      }
      second += 301
    }
    sketch.finish()
    let gaps = sketch.points.filter(\.isAfterGap)
    #expect(gaps.map { $0.position.longitude.rounded() } == [0, 1, 2, 3])
  }

  @Test func aFixThatIsNotNewerIsNotOnTheTrack() {
    var sketch = TrackSketch()
    sketch.add(Self.fix(5, 0, 0))
    sketch.add(Self.fix(5, 1, 1))
    sketch.add(Self.fix(4, 1, 1))
    sketch.finish()
    #expect(sketch.points.count == 1)
  }
}
