package import CivilTime
package import Geodesy

/// A boat that lies still at night without an anchor watch: when to say so, once for each stay.
///
/// A stay is the time within `swing` of where it began. A boat swings on its chain, and a receiver
/// errs, so a stay ends when all positions of `leavingTime` are outside.
package struct UnwatchedStay: Sendable {
  /// Twice the chain of a small yacht, metres.
  private static let swing = 100.0
  private static let leavingTime = TimeSpan.minutes(1)

  private var place: Coordinate
  private var since: Instant
  /// Since when each position has been outside.
  private var away: Instant?
  private var isReported = false

  package enum Verdict: Sendable {
    case wait
    /// It is time to say so.
    case report
    /// The boat has left: the report of the last stay is out of date.
    case left
  }

  /// - Parameter place: the last known position, of this run or an earlier one.
  package init(at place: Coordinate, since now: Instant) {
    self.place = place
    since = now
  }

  /// Takes in a position.
  /// - Parameters:
  ///   - error: of the position, metres.
  ///   - span: the time of lying still before it is said.
  ///   - isWatched: whether an anchor watch is set.
  /// - Complexity: O(1). The sun is computed once the time of lying still is over.
  package mutating func follow(
    _ position: Coordinate, error: Double = 0, at now: Instant, after span: TimeSpan,
    isWatched: Bool
  ) -> Verdict {
    guard place.distance(to: position) > Self.swing + error else {
      away = nil
      // After a clock that was set back, the time counts from then on.
      since = min(since, now)
      guard !isReported, !isWatched, now - since >= span, Self.isNight(at: position, now)
      else { return .wait }
      isReported = true
      return .report
    }
    let start = min(away ?? now, now)
    away = start
    guard now - start >= Self.leavingTime else { return .wait }
    self = UnwatchedStay(at: position, since: now)
    return .left
  }

  /// Whether the sun is down. Where it neither rises nor sets within two days, any hour counts.
  private static func isNight(at position: Coordinate, _ now: Instant) -> Bool {
    let rise = Sun.next(.sunrise, after: now.seconds, at: position)
    guard let set = Sun.next(.sunset, after: now.seconds, at: position) else { return true }
    return rise.map { $0 < set } ?? true
  }
}
