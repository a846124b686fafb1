import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// A direction from the Earth's centre.
struct Direction: Equatable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ position: Coordinate) {
    let latitude = position.latitude * (.pi / 180)
    let longitude = position.longitude * (.pi / 180)
    let cosine = cos(latitude)
    x = cosine * cos(longitude)
    y = cosine * sin(longitude)
    z = sin(latitude)
  }

  /// Great-circle metres.
  func distance(to other: Direction) -> Double {
    distance(x: other.x, y: other.y, z: other.z)
  }

  /// Great-circle metres. For a place given in single precision wrong by half a metre at most, wherever it is.
  ///
  /// - Parameter reach: of a ball around the other point, in radii of the Earth; then it is the distance
  ///   that no place in it exceeds.
  func distance(
    x otherX: Double, y otherY: Double, z otherZ: Double, reach: Double = 0
  ) -> Double {
    let (dx, dy, dz) = (x - otherX, y - otherY, z - otherZ)
    let half = ((dx * dx + dy * dy + dz * dz).squareRoot() + reach) / 2
    // The arc sine of a way below 600 km by its series: the next term is less than 10⁻¹³ of it.
    let square = half * half
    guard square > 0.0025 else {
      let higher = square * (3.0 / 40 + square * (15.0 / 336 + square * 105 / 3456))
      return 2 * Sphere.radius * half * (1 + square * (1.0 / 6) + square * higher)
    }
    guard square > 0.5 else { return 2 * Sphere.radius * asin(half) }
    // Beyond a quarter of a great circle the arc sine would make more and more of what the numbers lose, kilometres
    // on the other side of the globe. What is left to there is told as well as what is near.
    let (sumX, sumY, sumZ) = (x + otherX, y + otherY, z + otherZ)
    let rest = ((sumX * sumX + sumY * sumY + sumZ * sumZ).squareRoot() - reach) / 2
    return Sphere.radius * (.pi - 2 * asin(min(1, max(0, rest))))
  }
}

/// How far the device has gone, with the trembling of a receiver at rest left out.
///
/// It leads a point behind the device on a leash of `slackness` metres and counts how far the point is
/// drawn. So between any two moments the device has come no farther than what was counted between
/// them plus twice the leash: the bound that `LeaveQueue` works with. It holds for jumps, too.
struct Odometer: Sendable {
  /// Metres.
  static let slackness = 10.0

  private(set) var metres = 0.0
  /// Where the device was last; nil before the first position.
  private(set) var position: Coordinate?
  /// The same.
  private(set) var here: Direction?
  private var point: Direction?

  mutating func follow(_ position: Coordinate) {
    let now = Direction(position)
    self.position = position
    here = now
    guard var behind = point else {
      point = now
      return
    }
    let distance = now.distance(to: behind)
    guard distance > Self.slackness else { return }
    metres += distance - Self.slackness
    let share = Self.slackness / distance
    behind.x = now.x + (behind.x - now.x) * share
    behind.y = now.y + (behind.y - now.y) * share
    behind.z = now.z + (behind.z - now.z) * share
    point = behind
  }
}
