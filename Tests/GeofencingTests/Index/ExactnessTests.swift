import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

#if arch(x86_64)
  /// Random fences and fixes against 80-bit arithmetic: the same verdict but within a millimetre of
  /// the edge. `GEOREMIND_LONG_TESTS=1 swift test -c release -Xswiftc -enable-testing --filter
  /// ExactnessTests` takes twelve million pairs.
  @Suite struct ExactnessTests {
    private static let long = getenv("GEOREMIND_LONG_TESTS") != nil
    /// Metres.
    private static let doubt = 0.001

    struct Part: CustomTestStringConvertible {
      let name: String
      let circles: Double
      let seed: UInt64
      var testDescription: String { name }
    }

    @Test(arguments: [
      Part(name: "circles", circles: 1, seed: 101),
      Part(name: "polygons and corridors", circles: 0, seed: 102),
    ])
    func agreesWithMorePrecision(part: Part) {
      var random = SeededGenerator(seed: part.seed)
      var wrong: [String] = []
      var (pairs, within, inside) = (0, 0, 0)
      var worst = 0.0
      for batch in 0..<(Self.long ? 2_500 : part.circles > 0 ? 4 : 2) {
        let shapes = (0..<120).map { _ in
          random.drawnShape(
            around: Self.center(&random), reach: power(4_900_000, random.uniform(0...1)),
            circles: part.circles)
        }
        var index = FenceIndex()
        for (id, shape) in shapes.enumerated() { index.insert(shape.region, id: FenceID(id)) }
        var found: [FenceID] = []
        for (id, shape) in shapes.enumerated() {
          let reference = PreciseReference(shape)
          for _ in 0..<20 {
            let place = Self.fix(at: shape, &random)
            let expected = reference.signedBoundaryDistance(from: place)
            let distance = shape.region.signedBoundaryDistance(from: place)
            found.removeAll(keepingCapacity: true)
            _ = index.containing(place, into: &found)
            pairs += 1
            worst = max(worst, abs(distance - expected))
            if expected <= 0 { inside += 1 }
            let isWrong = abs(distance - expected) > Self.doubt
            if abs(expected) < Self.doubt { within += 1 }
            if isWrong
              || abs(expected) >= Self.doubt && found.contains(FenceID(id)) != (expected < 0)
            {
              wrong.append(
                "\(distance) m, \(found.contains(FenceID(id)) ? "inside" : "outside"), "
                  + "expected \(expected): seed \(part.seed), batch \(batch), \(place), "
                  + "\(shape.kind)")
            }
          }
        }
        if wrong.count > 3 { break }
      }
      #expect(wrong == [])
      // The pairs are such that an error would show.
      #expect(inside > pairs / 4 && inside < pairs * 3 / 4)
      #expect(within > pairs / 1_000)
      if Self.long {
        print(
          "\(part.name): \(pairs) pairs, \(inside) inside, \(within) within 1 mm of the edge, "
            + "\(wrong.count) wrong; distances off by \(worst) m at most")
      }
    }

    /// Anywhere, in a town, about a pole or the antimeridian, and right on them.
    private static func center(_ random: inout SeededGenerator) -> Coordinate {
      let near = power(10, random.uniform(-9...0.5))
      let sign = Bool.random(using: &random) ? 1.0 : -1.0
      switch Int.random(in: 0..<8, using: &random) {
      case 0: return coordinate(sign * 90, random.uniform(-180...180))
      case 1, 2: return coordinate(sign * (90 - near), random.uniform(-180...180))
      case 3: return coordinate(random.uniform(-89...89), sign * 180)
      case 4, 5: return coordinate(random.uniform(-89...89), 180 + sign * near)
      case 6: return coordinate(random.uniform(52.3...52.6), random.uniform(13...13.7))
      default: return random.place()
      }
    }

    /// Mostly within metres or millimetres of the edge, also at a corner, and anywhere near.
    private static func fix(at shape: DrawnShape, _ random: inout SeededGenerator) -> Coordinate {
      let offset =
        (Bool.random(using: &random) ? 1.0 : -1.0) * power(10, random.uniform(-4...3))
      let circle = shape.region.boundingCircle
      if random.uniform(0...1) < 0.2 {
        return random.beside(
          circle.center, distance: circle.radius * 1.2 * random.uniform(0...1))
      }
      switch shape.kind {
      case .circle(let center, let radius):
        return random.beside(center, distance: max(0, radius + offset))
      case .polygon(let rings):
        let ring = rings[Int.random(in: 0..<rings.count, using: &random)]
        return beside(ring, offset, &random)
      case .corridor(let line, let width):
        return beside(line, max(0, width / 2 + offset), &random)
      }
    }

    /// Beside an edge, or a corner, at a distance.
    private static func beside(
      _ path: [Coordinate], _ distance: Double, _ random: inout SeededGenerator
    ) -> Coordinate {
      let i = Int.random(in: 0..<(path.count - 1), using: &random)
      if random.uniform(0...1) < 0.2 {
        return random.beside(path[i], distance: abs(distance) * random.uniform(0...1))
      }
      let foot = path[i].interpolated(to: path[i + 1], fraction: random.uniform(0...1))
      let along = foot.initialBearing(to: path[i + 1])
      let side = Bool.random(using: &random) ? 90.0 : -90
      return random.beside(foot, distance: distance, bearing: along + side)
    }
  }
#endif
