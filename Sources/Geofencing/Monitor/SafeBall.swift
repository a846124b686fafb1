import Geodesy

/// A ball around the place of the last check in which no decision can change, as long as the
/// receiver stays as it was.
///
/// No great circle between two places in it leaves it, so neither a sample nor the way to it can
/// cross an edge there. A hold that lasts in it ends by a deadline.
struct SafeBall {
  private var center = Vector(x: 0, y: 0, z: 0)
  /// In radii of the Earth; negative where there is no such ball.
  private var radiusSquared = -1.0
  /// The errors for which margins were measured.
  private var leastError = 0.0
  private var largestError = Double.infinity
  /// Whether the device moves, and has rested for a while, as the running holds require.
  private var motion: (isMoving: Bool, isSettled: Bool)?

  /// None.
  init() {}

  /// - Parameter radius: in radii of the Earth, of which a millimetre is left for rounding.
  @inline(__always)
  init(around center: Vector, radius: Double) {
    self.center = center
    let radius = radius - 0.001 / Sphere.radius
    radiusSquared = radius > 0 ? radius * radius : -1
  }

  /// Binds the ball to the errors for which margins were measured.
  mutating func require(errors: ClosedRange<Double>) {
    leastError = errors.lowerBound
    largestError = errors.upperBound
  }

  /// Binds the ball to the receiver's motion and rest: a hold is running.
  mutating func require(isMoving: Bool, isSettled: Bool) { motion = (isMoving, isSettled) }

  @inline(__always)
  func contains(_ place: Vector, error: Double, isMoving: Bool, isSettled: Bool) -> Bool {
    guard center.chordSquared(to: place) < radiusSquared, error >= leastError,
      error <= largestError
    else { return false }
    guard let motion else { return true }
    return motion.isMoving == isMoving && motion.isSettled == isSettled
  }
}
