import CivilTime
import Containers
import Geodesy
import Geofencing
import Positioning

/// Speed and course of the device: the receiver's own, else computed from its last positions.
struct Motion: Sendable {
  /// The last positions: one at least `baseline` old, and those after it.
  private var track: [PositionSample] = []
  /// The receiver's course, degrees from true north.
  private var givenCourse: Double?

  /// Shorter than this, the error of two positions is no speed.
  private static let baseline = TimeSpan.seconds(10)
  /// Beyond this, the way between two positions is unknown.
  private static let longest = TimeSpan.minutes(5)
  /// Below this, metres a second, a course is noise.
  private static let rest = 0.5

  mutating func follow(_ sample: PositionSample, course: Double?) {
    track.append(sample)
    while track.count > 2, sample.time - track[1].time >= Self.baseline { track.removeFirst() }
    givenCourse = course
  }

  /// Metres a second; nil if unknown.
  var speed: Double? {
    track.last?.speed ?? way.map { $0.from.position.distance(to: $0.to.position) / $0.seconds }
  }

  /// Degrees from true north; nil if unknown or at rest.
  var course: Double? {
    guard let speed, speed >= Self.rest else { return nil }
    if let givenCourse { return givenCourse }
    guard let way else { return nil }
    let metres = way.from.position.distance(to: way.to.position)
    return metres > max(10, way.to.eph ?? 0)
      ? way.from.position.initialBearing(to: way.to.position) : nil
  }

  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&track, blank: .blank) { $0.pass(&$1) }
    tape.pass(&givenCourse)
  }

  private var way: (from: PositionSample, to: PositionSample, seconds: Double)? {
    guard let first = track.first, let last = track.last else { return nil }
    let span = last.time - first.time
    return span >= Self.baseline && span <= Self.longest ? (first, last, span.seconds) : nil
  }
}

extension ReceiverID {
  init(_ origin: FixOrigin) {
    self.init(feed: origin.feed, sender: origin.sender, device: origin.device)
  }
}
