import CivilTime
import Geodesy

/// Where the receiver was, and when.
struct TrailPoint {
  var time: Instant
  var place: Vector
}

/// The last minute in steps of eight seconds: enough to distinguish a walk from the wandering of a
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
  func hasMoved(to place: Vector, at time: Instant, by metres: Double) -> Bool {
    for i in 0..<8 {
      guard let point = points[i], time - point.time <= Trail.reach else { continue }
      if point.place.isFarther(than: metres, from: place) { return true }
    }
    return false
  }
}

extension Vector {
  /// Whether the way on the ground between two places is longer than `metres`.
  func isFarther(than metres: Double, from other: Vector) -> Bool {
    let chord = chordSquared(to: other).squareRoot() * Sphere.radius
    if chord > metres { return true }
    // No way on the ground is longer than π/2 straight lines.
    return chord * (.pi / 2) > metres
      && Vector.distance(chordSquared: chordSquared(to: other)) > metres
  }
}
