import Geodesy
import Glibc
import TestSupport

/// A region by formulas of its own: the haversine formula for circles, and for other shapes the
/// angles at which a place sees each edge.
struct ReferenceRegion {
  private let kind: DrawnShape.Kind
  /// The corners of a polygon's rings, or of a corridor's line.
  private let rings: [[Vector]]
  private let edges: [(a: Vector, b: Vector)]
  /// The radius; twice the area by the length of the edges; half the width.
  let size: Double
  /// Metres from the first corner within which all the others are.
  private let reach: Double

  init(_ shape: DrawnShape) {
    kind = shape.kind
    switch kind {
    case .circle(_, let radius): (rings, size) = ([], radius)
    case .polygon(let outlines):
      rings = outlines.map { $0.map { Vector($0) } }
      size = Self.size(rings)
    case .corridor(let line, let width):
      rings = [line.map { Vector($0) }]
      size = width / 2
    }
    var isClosed = false
    if case .polygon = kind { isClosed = true }
    edges = rings.flatMap { ring in
      Array(zip(ring, ring.dropFirst() + (isClosed ? [ring[0]] : []))).map { (a: $0.0, b: $0.1) }
    }
    let corners = Array(rings.joined())
    reach = Sphere.radius * (corners.map { Self.angle($0, corners[0]) }.max() ?? 0)
  }

  /// Whether all corners of the holes are in the outline.
  var isProper: Bool { rings.dropFirst().joined().allSatisfy { Self.winds(rings[0], $0) } }

  /// Metres from the edge, negative inside; for a shape at more than 2 500 m a lower bound.
  func beyond(_ position: Coordinate) -> Double {
    if case .circle(let center, let radius) = kind {
      return position.distance(to: center) - radius
    }
    let place = Vector(position)
    let least = Self.angle(rings[0][0], place) * Sphere.radius - reach - size
    return least > 2_500 ? least : beyond(place)
  }

  private func beyond(_ place: Vector) -> Double {
    let distance = Sphere.radius * (edges.map { Self.angle(place, $0.a, $0.b) }.min() ?? 0)
    guard case .polygon = kind else { return distance - size }
    let isInside =
      Self.winds(rings[0], place) && !rings.dropFirst().contains { Self.winds($0, place) }
    return isInside ? -distance : distance
  }

  /// Where the way between two places outside passes through: nearest to the centre of a circle or
  /// to a line, amid the longest stretch in a polygon; as a fraction of the way. Nil if it does not
  /// touch.
  func pass(from start: Coordinate, to end: Coordinate) -> Double? {
    if case .circle(let center, let radius) = kind {
      let least = start.distance(to: center) - start.distance(to: end)
      guard least <= radius else { return nil }
      let nearest = fractionNearestToCenter(from: start, to: end)
      let place = start.interpolated(to: end, fraction: nearest)
      return place.distance(to: center) <= radius - 0.001 ? nearest : nil
    }
    let way = (a: Vector(start), b: Vector(end))
    let metres = Sphere.radius * min(Self.angle(way.a, rings[0][0]), Self.angle(way.b, rings[0][0]))
    if metres > reach + size + Sphere.radius * Self.angle(way.a, way.b) { return nil }
    let crossings = edges.compactMap { Self.crossing(way, $0) }.sorted()
    guard case .polygon = kind else { return crossings.first ?? nearestToLine(way) }
    let stretches = zip(crossings, crossings.dropFirst()).filter {
      beyond(Self.point(way, ($0.0 + $0.1) / 2)) <= 0
    }
    let longest = stretches.max { $0.1 - $0.0 < $1.1 - $1.0 }
    return longest.map { ($0.0 + $0.1) / 2 }
  }

  /// The nearest point of a way to a circle's centre; nil for another shape.
  func fractionNearestToCenter(from start: Coordinate, to end: Coordinate) -> Double {
    guard case .circle(let center, _) = kind else { return 1 }
    return center.closestApproach(ofSegmentFrom: start, to: end).fraction
  }

  /// Whether it is a corridor along a line.
  var isLine: Bool { if case .corridor = kind { true } else { false } }

  /// The centre of a circle.
  var center: Coordinate? {
    if case .circle(let center, _) = kind { center } else { nil }
  }

  /// Where a way that does not cross the line is nearest to it: at a corner of the line.
  private func nearestToLine(_ way: (a: Vector, b: Vector)) -> Double? {
    let fractions = rings[0].map { Self.fraction(along: way, nearestTo: $0) } + [0, 1]
    let seen = fractions.map { (fraction: $0, beyond: beyond(Self.point(way, $0))) }
    return seen.min { $0.beyond < $1.beyond }.flatMap { $0.beyond <= 0 ? $0.fraction : nil }
  }
}

extension ReferenceRegion {
  private static func angle(_ a: Vector, _ b: Vector) -> Double {
    2 * asin(min(1, (a - b).length / 2))
  }

  /// The sine of the angle between a place and a great circle; above 0 on its left.
  private static func side(_ place: Vector, _ a: Vector, _ b: Vector) -> Double {
    let normal = a.cross(b - a)
    return (place - a).dot(normal) / normal.length
  }

  /// The angle between a place and an edge.
  private static func angle(_ place: Vector, _ a: Vector, _ b: Vector) -> Double {
    let isBeside = (place - a).dot(b - a) > 0 && (place - b).dot(a - b) > 0
    return isBeside
      ? asin(min(1, abs(side(place, a, b)))) : min(angle(place, a), angle(place, b))
  }

  /// Whether a ring winds around a place an odd number of times.
  private static func winds(_ ring: [Vector], _ place: Vector) -> Bool {
    var sum = 0.0
    var a = ring[ring.count - 1] - place
    for corner in ring {
      let b = corner - place
      sum += atan2(place.dot(a.cross(b)), a.dot(b) - a.dot(place) * b.dot(place))
      a = b
    }
    return Int((sum / (2 * .pi)).rounded()) % 2 != 0
  }

  private static func size(_ rings: [[Vector]]) -> Double {
    var (area, length) = (0.0, 0.0)
    for (number, ring) in rings.enumerated() {
      let c = ring[0]
      var excess = 0.0
      for (a, b) in zip(ring, ring.dropFirst() + [c]) {
        let volume = c.dot((a - c).cross(b - c))
        excess += 2 * atan2(volume, 1 + c.dot(a) + a.dot(b) + b.dot(c))
        length += angle(a, b)
      }
      area += number == 0 ? abs(excess) : -abs(excess)
    }
    return 2 * area / length * Sphere.radius
  }

  private static func point(_ way: (a: Vector, b: Vector), _ fraction: Double) -> Vector {
    let whole = angle(way.a, way.b)
    guard whole > 1e-12 else { return way.a }
    return (sin((1 - fraction) * whole) / sin(whole)) * way.a
      + (sin(fraction * whole) / sin(whole)) * way.b
  }

  /// Where a way crosses an edge, as a fraction of the way.
  private static func crossing(
    _ way: (a: Vector, b: Vector), _ edge: (a: Vector, b: Vector)
  ) -> Double? {
    let (s, t) = (side(way.a, edge.a, edge.b), side(way.b, edge.a, edge.b))
    let (u, v) = (side(edge.a, way.a, way.b), side(edge.b, way.a, way.b))
    guard (s > 0) != (t > 0), (u > 0) != (v > 0) else { return nil }
    let whole = angle(way.a, way.b)
    return atan2(abs(s) * sin(whole), abs(t) + abs(s) * cos(whole)) / whole
  }

  private static func fraction(
    along way: (a: Vector, b: Vector), nearestTo place: Vector
  ) -> Double {
    let offset = (place - way.a).dot(way.b - way.a)
    let back = (place - way.b).dot(way.a - way.b)
    guard offset > 0, back > 0 else { return offset > 0 ? 1 : 0 }
    // The angle along the great circle to the foot of the perpendicular.
    let normal = way.a.cross(way.b - way.a)
    let ahead = ((1 / normal.length) * normal).cross(way.a)
    return atan2((place - way.a).dot(ahead), place.dot(way.a)) / angle(way.a, way.b)
  }
}
