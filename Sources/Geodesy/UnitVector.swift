#if canImport(Glibc)
  import Glibc
#endif

/// A direction from the Earth's centre: x towards 0° N 0° E, y towards 0° N 90° E, z towards the
/// north pole. Free of the seams that degrees have at the antimeridian and the poles.
package struct UnitVector: Hashable, Sendable {
  /// The part towards 0° N 0° E, −1…1.
  package let x: Double
  /// The part towards 0° N 90° E, −1…1.
  package let y: Double
  /// The part towards the north pole, −1…1.
  package let z: Double

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
    self.init(unchecked: x / norm, y / norm, z / norm)
  }

  /// The caller vouches for the length of one.
  init(unchecked x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The point on the sphere in this direction, good to a nanometre everywhere (an arc sine
  /// would lose half the digits next to the poles).
  package var coordinate: Coordinate {
    Coordinate(
      clampingLatitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / Double.pi,
      wrappingLongitude: atan2(y, x) * 180 / Double.pi)
  }

  /// The cosine of the angle between two directions.
  package func dot(_ other: UnitVector) -> Double {
    x * other.x + y * other.y + z * other.z
  }

  /// The square of the straight line through the Earth, on a sphere of radius 1: 0…4. It grows
  /// with the great-circle distance, so distances can be compared without any trigonometry.
  package func chordSquared(to other: UnitVector) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    let dz = z - other.z
    return dx * dx + dy * dy + dz * dz
  }

  /// The angle between two directions in radians, 0…π, accurate at both ends
  /// (Kahan, "How Futile are Mindless Assessments of Roundoff", 2006, § 12).
  package func angle(to other: UnitVector) -> Double {
    let sumX = x + other.x
    let sumY = y + other.y
    let sumZ = z + other.z
    let sum = sumX * sumX + sumY * sumY + sumZ * sumZ
    return 2 * atan2(chordSquared(to: other).squareRoot(), sum.squareRoot())
  }

  /// The `chordSquared` of two points `distance` metres apart along the sphere; what is farther
  /// than half round the Earth counts as the antipode, what is below 0 as 0.
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

/// Sine and cosine of one angle.
struct SineCosine {
  var sine: Double
  var cosine: Double

  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// Exact at multiples of 90°, because the angle is reduced to −45…45 while still in degrees.
  init(degrees: Double) {
    let quarters = (degrees / 90).rounded()
    let rest = (degrees - 90 * quarters) * Double.pi / 180
    let s = sin(rest)
    let c = cos(rest)
    switch (Int(exactly: quarters) ?? 0) & 3 {
    case 0: self.init(sine: s, cosine: c)
    case 1: self.init(sine: c, cosine: 0 - s)
    case 2: self.init(sine: 0 - s, cosine: 0 - c)
    default: self.init(sine: 0 - c, cosine: s)
    }
  }

  /// The pair scaled to a length of one.
  var normalized: SineCosine {
    let norm = (sine * sine + cosine * cosine).squareRoot()
    return SineCosine(sine: sine / norm, cosine: cosine / norm)
  }

  /// A compass bearing for this angle clockwise from north: degrees, 0..<360.
  var bearing: Double {
    let degrees = atan2(sine, cosine) * 180 / Double.pi
    return degrees < 0 ? min(degrees + 360, 360.0.nextDown) : degrees + 0
  }
}
