import Geodesy

/// The disc around the last look in which nothing can change.
///
/// Distances in it are taken on a map that never shows them shorter than they are. Off the poles it
/// is the plate carrée: the straight line in latitude and longitude between two places is no shorter
/// than the great circle, and its length is at most √(Δφ² + cos²φ Δλ²) for the largest cosine on
/// the way. Next to a pole it is the azimuthal equidistant map around it: true along the meridians,
/// too long by ρ/sin ρ across them.
struct QuietDisc {
  /// Degrees on the map, towards the north of it and to the right.
  private var y = 0.0
  private var x = 0.0
  /// The square of the largest cosine of latitude within the disc.
  private var weight = 1.0
  /// The square of the radius in degrees; negative where there is no such disc.
  private var radiusSquared = -1.0
  /// The pole in the middle of the map: 1 the north pole, −1 the south pole, 0 neither.
  private var pole = 0.0

  private static let metresPerDegree = CellGrid.earthRadius * (.pi / 180)

  init() {}

  /// A disc of `radius` metres, less a millimetre for rounding; none where that is not positive.
  /// `cosine` is that of the centre's latitude: within an angle r it grows by r at the most.
  init(around position: Coordinate, radius: Double, cosine: Double) {
    guard radius > 0.001 else { return }
    let angle = (radius - 0.001) * (1 - 1e-9) / CellGrid.earthRadius
    let degrees = angle * (180 / .pi)
    radiusSquared = degrees * degrees
    if abs(position.latitude) > 80 {
      pole = position.latitude > 0 ? 1 : -1
    } else {
      let largest = min(1, max(0, cosine) + angle)
      weight = largest * largest
    }
    (y, x) = place(of: position)
  }

  /// Where a place is on the map.
  @inline(__always)
  private func place(of position: Coordinate) -> (y: Double, x: Double) {
    if pole == 0 { return (position.latitude, position.longitude) }
    let fromPole = 90 - pole * position.latitude
    let longitude = SineCosine(degrees: position.longitude)
    return (fromPole * longitude.cosine, fromPole * longitude.sine)
  }

  @inline(__always)
  private func squaredDegrees(_ a: (y: Double, x: Double), _ b: (y: Double, x: Double)) -> Double {
    let y = b.y - a.y
    var x = abs(b.x - a.x)
    if x > 180 { x = 360 - x }
    return y * y + x * x * weight
  }

  /// Whether a place is certainly within.
  @inline(__always)
  func contains(_ position: Coordinate) -> Bool {
    squaredDegrees(place(of: position), (y, x)) <= radiusSquared
  }

  /// An upper bound of the metres between two places within the disc.
  @inline(__always)
  func bound(from a: Coordinate, to b: Coordinate) -> Double {
    squaredDegrees(place(of: a), place(of: b)).squareRoot() * QuietDisc.metresPerDegree
  }
}
