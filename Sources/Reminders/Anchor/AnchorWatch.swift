package import CivilTime
import Containers
import Geodesy
import Geofencing

/// The state of an anchor watch in this run.
///
/// The boat has left its circle when the present fix is outside and four fifths of the fixes of the
/// last hold are, and it is back when as many are `margin` inside. There are at least three of
/// them, so no single wrong fix decides. No fix is too inaccurate to be compared.
///
/// A receiver between masts and walls jumps: it is tens of metres away within seconds, and claims
/// that the boat lies still. Outside after a jump, the boat has left after `holdsAfterJump` holds.
package struct AnchorWatch: Equatable, Sendable {
  /// The share of the fixes that has to agree.
  private static let share = 0.8
  /// The fewest fixes that decide.
  private static let fewest = 3
  /// The fixes of a hold that are kept: of more, some are left out.
  private static let resolution = 240.0
  /// Positions this far apart within `jumpTime`, metres beyond what twice the claimed speed
  /// explains, are a jump.
  private static let jump = 15.0
  private static let jumpTime = TimeSpan.seconds(10)
  /// Two of three reflections in a harbour are over after so many holds of 30 s.
  private static let holdsAfterJump = 3.0
  /// The way over this time is reported.
  private static let wayTime = TimeSpan.minutes(5)
  private static let wayStep = TimeSpan.seconds(30)
  private static let longestWayTime = TimeSpan.minutes(6)
  /// The same position for so long means that the receiver hangs, once positions have varied as
  /// often as this.
  private static let frozenAfter = TimeSpan.minutes(3)
  private static let usualChanges = 10

  private struct Moment: Equatable {
    var time: Instant
    var distance: Double
    var position: Coordinate
  }

  private struct Place: Equatable {
    var time: Instant
    var position: Coordinate

    mutating func pass(_ tape: inout StateTape) {
      tape.pass(&time)
      tape.pass(&position)
    }
  }

  /// The beginning of this run, or of the watch.
  package private(set) var since: Instant
  /// Arrival of the last fix, or the beginning.
  package internal(set) var lastFix: Instant
  /// Whether the loss of position was reported.
  package private(set) var isLost = false
  /// When the position came back after the last reported loss; nil once the boat has left since.
  private(set) var returned: Instant?
  /// When it was decided that the boat has left its circle; nil in a run that has only read it.
  private(set) var left: Instant?
  /// Until when the conditions forbid to report the loss.
  var silentUntil: Instant?
  /// Metres from the anchor at the last fix.
  package private(set) var distance: Double?
  /// The largest distance that two fixes in a row have reached, metres.
  private var confirmedSwing = 0.0

  /// The fixes of the last hold, the oldest first.
  private var recent: [Moment] = []
  /// The first jump since the boat was within its circle without one.
  private var jumped: Instant?
  /// Where the boat was over the last five minutes, twice a minute.
  private var way: [Place] = []
  private var last: Place?
  /// Since when the position is the same to the last digit, and how often it was another one.
  private var unchangedSince: Instant
  private var changes = 0

  init(since: Instant) {
    self.since = since
    lastFix = since
    unchangedSince = since
  }

  /// The largest distance that two fixes in a row have reached, at least the present one; metres.
  package var largestSwing: Double { max(confirmedSwing, distance ?? 0) }

  /// The last position is known when the watch begins, and decides nothing.
  mutating func begin(at distance: Double) { self.distance = distance }

  /// It is decided that the boat has left its circle.
  mutating func leave(at now: Instant) { (left, returned) = (now, nil) }

  /// The loss of the position is reported.
  mutating func lose() { (isLost, returned) = (true, nil) }

  /// Metres inside the edge of a circle at which the device is back.
  static func margin(radius: Double) -> Double { min(5, radius / 4) }

  /// Takes in a fix.
  /// - Parameters:
  ///   - distance: from the anchor, metres.
  ///   - radius: of the circle, metres.
  ///   - hold: the time outside before the alarm.
  mutating func follow(
    _ sample: PositionSample, _ distance: Double, radius: Double, hold: TimeSpan, at now: Instant
  ) {
    let isNew = last?.position != sample.position
    if isNew {
      if last != nil { changes = min(changes + 1, Self.usualChanges) }
      unchangedSince = now
    }
    if isLost, isNew || changes < Self.usualChanges {
      // The way over an outage is not one of five minutes.
      (isLost, returned, way) = (false, now, [])
    }
    lastFix = now
    silentUntil = nil
    confirmedSwing = max(confirmedSwing, min(distance, self.distance ?? 0))
    self.distance = distance
    // The receiver's clock was set back.
    if let last, sample.time < last.time { (recent, way, jumped) = ([], [], nil) }
    if isJump(sample) {
      jumped = jumped ?? sample.time
    } else if distance <= radius {
      jumped = nil
    }
    last = Place(time: sample.time, position: sample.position)
    keep(Moment(time: sample.time, distance: distance, position: sample.position), hold: hold)
    if way.last.map({ sample.time - $0.time >= Self.wayStep }) ?? true, let last {
      way.append(last)
      while way.count > 1, way[1].time <= sample.time - Self.wayTime { way.removeFirst() }
    }
  }

  /// Whether the receiver is where its own speed cannot have brought it; unknown without a speed.
  private func isJump(_ sample: PositionSample) -> Bool {
    guard let speed = sample.speed,
      let from = recent.first(where: { sample.time - $0.time <= Self.jumpTime })
    else { return false }
    let explained = 2 * speed * (sample.time - from.time).seconds
    return from.position.distance(to: sample.position) > Self.jump + explained
  }

  private mutating func keep(_ moment: Moment, hold: TimeSpan) {
    if recent.count > 1 {
      let step = recent[recent.count - 1].time - recent[recent.count - 2].time
      if step.seconds < hold.seconds / Self.resolution { recent.removeLast() }
    }
    recent.append(moment)
    while recent.count > Self.fewest, recent[1].time <= moment.time - hold {
      recent.removeFirst()
    }
  }

  /// The decision by the fixes of a hold.
  enum Verdict: Equatable {
    case outside
    case back
    /// The present fix is outside, and the time that decides goes on for so long.
    case waits(TimeSpan, hasJumped: Bool)
    /// The present fix is outside, and so few of the fixes that decide are.
    case disputed(outside: Int, of: Int)
    case undecided
  }

  /// Whether the boat is outside, or back, by the fixes of a hold.
  func verdict(radius: Double, hold: TimeSpan) -> Verdict {
    guard let first = recent.first, let last = recent.last else { return .undecided }
    let isOutside = last.distance > radius
    guard recent.count >= Self.fewest, last.time - first.time >= hold else {
      let rest = max(.zero, first.time + hold - last.time)
      return isOutside ? .waits(rest, hasJumped: false) : .undecided
    }
    let needed = Self.share * Double(recent.count)
    if isOutside {
      let wait = TimeSpan(seconds: hold.seconds * Self.holdsAfterJump)
      if let jumped, last.time - jumped < wait {
        return .waits(jumped + wait - last.time, hasJumped: true)
      }
      let count = recent.count { $0.distance > radius }
      return Double(count) >= needed ? .outside : .disputed(outside: count, of: recent.count)
    }
    let edge = radius - Self.margin(radius: radius)
    guard last.distance <= edge else { return .undecided }
    return Double(recent.count { $0.distance <= edge }) >= needed ? .back : .undecided
  }

  /// Since when the receiver has repeated one position, though others varied; nil if it does not
  /// hang.
  var frozenSince: Instant? {
    let isFrozen = changes == Self.usualChanges && lastFix - unchangedSince >= Self.frozenAfter
    return isFrozen ? unchangedSince : nil
  }

  /// The way over the last five minutes, metres and degrees from true north; nil before them.
  var drift: (metres: Double, course: Double)? {
    guard let from = way.first, let last, last.time - from.time >= Self.wayTime,
      last.time - from.time <= Self.longestWayTime
    else { return nil }
    return (
      from.position.distance(to: last.position), from.position.initialBearing(to: last.position)
    )
  }
}

extension AnchorWatch {
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&since)
    tape.pass(&lastFix)
    tape.pass(&isLost)
    tape.pass(&returned)
    tape.pass(&left)
    tape.pass(&silentUntil)
    tape.pass(&distance)
    tape.pass(&confirmedSwing)
    tape.pass(&recent, blank: Moment(time: since, distance: 0, position: .origin)) {
      $1.pass(&$0.time)
      $1.pass(&$0.distance)
      $1.pass(&$0.position)
    }
    tape.pass(&jumped)
    tape.pass(&way, blank: Place(time: since, position: .origin)) { $0.pass(&$1) }
    tape.pass(&last, blank: Place(time: since, position: .origin)) { $0.pass(&$1) }
    tape.pass(&unchangedSince)
    tape.pass(&changes)
  }
}
