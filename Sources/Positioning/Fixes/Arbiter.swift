package import CivilTime

/// Chooses among the fixes of several receivers, so that two of them never make one track.
///
/// One receiver is followed. It is kept while it delivers, whatever the others say, with two
/// exceptions:
///
/// - After `timeout` without a fix from it the next receiver that delivers takes its place: with
///   one at 1 Hz within five seconds of the last fix.
/// - A receiver that is clearly better takes its place once it has delivered steadily, and has been
///   better with each of its fixes, for `probation`.
///
/// Clearly better is, in this order,
///
/// 1. a better kind of solution: simulated or manual, dead reckoning, satellites, RTK;
/// 2. of the same kind a fresher one: positions that lag `staleness` less behind the clock;
/// 3. of the same kind and age a far more precise one: a quarter of the error or less, and 25 m.
///
/// It is coarse on purpose: a receiver that wavers between 2D and 3D, or in its error, is no reason
/// to change.
package struct Arbiter: Sendable {
  /// Silence of the followed receiver before another takes over.
  package var timeout: TimeSpan
  /// How long a better receiver must deliver before it is taken.
  package var probation: TimeSpan
  /// How much longer the way of a position may be than that of another before that counts.
  package var staleness: TimeSpan

  /// The receiver whose fixes count.
  package private(set) var followed: FixOrigin?
  private var lastFollowed: Instant?
  private var merit = Merit()
  private var challengers: [FixOrigin: Challenger] = [:]

  /// Anyone can send to an open port: more challengers than this are not weighed.
  private static let maximumChallengers = 16

  private struct Challenger {
    var since: Instant
    var last: Instant
  }

  package init(
    timeout: TimeSpan = .seconds(4), probation: TimeSpan = .seconds(30),
    staleness: TimeSpan = .seconds(5)
  ) {
    self.timeout = timeout
    self.probation = probation
    self.staleness = staleness
  }

  /// Answers whether this fix counts. `now` is the arrival, never earlier than the one before
  /// but where `clockStepped(to:)` said so.
  ///
  /// - Complexity: O(1).
  package mutating func accepts(_ fix: Fix, from origin: FixOrigin, at now: Instant) -> Bool {
    let offered = Merit(fix, at: now)
    if let followed, followed != origin, let lastFollowed, now - lastFollowed <= timeout {
      guard hasProvedBetter(offered, origin, now) else { return false }
    }
    if followed != origin { challengers.removeAll(keepingCapacity: true) }
    followed = origin
    lastFollowed = now
    merit = offered
    return true
  }

  /// The receiver is disconnected: the next one that delivers is followed at once.
  package mutating func forget(_ origin: FixOrigin) {
    challengers[origin] = nil
    if followed == origin { follow(nil) }
  }

  /// The feed is disconnected with all its receivers.
  package mutating func forget(feed: Int) {
    challengers = challengers.filter { $0.key.feed != feed }
    if followed?.feed == feed { follow(nil) }
  }

  /// The clock was set: arrivals before tell nothing of silence or steadiness from now on. The
  /// receiver that is followed has `timeout` again.
  package mutating func clockStepped(to now: Instant) {
    challengers.removeAll(keepingCapacity: true)
    if followed != nil { lastFollowed = now }
  }

  private mutating func follow(_ origin: FixOrigin?) {
    followed = origin
    lastFollowed = nil
  }

  /// Whether a receiver has been better than the followed one for long enough.
  private mutating func hasProvedBetter(
    _ offered: Merit, _ origin: FixOrigin, _ now: Instant
  ) -> Bool {
    guard offered.isClearlyBetter(than: merit, staleness) else {
      challengers[origin] = nil
      return false
    }
    var challenger = challengers[origin] ?? Challenger(since: now, last: now)
    if now - challenger.last > timeout { challenger.since = now }
    challenger.last = now
    guard now - challenger.since < probation else { return true }
    if challengers[origin] == nil, challengers.count >= Self.maximumChallengers {
      challengers = challengers.filter { now - $0.value.last <= timeout }
      guard challengers.count < Self.maximumChallengers else { return false }
    }
    challengers[origin] = challenger
    return false
  }
}

/// What a fix is worth, compared with another receiver's.
private struct Merit: Sendable {
  var kind = 0
  /// Seconds from its own time to its arrival; nil without a time. Both receivers are measured with
  /// one clock, which therefore need not be right.
  var lag: Double?
  var eph: Double?

  /// Positions that differ by more than this, in seconds, are not late: a receiver's clock is
  /// wrong.
  private static let wrongClock = 300.0

  init() {}

  init(_ fix: Fix, at now: Instant) {
    kind =
      switch fix.source {
      case .simulated, .manual: 0
      case .deadReckoning: 1
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
