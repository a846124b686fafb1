import Geodesy

/// The disc around the last look in which nothing can change.
///
/// Distances in it are taken on a map that never shows them shorter than they are. Off the poles it
/// is the plate carrée: the straight line in latitude and longitude between two places is no shorter
/// than the great circle, and its length is at most √(Δφ² + cos²φ Δλ²) for the largest cosine on
/// the way. Next to a pole it is the azimuthal equidistant map around it: true along the meridians,
/// too long by ρ/sin ρ across them.
struct QuietDisc {
  private var center = (latitude: 0.0, longitude: 0.0)
  /// The square of the largest cosine of latitude within the disc.
  private var weight = 1.0
  /// The square of the radius in degrees; negative where there is no such disc.
  private var radiusSquared = -1.0
  /// The pole in the middle of the map: 1 the north pole, −1 the south pole, 0 neither.
  private var pole = 0.0

  private static let metresPerDegree = CellGrid.earthRadius * (.pi / 180)

  init() {}

  /// Makes it a disc of `radius` metres, less a millimetre for rounding; none where that is not positive.
  /// `cosine` is that of the centre's latitude: within an angle r it grows by r at the most.
  ///
  /// Changed where it is: to be copied it would have to be waited for.
  @inline(__always)
  mutating func move(to position: Coordinate, radius: Double, cosine: Double) {
    guard radius > 0.001 else {
      radiusSquared = -1
      pole = 0
      return
    }
    let angle = (radius - 0.001) * ((1 - 1e-9) / CellGrid.earthRadius)
    let degrees = angle * (180 / .pi)
    radiusSquared = degrees * degrees
    if abs(position.latitude) > 80 {
      pole = position.latitude > 0 ? 1 : -1
    } else {
      pole = 0
      let largest = min(1, max(0, cosine) + angle)
      weight = largest * largest
    }
    center.latitude = position.latitude
    center.longitude = position.longitude
  }

  /// Makes it none.
  @inline(__always)
  mutating func forget() { radiusSquared = -1 }

  /// The square of an upper bound of the degrees between two places within the disc.
  @inline(__always)
  private func squaredDegrees(
    _ a: (latitude: Double, longitude: Double), _ b: Coordinate
  ) -> Double {
    let simple = simpleSquaredDegrees(a, b)
    return pole == 0 || simple <= radiusSquared
      ? simple
      : QuietDisc.squaredDegreesOnPolarMap(
        90 - pole * a.latitude, a.longitude, 90 - pole * b.latitude, b.longitude)
  }

  /// The same, but next to a pole it may be far too much.
  @inline(__always)
  private func simpleSquaredDegrees(
    _ a: (latitude: Double, longitude: Double), _ b: Coordinate
  ) -> Double {
    let y = b.latitude - a.latitude
    var x = abs(b.longitude - a.longitude)
    if x > 180 { x = 360 - x }
    if pole == 0 { return y * y + x * x * weight }
    // Along the meridian to the parallel nearer the pole, and along that, whose radius is less than
    // the way from the pole.
    let parallel = min(90 - pole * a.latitude, 90 - pole * b.latitude) * (.pi / 180)
    let way = abs(y) + parallel * x
    return way * way
  }

  /// The same on the map around a pole, for places given by degrees from it and longitude.
  @inline(never)
  private static func squaredDegreesOnPolarMap(
    _ a: Double, _ aLongitude: Double, _ b: Double, _ bLongitude: Double
  ) -> Double {
    let aLongitude = SineCosine(degrees: aLongitude)
    let bLongitude = SineCosine(degrees: bLongitude)
    let y = b * bLongitude.cosine - a * aLongitude.cosine
    let x = b * bLongitude.sine - a * aLongitude.sine
    return y * y + x * x
  }

  /// Whether a place is certainly within, as far as a few comparisons tell: next to a pole more are within.
  @inline(__always)
  func surelyContains(_ position: Coordinate) -> Bool {
    simpleSquaredDegrees(center, position) <= radiusSquared
  }

  /// Whether it takes more to know whether a place is within.
  @inline(__always)
  var isPolar: Bool { pole != 0 }

  /// Whether a place is certainly within.
  @inline(__always)
  func contains(_ position: Coordinate) -> Bool {
    squaredDegrees(center, position) <= radiusSquared
  }

  /// An upper bound of the metres between two places within the disc.
  @inline(__always)
  func bound(from a: Coordinate, to b: Coordinate) -> Double {
    squaredDegrees((a.latitude, a.longitude), b).squareRoot() * QuietDisc.metresPerDegree
  }
}
