import Glibc

/// The transverse Mercator projection on WGS 84, by Krüger's series to the sixth order in n: Karney
/// 2011 (see `ConformalLatitude`), equations (10) to (15), (35) and (36). Within a zone it is good
/// to some nanometres.
struct TransverseMercator {
  private let conformal: ConformalLatitude
  /// Radius of the sphere of the same meridian, times the scale on the central one.
  private let radius: Double
  private let alpha: [Double]
  private let beta: [Double]

  init(scale: Double) {
    let ellipsoid = Ellipsoid.wgs84
    conformal = ConformalLatitude(ellipsoid)
    let n = ellipsoid.flattening / (2 - ellipsoid.flattening)
    let n2 = n * n
    radius =
      scale * ellipsoid.semiMajorAxis / (1 + n)
      * (1 + n2 * (1.0 / 4 + n2 * (1.0 / 64 + n2 / 256)))
    func series(_ rows: [[Double]]) -> [Double] {
      // Row j begins with the coefficient of nʲ.
      rows.enumerated().map { j, row in
        row.reversed().reduce(0) { $0 * n + $1 } * pow(n, Double(j + 1))
      }
    }
    alpha = series([
      [1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288, 7891 / 37_800],
      [13 / 48, -3 / 5, 557 / 1440, 281 / 630, -1_983_433 / 1_935_360],
      [61 / 240, -103 / 140, 15_061 / 26_880, 167_603 / 181_440],
      [49_561 / 161_280, -179 / 168, 6_601_661 / 7_257_600],
      [34_729 / 80_640, -3_418_889 / 1_995_840],
      [212_378_941 / 319_334_400],
    ])
    beta = series([
      [1 / 2, -2 / 3, 37 / 96, -1 / 360, -81 / 512, 96_199 / 604_800],
      [1 / 48, 1 / 15, -437 / 1440, 46 / 105, -1_118_711 / 3_870_720],
      [17 / 480, -37 / 840, -209 / 4480, 5569 / 90_720],
      [4397 / 161_280, -11 / 504, -830_251 / 7_257_600],
      [4583 / 161_280, -108_847 / 3_991_680],
      [20_648_693 / 638_668_800],
    ])
  }

  /// Metres east of the central meridian and north of the equator.
  /// - Parameter longitude: degrees from the central meridian, less than 90 either way.
  func forward(latitude: Double, longitude: Double) -> (x: Double, y: Double) {
    let phi = SineCosine(degrees: latitude)
    let lambda = SineCosine(degrees: longitude)
    let tau = conformal.tangent(phi.sine / phi.cosine)
    let xi = atan2(tau, lambda.cosine)
    let eta = asinh(lambda.sine / (tau * tau + lambda.cosine * lambda.cosine).squareRoot())
    let sum = Self.sum(alpha, xi, eta)
    return (radius * (eta + sum.eta), radius * (xi + sum.xi))
  }

  /// Degrees, the longitude from the central meridian.
  func inverse(x: Double, y: Double) -> (latitude: Double, longitude: Double) {
    let xi = y / radius
    let eta = x / radius
    let sum = Self.sum(beta, xi, eta)
    let angle = xi - sum.xi
    let sinhEta = sinh(eta - sum.eta)
    let cosine = cos(angle)
    let tau = conformal.inverse(sin(angle) / (sinhEta * sinhEta + cosine * cosine).squareRoot())
    return (atan(tau) * 180 / Double.pi, atan2(sinhEta, cosine) * 180 / Double.pi)
  }

  private static func sum(
    _ coefficients: [Double], _ xi: Double, _ eta: Double
  ) -> (xi: Double, eta: Double) {
    var result = (xi: 0.0, eta: 0.0)
    for (index, coefficient) in coefficients.enumerated() {
      let order = 2 * Double(index + 1)
      result.xi += coefficient * sin(order * xi) * cosh(order * eta)
      result.eta += coefficient * cos(order * xi) * sinh(order * eta)
    }
    return result
  }
}

/// The polar stereographic projection on WGS 84 (NGA.SIG.0012, 2014, section 9), seen from the
/// pole.
struct PolarStereographic {
  private let conformal = ConformalLatitude(.wgs84)
  private let factor: Double

  init(scale: Double) {
    let e = ConformalLatitude(.wgs84).eccentricity
    factor =
      2 * scale * Ellipsoid.wgs84.semiMajorAxis
      / (pow(1 + e, 1 + e) * pow(1 - e, 1 - e)).squareRoot()
  }

  /// Metres from the pole for a latitude towards it, 0…90.
  func radius(latitude: Double) -> Double {
    let phi = SineCosine(degrees: latitude)
    guard phi.cosine > 0 else { return 0 }
    let tau = conformal.tangent(phi.sine / phi.cosine)
    return factor / (tau + (1 + tau * tau).squareRoot())
  }

  func latitude(radius: Double) -> Double {
    guard radius > 0 else { return 90 }
    let t = radius / factor
    return atan(conformal.inverse((1 / t - t) / 2)) * 180 / Double.pi
  }
}
