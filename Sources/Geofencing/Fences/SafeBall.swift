import Geodesy

/// A ball around the believed place of the last check in which no decision can change.
///
/// No great circle between two places in it leaves it, so neither an estimate nor the way to it can
/// cross an edge there.
struct SafeBall {
  private var center = Vector(x: 0, y: 0, z: 0)
  /// In radii of the Earth; negative where there is no such ball.
  private var radiusSquared = -1.0
  /// The least variance for which margins were measured, m².
  private var leastVariance = 0.0

  /// None.
  init() {}

  /// - Parameters:
  ///   - radius: in radii of the Earth, of which a millimetre is left for rounding.
  ///   - sigma: a smaller standard deviation may decide something, metres.
  @inline(__always)
  init(around center: Vector, radius: Double, downTo sigma: Double) {
    self.center = center
    let radius = radius - 0.001 / Sphere.radius
    radiusSquared = radius > 0 ? radius * radius : -1
    leastVariance = sigma * sigma
  }

  @inline(__always)
  func contains(_ place: Vector, variance: Double) -> Bool {
    center.chordSquared(to: place) < radiusSquared && variance >= leastVariance
  }
}
