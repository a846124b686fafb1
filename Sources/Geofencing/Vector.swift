import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// A direction from the Earth's centre, or a difference of two, in radii.
struct Vector: Equatable {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The unit vector of a place in radians.
  init(latitude: Double, longitude: Double) {
    let cosine = cos(latitude)
    self.init(x: cosine * cos(longitude), y: cosine * sin(longitude), z: sin(latitude))
  }

  @inline(__always)
  init(_ latitude: SineCosine, _ longitude: SineCosine) {
    self.init(
      x: latitude.cosine * longitude.cosine, y: latitude.cosine * longitude.sine, z: latitude.sine)
  }

  init(_ position: Coordinate) {
    self.init(SineCosine(degrees: position.latitude), SineCosine(degrees: position.longitude))
  }

  static func + (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  static func - (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
  }

  static func * (s: Double, v: Vector) -> Vector { Vector(x: s * v.x, y: s * v.y, z: s * v.z) }

  func dot(_ o: Vector) -> Double { x * o.x + y * o.y + z * o.z }

  func cross(_ o: Vector) -> Vector {
    Vector(x: y * o.z - z * o.y, y: z * o.x - x * o.z, z: x * o.y - y * o.x)
  }

  var length: Double { dot(self).squareRoot() }

  /// The angle to another direction in radians, right for small angles as well as large.
  func angle(to o: Vector) -> Double { atan2(cross(o).length, dot(o)) }

  /// The place in this direction.
  var coordinate: Coordinate {
    Coordinate(
      clampingLatitude: atan2(z, (x * x + y * y).squareRoot()) * (180 / .pi),
      wrappingLongitude: atan2(y, x) * (180 / .pi))
  }
}

/// The shorter great-circle arc between two places.
struct Arc {
  let start: Vector
  let end: Vector
  /// Radians.
  let angle: Double

  init(from start: Vector, to end: Vector) {
    self.start = start
    self.end = end
    angle = start.angle(to: end)
  }

  /// The point at a fraction 0…1 of the way.
  func point(at fraction: Double) -> Vector {
    guard angle > 1e-12 else { return start }
    let sine = sin(angle)
    guard sine > 1e-12 else { return fraction < 0.5 ? start : end }
    return (sin((1 - fraction) * angle) / sine) * start + (sin(fraction * angle) / sine) * end
  }

  /// The fraction of the way, 0…1, where the arc comes nearest to a place.
  ///
  /// In the plane of the arc, the nearest point of the whole circle is the projection of the
  /// place; where that lies off the arc, the nearest point is one of its ends.
  func nearestFraction(to place: Vector) -> Double {
    guard angle > 1e-12 else { return 0 }
    let forward = end - start.dot(end) * start
    let along = atan2(place.dot(forward) / forward.length, place.dot(start))
    // Angles from the start, −π…π: what lies behind it is nearer to one end or the other.
    if along >= 0, along <= angle { return along / angle }
    return start.dot(place) >= end.dot(place) ? 0 : 1
  }
}
