import Containers
import Geodesy

/// The hypothesis that the device is going: a Kalman filter of position and velocity.
///
/// The velocity is an Ornstein-Uhlenbeck process, integrated exactly, so that 0.1 s and 15 min are
/// one formula (Särkkä and Solin, "Applied Stochastic Differential Equations", 2019, § 6.2). Both
/// axes have the same variances, so the filter works on vectors in space: it knows no seam at the
/// antimeridian and no pole. Places and velocities are in radii of the Earth, variances in metres.
struct MotionTrack {
  /// The variance of the speed of an axis in the long run, (m/s)²: 8 m/s, or of a faster device a
  /// part of its speed, up to 245 m/s.
  private static let variances = 8.0 * 8.0...245.0 * 245.0
  private static let speedOfFast = 0.7
  /// The same before the first two fixes: the device may be in a car at 20 m/s.
  private static let firstVariance = 20.0 * 20.0
  /// The share of a fix's variance that differs from fix to fix: reflections and a wrong claim do
  /// not.
  private static let white = 0.5

  private(set) var place: Vector
  private var velocity = Vector(x: 0, y: 0, z: 0)
  /// The covariance of position and velocity of one axis: m², m²/s, m²/s².
  private var placeVariance: Double
  private var covariance = 0.0
  private var velocityVariance = firstVariance
  /// The share of the fixes' variance that no averaging removes, m².
  private var bias: Double
  /// The variance of the velocity in the long run.
  private var longRun = variances.lowerBound

  /// A track that begins at a fix, with a variance of one axis in m².
  init(at place: Vector, variance: Double) {
    self.place = place
    placeVariance = variance
    bias = variance
  }

  /// The variance of the place with its bias, m².
  var variance: Double { placeVariance + bias }

  /// The track some time later.
  @inline(__always)
  func predicted(after step: TimeStep) -> MotionTrack {
    var next = self
    let square = Self.speedOfFast * Self.speedOfFast * velocity.squareMetres
    let long = min(max(Self.variances.lowerBound, square), Self.variances.upperBound)
    let (f, a) = (step.decay, step.reach)
    next.longRun = long
    next.place = (place + a * velocity).onSphere
    next.velocity = f * velocity
    next.placeVariance =
      placeVariance + 2 * a * covariance + a * a * velocityVariance + long * step.placeGrowth
    next.covariance = f * (covariance + a * velocityVariance) + long * step.covarianceGrowth
    next.velocityVariance = f * f * velocityVariance + long * step.velocityGrowth
    return next
  }

  /// The square of the distance of a fix from the track, in parts of its variance `of`, m².
  @inline(__always)
  func oddness(of fix: Vector, variance: Double) -> (square: Double, of: Double) {
    ((fix - place).squareMetres, placeVariance + variance)
  }

  /// Takes in a fix. Returns its weight, 0…1.
  @inline(__always)
  mutating func correct(by fix: Vector, variance: Double) -> Double {
    let part = 1 / (placeVariance + Self.white * variance)
    let (k, g) = (placeVariance * part, covariance * part)
    let offset = fix - place
    place = (place + k * offset).onSphere
    velocity = (velocity + g * offset).tangent(at: place)
    velocityVariance -= g * covariance
    placeVariance *= 1 - k
    covariance *= 1 - k
    bias += k * (variance - bias)
    return k
  }

  /// Begins anew at a fix, with the velocity that a run of fixes has shown.
  mutating func restart(at fix: Vector, variance: Double, from start: Vector, after span: Double) {
    place = fix
    velocity = span > 0 ? ((1 / span) * (fix - start)).tangent(at: fix) : Vector(x: 0, y: 0, z: 0)
    (placeVariance, covariance, velocityVariance, bias) = (variance, 0, longRun, variance)
  }

  /// Takes in a claimed speed, m/s: it is along the track's own direction, or none if it says that
  /// the device stands.
  @inline(__always)
  mutating func correct(bySpeed claimed: Double) {
    let square = velocity.squareMetres
    guard square > max(0.01, velocityVariance) || claimed < 0.5 else {
      // The direction is not known.
      let axis = Self.speedOfFast * claimed
      velocityVariance = max(velocityVariance, axis * axis)
      return
    }
    let part = 1 / (velocityVariance + 0.25 + 0.09 * claimed * claimed)
    let (k, g) = (velocityVariance * part, covariance * part)
    let factor = square > 0.01 ? claimed / square.squareRoot() : 0
    let offset = (factor - 1) * velocity
    velocity = velocity + k * offset
    place = (place + g * offset).onSphere
    placeVariance -= g * covariance
    covariance *= 1 - k
    velocityVariance *= 1 - k
  }
}

extension Vector {
  /// The place on the sphere in this direction; itself where there is none.
  @inline(__always)
  var onSphere: Vector {
    let excess = dot(self) - 1
    // One step of Newton's method is good to micrometres after a way of up to 6 km.
    if abs(excess) < 1e-6 { return (1 - 0.5 * excess) * self }
    let length = length
    return length > 1e-9 ? (1 / length) * self : self
  }

  /// The part along the surface at a place.
  @inline(__always)
  func tangent(at place: Vector) -> Vector { self - dot(place) * place }

  /// The square of the length of a straight line in metres; within 100 km the way on the ground is
  /// longer by less than a metre.
  @inline(__always)
  var squareMetres: Double { dot(self) * (Sphere.radius * Sphere.radius) }
}

extension MotionTrack {
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&place)
    tape.pass(&velocity)
    tape.pass(&placeVariance)
    tape.pass(&covariance)
    tape.pass(&velocityVariance)
    tape.pass(&bias)
    tape.pass(&longRun)
  }
}
