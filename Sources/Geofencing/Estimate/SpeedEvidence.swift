import Containers
import Geodesy

/// The evidence of motion in the claimed speeds of a receiver: a logarithm of odds.
///
/// A claimed speed counts as long as half of the claimed way is made: a receiver that stands and
/// claims to go says nothing. A speed within the noise at rest speaks against motion. The memory of
/// the way is a third of the velocity's. The evidence fades with half of it when nothing is said.
struct SpeedEvidence {
  /// The variance of a claimed speed at rest: 0.2 m/s.
  private static let noise = 0.04
  private static let bounds = -4.0...8.0

  private(set) var odds = 0.0
  /// The claimed way, metres, and the made one, radii.
  private var claimed = 0.0
  private var made = Vector(x: 0, y: 0, z: 0)

  /// - Parameters:
  ///   - speed: m/s; nil without a claim.
  ///   - way: from the believed place of the track before to the present one.
  ///   - step: the time between them.
  @inline(__always)
  mutating func add(_ speed: Double?, way: Vector, after step: TimeStep) {
    let keep = step.decay * step.decay * step.decay
    made = keep * made + step.plausible * way
    claimed = claimed * keep + (speed ?? 0) * min(step.seconds, 60)
    let evidence = speed.map { $0 * $0 * (0.5 / Self.noise) - 1 } ?? 0
    guard speed != nil, evidence <= 0 || made.squareMetres >= 0.25 * claimed * claimed else {
      odds *= step.decay * step.decay
      return
    }
    odds += min(max(0.2 * evidence, -1), 1) * min(step.seconds, 5)
    odds = min(max(odds, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}

extension SpeedEvidence {
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&odds)
    tape.pass(&claimed)
    tape.pass(&made)
  }
}
