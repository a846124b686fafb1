import Geodesy
import TestSupport
import Testing

@Suite struct GeodesicTests {
  @Test func agreesWithGeographicLib() throws {
    let numbers = geodesicVectors.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(numbers.count % 8 == 0 && numbers.count >= 8 * 400)
    for start in stride(from: 0, to: numbers.count, by: 8) {
      let v = Array(numbers[start..<start + 8])
      let from = try #require(Coordinate(latitude: v[0], longitude: v[1]))
      let to = try #require(Coordinate(latitude: v[2], longitude: v[3]))
      let geodesic = from.geodesic(to: to)
      #expect(abs(geodesic.distance - v[4]) < 1e-7, "\(v)")
      // A micrometre at the other end, or what the table's digits leave.
      let tolerance = max(1e-9, 1e-6 / max(abs(v[7]), 1e-6) * 180 / Double.pi)
      guard v[4] > 0, tolerance < 90 else { continue }
      #expect(turn(geodesic.initialBearing, v[5]) < tolerance, "\(v)")
      #expect(turn(geodesic.finalBearing, v[6]) < tolerance, "\(v)")
    }
  }

  @Test func isTheSameThereAndBack() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let a = random.coordinate()
      let b = random.coordinate()
      let there = a.geodesic(to: b)
      let back = b.geodesic(to: a)
      #expect(abs(there.distance - back.distance) < 1e-7, "\(a) \(b)")
      for bearing in [there.initialBearing, there.finalBearing] {
        #expect(bearing >= 0 && bearing < 360, "\(a) \(b)")
      }
    }
  }

  @Test func staysWithinTheFlatteningOfTheSphere() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<2000 {
      let a = random.coordinate()
      let b = random.coordinate()
      #expect(
        abs(a.geodesic(to: b).distance - a.distance(to: b)) <= 0.0057 * a.distance(to: b) + 1e-8)
    }
  }

  @Test func knowsTheQuadrants() {
    #expect(abs(point(0, 0).geodesic(to: point(90, 0)).distance - 10_001_965.729_312_7) < 1e-6)
    #expect(abs(point(0, 0).geodesic(to: point(0, 90)).distance - 10_018_754.171_394_6) < 1e-6)
    #expect(abs(point(90, 0).geodesic(to: point(-90, 0)).distance - 20_003_931.458_625_4) < 1e-6)
  }

  @Test func givesZeroForTheSamePoint() {
    for (a, b) in [
      (point(52.52, 13.405), point(52.52, 13.405)), (point(90, 0), point(90, 77)),
      (point(0, 0), point(0, 0)), (point(10, -180), point(10, 180)),
    ] {
      let geodesic = a.geodesic(to: b)
      #expect(geodesic.distance == 0)
      #expect(geodesic.initialBearing == 0 && geodesic.finalBearing == 0)
    }
  }
}
