import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

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
