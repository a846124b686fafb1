/// An ellipsoid of revolution, flattened at the poles.
package struct Ellipsoid: Hashable, Sendable {
  /// Half the equatorial axis a, in metres.
  package let semiMajorAxis: Double
  /// The flattening f = (a − b) / a.
  package let flattening: Double

  /// The World Geodetic System 1984 (NGA.STND.0036, 2014, table 3.1).
  package static let wgs84 = Ellipsoid(
    semiMajorAxis: 6_378_137, flattening: 1 / 298.257_223_563)

  /// Half the polar axis b, in metres.
  package var semiMinorAxis: Double { semiMajorAxis * (1 - flattening) }

  /// The series below are made for small flattenings; nothing but WGS 84 is needed.
  private init(semiMajorAxis: Double, flattening: Double) {
    self.semiMajorAxis = semiMajorAxis
    self.flattening = flattening
  }
}

/// The shortest path between two points on an ellipsoid.
package struct Geodesic: Hashable, Sendable {
  /// Length in metres.
  package let distance: Double
  /// Direction at the start, degrees true, 0..<360; 0 where both points are the same.
  package let initialBearing: Double
  /// Direction on arrival (the way onward, not back), degrees true, 0..<360; 0 where both points
  /// are the same.
  package let finalBearing: Double
}

extension Coordinate {
  /// The shortest path to `other` on WGS 84: the distance is good to 0.1 µm for any two points,
  /// bearings to what that means at the other end.
  ///
  /// Where several paths are as short (exact antipodes), one of them is given. At a pole,
  /// bearings are those on the meridian of the longitude given for it.
  package func geodesic(to other: Coordinate) -> Geodesic {
    Ellipsoid.wgs84.geodesic(from: self, to: other)
  }
}

extension Ellipsoid {
  /// The shortest path between two points; at most about a hundred evaluations of the series,
  /// usually two or three.
  package func geodesic(from start: Coordinate, to end: Coordinate) -> Geodesic {
    // By symmetry it is enough to solve for φ₁ ≤ 0, φ₁ ≤ φ₂ ≤ −φ₁, 0 ≤ λ₁₂ ≤ π.
    var lambda = end.longitude - start.longitude
    if lambda > 180 { lambda -= 360 }
    if lambda < -180 { lambda += 360 }
    if start.latitude == end.latitude, lambda == 0 || abs(start.latitude) == 90 {
      return Geodesic(distance: 0, initialBearing: 0, finalBearing: 0)
    }
    let swapped = abs(start.latitude) < abs(end.latitude)
    var phi1 = swapped ? end.latitude : start.latitude
    var phi2 = swapped ? start.latitude : end.latitude
    // Of two mirrored paths along the equator this takes the northern one.
    let flipped = phi1 >= 0
    if flipped {
      phi1 = 0 - phi1
      phi2 = 0 - phi2
    }
    var solution = InverseProblem(self, phi1: phi1, phi2: phi2, lambda12: abs(lambda)).solve()
    if swapped { swap(&solution.alpha1, &solution.alpha2) }
    let cosineSign: Double = swapped == flipped ? 1 : -1
    let sineSign: Double = lambda < 0 ? -1 : 1
    func bearing(_ alpha: SineCosine) -> Double {
      SineCosine(sine: alpha.sine * sineSign, cosine: alpha.cosine * cosineSign).bearing
    }
    return Geodesic(
      distance: solution.distance, initialBearing: bearing(solution.alpha1),
      finalBearing: bearing(solution.alpha2))
  }
}
