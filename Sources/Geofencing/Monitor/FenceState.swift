import CivilTime

/// State of a fence in the monitor: the decided presence, and whether samples contradict it.
struct FenceState: Equatable {
  enum Phase: UInt8 {
    /// No fence has this number.
    case vacant
    /// Undecided and never tested.
    case unseen
    /// Undecided; the last samples were outside.
    case seenOutside
    /// Undecided; the last samples were inside.
    case seenInside
    case outside
    /// Outside, but the last samples were inside: `Entering` has the times.
    case entering
    /// Inside. `Leaving` has the times of samples beyond the edge.
    case inside
  }

  var phase: Phase

  static let vacant = FenceState(phase: .vacant)

  @inline(__always)
  init(phase: Phase) { self.phase = phase }

  init(_ presence: Presence) {
    switch presence {
    case .unknown: self.init(phase: .unseen)
    case .outside: self.init(phase: .outside)
    case .inside: self.init(phase: .inside)
    }
  }

  @inline(__always)
  var isInside: Bool { phase == .inside }

  @inline(__always)
  func `is`(_ phase: Phase) -> Bool { self.phase == phase }

  var presence: Presence {
    switch phase {
    case .vacant, .unseen, .seenOutside, .seenInside: .unknown
    case .outside, .entering: .outside
    case .inside: .inside
    }
  }
}

/// A run of samples that agree: the times of the first and the last one.
struct Run: Equatable {
  private(set) var since = Instant(microseconds: .max)
  private var until = Instant(microseconds: .max)

  /// Whether there is a sample.
  @inline(__always)
  var isEmpty: Bool { until.microseconds == .max }

  /// Adds a sample that agrees, or ends the run.
  @inline(__always)
  mutating func add(_ agrees: Bool, at time: Instant) {
    guard agrees else {
      self = Run()
      return
    }
    if isEmpty { since = time }
    until = time
  }

  /// Whether two samples of it are this far apart.
  @inline(__always)
  func spans(_ agreement: TimeSpan) -> Bool { !isEmpty && until - since >= agreement }

  /// When it will have lasted for `hold`; nil as long as no two samples agree.
  func end(of hold: TimeSpan, _ agreement: TimeSpan) -> Instant? {
    spans(agreement) ? since + hold : nil
  }
}

/// Contradictions of samples to a presence inside.
struct Leaving {
  let fence: FenceID
  /// Beyond the margin, at rest or not.
  var outside = Run()
  /// Beyond the margin while the device moves.
  var moving = Run()
  /// Beyond the far margin.
  var far = Run()

  init(_ fence: FenceID) { self.fence = fence }

  mutating func add(beyond: Double, _ near: Double, _ far: Double, isMoving: Bool, at time: Instant)
  {
    outside.add(beyond > near, at: time)
    moving.add(beyond > near && isMoving, at: time)
    self.far.add(beyond > far, at: time)
  }

  /// When it is decided without a further sample; nil without a hold.
  func end(_ policy: MonitorPolicy) -> Instant? {
    if moving.spans(policy.agreement) { return moving.since }
    let long = outside.end(of: policy.hold, policy.agreement)
    guard let short = far.end(of: policy.farHold, policy.agreement) else { return long }
    return long.map { min($0, short) } ?? short
  }
}

/// Contradictions of samples to a presence outside.
struct Entering {
  let fence: FenceID
  var inside = Run()
  /// Whether the last sample is deep inside.
  var isDeep = false

  init(_ fence: FenceID) { self.fence = fence }

  /// When it is decided without a further sample; nil without a hold.
  /// - Parameter isResting: the device has rested for a while, and does not move.
  func end(isResting: Bool, _ policy: MonitorPolicy) -> Instant? {
    guard inside.spans(policy.agreement) else { return nil }
    return isResting ? inside.since + (isDeep ? policy.farHold : policy.hold) : inside.since
  }
}

/// A fence of unknown presence, and since when samples agree about it.
struct Undecided {
  let fence: FenceID
  var since = Instant(microseconds: .min)

  init(_ fence: FenceID) { self.fence = fence }
}
