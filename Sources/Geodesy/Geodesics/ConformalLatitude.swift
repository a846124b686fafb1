import Glibc

/// The latitude on a sphere that keeps the ellipsoid's angles, by its tangent: C. F. F. Karney,
/// "Transverse Mercator with an accuracy of a few nanometers", Journal of Geodesy 85 (2011),
/// 475–485, equations (7) to (9) and (19) to (21).
struct ConformalLatitude {
  private let e2: Double
  let eccentricity: Double

  init(_ ellipsoid: Ellipsoid) {
    e2 = ellipsoid.flattening * (2 - ellipsoid.flattening)
    eccentricity = e2.squareRoot()
  }

  /// tan χ for tan φ.
  func tangent(_ tau: Double) -> Double {
    let secant = (1 + tau * tau).squareRoot()
    let sigma = sinh(eccentricity * atanh(eccentricity * tau / secant))
    return tau * (1 + sigma * sigma).squareRoot() - sigma * secant
  }

  /// tan φ for tan χ, by Newton's method; five steps are more than any latitude needs.
  func inverse(_ wanted: Double) -> Double {
    // Beyond, φ is a pole for any Double.
    guard abs(wanted) < 1e15 else { return wanted }
    var tau = wanted / (1 - e2)
    for _ in 0..<8 {
      let found = tangent(tau)
      let step =
        (wanted - found) / (1 + found * found).squareRoot() * (1 + (1 - e2) * tau * tau)
        / ((1 - e2) * (1 + tau * tau).squareRoot())
      tau += step
      if abs(step) <= 1e-16 * max(1, abs(tau)) { break }
    }
    return tau
  }
}
