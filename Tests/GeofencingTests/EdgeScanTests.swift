import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// What a look at the cells says of the edges that are near.
@Suite struct EdgeScanTests {
  /// In a group with a shape an edge is measured in metres that was sure in quanta: at the first of these places
  /// rounding puts it on the other side.
  @Test func anEdgeThatIsJustSureBoundsTheSafeDistance() throws {
    var random = SeededGenerator(seed: 4)
    let center = coordinate(40, 10)
    let wide = circle(center, 1_000_000)
    var index = GridIndex()
    index.insert(wide, id: 0)
    index.insert(
      .polygon(try Polygon(parts: [[ShapeTests.square(around: center, half: 100)]])), id: 1)
    var places = [coordinate(31.323779704744588, 7.0285906336558925)]
    for _ in 0..<2_000 {
      // Half a step of the level's to five of them.
      let beyond = random.uniform(0.5...5) * Quantum.metres(4)
      places.append(
        center.destination(
          bearing: random.uniform(0...360), distance: wide.radius + beyond))
    }
    for place in places {
      var holders: [FenceID] = []
      let safe = index.containing(place, into: &holders)
      let edge = Viewpoint(place).boundaryDistance(to: CircleRecord(wide))
      #expect(safe <= edge + 0.01, "\(place)")
    }
  }
}
