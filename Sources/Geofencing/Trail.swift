import CivilTime
import Geodesy

/// Where the receiver was, and when.
struct TrailPoint {
  var time: Instant
  var position: Coordinate

  init(_ sample: PositionSample) {
    time = sample.time
    position = sample.position
  }
}

/// The last minute in steps of eight seconds: enough to tell a walk from the wandering of a
/// receiver at rest.
struct Trail {
  static let step = TimeSpan.seconds(8)
  static let reach = TimeSpan.seconds(64)
  private var points: InlineArray<8, TrailPoint?> = .init(repeating: nil)
  private var next = 0
  private var due = Instant(microseconds: .min)

  @inline(__always)
  mutating func append(_ point: TrailPoint) {
    guard point.time.microseconds >= due.microseconds else { return }
    points[next] = point
    next = (next + 1) & 7
    due = point.time + Trail.step
  }

  /// Whether a place is farther than `metres` from where the receiver was within the last minute.
  func hasMoved(to position: Coordinate, at time: Instant, by metres: Double) -> Bool {
    for i in 0..<8 {
      guard let point = points[i], time - point.time <= Trail.reach else { continue }
      if point.position.distance(to: position) > metres { return true }
    }
    return false
  }
}

/// The disc around the last look in which nothing can change.
struct QuietDisc {
  private var latitude = 0.0
  private var longitude = 0.0
  /// The square of the largest cosine of latitude within the disc.
  private var cosineSquared = 1.0
  /// The square of the radius in degrees; negative where there is no such disc.
  private var radiusSquared = -1.0

  @inline(__always)
  private static var metresPerDegree: Double { CellGrid.earthRadius * (.pi / 180) }

  init() {}

  /// A disc of `radius` metres, less a millimetre for rounding; none where that is not positive.
  /// `cosine` is that of the centre's latitude: within an angle r it grows by r at the most.
  init(around position: Coordinate, radius: Double, cosine: Double) {
    guard radius > 0.001 else { return }
    let angle = (radius - 0.001) * (1 - 1e-9) / CellGrid.earthRadius
    let degrees = angle * (180 / .pi)
    let largest = min(1, max(0, cosine) + angle)
    latitude = position.latitude
    longitude = position.longitude
    cosineSquared = largest * largest
    radiusSquared = degrees * degrees
  }

  /// Whether a place is certainly within.
  ///
  /// The straight line in latitude and longitude between two places is no shorter than the great
  /// circle, and its length is at most √(Δφ² + cos²φ Δλ²) for the largest cosine on the way. A
  /// place on the other side of the antimeridian is not recognised, and costs a look.
  @inline(__always)
  func contains(_ position: Coordinate) -> Bool {
    let y = position.latitude - latitude
    let x = position.longitude - longitude
    return y * y + x * x * cosineSquared <= radiusSquared
  }

  /// An upper bound of the metres from the centre to a place within.
  func bound(to position: Coordinate) -> Double {
    let y = position.latitude - latitude
    let x = position.longitude - longitude
    return (y * y + x * x * cosineSquared).squareRoot() * QuietDisc.metresPerDegree
  }

  /// An upper bound of the metres between two places within the disc.
  @inline(__always)
  func bound(from a: Coordinate, to b: Coordinate) -> Double {
    let y = b.latitude - a.latitude
    let x = b.longitude - a.longitude
    return (y * y + x * x * cosineSquared).squareRoot() * QuietDisc.metresPerDegree
  }
}
