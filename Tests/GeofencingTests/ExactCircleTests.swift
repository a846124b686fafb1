import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// What a neighbourhood keeps of a circle in 24 bits against the haversine formula in 53.
@Suite struct ExactCircleTests {
  @Test func anEdgeIsOffByNoMoreThanTheDoubt() throws {
    var random = SeededGenerator(seed: 4_711)
    for _ in 0..<20_000 {
      let center = Coordinate(
        clampingLatitude: random.uniform(-90...90), wrappingLongitude: random.uniform(-180...180))
      // Most small, some as large as can be.
      let radius = 1 + 5_000_000 * pow(random.uniform(0...1), 4)
      let reach = 10 + 1_000_000 * pow(random.uniform(0...1), 4)
      // Near the edge, as all are that are asked so.
      let origin = Viewpoint(
        center.destination(
          bearing: random.uniform(0...360),
          distance: max(0, radius + random.uniform(-reach...reach))))
      let view = Viewpoint(
        origin.position.destination(
          bearing: random.uniform(0...360), distance: random.uniform(0...reach)))
      let record = CircleRecord(try #require(Circle(center: center, radius: radius)))
      let exact = ExactCircle(record, from: origin.direction, within: reach)

      let offset = CellGrid.earthRadius * (view.direction - origin.direction)
      let (x, y, z) = (
        exact.x - Float(offset.x), exact.y - Float(offset.y), exact.z - Float(offset.z)
      )
      let edge = (x * x + y * y + z * z).squareRoot() - exact.radius
      let truth = view.boundaryDistance(to: record)
      // Only where they differ by more may the verdict be taken from the shorter numbers.
      #expect(
        abs(edge) <= exact.doubt || (edge < 0) == (truth <= 0),
        "edge \(edge), truth \(truth), doubt \(exact.doubt), radius \(radius), reach \(reach)")
      #expect(abs(edge) - exact.doubt <= Float(abs(truth)) * (1 + 1e-6) + 0.001)
    }
  }
}
