import Geodesy
import Glibc

/// The evidence of motion in the claimed speeds of a receiver: a logarithm of odds.
///
/// A claimed speed counts as long as half of the claimed way is made: a receiver that stands and
/// claims to go says nothing. A speed within the noise at rest speaks against motion.
struct SpeedEvidence {
  /// The standard deviation of a claimed speed at rest, m/s.
  private static let noise = 0.2
  /// The memory of the way, and of the evidence when nothing is said, seconds.
  private static let memory = 20.0
  private static let fading = 30.0
  private static let bounds = -4.0...8.0

  private(set) var odds = 0.0
  /// The claimed way, metres, and the made one, radii.
  private var claimed = 0.0
  private var made = Vector(x: 0, y: 0, z: 0)

  /// - Parameters:
  ///   - speed: m/s; nil without a claim.
  ///   - step: from the believed place of the track before to the present one.
  ///   - gap: seconds between them.
  mutating func add(_ speed: Double?, step: Vector, after gap: Double) {
    let keep = exp(-gap / Self.memory)
    claimed = claimed * keep + (speed ?? 0) * min(gap, 60)
    made = keep * made + min(1, 60 / max(gap, 1)) * step
    let evidence = speed.map { $0 * $0 / (2 * Self.noise * Self.noise) - 1 } ?? 0
    if speed == nil || evidence > 0 && made.length * Sphere.radius < 0.5 * claimed {
      odds *= exp(-gap / Self.fading)
      return
    }
    odds += min(max(0.2 * evidence, -1), 1) * min(gap, 5)
    odds = min(max(odds, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}
