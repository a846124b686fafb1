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
