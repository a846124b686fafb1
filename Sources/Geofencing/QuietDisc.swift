import Geodesy

/// The disc around the last look in which nothing can change.
///
/// Distances in it are taken on a map that never shows them shorter than they are. Off the poles it
/// is the plate carrée: the straight line in latitude and longitude between two places is no shorter
/// than the great circle, and its length is at most √(Δφ² + cos²φ Δλ²) for the largest cosine on
/// the way. Next to a pole it is the azimuthal equidistant map around it: true along the meridians,
/// too long by ρ/sin ρ across them. On it the law of cosines gives the straight line between two places at a and
/// b from the pole, √((a − b)² + a b (2 − 2 cos Δλ)), without a cosine: whatever u = Δλ² is, 2 − 2 cos Δλ is at most
/// u − u²/12 + u³/360.
struct QuietDisc {
  private var center = (latitude: 0.0, longitude: 0.0)
  /// The square of the largest cosine of latitude within the disc; where a pole is in the middle of the map, how far
  /// from it the centre is, in degrees for each squared radian.
  private var weight = 1.0
  /// The square of the radius in degrees; negative where there is no such disc.
  private var radiusSquared = -1.0
  /// Whether a pole is in the middle of the map, and which: 1 the north pole, −1 the south pole.
  private var isPolar = false
  private var pole = 1.0

  private static let metresPerDegree = CellGrid.earthRadius * (.pi / 180)

  init() {}

  /// Makes it a disc of `radius` metres, less a millimetre for rounding; none where that is not positive.
  /// `cosine` is that of the centre's latitude: within an angle r it grows by r at the most.
  ///
  /// Changed where it is: to be copied it would have to be waited for.
  @inline(__always)
  mutating func move(to position: Coordinate, radius: Double, cosine: Double) {
    guard radius > 0.001 else { return forget() }
    let angle = (radius - 0.001) * ((1 - 1e-9) / CellGrid.earthRadius)
    let degrees = angle * (180 / .pi)
    radiusSquared = degrees * degrees
    isPolar = abs(position.latitude) > 80
    if isPolar {
      pole = position.latitude > 0 ? 1 : -1
      weight = polarWeight(of: position)
    } else {
      let largest = min(1, max(0, cosine) + angle)
      weight = largest * largest
    }
    center.latitude = position.latitude
    center.longitude = position.longitude
  }

  /// Makes it none.
  @inline(__always)
  mutating func forget() { radiusSquared = -1 }

  private static let squaredRadians = (Double.pi / 180) * (.pi / 180)

  @inline(__always)
  private func polarWeight(of place: Coordinate) -> Double {
    (90 - pole * place.latitude) * QuietDisc.squaredRadians
  }

  /// The square of an upper bound of the degrees between two places within the disc, the weight of the first given.
  @inline(__always)
  private func squaredDegrees(
    _ a: (latitude: Double, longitude: Double), _ weight: Double, _ b: Coordinate
  ) -> Double {
    let y = b.latitude - a.latitude
    let eastwards = abs(b.longitude - a.longitude)
    let x = min(eastwards, 360 - eastwards)
    var across = x * x * weight
    if isPolar {
      let u = x * x * QuietDisc.squaredRadians
      across *= (90 - pole * b.latitude) * (1 - u * (1 / 12 - u * (1 / 360)))
    }
    return y * y + across
  }

  /// Whether a place is certainly within.
  @inline(__always)
  func contains(_ position: Coordinate) -> Bool {
    squaredDegrees(center, weight, position) <= radiusSquared
  }

  /// An upper bound of the metres between two places within the disc.
  @inline(__always)
  func bound(from a: Coordinate, to b: Coordinate) -> Double {
    let weight = isPolar ? polarWeight(of: a) : weight
    return squaredDegrees((a.latitude, a.longitude), weight, b).squareRoot()
      * QuietDisc.metresPerDegree
  }
}
