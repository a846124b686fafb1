import Glibc

/// How likely a device is inside a fence, of which it knows its distance to the edge.
///
/// With a standard deviation σ an axis, `beyond` metres outside the edge (negative inside) and a
/// fence of size R the probability is
///
///     p = Φ(−beyond/σ) · R² / (R² + 0.1 σ²)
///
/// Φ is the normal distribution. The second factor is what a fence smaller than the error loses: it
/// is a part of the area in which the device may be.
enum InsideProbability {
  /// How much a fence smaller than σ loses.
  private static let lossOfSmall = 0.1
  /// From this on the device has arrived.
  static let arrival = 0.5

  /// The probability that the device is on the inner side of an edge.
  @inline(__always)
  static func withinEdge(beyond: Double, sigma: Double) -> Double {
    guard sigma > 0 else { return beyond > 0 ? 0 : 1 }
    return 0.5 * erfc(beyond / sigma * 0.5.squareRoot())
  }

  /// The standard deviations beyond an edge at which the device is outside with a probability: the
  /// inverse of Φ, by bisection.
  static func sigmas(_ certainty: Double) -> Double {
    var (low, high) = (0.0, 8.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if withinEdge(beyond: middle, sigma: 1) > 1 - certainty {
        low = middle
      } else {
        high = middle
      }
    }
    return high
  }

  static func inside(beyond: Double, sigma: Double, size: Double) -> Double {
    let square = size * size
    return withinEdge(beyond: beyond, sigma: sigma) * square
      / (square + lossOfSmall * sigma * sigma)
  }
}
