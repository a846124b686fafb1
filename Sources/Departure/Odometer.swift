package import Geodesy

/// The distance that the device has covered, without the jitter of a receiver at rest.
///
/// A point trails the device and is moved only when the device is more than `deadBand` metres from
/// it; the odometer counts how far the point is moved. So between any two moments the displacement
/// is at most the metres counted between them plus two dead bands. That holds for jumps, too.
package struct Odometer: Sendable {
  /// Metres.
  static let deadBand = 10.0

  package private(set) var metres = 0.0
  /// The last position; nil before the first.
  package private(set) var position: Coordinate?
  /// The same as a vector.
  package private(set) var here: Vector?
  private var trailing: Vector?

  package init() {}

  package mutating func follow(_ position: Coordinate) {
    let now = Vector(position)
    self.position = position
    here = now
    guard let behind = trailing else {
      trailing = now
      return
    }
    let distance = now.distance(to: behind)
    guard distance > Self.deadBand else { return }
    metres += distance - Self.deadBand
    let share = Self.deadBand / distance
    trailing =
      Vector(
        normalizing: now.x + (behind.x - now.x) * share, now.y + (behind.y - now.y) * share,
        now.z + (behind.z - now.z) * share) ?? now
  }
}
