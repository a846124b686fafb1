import Glibc

/// The sphere that all decisions are made on.
@usableFromInline
package enum Sphere {
  /// Mean Earth radius R₁ of the IUGG, in metres.
  @inlinable @inline(__always)
  package static var radius: Double { 6_371_008.8 }
}

extension Coordinate {
  /// Great-circle distance in metres on the sphere, by the haversine formula
  /// (Sinnott, "Virtues of the Haversine", Sky and Telescope 68, 1984).
  package func distance(to other: Coordinate) -> Double {
    let toRadians = Double.pi / 180
    let halfLatitude = sin((other.latitude - latitude) * toRadians / 2)
    let halfLongitude = sin((other.longitude - longitude) * toRadians / 2)
    let h =
      halfLatitude * halfLatitude
      + cos(latitude * toRadians) * cos(other.latitude * toRadians) * halfLongitude * halfLongitude
    return 2 * Sphere.radius * asin(min(1, h.squareRoot()))
  }

  /// Initial bearing of the great circle towards `other`, degrees true, 0..<360;
  /// 0 where both are the same point.
  package func initialBearing(to other: Coordinate) -> Double {
    let toRadians = Double.pi / 180
    let a = latitude * toRadians
    let b = other.latitude * toRadians
    let d = (other.longitude - longitude) * toRadians
    let degrees =
      atan2(sin(d) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(d)) * 180 / Double.pi
    return degrees < 0 ? min(degrees + 360, 360.0.nextDown) : degrees + 0
  }

  /// The point reached after `distance` metres along the great circle that leaves at
  /// `bearing` degrees true.
  package func destination(bearing: Double, distance: Double) -> Coordinate {
    let toRadians = Double.pi / 180
    let a = latitude * toRadians
    let angle = distance / Sphere.radius
    let theta = bearing * toRadians
    let sine = sin(a) * cos(angle) + cos(a) * sin(angle) * cos(theta)
    let b = asin(max(-1, min(1, sine)))
    let d = atan2(sin(theta) * sin(angle) * cos(a), cos(angle) - sin(a) * sine)
    return Coordinate(clampingLatitude: b / toRadians, wrappingLongitude: longitude + d / toRadians)
  }
}
