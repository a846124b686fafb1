/// The series of C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43–55,
/// to the sixth order, with the paper's equation numbers.
///
/// Every integral there has the form A · (σ + Σ Cₗ sin 2lσ), l = 1…6.
struct GeodesicSeries {
  /// The factor A.
  let scale: Double
  private let c1, c2, c3, c4, c5, c6: Double

  /// Σ Cₗ sin 2lσ, by Clenshaw's summation.
  func sum(at sigma: SineCosine) -> Double {
    let x = 2 * (sigma.cosine - sigma.sine) * (sigma.cosine + sigma.sine)
    let y5 = c5 + x * c6
    let y4 = c4 + x * y5 - c6
    let y3 = c3 + x * y4 - y5
    let y2 = c2 + x * y3 - y4
    let y1 = c1 + x * y2 - y3
    return y1 * 2 * sigma.sine * sigma.cosine
  }

  /// The integral from `start` to `end`, which are `arc` radians apart.
  func integral(from start: SineCosine, to end: SineCosine, arc: Double) -> Double {
    scale * (arc + sum(at: end) - sum(at: start))
  }

  /// I₁, the distance over b: equations (17) and (18).
  static func distance(_ e: Double) -> GeodesicSeries {
    let e2 = e * e
    return GeodesicSeries(
      scale: (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 / 256))) / (1 - e),
      c1: e * (-1.0 / 2 + e2 * (3.0 / 16 - e2 / 32)),
      c2: e2 * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * 9 / 2048)),
      c3: e2 * e * (-1.0 / 48 + e2 * 3 / 256),
      c4: e2 * e2 * (-5.0 / 512 + e2 * 3 / 512),
      c5: e2 * e2 * e * -7 / 1280,
      c6: e2 * e2 * e2 * -7 / 2048)
  }

  /// I₂, needed for the reduced length: equations (42) and (43).
  static func reducedLength(_ e: Double) -> GeodesicSeries {
    let e2 = e * e
    return GeodesicSeries(
      scale: (1 + e2 * (1.0 / 4 + e2 * (9.0 / 64 + e2 * 25 / 256))) * (1 - e),
      c1: e * (1.0 / 2 + e2 * (1.0 / 16 + e2 / 32)),
      c2: e2 * (3.0 / 16 + e2 * (1.0 / 32 + e2 * 35 / 2048)),
      c3: e2 * e * (5.0 / 48 + e2 * 5 / 256),
      c4: e2 * e2 * (35.0 / 512 + e2 * 7 / 512),
      c5: e2 * e2 * e * 63 / 1280,
      c6: e2 * e2 * e2 * 77 / 2048)
  }

  /// I₃, the longitude, for an ellipsoid of third flattening `n`: equations (24) and (25).
  static func longitude(_ e: Double, n: Double) -> GeodesicSeries {
    let e2 = e * e
    let e3 = e2 * e
    let e4 = e2 * e2
    let e5 = e4 * e
    let n2 = n * n
    let scale =
      1 - (1.0 / 2 - n / 2) * e
      - (1.0 / 4 + n / 8 - n2 * 3 / 8) * e2
      - (1.0 / 16 + n * 3 / 16 + n2 / 16) * e3
      - (3.0 / 64 + n / 32) * e4
      - e5 * 3 / 128
    let c1 =
      (1.0 / 4 - n / 4) * e
      + (1.0 / 8 - n2 / 8) * e2
      + (3.0 / 64 + n * 3 / 64 - n2 / 64) * e3
      + (5.0 / 128 + n / 64) * e4
      + e5 * 3 / 128
    let c2 =
      (1.0 / 16 - n * 3 / 32 + n2 / 32) * e2
      + (3.0 / 64 - n / 32 - n2 * 3 / 64) * e3
      + (3.0 / 128 + n / 128) * e4
      + e5 * 5 / 256
    let c3 =
      (5.0 / 192 - n * 3 / 64 + n2 * 5 / 192) * e3
      + (3.0 / 128 - n * 5 / 192) * e4
      + e5 * 7 / 512
    let c4 = (7.0 / 512 - n * 7 / 256) * e4 + e5 * 7 / 512
    return GeodesicSeries(scale: scale, c1: c1, c2: c2, c3: c3, c4: c4, c5: e5 * 21 / 2560, c6: 0)
  }
}
