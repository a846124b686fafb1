import Glibc

/// A vector in space, in radii of the Earth, from its centre: x towards 0° N 0° E, y towards
/// 0° N 90° E, z towards the north pole.
///
/// Places on the sphere are vectors of length one, free of the seams that degrees have at the
/// antimeridian and the poles.
@frozen @usableFromInline
package struct Vector: Hashable, Sendable {
  /// Towards 0° N 0° E.
  @usableFromInline package var x: Double
  /// Towards 0° N 90° E.
  @usableFromInline package var y: Double
  /// Towards the north pole.
  @usableFromInline package var z: Double

  @inlinable @inline(__always)
  package init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The direction of a point on the sphere.
  package init(_ coordinate: Coordinate) {
    let latitude = SineCosine(degrees: coordinate.latitude)
    let longitude = SineCosine(degrees: coordinate.longitude)
    x = latitude.cosine * longitude.cosine
    y = latitude.cosine * longitude.sine
    z = latitude.sine
  }

  /// Fails where the vector has no direction: all zero, infinite or not a number.
  package init?(normalizing x: Double, _ y: Double, _ z: Double) {
    let norm = (x * x + y * y + z * z).squareRoot()
    guard norm > 0, norm.isFinite else { return nil }
    self.init(x: x / norm, y: y / norm, z: z / norm)
  }

  @inlinable @inline(__always)
  package static func + (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  @inlinable @inline(__always)
  package static func - (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
  }

  @inlinable @inline(__always)
  package static func * (s: Double, v: Vector) -> Vector {
    Vector(x: s * v.x, y: s * v.y, z: s * v.z)
  }

  /// Of two places: the cosine of the angle between them.
  @inlinable @inline(__always)
  package func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

  @inlinable @inline(__always)
  package func cross(_ o: Vector) -> Vector {
    Vector(x: y * o.z - z * o.y, y: z * o.x - x * o.z, z: x * o.y - y * o.x)
  }

  @inlinable @inline(__always)
  package var length: Double { dot(self).squareRoot() }

  /// The point on the sphere in this direction, good to a nanometre everywhere (an arc sine
  /// would lose half the digits next to the poles).
  package var coordinate: Coordinate {
    Coordinate(
      clampingLatitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / Double.pi,
      wrappingLongitude: atan2(y, x) * 180 / Double.pi)
  }

  /// The square of the straight line to another place, 0…4. It grows with the great-circle
  /// distance, so distances can be compared without any trigonometry.
  @inlinable @inline(__always)
  package func chordSquared(to other: Vector) -> Double {
    let offset = self - other
    return offset.dot(offset)
  }

  /// The angle between two places in radians, 0…π, accurate at both ends
  /// (Kahan, "How Futile are Mindless Assessments of Roundoff", 2006, § 12).
  package func angle(to other: Vector) -> Double {
    2 * atan2((self - other).length, (self + other).length)
  }

  /// Great-circle metres between two places.
  package func distance(to other: Vector) -> Double { Sphere.radius * angle(to: other) }

  /// The `chordSquared` of two places `distance` metres apart along the sphere, clamped between 0
  /// and the antipode.
  package static func chordSquared(distance: Double) -> Double {
    let half = max(0, min(Double.pi / 2, distance / (2 * Sphere.radius)))
    let chord = 2 * sin(half)
    return chord * chord
  }

  /// The great-circle distance in metres that belongs to a `chordSquared`.
  package static func distance(chordSquared: Double) -> Double {
    2 * Sphere.radius * asin(min(1, max(0, chordSquared).squareRoot() / 2))
  }
}
