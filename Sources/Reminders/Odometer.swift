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

  /// The straight line to a point, in radii of the Earth.
  @inline(__always)
  private func chord(x otherX: Double, y otherY: Double, z otherZ: Double) -> Double {
    let (dx, dy, dz) = (x - otherX, y - otherY, z - otherZ)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }

  @inline(__always)
  private func chord(to other: Direction) -> Double { chord(x: other.x, y: other.y, z: other.z) }

  /// No less than the great-circle metres to another one, and for some kilometres no more than a millionth above.
  @inline(__always)
  func distance(atLeastTo other: Direction) -> Double {
    let chord = chord(to: other)
    // The arc over a chord c is no longer than c (1 + c²/16) up to a sixth of a great circle.
    return chord <= 1 ? Sphere.radius * chord * (1 + chord * chord / 16) : Sphere.radius * 2 * chord
  }

  /// Whether another one is no farther away than so many metres.
  @inline(__always)
  func isWithin(_ metres: Double, of other: Direction) -> Bool {
    // No way is shorter than the straight line.
    Sphere.radius * chord(to: other) <= metres && distance(to: other) <= metres
  }

  /// Great-circle metres. For a place given in single precision wrong by half a metre at most, wherever it is.
  ///
  /// - Parameter reach: of a ball around the other point, in radii of the Earth; then it is the distance
  ///   that no place in it exceeds.
  func distance(
    x otherX: Double, y otherY: Double, z otherZ: Double, reach: Double = 0
  ) -> Double {
    let half = (chord(x: otherX, y: otherY, z: otherZ) + reach) / 2
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
