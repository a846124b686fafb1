import Geodesy
import Glibc

/// The hypothesis that the device is going: a Kalman filter of position and velocity.
///
/// The velocity is an Ornstein-Uhlenbeck process, integrated exactly, so that 0.1 s and 15 min are
/// one formula (Särkkä and Solin, "Applied Stochastic Differential Equations", 2019, § 6.2). Both
/// axes have the same variances, so the filter works on vectors in space: it knows no seam at the
/// antimeridian and no pole. Places and velocities are in radii of the Earth, variances in metres.
struct MotionTrack {
  /// The least root mean square of the speed of an axis, m/s. A faster device goes on as fast.
  private static let leastSpeed = 8.0
  private static let speedOfFast = 0.7
  private static let fastestSpeed = 245.0
  /// The same before the first two fixes, m/s: the device may be in a car.
  private static let firstSpeed = 20.0
  /// The share of a fix's variance that differs from fix to fix: reflections and a wrong claim do
  /// not.
  private static let white = 0.5
  /// The memory of the velocity, seconds.
  private static let memory = 60.0

  private(set) var place: Vector
  private var velocity = Vector(x: 0, y: 0, z: 0)
  /// The covariance of position and velocity of one axis: m², m²/s, m²/s².
  private(set) var placeVariance: Double
  private var covariance = 0.0
  private var velocityVariance = firstSpeed * firstSpeed
  /// The share of the fixes' variance that no averaging removes, m².
  private var bias: Double
  /// The variance of the velocity in the long run.
  private var longRun = leastSpeed * leastSpeed

  /// A track that begins at a fix, with a variance of one axis in m².
  init(at place: Vector, variance: Double) {
    self.place = place
    placeVariance = variance
    bias = variance
  }

  /// The variance of the place with its bias, m².
  var variance: Double { placeVariance + bias }

  /// The track so many seconds later.
  func predicted(after seconds: Double) -> MotionTrack {
    var next = self
    let speed = min(max(Self.leastSpeed, Self.speedOfFast * metres(velocity)), Self.fastestSpeed)
    let u = seconds / Self.memory
    let f = exp(-u)
    let a = Self.memory * (1 - f)
    let long = speed * speed
    let way = Self.memory * Self.memory * max(0, 2 * u - 3 + 4 * f - f * f)
    next.longRun = long
    next.place = (place + a * velocity).onSphere
    next.velocity = (f * velocity).tangent(at: next.place)
    next.placeVariance =
      placeVariance + 2 * a * covariance + a * a * velocityVariance + long * way
    next.covariance =
      f * (covariance + a * velocityVariance) + long * Self.memory * (1 - f) * (1 - f)
    next.velocityVariance = f * f * velocityVariance + long * (1 - f * f)
    return next
  }

  /// The square of the distance of a fix from the track, in standard deviations.
  func oddness(of fix: Vector, variance: Double) -> Double {
    squareMetres(fix - place) / (placeVariance + variance)
  }

  /// Takes in a fix. Returns its weight, 0…1.
  mutating func correct(by fix: Vector, variance: Double) -> Double {
    let sum = placeVariance + Self.white * variance
    let (k, g) = (placeVariance / sum, covariance / sum)
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
  mutating func correct(bySpeed claimed: Double) {
    let speed = metres(velocity)
    guard speed * speed > max(0.01, velocityVariance) || claimed < 0.5 else {
      // The direction is not known.
      let axis = Self.speedOfFast * claimed
      velocityVariance = max(velocityVariance, axis * axis)
      return
    }
    let noise = 0.25 + 0.09 * claimed * claimed
    let (k, g) = (
      velocityVariance / (velocityVariance + noise), covariance / (velocityVariance + noise)
    )
    let factor = speed > 0.1 ? claimed / speed : 0
    let offset = (factor - 1) * velocity
    velocity = velocity + k * offset
    place = (place + g * offset).onSphere
    placeVariance -= g * covariance
    covariance *= 1 - k
    velocityVariance *= 1 - k
  }

  @inline(__always)
  private func metres(_ vector: Vector) -> Double { vector.length * Sphere.radius }

  @inline(__always)
  private func squareMetres(_ vector: Vector) -> Double {
    vector.dot(vector) * (Sphere.radius * Sphere.radius)
  }
}

extension Vector {
  /// The place on the sphere in this direction; itself where there is none.
  @inline(__always)
  var onSphere: Vector {
    let length = length
    return length > 1e-9 ? (1 / length) * self : self
  }

  /// The part along the surface at a place.
  @inline(__always)
  func tangent(at place: Vector) -> Vector { self - dot(place) * place }

  /// The straight line to another place in metres; within 100 km the way on the ground is longer by
  /// less than a metre.
  @inline(__always)
  func metres(to other: Vector) -> Double { (self - other).length * Sphere.radius }
}
