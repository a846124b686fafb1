import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// The way to a near place by a few products against the difference of two unit vectors.
@Suite struct LocalFrameTests {
  private static let origins = [
    coordinate(0, 0), coordinate(0.001, 180), coordinate(-0.001, -180), coordinate(48.1, 11.6),
    coordinate(-52, 179.999), coordinate(79.9, -179.9999), coordinate(80, 20), coordinate(-80, -70),
  ]

  private static func metresOff(_ frame: LocalFrame, _ view: Viewpoint) -> Double {
    let way = frame.way(to: view.position)
    return (way - (view.direction - frame.origin)).length * CellGrid.earthRadius
  }

  @Test(arguments: origins) func isOffByNoMoreThanItSays(origin: Coordinate) {
    var random = SeededGenerator(seed: 3)
    let frame = LocalFrame(at: Viewpoint(origin))
    #expect(frame.isValid)
    var worst = 0.0
    for step in 0..<20_000 {
      let distance =
        step % 2 == 0
        ? LocalFrame.farthest : LocalFrame.farthest * power(10, random.uniform(-6...0))
      let view = Viewpoint(random.beside(origin, distance: distance))
      worst = max(worst, Self.metresOff(frame, view))
      #expect(frame.cosine(at: view.position) >= view.cosine)
      #expect(frame.cosine(at: view.position) < view.cosine + 3e-8)
    }
    #expect(worst < LocalFrame.error)
    // The bound leaves room, but not for another power of the way.
    if abs(origin.latitude) == 80 { #expect(worst > LocalFrame.error / 6) }
  }

  @Test(arguments: origins) func whatIsFarSeemsFar(origin: Coordinate) {
    var random = SeededGenerator(seed: 4)
    let frame = LocalFrame(at: Viewpoint(origin))
    let farthest = LocalFrame.farthest - 2 * LocalFrame.error
    for step in 0..<50_000 {
      let other =
        step % 2 == 0
        ? random.beside(
          origin,
          distance: LocalFrame.farthest * power(10, random.uniform(0...4.12)))
        : Coordinate(
          clampingLatitude: random.uniform(-90...90),
          wrappingLongitude: random.uniform(-180...180))
      guard origin.distance(to: other) > LocalFrame.farthest else { continue }
      let way = frame.way(to: other)
      #expect(way.length * CellGrid.earthRadius > farthest, "\(other)")
    }
  }

  @Test func thereIsNoneNearAPole() {
    #expect(!LocalFrame(at: Viewpoint(coordinate(80.0001, 20))).isValid)
    #expect(!LocalFrame(at: Viewpoint(coordinate(-90, 0))).isValid)
    #expect(!LocalFrame().isValid)
  }
}
