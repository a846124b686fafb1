/// State of a fence in the monitor: the decided presence, and the last sample's contradiction.
struct FenceState: Equatable {
  enum Phase: UInt8 {
    /// No fence has this number.
    case vacant
    /// Undecided and never tested.
    case unseen
    /// Undecided; the last sample was outside.
    case seenOutside
    /// Undecided; the last sample was inside.
    case seenInside
    case outside
    /// Outside, but the last sample was inside.
    case entering
    case inside
    /// Inside, but the last sample was beyond the margin.
    case leaving
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

  /// Whether the phase is `inside` or `leaving`.
  @inline(__always)
  var isInside: Bool { phase.rawValue >= Phase.inside.rawValue }

  @inline(__always)
  func `is`(_ phase: Phase) -> Bool { self.phase == phase }

  var presence: Presence {
    switch phase {
    case .vacant, .unseen, .seenOutside, .seenInside: .unknown
    case .outside, .entering: .outside
    case .inside, .leaving: .inside
    }
  }
}
