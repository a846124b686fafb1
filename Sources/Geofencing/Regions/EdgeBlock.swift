import Geodesy

/// Consecutive edges of a ring, and a ball around them. Most blocks of a large polygon are far from
/// a place, and one comparison leaves all of their edges out.
struct EdgeBlock: Equatable, Sendable {
  /// The corners at which its edges begin.
  let range: Range<Int>
  private let center: Vector
  /// In radii of the Earth. A ball with less than half of the sphere in it has the edges between
  /// any two of its points; a larger one leaves nothing out.
  private let radius: Double

  /// Edges of a block: √10 000, so that the largest polygon has as many blocks.
  private static let length = 100

  /// The blocks of a ring.
  static func blocks(of ring: Range<Int>, _ corners: [Vector]) -> [EdgeBlock] {
    stride(from: ring.lowerBound, to: ring.upperBound, by: length).map { start in
      let range = start..<min(start + length, ring.upperBound)
      let end = corners[range.upperBound < ring.upperBound ? range.upperBound : ring.lowerBound]
      let center = (1 / Double(range.count + 1)) * corners[range].reduce(end, +)
      let squared = corners[range].reduce(center.chordSquared(to: end)) {
        max($0, center.chordSquared(to: $1))
      }
      // For rounding.
      let radius = squared.squareRoot() + 1e-12
      return EdgeBlock(range: range, center: center, radius: radius < 1 ? radius : .infinity)
    }
  }

  /// The square of a chord that none to its edges is shorter than.
  func leastChordSquared(to place: Vector) -> Double {
    let gap = max(0, center.chordSquared(to: place).squareRoot() - radius)
    return gap * gap
  }

  /// Whether all of it is on one side of the plane through the Earth's centre with this normal.
  func isBeside(_ normal: Vector, length: Double) -> Bool {
    abs(center.dot(normal)) > radius * length
  }
}
