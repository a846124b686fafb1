package import CivilTime

/// Chooses among the fixes of several feeds, so that two receivers never make one track.
///
/// One feed is followed and kept while it delivers; after `patience` without a fix from it the next
/// feed that delivers takes its place. A feed of a better kind of solution than the one followed is
/// taken once it has delivered steadily for `probation`.
package struct Arbiter: Sendable {
  /// Silence of the followed feed before another takes over.
  package var patience: TimeSpan
  /// How long a better feed must deliver before it is taken.
  package var probation: TimeSpan

  /// The feed whose fixes count, by the caller's number.
  package private(set) var followed: Int?
  private var lastFollowed: Instant?
  private var challengers: [Int: Challenger] = [:]

  private struct Challenger {
    var since: Instant
    var last: Instant
  }

  package init(patience: TimeSpan = .seconds(5), probation: TimeSpan = .seconds(30)) {
    self.patience = patience
    self.probation = probation
  }

  /// Answers whether this fix counts. `now` is the arrival, never earlier than the one before
  /// but where `clockStepped(to:)` said so.
  /// Complexity: O(1).
  package mutating func accepts(_ fix: Fix, from feed: Int, at now: Instant) -> Bool {
    if followed == feed || followed == nil {
      follow(feed, at: now)
      followedRank = Self.rank(fix)
      return true
    }
    if let last = lastFollowed, now - last > patience {
      follow(feed, at: now)
      followedRank = Self.rank(fix)
      return true
    }
    guard Self.rank(fix) > followedRank else {
      challengers[feed] = nil
      return false
    }
    var challenger = challengers[feed] ?? Challenger(since: now, last: now)
    if now - challenger.last > patience { challenger.since = now }
    challenger.last = now
    guard now - challenger.since >= probation else {
      challengers[feed] = challenger
      return false
    }
    follow(feed, at: now)
    followedRank = Self.rank(fix)
    return true
  }

  /// The feed is gone: the next one that delivers is followed at once.
  package mutating func forget(_ feed: Int) {
    challengers[feed] = nil
    if followed == feed {
      followed = nil
      lastFollowed = nil
    }
  }

  /// The clock was set: arrivals before tell nothing of silence or steadiness from now on. The feed
  /// that is followed has `patience` again.
  package mutating func clockStepped(to now: Instant) {
    challengers.removeAll(keepingCapacity: true)
    if followed != nil { lastFollowed = now }
  }

  private var followedRank = 0

  private mutating func follow(_ feed: Int, at now: Instant) {
    if followed != feed { challengers.removeAll(keepingCapacity: true) }
    followed = feed
    lastFollowed = now
  }

  /// Coarse on purpose: a receiver that wavers between 2D and 3D is no reason to change.
  private static func rank(_ fix: Fix) -> Int {
    switch fix.source {
    case .simulated, .manual: 0
    case .deadReckoning: 1
    case .unknown, .gnss, .gnssDeadReckoning, .surveyed, .precise, .differential: 2
    case .rtkFloat, .rtkFixed: 3
    }
  }
}
