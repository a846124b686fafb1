import Geodesy

/// A ball around the place of the last check in which no decision can change.
///
/// No great circle between two places in it leaves it, so neither a sample nor the way to it can
/// cross an edge there.
struct SafeBall {
  private var center = Vector(x: 0, y: 0, z: 0)
  /// In radii of the Earth; negative where there is no such ball.
  private var radiusSquared = -1.0

  /// None.
  init() {}

  /// - Parameter radius: in radii of the Earth, of which a millimetre is left for rounding.
  @inline(__always)
  init(around center: Vector, radius: Double) {
    self.center = center
    let radius = radius - 0.001 / Sphere.radius
    radiusSquared = radius > 0 ? radius * radius : -1
  }

  @inline(__always)
  func contains(_ place: Vector) -> Bool { center.chordSquared(to: place) < radiusSquared }
}
