package import CivilTime

/// Chooses among the fixes of several receivers, so that their tracks never mix.
///
/// One receiver is followed while it delivers, with three exceptions:
///
/// - After `timeout` without a fix the next receiver that delivers replaces it: one at 1 Hz does so
///   within five seconds of the last fix.
/// - Within `returnTime` of that last fix the replaced receiver is followed again when it delivers:
///   a receiver with drop-outs and another one beside it make one track with few changes.
/// - A clearly better receiver replaces it once each of its fixes was better for `probation`.
///
/// Better means, in this order:
///
/// 1. A better kind of solution: simulated or manual, dead reckoning or networks,
///    satellites, RTK.
/// 2. Of the same kind a fresher one: positions that are `staleness` nearer to the clock.
/// 3. Of the same kind and age a far more precise one: a quarter of the error or less, and 25 m.
///
/// The criteria are coarse: a change between 2D and 3D, or in the error, is no reason to switch.
package struct Arbiter: Sendable {
  /// Time without a fix from the followed receiver before another one replaces it.
  private static let timeout = TimeSpan.seconds(4)
  /// How long a better receiver must deliver before it is followed.
  private static let probation = TimeSpan.seconds(30)
  /// Difference in the delay of positions from which on the fresher receiver is better.
  private static let staleness = TimeSpan.seconds(5)
  /// How long after its last fix a receiver that was replaced for its silence may return.
  private static let returnTime = TimeSpan.minutes(1)

  /// The followed receiver.
  package private(set) var followed: FixOrigin?
  private var lastFollowed: Instant?
  /// The receiver that was replaced for its silence, and its last fix.
  private var silent: (origin: FixOrigin, last: Instant)?
  private var merit = Merit()
  private var challengers: [FixOrigin: Challenger] = [:]

  /// Maximum number of challengers: anyone can send to an open port.
  private static let maximumChallengers = 16

  private struct Challenger {
    var since: Instant
    var last: Instant
  }

  package init() {}

  /// Whether this fix counts. `now` is the arrival; it never decreases except after
  /// `clockStepped(to:)`.
  ///
  /// - Complexity: O(1).
  package mutating func accepts(_ fix: Fix, from origin: FixOrigin, at now: Instant) -> Bool {
    let offered = Merit(fix, at: now)
    if let last = silent?.last, now - last > Self.returnTime { silent = nil }
    if followed != origin {
      if silent?.origin == origin {
        silent = nil
      } else if let followed, let lastFollowed {
        if now - lastFollowed > Self.timeout {
          if silent == nil { silent = (followed, lastFollowed) }
        } else if hasProvedBetter(offered, origin, now) {
          silent = nil
        } else {
          return false
        }
      }
      challengers.removeAll(keepingCapacity: true)
    }
    followed = origin
    lastFollowed = now
    merit = offered
    return true
  }

  /// Removes a disconnected receiver; the next receiver with a fix is followed at once.
  package mutating func forget(_ origin: FixOrigin) {
    challengers[origin] = nil
    guard followed == origin else { return }
    if silent == nil, let lastFollowed { silent = (origin, lastFollowed) }
    followed = nil
    lastFollowed = nil
  }

  /// Removes a disconnected feed with all its receivers.
  package mutating func forget(feed: Int) {
    challengers = challengers.filter { $0.key.feed != feed }
    if silent?.origin.feed == feed { silent = nil }
    guard followed?.feed == feed else { return }
    followed = nil
    lastFollowed = nil
  }

  /// Restarts all measurements after a clock step. The followed receiver has `timeout` again.
  package mutating func clockStepped(to now: Instant) {
    challengers.removeAll(keepingCapacity: true)
    if followed != nil { lastFollowed = now }
    silent = nil
  }

  /// Whether a receiver has been better than the followed one for long enough.
  private mutating func hasProvedBetter(
    _ offered: Merit, _ origin: FixOrigin, _ now: Instant
  ) -> Bool {
    guard offered.isClearlyBetter(than: merit, Self.staleness) else {
      challengers[origin] = nil
      return false
    }
    var challenger = challengers[origin] ?? Challenger(since: now, last: now)
    if now - challenger.last > Self.timeout { challenger.since = now }
    challenger.last = now
    guard now - challenger.since < Self.probation else { return true }
    if challengers[origin] == nil, challengers.count >= Self.maximumChallengers {
      challengers = challengers.filter { now - $0.value.last <= Self.timeout }
      guard challengers.count < Self.maximumChallengers else { return false }
    }
    challengers[origin] = challenger
    return false
  }
}

/// The quality of a fix in comparison with another receiver's.
private struct Merit: Sendable {
  var kind = 0
  /// Seconds from its own time to its arrival; nil without a time. One clock measures both
  /// receivers and need not be right.
  var lag: Double?
  var eph: Double?

  /// Differences in seconds above this are due to a wrong receiver clock, not to delay.
  private static let wrongClock = 300.0

  init() {}

  init(_ fix: Fix, at now: Instant) {
    kind =
      switch fix.source {
      case .simulated, .manual: 0
      case .deadReckoning, .network: 1
      case .unknown, .gnss, .gnssDeadReckoning, .surveyed, .precise, .differential: 2
      case .rtkFloat, .rtkFixed: 3
      }
    lag = fix.time.map { (now - $0).seconds }
    eph = fix.eph
  }

  func isClearlyBetter(than other: Merit, _ staleness: TimeSpan) -> Bool {
    guard kind == other.kind else { return kind > other.kind }
    if let lag, let otherLag = other.lag, (lag - otherLag).magnitude > staleness.seconds,
      (lag - otherLag).magnitude < Self.wrongClock
    {
      return lag < otherLag
    }
    guard let eph, let otherEph = other.eph else { return false }
    return eph * 4 <= otherEph && otherEph - eph >= 25
  }
}
