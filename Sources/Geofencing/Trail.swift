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
