import Geodesy
import Geofencing
import Glibc

#if arch(x86_64)
  /// Distances to the edges of shapes in 80-bit floating point, by other ways than the library's:
  /// the haversine formula for circles; cross products and arc sines for edges; and for what is
  /// inside, the winding number as the sum of the angles at which the place sees the edges.
  struct PreciseReference {
    private let kind: DrawnShape.Kind
    private let rings: [[Direction]]
    private static let radius = Float80(Sphere.radius)

    init(_ shape: DrawnShape) {
      kind = shape.kind
      switch shape.kind {
      case .circle: rings = []
      case .polygon(let outlines): rings = outlines.map { $0.map(Direction.init) }
      case .corridor(let line, _): rings = [line.map(Direction.init)]
      }
    }

    /// Metres to the edge, negative inside.
    func signedBoundaryDistance(from place: Coordinate) -> Double {
      switch kind {
      case .circle(let center, let radius):
        return Double(Self.haversine(place, center) - Float80(radius))
      case .polygon:
        let view = Direction(place)
        let isInside =
          Self.winds(rings[0], view)
          && !rings.dropFirst().contains {
            Self.winds($0, view)
          }
        let distance = Self.radius * (rings.map { Self.angle($0, view, closed: true) }.min() ?? 0)
        return Double(isInside ? -distance : distance)
      case .corridor(_, let width):
        let angle = Self.angle(rings[0], Direction(place), closed: false)
        return Double(Self.radius * angle - Float80(width) / 2)
      }
    }

    private static func haversine(_ a: Coordinate, _ b: Coordinate) -> Float80 {
      let toRadians = Float80.pi / 180
      let (f, g) = (Float80(a.latitude) * toRadians, Float80(b.latitude) * toRadians)
      let half = sin((g - f) / 2)
      let across = sin((Float80(b.longitude) - Float80(a.longitude)) * toRadians / 2)
      let h = half * half + cos(f) * cos(g) * across * across
      return 2 * radius * asin(min(1, h.squareRoot()))
    }

    /// Whether a ring winds around the place an odd number of times. The sum of angles counts what
    /// winds around the antipode as well, backwards; a ring that small cannot wind around both.
    private static func winds(_ ring: [Direction], _ place: Direction) -> Bool {
      guard ring.contains(where: { $0.dot(place) > 0 }) else { return false }
      var sum: Float80 = 0
      var a = ring[ring.count - 1]
      for b in ring {
        sum += atan2(place.dot(a.cross(b)), a.dot(b) - a.dot(place) * b.dot(place))
        a = b
      }
      return Int((sum / (2 * .pi)).rounded()) % 2 != 0
    }

    /// The least angle from the place to an edge.
    private static func angle(_ path: [Direction], _ place: Direction, closed: Bool) -> Float80 {
      var least = Float80.infinity
      var a = closed ? path[path.count - 1] : path[0]
      for b in closed ? path[...] : path.dropFirst() {
        let normal = a.cross(b)
        if normal.cross(a).dot(place) > 0, b.cross(normal).dot(place) > 0 {
          least = min(least, asin(min(1, abs(normal.dot(place)) / normal.length)))
        } else {
          least = min(least, place.angle(to: a), place.angle(to: b))
        }
        a = b
      }
      return least
    }
  }

  /// A unit vector in 80 bits.
  private struct Direction {
    var (x, y, z): (Float80, Float80, Float80)

    init(_ place: Coordinate) {
      let latitude = Float80(place.latitude) * (.pi / 180)
      let longitude = Float80(place.longitude) * (.pi / 180)
      (x, y, z) = (
        cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)
      )
    }

    private init(_ x: Float80, _ y: Float80, _ z: Float80) { (self.x, self.y, self.z) = (x, y, z) }

    func dot(_ o: Direction) -> Float80 { x * o.x + y * o.y + z * o.z }

    func cross(_ o: Direction) -> Direction {
      Direction(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x)
    }

    var length: Float80 { dot(self).squareRoot() }

    func angle(to o: Direction) -> Float80 { atan2(cross(o).length, dot(o)) }
  }
#endif
